"""`kernlearn fit --groups` and `--time-order`: rows that are not independent."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import kernlearn as kl
from kernlearn.cli.app import app
from kernlearn.cli.outcome_options import OutcomeRequest
from kernlearn.cli.problem import CommandOptions, read_problem
from kernlearn.cli.request import (
    FitRequest,
    GoalRequest,
    SourceRequest,
    SplitRequest,
    TableRequest,
)
from kernlearn.methods.importance import ImportanceOptions
from kernlearn.methods.method import MethodOptions
from kernlearn.methods.registry import LINEAR
from kernlearn.methods.scores import ScoreOptions
from kernlearn.methods.task import WorkflowOptions
from kernlearn.report import report_html

RUNNER = CliRunner(env={"COLUMNS": "120", "TERM": "dumb"})
OPTIONS = CommandOptions(
    WorkflowOptions(
        importance=ImportanceOptions(most_repeats=1),
        scoring=ScoreOptions(n_draws=40),
        baselines=(LINEAR,),
    ),
    MethodOptions(svm_C=(100.0,), svm_gamma=(), logistic_C=(1.0,)),
    n_jobs=1,
    pictures=(),
    few_rows=0,
)


def run(path, *arguments, options=OPTIONS):
    given = ["fit", path, "--target", "status", "--method", "rbf-svm", *arguments]
    return RUNNER.invoke(app, list(map(str, given)), obj=options)


def facts_of(path, *arguments):
    result = run(path, *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def make_patients(n_patients=120, n_rows=6):
    """A label drawn at random for each patient, whose rows are alike."""
    rng = np.random.default_rng(3)
    place = rng.permutation(np.repeat(np.arange(n_patients), n_rows))
    frame = pd.DataFrame(rng.normal(size=(n_patients, 3))[place], columns=list("abc"))
    frame += 0.1 * rng.normal(size=frame.shape)
    frame["patient"] = place + 1000
    frame["status"] = np.array(["ill", "well"])[rng.integers(2, size=n_patients)][place]
    frame["day"] = pd.date_range("2024-01-01", periods=len(frame)).strftime("%Y-%m-%d")
    return frame


@pytest.fixture(scope="module")
def patients(tmp_path_factory):
    path = tmp_path_factory.mktemp("patients") / "p.csv"
    make_patients().drop(columns="day").to_csv(path, index=False)
    return path


def test_rows_of_a_patient_on_both_sides_are_warned_of(patients):
    facts = facts_of(patients)
    assert facts["scores"][0]["score"] > 0.85
    assert facts["chance"] is None
    (warning,) = facts["warnings"]
    assert warning.startswith("`patient` looks like an identity")
    assert "pass --groups patient" in warning


def test_patients_held_out_as_a_whole_are_predicted_at_chance(patients, tmp_path):
    result = run(patients, "--groups", "patient", "--model", tmp_path / "m")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("No better than guessing: ")
    bundle = kl.load(tmp_path / "m")
    facts = bundle.facts
    assert facts["warnings"] == []
    assert facts["rows"]["groups"] == 120
    assert facts["chance_p_value"] > 0.05
    score = facts["scores"][0]
    assert 0.3 < score["score"] < 0.7
    # Thirty patients, not 180 rows: twice as wide and more.
    assert score["high"] - score["low"] > 0.2
    assert score["against"] is None
    assert facts["scores"][1]["against"]["test"] == "paired t over groups"
    column = next(c for c in facts["columns"] if c["name"] == "patient")
    assert column["kind"] == "group"
    assert "patient" not in list(bundle.sample_X)
    page = report_html(bundle, pictures=())
    assert page.index("No better than guessing") < page.index("This model predicts status")
    assert "The rows belong to 120 groups" in page


def test_copies_are_counted_and_held_out_together(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    frame["status"] = rng.integers(2, size=60)
    twice = pd.concat([frame, frame.iloc[:45]]).sample(frac=1.0, random_state=0)
    twice.to_csv(tmp_path / "t.csv", index=False)
    facts = facts_of(tmp_path / "t.csv", "--cv", "3")
    assert facts["rows"]["duplicates"] == 45
    said = " ".join(facts["rows"]["sentences"])
    assert "45 rows repeat an earlier one in all columns" in said
    assert facts["scores"][0]["score"] < 0.75


@pytest.mark.parametrize("cv", [[], ["--cv", "3"]])
def test_the_latest_rows_are_held_out(tmp_path, cv):
    make_patients(20).to_csv(tmp_path / "p.csv", index=False)
    facts = facts_of(tmp_path / "p.csv", "--time-order", "day", *cv)
    sentence = facts["evaluation"]
    if cv:
        assert sentence.startswith("90 rows of 120 were predicted from the rows before them, in 3")
    else:
        assert sentence.startswith("The latest 30 of 120 rows were held out; the 90 before them")


def test_few_rows_are_all_held_out_in_repeated_folds(tmp_path):
    make_patients(30, 3).drop(columns=["patient", "day"]).to_csv(tmp_path / "p.csv", index=False)
    workflow = replace(OPTIONS.workflow, baselines=())
    path, usual = tmp_path / "p.csv", replace(OPTIONS, few_rows=1000, workflow=workflow)
    out = tmp_path / "rows.csv"
    result = run(path, "--json", "--held-out", out, options=usual)
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert facts["written"] == [str(out)]
    assert (facts["n_train"], facts["n_held_out"]) == (72, 90)
    assert (facts["rows"]["folds"], facts["rows"]["repeats"]) == (5, 3)
    assert facts["evaluation"].startswith("All 90 rows were held out 3 times")
    for metric in facts["scores"][0]["metrics"]:
        assert metric["low"] <= metric["value"] <= metric["high"]
    assert np.sum(facts["held_out"]["confusion"]) == 90
    assert all(e["standard_error"] >= 0.0 for e in facts["importance"]["columns"])
    table, frame = pd.read_csv(out), pd.read_csv(path)
    assert sorted(table["row"]) == sorted([*range(1, 91)] * 3)
    assert table.groupby("repeat")["row"].nunique().tolist() == [90, 90, 90]
    assert sorted(set(table["fold"])) == [1, 2, 3, 4, 5]
    np.testing.assert_array_equal(frame["status"].to_numpy()[table["row"] - 1], table["actual"])
    right = np.mean(table["actual"] == table["prediction"])
    assert facts["scores"][0]["score"] == pytest.approx(right)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, (5, 2)),
        ({"test_size": 0.3}, (None, 1)),
        ({"cv": 3}, (3, 1)),
        ({"cv": 3, "repeats": 4}, (3, 4)),
        ({"repeats": 4}, (5, 4)),
        ({"refit": False}, (None, 1)),
        ({"time_order": "day"}, (None, 1)),
    ],
)
def test_how_rows_are_held_out(given, expected, patients, tmp_path):
    make_patients(100, 3).to_csv(tmp_path / "p.csv", index=False)
    reading = TableRequest(tmp_path / "p.csv", None, None, frozenset(), frozenset())
    goal = GoalRequest(OutcomeRequest(("status",)), "auto", None, None, None, None)
    splits = replace(SplitRequest(None, None, None, None, None, True), **given)
    sources = SourceRequest(None, (), "raise")
    request = FitRequest(reading, goal, splits, sources, None, "default", 0, False)
    task = read_problem(request, replace(OPTIONS, few_rows=1000)).task
    assert (task.cv, task.repeats) == expected
    large = read_problem(request, replace(OPTIONS, few_rows=300)).task
    assert (large.cv, large.repeats) == ((None, 1) if not given else expected)


def changed(**columns):
    return make_patients(10).assign(**columns)


@pytest.mark.parametrize(
    ("frame", "options", "sentence"),
    [
        (changed(), ["--groups", "pateint"], "no column 'pateint': did you mean 'patient'?"),
        (changed(), ["--time-order", "when"], "the table has no column 'when': it has 'a'"),
        (
            changed(patient=[None, *range(59)]),
            ["--groups", "patient"],
            "in every cell of column 'patient', which --groups names, got 1 empty cell, the first "
            "in row 1; write the group of the row there",
        ),
        (
            changed(patient="one"),
            ["--groups", "patient"],
            "expected at least 10 groups in column 'patient', which --groups names, got 1 group "
            "('one')",
        ),
        (
            changed(day=["soon", *["later"] * 59]),
            ["--time-order", "day"],
            "expected numbers or dates in column 'day', which --time-order names, got 'soon' in "
            "row 1; write dates like 2024-01-31",
        ),
        (
            changed(day=[*["2024-01-01"] * 40, *["later"] * 20]),
            ["--time-order", "day"],
            "expected numbers or dates in column 'day'",
        ),
        (
            changed(day="2024-01-01"),
            ["--time-order", "day"],
            "expected at least 2 different times in column 'day', which --time-order names, got "
            "'2024-01-01' in every row",
        ),
    ],
)
def test_columns_that_do_not_say_it(frame, options, sentence, tmp_path):
    frame.to_csv(tmp_path / "p.csv", index=False)
    result = run(tmp_path / "p.csv", *options, "--model", tmp_path / "m")
    assert result.exit_code == 1, result.output
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert os.listdir(tmp_path) == ["p.csv"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--groups", "status"], "--groups names the target, 'status': name another column."),
        (["--time-order", "status"], "--time-order names the target"),
        (["--groups", "patient", "--time-order", "day"], "give one of them"),
        (["--repeats", "2", "--test-size", "0.3"], "--repeats is about folds, --test-size holds"),
        (["--held-out", "p.doc"], "could not write p.doc: expected a name that ends in .csv"),
    ],
)
def test_options_that_do_not_go_together(options, sentence, patients):
    result = run(patients, *options)
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_other_notations_have_an_order_too(tmp_path):
    frame = make_patients(10)
    frame["day"] = pd.to_datetime(frame["day"]).dt.strftime("%d/%m/%Y")
    frame.to_csv(tmp_path / "p.csv", index=False)
    facts = facts_of(tmp_path / "p.csv", "--time-order", "day")
    assert facts["evaluation"].startswith("The latest 15 of 60 rows")
