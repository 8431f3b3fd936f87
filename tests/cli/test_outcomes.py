"""`kernlearn fit` of counts, of several outcomes and of rankings."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import d2_tweedie_score, mean_poisson_deviance, ndcg_score, r2_score
from typer.testing import CliRunner

import kernlearn as kl
from kernlearn.cli.app import app
from kernlearn.cli.problem import CommandOptions
from kernlearn.methods.importance import ImportanceOptions
from kernlearn.methods.method import MethodOptions
from kernlearn.methods.registry import LINEAR
from kernlearn.methods.scores import ScoreOptions
from kernlearn.methods.task import WorkflowOptions

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
    pictures=(),
)


def run(*arguments, options=QUICK):
    return RUNNER.invoke(app, list(map(str, arguments)), obj=options)


def fitted(path, *given):
    """Facts, model, report and held-out predictions."""
    made = [path.with_suffix(end) for end in (".kl", ".html", ".held_out.csv")]
    written = ("--model", made[0], "--report", made[1], "--held-out", made[2])
    done = run("fit", path, *given, "--cv", 2, *written, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout), made[0], made[1].read_text(), pd.read_csv(made[2])


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(90, 2)), columns=["a", "b"])
    frame["days"] = rng.uniform(1.0, 5.0, 90)
    frame["visits"] = rng.poisson(frame["days"] * np.exp(0.8 * frame["a"]))
    frame["query"] = [f"q{i}" for i in np.arange(90) // 6]
    frame["grade"] = np.clip(np.round(frame["a"] + 1.5), 0, 3).astype(int)
    frame["weight"] = frame["a"] + 0.1 * rng.normal(size=90)
    frame["size"] = frame["a"] - frame["b"] + 0.1 * rng.normal(size=90)
    frame.loc[5, ["days", "size", "grade"]] = np.nan
    path = tmp_path_factory.mktemp("outcomes") / "table.csv"
    frame.to_csv(path, index=False)
    return path, frame


@pytest.fixture(scope="module")
def counts(table):
    path = table[0].with_name("counts.csv")
    table[1][["a", "b", "days", "visits"]].to_csv(path, index=False)
    return fitted(path, "--target", "visits", "--counts", "--exposure", "days")


def test_counts_are_judged_by_their_deviance(counts):
    facts, _, report, held_out = counts
    own, linear, guess = facts["scores"]
    assert (facts["task"], facts["n_rows"], facts["metric"]) == ("counts", 89, "Poisson deviance")
    found = mean_poisson_deviance(held_out["actual"], held_out["prediction"])
    assert own["score"] == pytest.approx(found)
    assert own["score"] < guess["score"]
    assert [one["name"] for one in (linear, guess)] == ["Poisson regression", "one rate for all"]
    names = [metric["name"] for metric in own["metrics"]]
    assert names == ["Poisson deviance", "D²", "RMSE", "MAE"]
    assert own["low"] < own["score"] < own["high"]
    assert 0.0 < facts["chance_p_value"] < 0.5
    assert {"exposure", "lower", "upper"} <= set(held_out)
    assert "counted / expected" in report
    assert sum(entry["rows"] for entry in facts["held_out"]["rates"]) == 89


def test_counts_of_new_rows_are_in_their_exposure(counts, table, tmp_path):
    _, model, _, _ = counts
    out = tmp_path / "out.csv"
    path = model.with_suffix(".csv")
    done = run("predict", model, path, "--out", out)
    assert done.exit_code == 1
    assert "expected exposures above zero" in done.output  # one cell is empty
    known = table[1].dropna()
    wrong = known.iloc[:30].assign(days=[1.0] * 25 + [-1.0] * 5)
    wrong.to_csv(tmp_path / "wrong.csv", index=False)
    in_blocks = replace(QUICK, rows_at_a_time=10)
    told = run("predict", model, tmp_path / "wrong.csv", "--out", out, options=in_blocks).output
    assert "got '-1.0' in row 26" in " ".join(told.split())
    known.to_csv(tmp_path / "known.csv", index=False)
    done = run("predict", model, tmp_path / "known.csv", "--out", out)
    assert done.exit_code == 0, done.output
    said = pd.read_csv(out)
    np.testing.assert_allclose(said["prediction"], said["rate"] * known["days"].to_numpy())
    bundle = kl.load(model)
    np.testing.assert_allclose(bundle.predict(known), said["prediction"])
    assert bundle.predict_interval(known).shape == (len(known), 2)
    done = run("evaluate", model, path, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["rows"], found["scores"][0]["name"]) == (89, "Poisson deviance")
    assert "no clear difference" in found["scores"][0]["sentence"] or found["scores"][0]["p_value"]
    d2 = next(score for score in found["scores"] if score["name"] == "D²")
    rates = known["visits"] / known["days"], said["rate"], known["days"]
    truth = d2_tweedie_score(*rates[:2], sample_weight=rates[2], power=1)
    assert d2["value"] == pytest.approx(truth)


def test_several_outcomes(table, tmp_path):
    path = table[0].with_name("outcomes.csv")
    table[1][["a", "b", "weight", "size"]].to_csv(path, index=False)
    facts, model, report, held_out = fitted(path, "--target", "weight,size")
    own, *_ = facts["scores"]
    assert (facts["task"], facts["n_rows"]) == ("outcomes", 89)
    pairs = [(held_out[f"actual: {n}"], held_out[f"prediction: {n}"]) for n in ("weight", "size")]
    each = [r2_score(*pair) for pair in pairs]
    assert own["score"] == pytest.approx(np.mean(each))
    told = [entry["scores"][0]["value"] for entry in facts["held_out"]["outcomes"]]
    np.testing.assert_allclose(told, each)
    assert "held by intervals of 90" in report
    done = run("fit", path, "--target", "weight", "--target", "size", "--cv", 2)
    assert done.exit_code == 0, done.output
    assert "size: R²" in done.output
    done = run("predict", model, path, "--out", tmp_path / "out.csv")
    assert done.exit_code == 0, done.output
    assert {"prediction: weight", "lower: size"} <= set(pd.read_csv(tmp_path / "out.csv"))
    done = run("evaluate", model, path)
    assert done.exit_code == 0, done.output
    assert "mean R²" in done.output


@pytest.mark.parametrize("method", ["kernel", "mkl"])
def test_rankings(table, tmp_path, method):
    path = table[0].with_name(f"{method}.csv")
    table[1][["a", "b", "query", "grade"]].to_csv(path, index=False)
    given = ("--target", "grade", "--rank-by", "query", "--method", method)
    facts, model, report, held_out = fitted(path, *given)
    own, linear, guess = facts["scores"]
    assert (facts["task"], facts["metric"], facts["n_rows"]) == ("ranking", "NDCG", 89)
    parts = [part for _, part in held_out.groupby("group") if part["actual"].nunique() > 1]
    gains = [ndcg_score([2.0 ** part["actual"] - 1], [part["prediction"]]) for part in parts]
    assert own["score"] == pytest.approx(np.mean(gains))
    assert own["score"] > guess["score"]
    assert linear["name"] == "ridge regression of the grades"
    assert held_out.groupby("group")["fold"].nunique().max() == 1
    assert "The groups that are ordered worst" in report
    done = run("predict", model, path, "--out", tmp_path / "out.csv")
    assert done.exit_code == 0, done.output
    assert "score" in pd.read_csv(tmp_path / "out.csv")
    done = run("evaluate", model, path)
    assert done.exit_code == 0, done.output
    assert "share of pairs in order" in done.output


def test_kappa_judges_grades(table, tmp_path):
    path = tmp_path / "grades.csv"
    table[1][["a", "b", "grade"]].dropna().astype({"grade": int}).to_csv(path, index=False)
    kappa, once = ("--metric", "quadratic_weighted_kappa"), ("--test-size", 0.3)
    done = run("fit", path, "--target", "grade", "--ordinal", "numbers", *kappa, *once, "--json")
    assert done.exit_code == 0, done.output
    own = json.loads(done.stdout)["scores"][0]
    assert own["low"] < own["score"] <= own["high"]
    named = table[1].assign(grade=table[1]["grade"].map({0: "no", 1: "few", 2: "some", 3: "all"}))
    named[["a", "grade"]].to_csv(path, index=False)
    done = run("fit", path, "--target", "grade", *kappa)
    assert done.exit_code == 1
    assert "expected ordered grades for --metric" in " ".join(done.output.split())


def refused(path, *given):
    done = run("fit", path, *given)
    assert done.exit_code != 0
    return " ".join(done.output.replace("│", " ").split())


def test_bad_targets_are_refused_in_a_sentence(table, tmp_path):
    path, frame = tmp_path / "bad.csv", table[1].dropna().copy()
    frame.assign(visits=-1).to_csv(path, index=False)
    assert "expected counts of zero or more" in refused(path, "--target", "visits", "--counts")
    frame.assign(visits=1.5).to_csv(path, index=False)
    assert "expected whole numbers in the target" in refused(path, "--target", "visits", "--counts")
    frame.assign(days=0).to_csv(path, index=False)
    exposed = ("--target", "visits", "--counts", "--exposure", "days")
    assert "expected exposures above zero" in refused(path, *exposed)
    frame.assign(days="red").to_csv(path, index=False)
    told = refused(path, *exposed)
    assert "expected a number in every cell of the exposure 'days', got 'red' in row 1" in told
    ranked = ("--target", "grade", "--rank-by", "query")
    frame.assign(query="one").to_csv(path, index=False)
    assert "got 1 group" in refused(path, *ranked)
    frame.assign(grade=2).to_csv(path, index=False)
    assert "there is no order to learn" in refused(path, *ranked)
    frame.assign(weight=3.0).to_csv(path, index=False)
    assert "has one value" in refused(path, "--target", "size,weight")
    frame.assign(visits=(np.arange(len(frame)) < 3).astype(int)).to_csv(path, index=False)
    told = refused(path, "--target", "visits", "--counts")
    assert "expected at least 5 rows with a count above zero to learn from" in told
    frame.assign(grade="high").to_csv(path, index=False)
    assert "expected a number in every cell of the target 'grade', got 'high' in row 1" in refused(
        path, *ranked
    )
    frame.assign(visits=2).to_csv(path, index=False)
    assert "has one value" in refused(path, "--target", "visits", "--counts")


def test_options_that_do_not_go_together(table):
    path = table[0]
    for given, told in (
        (("--target", "a", "--exposure", "days"), "give --counts, too"),
        (("--target", "a,b", "--counts"), "is about one target"),
        (("--target", "a,a"), "--target names 'a' more than once: name every column once"),
        (("--target", "a", "--target", "a", "--counts"), "--target names 'a' more than once"),
        (("--target", ","), "--target expects the name of a column, got none"),
        (("--target", "a", "--counts", "--rank-by", "query"), "unlike targets"),
        (("--target", "a", "--counts", "--task", "regression"), "--task is not for counts"),
        (("--target", "a", "--rank-by", "a"), "named as the target, too"),
        (("--target", "a", "--rank-by", "query", "--groups", "b"), "leave --groups out"),
        (("--target", "visits", "--counts", "--metric", "r2"), "expected --metric to judge counts"),
        (("--target", "visits", "--counts", "--method", "lssvm"), "choose --method kernel"),
    ):
        assert told in refused(path, *given)
