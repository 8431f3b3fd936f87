"""What is lost without a source: the method fitted again without it, on the same held-out rows."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from typer.testing import CliRunner

from kernlearn.cli.app import app
from kernlearn.cli.learned import print_learned
from kernlearn.cli.problem import CommandOptions
from kernlearn.estimators.mkl.parameters import CombinationParameters, EngineOptions
from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.importance import ImportanceOptions
from kernlearn.methods.learner import Learner
from kernlearn.methods.method import Setting
from kernlearn.methods.preparation import preparation
from kernlearn.methods.registry import find_method
from kernlearn.methods.scores import ScoreOptions, metric_draws
from kernlearn.methods.task import Task, WorkflowOptions
from kernlearn.methods.view_mkl import ViewMKLClassifier
from kernlearn.methods.workflow import learn, n_steps
from kernlearn.solvers.engine.statement import ChoiceOptions
from kernlearn.tables import Column

WORDS = np.array(
    [["poor thing, it broke", "returned it"], ["works well for me", "lovely, will buy"]]
)
QUICK = WorkflowOptions(
    importance=ImportanceOptions(most_repeats=1), scoring=ScoreOptions(n_draws=40), baselines=()
)


@pytest.fixture(autouse=True)
def few_candidates(monkeypatch):
    options = ChoiceOptions(factors_of_C=(1.0,), shares=(2 / 3,))
    monkeypatch.setattr(CombinationParameters, "_engine", EngineOptions(choices=options))


def orders(n=40):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    return pd.DataFrame(
        {
            "review": [f"{rng.choice(WORDS[k])} {i} of {i * i}" for i, k in enumerate(y)],
            "age": 40.0 + rng.normal(0, 9, n),
            "price": rng.gamma(3.0, 20.0, n),
            "kind": rng.choice(["hat", "coat", "shoe"], n),
            "liked": np.where(y, "yes", "no"),
        }
    )


def a_task(views, options=QUICK):
    frame = orders()
    columns = [
        Column("review", "words", ""),
        Column("age", "number", ""),
        Column("price", "number", ""),
        Column("kind", "category", ""),
    ]
    y = frame.pop("liked").to_numpy().astype(str)
    setting = Setting("classification", 0, views=tuple(views), classes=np.unique(y))
    return Task(frame, y, columns, setting, "mkl", refit=False, views=views, options=options)


VIEWS = {"review": ["review"], "numbers": ["age", "price"], "categories": ["kind"]}


def test_it_is_the_score_less_that_of_a_fit_without_the_source():
    task, steps = a_task(VIEWS), []
    outcome = learn(task, lambda: steps.append(1))
    assert len(steps) == n_steps(task)
    assert [entry.name for entry in outcome.views] == list(VIEWS)
    assert all(entry.refitted for entry in outcome.views)
    assert outcome.views[0].value == max(entry.value for entry in outcome.views) > 0.2
    ((train, test),) = task.splits()
    others = {name: VIEWS[name] for name in ("review", "categories")}
    setting = replace(task.setting, views=tuple(others))
    learner = Learner(find_method("mkl"), setting, lambda: preparation(task.columns, others))
    X, y = task.X.iloc[test], task.y[test]
    model = learner.fit(task.X.iloc[train].reset_index(drop=True), task.y[train])
    rest = HeldOutPredictions.of(model, X, y, setting.classes)
    whole = outcome.judged[0].held_out
    lost = np.mean(whole.predicted == whole.y) - np.mean(rest.predicted == rest.y)
    assert outcome.views[1].value == pytest.approx(lost)
    draws = metric_draws(task.metric, whole, 0, 40) - metric_draws(task.metric, rest, 0, 40)
    assert outcome.views[1].standard_error == pytest.approx(draws.std(ddof=1))


def test_where_it_takes_too_long_cells_are_shuffled():
    task, steps = a_task(VIEWS, replace(QUICK, seconds_without=0.0)), []
    outcome = learn(task, lambda: steps.append(1))
    assert len(steps) == n_steps(task)
    assert not any(entry.refitted for entry in outcome.views or [])


def test_the_command_line_finds_text_and_says_what_is_lost(tmp_path):
    orders().to_csv(tmp_path / "orders.csv", index=False)
    runner = CliRunner(env={"COLUMNS": "120", "TERM": "dumb"})
    command = ["fit", str(tmp_path / "orders.csv"), "--target", "liked", "--no-refit"]
    options = CommandOptions(QUICK, n_jobs=1, few_rows=0)
    said = runner.invoke(app, [*command, "--json"], obj=options)
    assert said.exit_code == 0, said.output
    facts = json.loads(said.output)
    assert facts["method"] == "mkl"
    assert facts["views"] == VIEWS
    assert "the sources are review, numbers, categories" in facts["notes"][0]
    assert facts["importance"]["views"][0]["name"] == "review"
    assert all(e["standard_error"] >= 0.0 for e in facts["importance"]["views"])
    assert "fitted without the source" in facts["importance"]["how_views"]
    assert facts["chance"] is None
    console = Console(record=True, width=200, file=StringIO())
    print_learned(console, {**facts, "chance": "R² is -0.1"})
    told = console.export_text()
    assert told.startswith("No better than guessing: R² is -0.1.")
    assert "Sources, by the accuracy that is lost without them: review 0." in told
    assert " ± 0." in told


def test_the_flagship_takes_text_where_it_is_asked_for(tmp_path):
    orders().to_csv(tmp_path / "orders.csv", index=False)
    command = ["fit", str(tmp_path / "orders.csv"), "--target", "liked", "--no-refit", "--json"]
    options = CommandOptions(QUICK, n_jobs=1, few_rows=0)
    said = CliRunner().invoke(app, [*command, "--method", "kernel"], obj=options)
    assert said.exit_code == 0, said.output
    facts = json.loads(said.output)
    assert facts["method"] == "kernel"
    assert facts["columns"][0]["kind"] == "words"
    assert facts["scores"][0]["score"] == 1.0  # the words tell; numbers and categories do not


@pytest.mark.parametrize("with_text", [True, False])
def test_sources_are_seen_through_landmarks_too(with_text):
    """Beside sources of their own, no pairs of columns are looked at."""
    views = VIEWS if with_text else {name: VIEWS[name] for name in ("numbers", "categories")}
    task = a_task(views)
    prepared = preparation(task.columns, views).fit_transform(task.X)
    model = ViewMKLClassifier(quality="least_squares", C="auto", rank=30, random_state=0)
    model.fit(prepared, task.y)
    assert len(model.kernel_views_) == len(model.kernels_)
    assert set(model.kernel_views_) == set(views)
    assert model.score(prepared, task.y) > (0.9 if with_text else 0.4)
    assert model.equal_share_ == pytest.approx(2 / 3)
