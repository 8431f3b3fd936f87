"""`kernlearn fit`, `predict` and `report`: a table in, a model and predictions out."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.metrics import accuracy_score
from typer.testing import CliRunner

import kernlearn as kl
from kernlearn.bundle import ModelBundle
from kernlearn.cli import fit as fit_command
from kernlearn.cli import predict as predict_command
from kernlearn.cli.app import app
from kernlearn.cli.problem import CommandOptions
from kernlearn.estimators.mkl.parameters import CombinationParameters, EngineOptions
from kernlearn.kernels import Gaussian
from kernlearn.methods.importance import ImportanceOptions
from kernlearn.methods.method import MethodOptions
from kernlearn.methods.method_comparison import ComparisonOptions
from kernlearn.methods.registry import BASELINES, LINEAR, METHODS, TUNED_SVM
from kernlearn.methods.scores import ScoreOptions
from kernlearn.methods.task import WorkflowOptions
from kernlearn.report import report_html
from kernlearn.runtime import memory as memory_module
from kernlearn.solvers.engine.statement import ChoiceOptions

RUNNER = CliRunner(env={"COLUMNS": "120", "TERM": "dumb"})


# What is tuned, and what is done side by side, is tested elsewhere.
WORKFLOW = WorkflowOptions(
    comparison=ComparisonOptions(sizes=(45,), n_folds=2),
    importance=ImportanceOptions(most_repeats=1),
    scoring=ScoreOptions(n_draws=40),
    baselines=(),
)
METHOD_OPTIONS = MethodOptions(
    candidates=["linear", "Gaussian"], svm_C=(1.0,), svm_gamma=(), logistic_C=(1.0,)
)
QUICK = CommandOptions(WORKFLOW, METHOD_OPTIONS, n_jobs=1, few_rows=0, pictures=())


def with_baselines(*baselines):
    return replace(QUICK, workflow=replace(WORKFLOW, baselines=baselines))


def run(*arguments, options=QUICK):
    return RUNNER.invoke(app, list(map(str, arguments)), obj=options)


@pytest.fixture(autouse=True, scope="module")
def few_candidates():
    """What is tuned, and what is done side by side, is tested elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        options = ChoiceOptions(factors_of_C=(1.0,))
        patch.setattr(CombinationParameters, "_engine", EngineOptions(choices=options))
        yield


def make_wine():
    """A table with all that tables have: text, gaps, dates, names, constants."""
    data = load_wine(as_frame=True)
    frame = data.frame.iloc[::2, [0, 6, 9, 12, 13]].reset_index(drop=True)
    frame["target"] = [f"class {label}" for label in frame["target"]]
    n = len(frame)
    frame.loc[::10, "flavanoids"] = np.nan
    frame["colour [bold]"] = np.where(frame["color_intensity"] > 5, "dark", "light")
    frame["bottled"] = pd.date_range("2020-01-01", periods=n).astype(str)
    frame["country"] = "Italy"
    frame["bottle"] = [f"bottle {i}" for i in range(n)]
    return frame.sample(frac=1.0, random_state=0).assign(number=np.arange(n))


@pytest.fixture
def wine():
    return make_wine()


@pytest.fixture
def table(wine, tmp_path):
    path = tmp_path / "wine.csv"
    wine.to_csv(path, index=False)
    return path


def fit_once(folder, *options):
    """What a fit tells, with the bytes of its model file."""
    make_wine().to_csv(folder / "wine.csv", index=False)
    arguments = ["--target", "target", "--method", "lssvm", "--model", folder / "m", "--json"]
    result = run("fit", folder / "wine.csv", *arguments, *options)
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert facts.pop("written") == [str(folder / "m")]
    return facts, (folder / "m").read_bytes()


@pytest.fixture(scope="module")
def of_all_rows(tmp_path_factory):
    return fit_once(tmp_path_factory.mktemp("all"))


@pytest.fixture(scope="module")
def of_some_rows(tmp_path_factory):
    return fit_once(tmp_path_factory.mktemp("some"), "--no-refit")


@pytest.fixture(scope="module")
def mixture_of_some_rows(tmp_path_factory):
    return fit_once(tmp_path_factory.mktemp("mixture"), "--no-refit", "--method", "kernel")


@pytest.fixture
def fitted(of_all_rows, tmp_path):
    (tmp_path / "m").write_bytes(of_all_rows[1])
    return tmp_path / "m"


def test_it_says_what_it_did(table, tmp_path):
    options = with_baselines(TUNED_SVM)
    result = run("fit", table, "--target", "target", "--model", tmp_path / "m", options=options)
    assert result.exit_code == 0, result.output
    text = " ".join(result.stdout.split())
    for words in (
        "wine.csv: 89 rows, 9 columns; classification, since 'target' holds text.",
        "flavanoids: used as a number; 9 missing cells filled by the median",
        "colour [bold]: one column of 0 and 1 for each of 2 values",
        "bottled: turned into a number of days",
        "country: left out: every cell is 'Italy'",
        "bottle: left out: its text differs in every row",
        "number: left out: it numbers the rows",
        "On 23 held-out rows",
        "a mixture of kernel machines",
        "SVM with a tuned Gaussian kernel",
        "always the most frequent class",
        "Kernel: a mixture of",
        "chosen by held-out predictions",
        f"written: {tmp_path / 'm'}",
    ):
        assert words in text, words


def test_the_score_is_that_of_rows_the_model_has_not_seen(of_some_rows, table, wine, tmp_path):
    facts, content = of_some_rows
    (tmp_path / "m").write_bytes(content)
    bundle = kl.load(tmp_path / "m")
    assert isinstance(bundle, ModelBundle)
    assert facts == bundle.facts
    # The rows that the model knows are its support vectors: a least-squares machine keeps them all.
    assert len(bundle.estimator.support_vectors_) == facts["n_train"] == 66
    held_out = run("predict", tmp_path / "m", table, "--out", tmp_path / "p.csv")
    assert held_out.exit_code == 0, held_out.output
    predicted = pd.read_csv(tmp_path / "p.csv")["prediction"].to_numpy()
    y = wine["target"].to_numpy()
    all_right = accuracy_score(y, predicted) * len(y)
    train_right = (bundle.pipeline.predict(bundle.sample_X) == bundle.sample_y).sum()
    assert len(bundle.sample_X) == 66
    assert facts["scores"][0]["score"] == pytest.approx((all_right - train_right) / 23)
    assert [score["role"] for score in facts["scores"]] == ["model", "baseline"]
    assert "is the one that was scored, as asked for" in facts["rows"]["sentences"][3]


def test_the_model_in_the_file_is_fitted_to_all_rows_and_the_seed_decides(
    of_all_rows, of_some_rows, fitted, tmp_path
):
    facts, once = of_all_rows[0], of_some_rows[0]
    assert len(kl.load(fitted).estimator.support_vectors_) == facts["rows"]["in_the_file"] == 89
    assert facts["n_train"] == 66  # of those that were scored
    other, _ = fit_once(tmp_path, "--no-refit", "--seed", 2)
    drop = ("seconds", "created", "command", "versions")
    scores = [
        [{k: v for k, v in entry.items() if k not in drop} for entry in found["scores"]]
        for found in (facts, once, other)
    ]
    assert scores[0] == scores[1]  # those of the model before
    assert scores[1] != scores[2]
    rows = facts["rows"]
    assert rows["refitted"]
    assert rows["in_the_file"] == rows["used"] == rows["read"] == 89
    assert rows["held_out"] + rows["to_learn_from"] == 89
    assert {model["learned_from"] for model in rows["models"]} == {66}
    assert "fitted again, to all 89 rows" in " ".join(rows["sentences"])
    assert not once["rows"]["refitted"]


@pytest.mark.parametrize("options", [["--test-size", "0.01"], ["--cv", "6"]])
def test_a_row_held_out_has_no_shares_of_classes(wine, tmp_path, options):
    for i in range(14):
        wine.loc[wine.index[2 * i : 2 * i + 2], "target"] = f"pair {i:02d}"
    wine.to_csv(tmp_path / "t.csv", index=False)
    result = run("fit", tmp_path / "t.csv", "--target", "target", "--method", "lssvm", *options)
    assert result.exit_code == 0, result.output
    said = " ".join(result.stdout.split())
    assert "stratified" not in said
    assert "11 more classes have fewer than 5 rows." in said
    if "--cv" in options:
        assert "Recall by class: class 0" in said
        assert " and 5 more. " in said
    else:
        assert "On 1 held-out row, with" in said
        assert "1 of 89 rows was held out at random; 88 trained the model." in said
        assert "The class 'pair 00' has 2 rows, none held out: nothing can be said of it." in said


def test_a_limit_on_rows_is_told_of_every_model(table):
    few = replace(METHODS["lssvm"], max_rows=30)
    options = replace(QUICK, workflow=replace(WORKFLOW, methods=(few,)))
    facts = json.loads(
        run(
            "fit", table, "--target", "target", "--method", "lssvm", "--json", options=options
        ).stdout
    )
    rows = facts["rows"]
    assert [model["learned_from"] for model in rows["models"]] == [30, 66]
    assert rows["in_the_file"] == 30
    assert not rows["refitted"]  # it would see no more rows than it has seen
    text = " ".join(rows["sentences"])
    assert "learned from 30 of these rows, drawn at random: the most that it is given" in text
    assert "since it is given no more rows than it had" in text


@pytest.mark.parametrize("options", [[], ["--cv", "3"]])
def test_small_classes_stop_nothing(wine, tmp_path, options):
    wine.loc[wine.index[:2], "target"] = "pair"
    wine.loc[wine.index[2], "target"] = "alone"
    wine.to_csv(tmp_path / "t.csv", index=False)
    arguments = ["fit", tmp_path / "t.csv", "--target", "target", "--method", "lssvm", "--json"]
    result = run(*arguments, *options, "--model", tmp_path / "m")
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    rows = facts["rows"]
    text = " ".join(rows["sentences"])
    assert "The class 'alone' has a single row: it is learned from, and never held out." in text
    n_out = 2 if options else 1
    assert f"The class 'pair' has 2 rows, {n_out} held out: little can be said of it." in text
    assert "stratified by class" in text
    assert rows["held_out"] == (88 if options else 23)  # by folds every other row, once
    assert ("in 3 folds" in facts["evaluation"]) == bool(options)
    assert len(kl.load(tmp_path / "m").estimator.support_vectors_) == 89


def test_the_metric_that_is_asked_for_judges(table):
    arguments = ["fit", table, "--target", "target", "--method", "lssvm", "--no-refit"]
    arguments += ["--metric"]
    options = with_baselines(LINEAR, TUNED_SVM)
    facts = json.loads(run(*arguments, "neg_log_loss", "--json", options=options).stdout)
    assert facts["metric"] == "log loss"
    assert not facts["greater_is_better"]
    model, linear, svm, guess = facts["scores"]
    assert 0 < model["score"] < guess["score"]
    assert svm["score"] is None  # it has no probabilities
    assert svm["against"] is None
    assert guess["against"]["better"] is True
    assert guess["against"]["test"] == "paired bootstrap"
    assert linear["low"] < linear["score"] < linear["high"]
    shown = run(*arguments, "balanced_accuracy").stdout
    assert shown.index("balanced accuracy") < shown.index("accuracy ")
    refused = run(*arguments, "f1")
    check_failure(refused, "expected --metric to judge 3 classes, got 'f1'")


def test_weights_of_classes(table):
    arguments = ["fit", table, "--target", "target", "--no-refit", "--json", "--method"]

    def recall(method, *options):
        facts = json.loads(run(*arguments, method, *options).stdout)
        return facts["held_out"]["classes"][2]["recall"]

    weighted = [recall(m, "--class-weight", "class 2=1000") for m in ("kernel", "lssvm")]
    assert weighted == [1.0, 1.0]
    assert recall("lssvm", "--class-weight", "class 2=1e-9") < 1.0
    refused = run(*arguments, "metric", "--class-weight", "balanced")
    check_failure(refused, "method metric has no weights of classes; leave --class-weight out")
    refused = run("fit", table, "--target", "alcohol", "--class-weight", "balanced")
    check_failure(refused, "--class-weight weighs classes, got a target of numbers")


def test_baselines_know_the_weights_of_classes_too(table):
    options = with_baselines(*BASELINES)
    arguments = ["fit", table, "--target", "target", "--no-refit", "--json", "--method", "lssvm"]
    facts = json.loads(run(*arguments, "--class-weight", "class 2=1e-9", options=options).stdout)
    by_name = {entry["name"]: entry["score"] for entry in facts["scores"]}
    assert by_name["gradient boosting"] < 0.8  # which is 0.9 and more without weights


@pytest.mark.parametrize("method", ["lssvm", "kernel"])
def test_labels_that_look_like_numbers_stay_as_they_are_written(wine, tmp_path, method):
    codes = {"class 0": "01", "class 1": "02", "class 2": "10"}
    wine["target"] = wine["target"].map(codes)
    path, model = tmp_path / "codes.csv", tmp_path / "m.kl"
    wine.to_csv(path, index=False)
    fit = ["fit", path, "--target", "target", "--method", method, "--model", model, "--no-refit"]
    options = with_baselines(LINEAR) if method == "lssvm" else QUICK
    result = run(*fit, "--class-weight", "01=3", options=options)
    assert result.exit_code == 0, result.output
    assert run("predict", model, path, "--out", tmp_path / "p.csv").exit_code == 0
    said = pd.read_csv(tmp_path / "p.csv", dtype=str)["prediction"]
    assert set(said) == set(codes.values())


def test_every_baseline_is_there_and_compared(table):
    arguments = ["fit", table, "--target", "alcohol", "--no-refit", "--json"]
    facts = json.loads(run(*arguments, options=with_baselines(*BASELINES)).stdout)
    names = [entry["name"] for entry in facts["scores"][1:]]
    assert names == [
        "ridge regression", "SVM with a tuned Gaussian kernel", "gradient boosting",
        "always the mean",
    ]  # fmt: skip
    assert {entry["against"]["test"] for entry in facts["scores"][1:]} == {
        "paired t of squared errors"
    }
    assert {m["name"] for m in facts["scores"][1]["metrics"]} == {
        "R²", "RMSE", "MAE",
    }  # fmt: skip
    interval = facts["held_out"]["interval"]
    assert interval["coverage"] == 0.9
    assert 0.5 < interval["covered"] <= 1.0


def test_what_was_tried_is_in_the_facts(mixture_of_some_rows):
    facts, _ = mixture_of_some_rows
    assert facts["method"] == "kernel"
    assert {row["candidate"] for row in facts["candidates"]} >= {"linear", "Gaussian"}
    assert sum(row["weight"] for row in facts["candidates"]) == pytest.approx(1.0)
    names = [p["name"] for p in facts["parameters"]]
    members = [row["candidate"] for row in facts["candidates"] if row["weight"] > 0]
    assert set(names) == set(members)
    assert {p["kernel"].partition(",")[0] for p in facts["parameters"]} <= {"linear", "Gaussian"}
    found = {entry["name"] for entry in facts["importance"]["columns"]}
    assert found == {"alcohol", "flavanoids", "color_intensity", "proline", "colour [bold]",
                     "bottled"}  # fmt: skip


def test_a_matrix_that_is_no_kernel_is_repaired_if_asked(wine, table, tmp_path):
    X = wine[["alcohol", "proline"]].to_numpy()
    K = np.tanh(0.5 * X @ X.T / np.abs(X @ X.T).max() - 0.3)
    np.save(tmp_path / "k.npy", K)
    arguments = ["fit", table, "--target", "target", "--kernel-matrix", tmp_path / "k.npy"]
    check_failure(run(*arguments), "pass --psd clip to set negative eigenvalues to zero, or --psd")
    result = run(*arguments, "--psd", "clip", "--no-refit", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["scores"][-1]["name"] == "always the most frequent class"


def test_auto_shows_the_comparison_and_keeps_the_best(wine, tmp_path):
    table = tmp_path / "t.csv"
    two = wine.loc[wine["target"] != "class 2", ["alcohol", "flavanoids", "target"]]
    two.iloc[:64].to_csv(table, index=False)
    result = run("fit", table, "--target", "target", "--method", "auto", "--json")
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    names = {entry["method"] for entry in facts["comparison"]}
    assert names == {"kernel", "mkl", "hyperkernel", "first-level", "lssvm", "metric", "rbf-svm"}
    scores = [entry["score"] for entry in facts["comparison"]]
    assert scores[0] == max(scores)
    assert {entry["rows"] for entry in facts["comparison"]} == {45}
    assert facts["method"] == facts["comparison"][0]["method"]
    assert facts["requested_method"] == "auto"
    assert any("compared on a random 45 of 48 rows" in note for note in facts["notes"])


def test_views_have_kernels_of_their_own(table, tmp_path):
    views = tmp_path / "views.toml"
    views.write_text(
        '[views]\ntaste = ["alcohol", "flavanoids"]\nlook = ["colour [bold]", "bottle"]\n'
    )
    options = ["--views", views, "--no-refit", "--json", "--model", tmp_path / "m"]
    result = run("fit", table, "--target", "target", *options)
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert facts["views"] == {
        "taste": ["alcohol", "flavanoids"],
        "look": ["colour [bold]", "bottle"],
    }
    assert {entry["name"].split(":")[0] for entry in facts["weights"]} == {"taste", "look"}
    assert facts["method"] == "mkl"
    assert "the method is mkl, which combines kernels: the default with --views" in facts["notes"]
    done = run("predict", tmp_path / "m", table, "--out", tmp_path / "p.csv")
    assert done.exit_code == 0, done.output


def test_kernel_matrices_predict_the_rows_without_a_target(wine, tmp_path):
    X = wine[["alcohol", "proline"]].to_numpy()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for gamma in (0.1, 1.0):
        np.save(tmp_path / f"k{gamma}.npy", Gaussian(gamma)(X))
    wine.iloc[::9, wine.columns.get_loc("target")] = None
    table = tmp_path / "t.csv"
    wine.to_csv(table, index=False)
    result = run(
        "fit",
        table,
        "--target",
        "target",
        "--kernel-matrix",
        tmp_path / "k0.1.npy",
        "--kernel-matrix",
        tmp_path / "k1.0.npy",
        "--json",
        "--model",
        tmp_path / "m",
    )
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    added = facts["importance"]["views"]
    assert len(added) == 2
    assert [entry["importance"] for entry in added] == sorted(
        (entry["importance"] for entry in added), reverse=True
    )
    rows = facts["rows"]
    assert rows["dropped"] == [{"reason": "without a value of 'target'", "rows": 10}]
    assert rows["sentences"][0].startswith("The table has 89 rows; 79 were used, and left out were")
    done = run("predict", tmp_path / "m", table, "--out", tmp_path / "p.csv")
    assert done.exit_code == 0, done.output
    bundle = kl.load(tmp_path / "m")
    kernel = kl.kernels.WeightedSum([Gaussian(0.1), Gaussian(1.0)], bundle.estimator.weights_)
    model = bundle.estimator
    numbers = model.support_vectors_.iloc[:, 0].astype(int).to_numpy()
    values = kernel(X, X[numbers]) @ model.dual_coef_.T + model.intercept_
    expected = model.classes_[values.argmax(axis=1)]
    assert pd.read_csv(tmp_path / "p.csv")["prediction"].tolist() == expected.tolist()
    wine.iloc[:50].to_csv(table, index=False)
    short = run("predict", tmp_path / "m", table, "--out", tmp_path / "q.csv")
    assert short.exit_code == 1
    assert "expected the 89 rows of the kernel matrices, got 50" in short.stderr
    assert not (tmp_path / "q.csv").exists()


def test_predict_streams_and_columns_may_be_in_any_order(fitted, wine, tmp_path):
    few_rows = replace(QUICK, rows_at_a_time=40)
    other = wine[list(wine.columns[::-1])].drop(columns=["target", "country"]).assign(extra=1)
    other.to_parquet(tmp_path / "t.parquet")
    arguments = ["predict", fitted, tmp_path / "t.parquet", "--out", tmp_path / "p.csv.gz"]
    result = run(*arguments, options=few_rows)
    assert result.exit_code == 0, result.output
    assert "Ignored, since the model does not know them: extra." in result.stdout
    assert "89 rows predicted" in result.stdout
    wine.to_csv(tmp_path / "same.csv", index=False)
    again = run("predict", fitted, tmp_path / "same.csv", "--out", tmp_path / "q.csv", "--json")
    summary = json.loads(again.stdout)
    assert summary.pop("outside")["rows"] == 0
    assert summary.pop("threshold") is None
    assert [summary.pop(name) for name in ("drifted", "far_cells", "sentences")] == [[]] * 3
    assert summary == {
        "rows": 89,
        "ignored_columns": [],
        "unseen_categories": {},
        "infinite_intervals": 0,
        "out": str(tmp_path / "q.csv"),
    }
    first, second = pd.read_csv(tmp_path / "p.csv.gz"), pd.read_csv(tmp_path / "q.csv")
    assert first["prediction"].tolist() == second["prediction"].tolist()
    names = [f"decision: class {i}" for i in range(3)]
    shares = [f"probability: class {i}" for i in range(3)]
    assert list(first.columns) == ["prediction", *names, *shares, "outside"]
    np.testing.assert_allclose(first[names], second[names], rtol=1e-9)
    np.testing.assert_allclose(first[shares].sum(axis=1), 1.0)
    assert [f"class {i}" for i in first[shares].to_numpy().argmax(axis=1)] == list(
        first["prediction"]
    )
    assert [f"class {i}" for i in first[names].to_numpy().argmax(axis=1)] == list(
        first["prediction"]
    )


@pytest.mark.parametrize(
    ("method", "columns"),
    [
        ("lssvm", ["prediction", "lower", "upper", "std", "outside"]),
        ("mkl", ["prediction", "lower", "upper", "outside"]),
        ("rbf-svm", ["prediction", "outside"]),
    ],
)
def test_numbers_come_with_intervals_where_the_model_has_them(table, tmp_path, method, columns):
    model = tmp_path / "m.kl"
    fit = ["fit", table, "--target", "alcohol", "--method", method, "--model", model, "--no-refit"]
    facts = json.loads(run(*fit, "--json").stdout)
    assert (facts["task"], facts["metric"], facts["classes"]) == ("regression", "R²", None)
    assert facts["scores"][-1]["name"] == "always the mean"
    if method == "lssvm":
        assert facts["scores"][0]["score"] > facts["scores"][-1]["score"]
    result = run("predict", model, table, "--out", tmp_path / "p.csv")
    assert result.exit_code == 0, result.output
    assert "infinite" not in result.stdout
    wide = pd.read_csv(tmp_path / "p.csv")
    assert list(wide.columns) == columns
    narrow = run("predict", model, table, "--out", tmp_path / "n.csv", "--coverage", "0.5")
    if "lower" not in columns:
        check_failure(narrow, "intervals of numbers, but the model is of a method without them")
        return
    assert narrow.exit_code == 0, narrow.output
    narrow = pd.read_csv(tmp_path / "n.csv")
    assert (wide["lower"] < wide["prediction"]).mean() > 0.9
    assert (wide["upper"] - wide["lower"] > narrow["upper"] - narrow["lower"]).all()
    endless = run("predict", model, table, "--out", tmp_path / "e.csv", "--coverage", "0.999")
    assert np.isinf(pd.read_csv(tmp_path / "e.csv")["upper"]).all()
    assert (
        "The intervals of 89 rows are infinite: a coverage of 0.999 needs a model of 999 rows or "
        "more." in endless.stdout
    )


@pytest.mark.parametrize(
    ("coverage", "sentence", "code"),
    [
        ("90", "--coverage must lie between 0 and 1, got 90: 0.9 is usual.", 2),
        ("0", "--coverage must lie between 0 and 1, got 0: 0.9 is usual.", 2),
        ("nan", "--coverage must lie between 0 and 1, got nan", 2),
        ("0.8", "intervals of numbers, but the model predicts classes; leave it out", 1),
    ],
)
def test_a_coverage_of_nothing_is_refused(table, fitted, tmp_path, coverage, sentence, code):
    result = run("predict", fitted, table, "--out", tmp_path / "p.csv", "--coverage", coverage)
    check_failure(result, sentence, code)
    assert not (tmp_path / "p.csv").exists()


@pytest.mark.parametrize("model", ["mixture_of_some_rows", "of_some_rows"])
def test_categories_never_seen_are_told(wine, table, tmp_path, model, request):
    few_rows = replace(QUICK, rows_at_a_time=40)
    _, content = request.getfixturevalue(model)
    model, new = tmp_path / "m.kl", tmp_path / "new.csv"
    model.write_bytes(content)
    assert kl.load(model).facts["categories"] == {"colour [bold]": ["dark", "light"]}
    wine.loc[wine.index[[1, 30, 80]], "colour [bold]"] = "pink"
    wine.loc[wine.index[5], "colour [bold]"] = None
    wine.to_csv(new, index=False)
    result = run("predict", model, new, "--out", tmp_path / "p.csv", options=few_rows)
    assert result.exit_code == 0, result.output
    assert "Categories that the model has never seen: colour [bold] in 3 rows." in result.stdout
    again = run("predict", model, table, "--out", tmp_path / "p.csv")
    assert "never seen" not in again.stdout


def test_quiet_prints_nothing_and_a_delimiter_can_be_told(wine, table, fitted, tmp_path):
    other = tmp_path / "t.csv"
    wine.iloc[:30].to_csv(other, index=False, sep=";")
    for arguments in (
        ["fit", other, "--target", "target", "--method", "lssvm", "--delimiter", ";", "--no-refit"],
        ["predict", fitted, table, "--out", tmp_path / "p.csv"],
    ):
        result = run(*arguments, "--quiet")
        assert (result.exit_code, result.output) == (0, "")


def test_a_report_is_named_as_its_model(fitted, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("report", fitted, options=CommandOptions(pictures=()))  # which take the time
    assert result.exit_code == 0, result.output
    assert "<html" in (tmp_path / f"{Path(fitted).stem}.html").read_text()[:200].lower()


def changed(wine, **columns):
    return wine.assign(**columns).to_csv(index=False)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (lambda w: "", "has no line of column names"),
        (lambda w: w.iloc[:0].to_csv(index=False), "the table has no rows below its column names"),
        (lambda w: w.iloc[:6].assign(target=1.5).to_csv(index=False), "one value, 1.5, in every"),
        (lambda w: w.iloc[:6].assign(target=range(6)).to_csv(index=False), "at least 10 rows"),
        (
            lambda w: w.rename(columns={"target": "Target"}).to_csv(index=False),
            "no column 'target': did you mean 'Target'?",
        ),
        (lambda w: changed(w, target="same"), "'target' has one value, 'same', in every row"),
        (lambda w: changed(w, target=w["bottled"]), "'target' is a column of dates"),
        (lambda w: changed(w, target=None), "'target' has no value in any row"),
        (
            lambda w: changed(w, proline=[*w["proline"].iloc[1:], "lots"]),
            "column 'proline' mixes numbers and text",
        ),
        (lambda w: w.to_csv(index=False, sep=";"), "looks separated by ';'; pass --delimiter ';'"),
        (
            lambda w: w[["target", "country"]].to_csv(index=False),
            "no column besides the target 'target' can be used (country: constant)",
        ),
        (lambda w: "\x00\x01\x02", "bytes that are no text"),
    ],
)
def test_bad_tables(content, sentence, wine, tmp_path):
    (tmp_path / "t.csv").write_text(content(wine))
    result = run("fit", tmp_path / "t.csv", "--target", "target", "--model", tmp_path / "m")
    check_failure(result, sentence)
    assert os.listdir(tmp_path) == ["t.csv"]


def check_failure(result, sentence, code=1):
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert sentence in result.stderr
    assert result.stderr.startswith("kernlearn: ")
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr


def test_more_columns_than_the_method_takes(tmp_path):
    rng = np.random.default_rng(0)
    names = [f"x{j}" for j in range(301)]
    frame = pd.DataFrame(rng.normal(size=(24, 301)).round(3), columns=names)
    frame["y"] = np.arange(24) % 2
    frame.to_parquet(tmp_path / "t.parquet")
    result = run("fit", tmp_path / "t.parquet", "--target", "y", "--method", "first-level")
    check_failure(result, "takes at most 300 columns, as prepared, got 301; use --method kernel")


def test_a_holdout_that_leaves_nothing_to_learn_from(table):
    result = run("fit", table, "--target", "target", "--test-size", "0.99")
    check_failure(result, "expected at least 5 rows to learn from, --test-size 0.99 leaves")


@pytest.mark.parametrize(
    ("target", "hint"), [("TARGET", "target"), ("Alchohol", "alcohol"), ("PROLIN", "proline")]
)
def test_the_column_that_was_meant(table, target, hint):
    result = run("fit", table, "--target", target)
    check_failure(result, f"no column {target!r}: did you mean {hint!r}?")


def test_a_folder_in_place_of_a_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("fit", ".", "--target", "y")
    check_failure(result, "could not fit .: expected a table, but . is a folder; name a file in it")


def test_not_there(table, fitted, tmp_path):
    result = run("fit", tmp_path / "no.csv", "--target", "y")
    check_failure(result, "No such file or directory; check its name.")
    (tmp_path / "patients.csv").write_text("a,b\n")
    result = run("fit", tmp_path / "patient.csv", "--target", "y")
    check_failure(result, f"directory; try {tmp_path / 'patients.csv'}.")
    result = run("fit", tmp_path / "no" / "t.csv", "--target", "y")
    check_failure(result, f"directory; there is no folder {tmp_path / 'no'}.")
    check_failure(run("predict", tmp_path / "no", table, "--out", tmp_path / "p.csv"), "No such")
    check_failure(
        run("predict", fitted, tmp_path / "no.csv", "--out", tmp_path / "p.csv"), "No such"
    )
    check_failure(run("report", tmp_path / "no", "--out", tmp_path / "r.html"), "No such")


def test_where_nothing_can_be_written(table, fitted, tmp_path, monkeypatch):
    there = ["fit", table, "--target", "target", "--model"]
    check_failure(run(*there, tmp_path), "expected the name of a file in an existing folder")
    check_failure(run(*there, tmp_path / "no" / "m"), "in an existing folder")
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    check_failure(run(*there, tmp_path / "x"), "the folder is read-only for you")
    out = run("predict", fitted, table, "--out", tmp_path / "p.csv")
    check_failure(out, "the folder is read-only for you")


def test_a_full_disk_leaves_nothing_behind(table, fitted, tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    before = sorted(os.listdir(tmp_path))
    fit = ["fit", table, "--target", "target", "--method", "lssvm", "--no-refit", "--model"]
    check_failure(run(*fit, tmp_path / "x"), "No space left on device")
    result = run("predict", fitted, table, "--out", tmp_path / "p.csv")
    check_failure(result, "No space left on device")
    assert sorted(os.listdir(tmp_path)) == before


def test_what_was_written_before_a_failure_is_named(table, tmp_path, monkeypatch):
    def stopped(*arguments, **keywords):
        raise KeyboardInterrupt

    monkeypatch.setattr(fit_command, "write_html", stopped)
    model, page = tmp_path / "m.kl", tmp_path / "r.html"
    fit = ["fit", table, "--target", "target", "--method", "lssvm", "--no-refit"]
    result = run(*fit, "--model", model, "--report", page)
    assert result.exit_code == 130
    assert f"stopped; {page} was not written." in result.stderr
    assert f"written: {model}" in result.stderr


def test_ctrl_c_leaves_nothing_behind(table, fitted, tmp_path, monkeypatch):
    def stopped(*arguments):
        raise KeyboardInterrupt

    before = sorted(os.listdir(tmp_path))
    monkeypatch.setattr(fit_command, "learn", stopped)
    monkeypatch.setattr(predict_command, "predictions", stopped)
    result = run("fit", table, "--target", "target", "--model", tmp_path / "x")
    check_failure(result, "stopped; nothing was written", 130)
    result = run("predict", fitted, table, "--out", tmp_path / "p.csv")
    check_failure(result, "was not written", 130)
    assert sorted(os.listdir(tmp_path)) == before


def test_a_model_file_from_elsewhere(table, fitted, tmp_path):
    out = tmp_path / "p.csv"
    check_failure(run("predict", table, table, "--out", out), "is not a kernlearn model file")
    kl.save(Gaussian(1.0), tmp_path / "kernel")
    check_failure(run("predict", tmp_path / "kernel", table, "--out", out), "holds Gaussian")
    content = fitted.read_bytes()
    fitted.write_bytes(content[:-100])
    check_failure(run("predict", fitted, table, "--out", out), "cut short or was altered")
    assert not out.exists()


def test_costs_choose_the_threshold_that_the_model_keeps(wine, tmp_path):
    two = wine.loc[wine["target"] != "class 2", ["alcohol", "flavanoids", "target"]]
    two.to_csv(tmp_path / "t.csv", index=False)
    told = ["--target", "target", "--method", "lssvm", "--model", tmp_path / "m"]
    result = run("fit", tmp_path / "t.csv", *told, "--cost", "FALSE_NEGATIVE=9", "FALSE_POSITIVE=1")
    bundle = kl.load(tmp_path / "m")
    threshold = bundle.facts["threshold"]
    text = " ".join(result.stdout.split())
    assert f"predicted from a probability of {threshold['value']:.3g} on" in text
    shares = bundle.predict_proba(two)[:, 1]
    expected = np.where(shares >= threshold["value"], "class 1", "class 0")
    assert (bundle.predict(two) == expected).all()
    assert threshold["sentence"].split(".")[0] in report_html(bundle, []).replace("&#x27;", "'")
    done = run("fit", tmp_path / "t.csv", "--target", "alcohol", "--cost", "a=1", "b=2")
    check_failure(done, "expected --cost FALSE_POSITIVE=1 FALSE_NEGATIVE=5")


def test_ids_are_kept_and_a_table_is_read_as_that_of_the_fit(wine, tmp_path):
    wine = wine.assign(maker="Müller")
    wine.to_csv(tmp_path / "w.csv", index=False, sep=";", encoding="latin-1")
    model, out = tmp_path / "m", tmp_path / "p.csv"
    told = ["--target", "target", "--method", "lssvm", "--model", model, "--delimiter", ";"]
    result = run("fit", tmp_path / "w.csv", *told)
    assert "Note: w.csv is not text in UTF-8, so it was read as Windows-1252" in result.stdout
    assert kl.load(model).facts["reading"] == {"delimiter": ";", "encoding": "cp1252"}
    wine.loc[3, "alcohol"] = 9999.0
    wine.to_csv(tmp_path / "n.csv", index=False, sep=";", encoding="latin-1")
    result = run("predict", model, tmp_path / "n.csv", "--out", out, "--keep", "bottle")
    text = " ".join(result.stdout.split())
    assert "1 cell of column 'alcohol', the first 9999 in row" in text
    predicted = pd.read_csv(out)
    assert predicted["bottle"].tolist() == wine["bottle"].tolist()
    assert predicted["outside"].to_numpy()[wine.index.get_loc(3)]
    wine.to_csv(tmp_path / "c.csv", index=False)  # neither of the two is as in the fit
    assert run("predict", model, tmp_path / "c.csv", "--out", out).exit_code == 0
    for name, message in (("cask", "'cask', which --keep names"), ("prediction", "rename it")):
        table = wine.rename(columns={"number": "prediction"})
        table.to_csv(tmp_path / "c.csv", index=False)
        done = run("predict", model, tmp_path / "c.csv", "--out", out, "--keep", name)
        check_failure(done, message)


def test_bad_tables_to_predict(fitted, wine, tmp_path):
    path, out = tmp_path / "t.csv", tmp_path / "p.csv"
    wine.drop(columns=["alcohol"]).to_csv(path, index=False)
    check_failure(run("predict", fitted, path, "--out", out), "are missing ('alcohol')")
    wine.assign(alcohol=["strong", *wine["alcohol"].iloc[1:]]).to_csv(path, index=False)
    check_failure(run("predict", fitted, path, "--out", out), "got 'strong' in row 1")
    wine.iloc[:0].to_csv(path, index=False)
    check_failure(run("predict", fitted, path, "--out", out), "has no rows")
    named = f"could not write {tmp_path / 'p.docx'}: expected a name that ends in .csv"
    check_failure(run("predict", fitted, path, "--out", tmp_path / "p.docx"), named, 2)
    assert not out.exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--method", "best"], "--method must be one of kernel, mkl, hyperkernel"),
        (["--task", "cluster"], "--task must be one of auto, classification, regression"),
        (["--test-size", "1.5"], "--test-size must lie between 0 and 1, got 1.5"),
        (
            ["--test-size", "0.5", "--cv", "3"],
            "--cv holds out every row in turn, --test-size some once",
        ),
        (
            ["--no-refit", "--cv", "3"],
            "--no-refit keeps the model that was judged, --cv judges several",
        ),
        (["--drop", "target"], "--drop names the target, 'target': name another column"),
        (["--delimiter", "ab"], "--delimiter must be one character"),
        (["--time-limit", "0"], "--time-limit must be above zero, got 0"),
        (["--effort", "much"], "--effort must be fast, default, best or a number from 0.01 to 100"),
        (
            ["--effort", "2", "--method", "mkl"],
            "--effort belongs to the method kernel, got --method",
        ),
        (["--memory", "much"], "expected --memory to be a size such as 8GB or 500MB, got 'much'"),
        (["--memory", "10MB"], "of which the program itself takes"),
        (["--device", "cuda"], "--device is for tables and mkl, first-level, lssvm, got --method"),
        (["--device", "gpu", "--method", "lssvm"], "expected device to be None, 'cpu', 'cuda'"),
        (["--psd", "fix"], "--psd must be one of raise, clip, shift, trust, got 'fix'"),
        (["--psd", "clip"], "--psd is about kernel matrices: give one by --kernel-matrix"),
        (["--views", "v.toml", "--method", "lssvm"], "--method must be mkl, got 'lssvm'"),
        (["--views", "v.toml", "--kernel-matrix", "k.npy"], "give one of them"),
    ],
)
def test_bad_usage(options, sentence, table):
    check_failure(run("fit", table, "--target", "target", *options), sentence, 2)


def test_the_device_reaches_the_estimator(table, tmp_path, monkeypatch):
    asked, note = [], kl.LSSVMClassifier._note_device

    def noted(self, X):
        asked.append(self.device)
        note(self, X)

    monkeypatch.setattr(kl.LSSVMClassifier, "_note_device", noted)
    options = ["--method", "lssvm", "--device", "cpu", "--no-refit", "--model", tmp_path / "m.kl"]
    assert run("fit", table, "--target", "target", *options).exit_code == 0
    assert set(asked) == {"cpu"}
    assert kl.load(tmp_path / "m.kl").pipeline[-1].device is None


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("no toml", "views.toml is not TOML"),
        ("a = 1\n", "expected a table [views]"),
        ("[views]\na = 1\n", "a list of column names for view 'a', got 1"),
        ("[views]\na = ['nothing']\n", "names the column 'nothing', which the table does not have"),
        ("[views]\na = ['country']\n", "view 'a' of views.toml has no column that can be used"),
        ("[views]\na__b = ['alcohol']\n", "names of views without '__'"),
    ],
)
def test_bad_views(content, sentence, table, tmp_path):
    (tmp_path / "views.toml").write_text(content)
    arguments = ["fit", table, "--target", "target", "--views", tmp_path / "views.toml"]
    check_failure(run(*arguments), sentence)


@pytest.mark.parametrize(
    ("matrix", "sentence"),
    [
        ("1 2\n3 4\n", "of shape (89, 89) in k.txt"),
        ("one two\n", "k.txt holds no matrix of numbers"),
        ("\n".join(" ".join(["1"] * i + ["-1"] * (89 - i)) for i in range(89)), "no kernel matrix"),
    ],
)
def test_bad_matrices(matrix, sentence, table, tmp_path):
    (tmp_path / "k.txt").write_text(matrix)
    arguments = ["fit", table, "--target", "target", "--kernel-matrix", tmp_path / "k.txt"]
    check_failure(run(*arguments), sentence)


def test_a_table_that_does_not_fit_is_sampled_and_it_is_said(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=X[:, 0] + X[:, 1] ** 2)
    frame.to_csv(tmp_path / "t.csv", index=False)
    small = replace(QUICK, table_share=1e-5)
    arguments = ["fit", tmp_path / "t.csv", "--target", "y", "--method", "lssvm"]
    memory = f"{memory_module.resident() / 1e6 + 1000:.0f}MB"
    result = run(*arguments, "--no-refit", "--json", "--memory", memory, options=small)
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    rows = facts["rows"]
    assert rows["read"] == 400
    assert 20 < rows["used"] < 400
    said = f"of the 400 rows of the table a random {rows['used']} were read, as many as fit into"
    assert any(said in note for note in facts["notes"])
    assert "for which there was no room in memory" in rows["sentences"][0]
