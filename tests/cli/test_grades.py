"""`kernlearn fit --ordinal`: grades in their order."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score
from typer.testing import CliRunner

import kernlearn as kl
from kernlearn.cli.app import app
from kernlearn.cli.problem import CommandOptions
from kernlearn.methods.errors import MethodError
from kernlearn.methods.grades import read_grades
from kernlearn.methods.importance import ImportanceOptions
from kernlearn.methods.method import MethodOptions
from kernlearn.methods.scores import ScoreOptions
from kernlearn.methods.task import WorkflowOptions
from kernlearn.quality.kappa import weighted_kappa_of

RUNNER = CliRunner(env={"COLUMNS": "120", "TERM": "dumb"})
QUICK = CommandOptions(
    WorkflowOptions(
        importance=ImportanceOptions(most_repeats=1), scoring=ScoreOptions(n_draws=40), baselines=()
    ),
    MethodOptions(candidates=["linear", "Gaussian"]),
    n_jobs=1,
    pictures=(),
    few_rows=0,
)


def run(*arguments):
    return RUNNER.invoke(app, list(map(str, arguments)), obj=QUICK)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    grade = np.digitize(2.0 * frame["a"] + rng.logistic(size=60), [-1.0, 1.5])
    frame["grade"] = np.array(["low", "mid", "high"])[grade]
    path = tmp_path_factory.mktemp("graded") / "graded.csv"
    frame.to_csv(path, index=False)
    return path


def test_grades_of_a_table(graded):
    model, report = graded.with_suffix(".kl"), graded.with_suffix(".html")
    given = ("--ordinal", "low,mid,high", "--model", model, "--report", report, "--json")
    done = run("fit", graded, "--target", "grade", *given)
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    (kappa,) = (m for m in facts["scores"][0]["metrics"] if m["name"] == "weighted kappa")
    assert kappa["low"] < kappa["value"] < kappa["high"]
    held_out = facts["held_out"]
    assert [each["class"] for each in held_out["classes"]] == ["low", "mid", "high"]
    counts = np.array(held_out["confusion"])
    assert held_out["distances"][2] == counts[0, 2] + counts[2, 0]
    assert sum(held_out["distances"]) == counts.sum()
    assert "By the distance of grades: " in report.read_text(encoding="utf-8")
    assert kl.load(model).estimator.grades_.tolist() == ["low", "mid", "high"]
    judged = json.loads(run("evaluate", model, graded, "--json").stdout)
    assert any(score["name"] == "weighted kappa" for score in judged["scores"])


def test_grades_that_cannot_be(graded):
    done = run("fit", graded, "--target", "grade", "--ordinal", "low,high")
    assert done.exit_code != 0
    assert "expected the grades of --ordinal in the target (low, high), got 'mid'" in " ".join(
        done.output.split()
    )
    labels = np.array(["high", "low"])
    with pytest.raises(MethodError, match="expected a target of whole numbers with --ordinal num"):
        read_grades("numbers", labels)
    with pytest.raises(MethodError, match="expected every grade once in --ordinal, got 'low'"):
        read_grades("low,high,low", labels)
    with pytest.raises(MethodError, match="--ordinal orders classes, got a target of numbers"):
        read_grades("numbers", None)


def test_kappa_is_that_of_scikit_learn():
    truth, told = np.random.default_rng(0).integers(0, 5, (2, 60))
    expected = cohen_kappa_score(truth, told, weights="quadratic")
    assert weighted_kappa_of(truth, told) == pytest.approx(expected)
    assert np.isnan(kl.metrics.quadratic_weighted_kappa([1, 1], [1, 1]))
    with pytest.raises(ValueError, match=r"expected the grades .* in y_pred, got 'huge'"):
        kl.metrics.quadratic_weighted_kappa(["low"], ["huge"], ["low", "high"])
