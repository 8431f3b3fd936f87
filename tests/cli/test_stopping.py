"""`kernlearn fit` with a limit, with an interrupt, and with a bar that says how a fit goes."""

from __future__ import annotations

import itertools
import json
import os
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import kernlearn as kl
from kernlearn.cli.app import app
from kernlearn.cli.problem import CommandOptions
from kernlearn.cli.progress import Bar, announce_fits, progress_bar
from kernlearn.estimators.mkl.parameters import CombinationParameters, EngineOptions
from kernlearn.methods.importance import ImportanceOptions
from kernlearn.methods.method import MethodOptions, Setting
from kernlearn.methods.registry import METHODS
from kernlearn.methods.task import Task, WorkflowOptions
from kernlearn.runtime import processes, stopping
from kernlearn.solvers.engine.statement import ChoiceOptions

RUNNER = CliRunner(env={"COLUMNS": "200", "TERM": "dumb"})
WORKFLOW = WorkflowOptions(importance=ImportanceOptions(most_repeats=1), baselines=())
METHOD_OPTIONS = MethodOptions(
    candidates=["linear", "Gaussian"], svm_C=(1.0,), svm_gamma=(), logistic_C=(1.0,)
)
QUICK = CommandOptions(WORKFLOW, METHOD_OPTIONS, few_rows=0)


@pytest.fixture(autouse=True)
def settings(monkeypatch):
    monkeypatch.setattr(stopping, "_last_caught", -np.inf)
    options = ChoiceOptions(factors_of_C=(1.0,))
    monkeypatch.setattr(CombinationParameters, "_engine", EngineOptions(choices=options))


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] ** 2 + 0.2 * rng.normal(size=60) > 0.5, "far", "near")
    rows = [f"{a},{b},{label}" for (a, b), label in zip(X, y, strict=True)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["a,b,place", *rows]))
    return path


def fit(table, *options, obj=QUICK):
    arguments = ["fit", table, "--target", "place", "--model", table.parent / "m", *options]
    return RUNNER.invoke(app, list(map(str, arguments)), obj=obj)


def test_a_limit_is_kept_to_and_told(table, monkeypatch):
    ticks = itertools.count()
    monkeypatch.setattr(stopping, "_now", lambda: float(next(ticks)))
    result = fit(table, "--method", "mkl", "--time-limit", "0.5", "--json")
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    # One of each reason, however many fits it was true of.
    notes = [note for note in facts["notes"] if "time limit" in note]
    assert len(notes) == 1
    assert notes[0].startswith("MKLClassifier stopped at the time limit")
    model = kl.load(table.parent / "m").estimator
    assert model.status_ is kl.results.Status.TIME_LIMIT
    assert model.time_limit == 0.5
    assert f"the relative duality gap is {model.duality_gap_:.1e}" in notes[0]


def interrupt_from(monkeypatch, first):
    """An interrupt whenever a fit tells of a step, from one of them on; returns a counter."""
    heard = []

    def show(self, progress):
        heard.append(progress)
        if len(heard) >= first:
            raise KeyboardInterrupt

    monkeypatch.setattr(Bar, "show", show)
    return heard


def test_an_interrupted_model_is_kept_and_its_note_says_so(table, monkeypatch):
    interrupt_from(monkeypatch, 3)
    result = fit(table, "--method", "lssvm", "--no-refit")
    assert result.exit_code == 0, result.output
    assert "Note: LSSVMClassifier interrupted from the keyboard" in result.output
    model = kl.load(table.parent / "m").estimator
    assert model.status_ is kl.results.Status.INTERRUPTED
    # The ridges of one width, which are looked at together, and the machine that is kept.
    assert model.n_evaluations_ < 10


@pytest.mark.parametrize(
    "options",
    [
        ["--method", "lssvm", "--cv", "2"],  # in a fold
        ["--method", "lssvm"],  # in the fit that is scored, and fitted anew
        ["--method", "auto"],  # in the comparison
    ],
)
def test_an_interrupt_elsewhere_ends_everything(table, options, monkeypatch):
    heard = interrupt_from(monkeypatch, 1)
    before = sorted(os.listdir(table.parent))
    result = fit(table, *options, obj=replace(QUICK, n_jobs=1))  # a fork hears none
    assert result.exit_code == 130
    assert "stopped; nothing was written" in result.output
    assert len(heard) == 1
    assert sorted(os.listdir(table.parent)) == before


def test_after_a_comparison_an_interrupt_is_heard_by_the_model_that_is_kept(table, monkeypatch):
    monkeypatch.setattr(processes, "_may_fork", lambda: True)  # whatever earlier tests began
    two = replace(WORKFLOW, methods=(METHODS["lssvm"], METHODS["mkl"]))
    interrupt_from(monkeypatch, 1)
    result = fit(table, "--method", "auto", obj=replace(QUICK, workflow=two, n_jobs=2))
    assert result.exit_code == 0, result.output
    assert "interrupted from the keyboard" in result.output
    assert kl.load(table.parent / "m").estimator.status_ is kl.results.Status.INTERRUPTED_AT_CHANCE


def test_after_cross_validation_the_model_on_all_rows_is_kept(table, monkeypatch):
    heard = interrupt_from(monkeypatch, 10**6)
    alone = replace(QUICK, n_jobs=1)  # nobody hears what is told in another process
    assert fit(table, "--method", "lssvm", "--cv", "2", obj=alone).exit_code == 0
    starts = [i for i, progress in enumerate(heard) if progress.step == 1]
    assert len(starts) == 3
    interrupt_from(monkeypatch, starts[2] + 5)
    result = fit(table, "--method", "lssvm", "--cv", "2", obj=alone)
    assert result.exit_code == 0, result.output
    assert "interrupted from the keyboard" in result.output
    kept = kl.load(table.parent / "m").estimator
    assert kept.status_ is kl.results.Status.INTERRUPTED
    assert len(kept.support_) == 60


PROGRESS = kl.results.Progress(1, 0.1, 2.0, None, None, "objective [2]")


@pytest.mark.parametrize("quiet", [False, True])
def test_the_bar_shows_the_last_message(quiet, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich then takes the stream for a terminal
    monkeypatch.setenv("COLUMNS", "160")
    with progress_bar("learning [red]x", 2, quiet) as bar:
        bar.show(PROGRESS)
        bar._bar.refresh()
        bar()
        bar.show(replace(PROGRESS, message="word " * 40))
    shown = capsys.readouterr()
    assert shown.out == ""
    if quiet:
        assert shown.err == ""
    else:
        # What comes from the data is no markup.
        assert "learning [red]x: objective [2]" in shown.err
        assert "1/2" in shown.err
        # A long message leaves room for the bar and the time left.
        assert "word word …" in shown.err
        assert "-:--:--" in shown.err.rpartition("word")[2]


@pytest.mark.parametrize(("n_rows", "effort", "said"), [(60, "default", ""), (2000, "best", "abo")])
def test_long_work_is_announced_with_all_its_fits(n_rows, effort, said, capsys):
    frame = pd.DataFrame({"a": np.arange(n_rows, dtype=float)})
    setting = Setting("regression", 0, options=MethodOptions(effort=effort))
    task = Task(frame, frame["a"].to_numpy(), [], setting, "kernel", cv=5)
    announce_fits(task, quiet=False)
    announce_fits(task, quiet=True)
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err[:3] == said
    assert ("expected for 6 fits; --effort fast takes a tenth\n" in told.err) == bool(said)
