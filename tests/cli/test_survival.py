"""`kernlearn fit --event --time`: times to an event."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import kernlearn as kl
from kernlearn.cli.app import app
from kernlearn.cli.problem import CommandOptions
from kernlearn.methods.importance import ImportanceOptions
from kernlearn.methods.method import MethodOptions
from kernlearn.methods.registry import LINEAR
from kernlearn.methods.scores import ScoreOptions
from kernlearn.methods.survival import evaluation_times
from kernlearn.methods.task import WorkflowOptions
from kernlearn.survival import kaplan_meier, survival_outcome

RUNNER = CliRunner(env={"COLUMNS": "120", "TERM": "dumb"})
QUICK = CommandOptions(
    WorkflowOptions(
        importance=ImportanceOptions(most_repeats=1),
        scoring=ScoreOptions(n_draws=40),
        baselines=(LINEAR,),
        seconds_of_curve=0.0,
    ),
    MethodOptions(candidates=["linear"]),
    n_jobs=1,
    pictures=("risk-groups", "survival-calibration"),
)


def run(*arguments):
    return RUNNER.invoke(app, list(map(str, arguments)), obj=QUICK)


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(90, 2)), columns=["marker", "noise"])
    time, censored = rng.exponential(np.exp(-2.0 * frame["marker"])), rng.exponential(2.0, 90)
    frame["died"], frame["days"] = (time <= censored) * 1, np.minimum(time, censored)
    frame.loc[5, "days"] = np.nan
    path = tmp_path_factory.mktemp("followed") / "followed.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def fitted(followed):
    model, report = followed.with_suffix(".kl"), followed.with_suffix(".html")
    held_out = followed.with_name("held_out.csv")
    given = ("--cv", 3, "--model", model, "--report", report, "--held-out", held_out, "--json")
    done = run("fit", followed, "--event", "died", "--time", "days", *given)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout), model, report, held_out


def test_scores_beside_baselines(fitted):
    facts, _, _, path = fitted
    own, linear, guess = facts["scores"]
    assert (facts["task"], facts["n_rows"], facts["metric"]) == ("survival", 89, "concordance")
    assert own["low"] < own["score"] < own["high"]
    assert "Cox's linear model" in linear["name"]
    assert guess["score"] == 0.5
    names = [metric["name"] for metric in own["metrics"]]
    assert names == ["concordance", "Uno's concordance", "integrated Brier score"]
    assert facts["chance"] is None
    table = pd.read_csv(path)
    folds = [part for _, part in table.groupby("fold")]
    found = [
        kl.metrics.harrell_concordance(part[["event", "actual"]], part["prediction"])
        for part in folds
    ]
    assert own["score"] == pytest.approx(np.average(found, weights=list(map(len, folds))))
    importance = facts["importance"]["columns"]
    assert importance[0]["name"] == "marker"


def test_curves_of_risk_groups(fitted):
    facts, _, report, path = fitted
    low, _, high = facts["held_out"]["groups"]
    assert low["predicted"][12][1] > high["predicted"][12][1]
    assert low["at_risk"][1] > high["at_risk"][1]
    assert sum(group["at_risk"][0] for group in facts["held_out"]["groups"]) == 89
    table = pd.read_csv(path)
    share = table.groupby("fold")["prediction"].rank(pct=True)
    some = table[share > 2 / 3]
    assert high["rows"] == pytest.approx(len(some), abs=2)
    curve = kaplan_meier(event=some["event"], time=some["actual"])
    assert high["curve"][10][1] == pytest.approx(float(curve(high["curve"][10][0])), abs=0.05)
    for found in facts["held_out"]["calibrations"]:
        assert all(b["low"] <= b["observed"] <= b["high"] for b in found["bins"])
    page = report.read_text(encoding="utf-8")
    assert "Numbers at risk" in page
    assert "Predicted survival against what was seen" in page


def test_predictions_and_new_rows(fitted, followed):
    _, model, _, _ = fitted
    out = followed.with_name("risks.csv")
    done = run("predict", model, followed, "--out", out)
    assert done.exit_code == 0, done.output
    found = pd.read_csv(out)
    survival = found[[name for name in found if name.startswith("survival: ")]].to_numpy()
    assert survival.shape == (90, 3)
    assert (np.diff(survival, axis=1) <= 0).all()
    assert np.corrcoef(found["risk"], survival[:, 0])[0, 1] < 0
    assert list(found.columns[:2]) == ["risk", "median"]
    judged = json.loads(run("evaluate", model, followed, "--json").stdout)
    assert (judged["rows"], judged["rows_without_target"]) == (89, 1)
    known = pd.read_csv(followed).dropna()
    risk = found.loc[known.index, "risk"]
    expected = kl.metrics.harrell_concordance(known[["died", "days"]], risk)
    assert judged["scores"][0]["value"] == pytest.approx(expected)


def test_scores_are_the_public_metrics(fitted, followed):
    model = kl.load(fitted[1])
    known = pd.read_csv(followed).dropna()
    X, y = model.typed(known), known[["died", "days"]]
    found = kl.report.evaluate(model.pipeline[-1], X, y)
    times = evaluation_times(survival_outcome(y).structured)
    survival = model.pipeline[-1].predict_survival_function(X, times)
    values = {score["metric"]: score["value"] for score in found["scores"]}
    brier = kl.metrics.integrated_brier_score(y, survival, times)
    assert values["neg_integrated_brier_score"] == pytest.approx(brier)
    late = np.nextafter(times[-1], np.inf)
    uno = kl.metrics.uno_concordance(y, model.pipeline.predict(X), tau=late)
    assert values["uno_concordance"] == pytest.approx(uno)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"days": -1.0}, "expected numbers of zero or more in the column 'days' of times, got"),
        ({"died": "perhaps"}, "of events, got 'perhaps' in row 1; write 1 where the event was"),
        ({"died": 0}, "expected 2 events at least, got none: every row is censored"),
        ({"days": 3.0}, "expected times that differ, got 3 in every row"),
        ({"died": [1, 1, 1] + [0] * 87}, "expected at least 5 rows with the event to learn from"),
    ],
)
def test_outcomes_that_cannot_be(followed, changed, told, tmp_path):
    path = tmp_path / "table.csv"
    pd.read_csv(followed).assign(**changed).to_csv(path, index=False)
    done = run("fit", path, "--event", "died", "--time", "days")
    assert done.exit_code != 0
    assert told in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--event", "died"), "--event and --time go together, in the place of --target, got"),
        (("--event", "dead", "--time", "days"), "the table has no column 'dead'"),
        (("--event", "days", "--time", "days"), "--event and --time both name 'days'"),
        (("--event", "died", "--time", "days", "--task", "regression"), "--task is not for times"),
        (("--event", "died", "--time", "days", "--metric", "r2"), "judge times to an event, got"),
        (("--event", "died", "--time", "days", "--method", "lssvm"), "got a task of survival"),
        ((), "Name the column to predict by --target, or a time to an event by --event and"),
    ],
)
def test_options_that_cannot_be(followed, given, told):
    done = run("fit", followed, *given)
    assert done.exit_code != 0
    assert told in " ".join(done.output.split())


def test_what_each_source_adds(followed, tmp_path):
    views = tmp_path / "views.toml"
    views.write_text('[views]\nblood = ["marker"]\nrest = ["noise"]\n')
    given = ("--event", "died", "--time", "days", "--views", views, "--test-size", 0.4, "--json")
    done = run("fit", followed, *given)
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert facts["method"] == "mkl"
    assert facts["certificate"]["gap"] < 1e-5
    assert facts["importance"]["views"][0]["name"] == "blood"
    assert "stratified by event" in facts["rows"]["sentences"][1]
