"""A model on new labelled rows: its scores, beside what it promised."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, r2_score, roc_auc_score
from sklearn.pipeline import Pipeline
from typer.testing import CliRunner

import kernlearn as kl
from kernlearn.bundle import ModelBundle
from kernlearn.cli.app import app
from kernlearn.report import evaluate
from kernlearn.report.evaluation import compared_score
from kernlearn.tables import TableError


def labelled(n=120, seed=0):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": random.normal(size=n), "b": random.normal(size=n)})
    p = 1.0 / (1.0 + np.exp(-2.0 * frame["a"]))
    frame["ill"] = np.where(random.random(n) < p, "yes", "no")
    return frame.assign(patient=np.arange(n) // 3)


def bundle_of(frame, promised=(0.78, 0.70, 0.84)):
    """What `kernlearn fit` would write, with a made-up promise."""
    columns = [{"name": name, "kind": "number", "action": ""} for name in ("a", "b")]
    columns.append({"name": "patient", "kind": "group", "action": ""})
    score, low, high = promised
    entry = {"score": score, "low": low, "high": high, "metrics": []}
    facts = {
        "task": "classification",
        "target": "ill",
        "classes": ["no", "yes"],
        "columns": columns,
        "metric_name": "accuracy",
        "scores": [entry],
    }
    rows = frame[["a", "b"]].reset_index(drop=True)
    pipeline = Pipeline([("learn", LogisticRegression().fit(rows, frame["ill"].to_numpy(str)))])
    return ModelBundle(pipeline, facts, rows, frame["ill"].to_numpy(str))


@pytest.fixture(scope="module")
def bundle():
    return bundle_of(labelled())


def test_scores_are_those_of_scikit_learn_on_the_rows_with_a_target(bundle):
    new = labelled(200, seed=1)
    new.loc[[3, 7], "ill"] = np.nan
    found = evaluate(bundle, new)
    kept = new.dropna()
    scores = {score["metric"]: score["value"] for score in found["scores"]}
    assert found["rows"] == 198
    assert found["rows_without_target"] == 2
    assert found["groups"] == len(set(kept["patient"]))  # the groups of the fit
    said = bundle.pipeline.predict(kept[["a", "b"]])
    assert scores["accuracy"] == accuracy_score(kept["ill"], said)
    proba = bundle.pipeline.predict_proba(kept[["a", "b"]])[:, 1]
    assert scores["roc_auc"] == pytest.approx(roc_auc_score(kept["ill"] == "yes", proba))
    assert found["held_out"]["calibration"]["sentence"] in found["sentences"]
    assert found["held_out"]["confusion"][0][0] == ((kept["ill"] == "no") & (said == "no")).sum()


def test_estimators_are_scored_but_have_promised_nothing():
    new = labelled()
    X, y = new[["a", "b"]].to_numpy(), 3.0 * new["a"].to_numpy() + new["b"].to_numpy() ** 2
    model = Ridge().fit(X[::2], y[::2])
    found = evaluate(model, X[1::2], y[1::2])
    assert found["scores"][0]["value"] == r2_score(y[1::2], model.predict(X[1::2]))
    assert found["scores"][0]["promised"] is None
    assert found["sentences"][0].startswith("R²: found 0.")
    with pytest.raises(ValueError, match="expected the targets y of the rows of X for Ridge"):
        evaluate(model, X)
    with pytest.raises(ValueError, match=r"expected y of shape \(60,\), .* got shape \(59,\)"):
        evaluate(model, X[1::2], y[1::2][:-1])


@pytest.mark.parametrize(
    ("found", "verdict"),
    [((0.60, 0.55, 0.65), "worse"), ((0.95, 0.93, 0.97), "better"), ((0.8, 0.7, 0.9), "no clear")],
)
def test_a_promise_is_compared_by_both_intervals(found, verdict):
    score = dict(zip(("value", "low", "high"), found, strict=True))
    promised = {"value": 0.84, "low": 0.81, "high": 0.87}
    entry = compared_score({"metric": "accuracy", "name": "accuracy", **score}, promised)
    assert entry["verdict"].startswith(verdict)
    words = "worse than promised (p <" if verdict == "worse" else verdict
    assert words in entry["sentence"]
    # The halves that face each other: of equal halves h, z is 1.96 d / (√2 h).
    if verdict == "better":
        z = 1.959964 * 0.11 / np.hypot(0.03, 0.02)
        assert entry["p_value"] == pytest.approx(2 * norm.sf(z), rel=1e-5)
    less = compared_score({"metric": "neg_log_loss", "name": "log loss", **score}, promised)
    opposite = {"worse": "better", "better": "worse"}
    assert less["verdict"].startswith(opposite.get(verdict, verdict))


def test_the_command_says_what_it_found(bundle, tmp_path):
    kl.save(bundle, tmp_path / "m")
    new = labelled(90, seed=2)
    new["ill"] = new["ill"].iloc[::-1].to_numpy()  # the model is no use any more
    new.to_csv(tmp_path / "new.csv", index=False)
    command = ["evaluate", str(tmp_path / "m"), str(tmp_path / "new.csv")]
    told = CliRunner().invoke(app, command).stdout
    assert "90 rows with a value of 'ill', in 30 groups." in told
    assert "Accuracy: promised 0.780 ± 0.070, found 0." in told
    assert "worse than promised (p =" in told
    assert "Recall by class: no 0." in told
    facts = json.loads(CliRunner().invoke(app, [*command, "--json", "--groups", "a"]).stdout)
    assert facts["groups"] == 90
    assert facts["scores"][0]["verdict"] == "worse"


def test_with_costs_the_threshold_decides(bundle, tmp_path):
    kl.save(bundle, tmp_path / "m")
    new = labelled(90, seed=2)
    new.to_csv(tmp_path / "new.csv", index=False)
    command = ["evaluate", str(tmp_path / "m"), str(tmp_path / "new.csv"), "--cost"]
    costs = ["FALSE_POSITIVE=1", "FALSE_NEGATIVE=9"]
    told = CliRunner().invoke(app, [*command, *costs]).stdout
    assert "'yes' is predicted from a probability of 0.1 on, since a false 'yes' costs 1" in told
    is_yes = bundle.pipeline.predict_proba(new[["a", "b"]])[:, 1] >= 0.1
    mean = (is_yes & (new["ill"] == "no")).mean() + 9 * (~is_yes & (new["ill"] == "yes")).mean()
    assert f"Cost of a row: found {mean:.3f} ±" in told
    assert f"Accuracy: found {np.mean(is_yes == (new['ill'] == 'yes')):.3f} ±" in told
    out = str(tmp_path / "p.csv")
    command = ["predict", *command[1:3], "--out", out, "--cost"]
    assert CliRunner().invoke(app, [*command, *costs]).exit_code == 0
    assert ((pd.read_csv(out)["prediction"] == "yes") == is_yes).all()
    done = CliRunner().invoke(app, [*command, "FALSE_POSITIVE=1", "FALSE_NEGATIVE=0"])
    assert "with costs above zero, got FALSE_POSITIVE=1 FALSE_NEGATIVE=0; name both" in done.stderr


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop(columns="ill"), "expected the column 'ill', which the model predicts"),
        (lambda t: t.drop(columns="b"), "1 of 2 are missing ('b'); add them"),
        (lambda t: t.assign(ill=""), "the target 'ill' has no value in any row"),
        (
            lambda t: t.assign(ill=["no", *["perhaps"] * (len(t) - 1)]),
            "that the model knows ('no', 'yes'), got 'perhaps' in row 2; other classes are in 119",
        ),
    ],
)
def test_wrong_tables_get_a_sentence(bundle, change, message):
    with pytest.raises(TableError) as failure:
        evaluate(bundle, change(labelled()))
    assert message in str(failure.value)
