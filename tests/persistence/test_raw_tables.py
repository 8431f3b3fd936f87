"""A model file of the command line takes a table in Python as it takes it there."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import kernlearn as kl
from kernlearn.bundle import ModelBundle
from kernlearn.cli.app import app
from kernlearn.cli.problem import CommandOptions
from kernlearn.methods.task import WorkflowOptions
from kernlearn.tables import TableError

RUNNER = CliRunner(env={"COLUMNS": "120", "TERM": "dumb"})
N = 60
# They take the time, and leave no trace in a model file's predictions.
NO_RIVALS = CommandOptions(WorkflowOptions(baselines=()), few_rows=0)


def run(*arguments):
    result = RUNNER.invoke(app, list(map(str, arguments)), obj=NO_RIVALS)
    assert result.exit_code == 0, result.output


def written():
    """Rows of text with everything that other readers read in their own way."""
    rng = np.random.default_rng(0)
    x, day = rng.normal(size=N), rng.integers(0, 300, N)
    smokes, code = rng.random(N) < 0.5, rng.integers(0, 3, N)
    score = x + smokes + 0.5 * code + day / 300
    lines = ["id,x,day,smokes,code,kind,y,z"]
    for i in range(N):
        cell = "?" if i == 7 else f"{x[i]:.6f}"
        date = np.datetime64("2024-01-01") + np.timedelta64(int(day[i]), "D")
        truth, kind = "true" if smokes[i] else "false", "bad" if score[i] > 1.5 else "good"
        lines.append(f"r{i},{cell},{date},{truth},00{code[i]},{'ab'[i % 2]},{kind},{score[i]}")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    (folder / "t.csv").write_text(written())
    fit = ("fit", folder / "t.csv", "--categorical", "code", "--quiet", "--method", "lssvm")
    run(*fit, "--target", "y", "--drop", "z", "--model", folder / "kinds.kl")
    run(*fit, "--target", "z", "--drop", "y", "--model", folder / "numbers.kl")
    for model in ("kinds", "numbers"):
        out = folder / f"{model}.csv"
        run("predict", folder / f"{model}.kl", folder / "t.csv", "--out", out, "--quiet")
    return folder


def frame(**options):
    return pd.read_csv(io.StringIO(written()), **options)


def predicted(folder, model):
    return pd.read_csv(folder / f"{model}.csv")


@pytest.mark.parametrize(
    "options",
    [{}, {"dtype": str}, {"parse_dates": ["day"]}, {"dtype": "category"}, {"index_col": "id"}],
    ids=["plain", "text", "dates", "categories", "index"],
)
def test_labels_and_probabilities_are_those_of_the_command_line(folder, options):
    model, expected = kl.load(folder / "kinds.kl"), predicted(folder, "kinds")
    table = frame(**options)
    assert model.predict(table).tolist() == expected["prediction"].tolist()
    assert set(model.predict(table)) == {"bad", "good"}
    shares = model.predict_proba(table)
    assert model.classes_.tolist() == ["bad", "good"]
    np.testing.assert_allclose(shares[:, 0], expected["probability: bad"], rtol=1e-9)
    np.testing.assert_allclose(model.decision_function(table), expected["decision"], rtol=1e-9)


def test_intervals_and_deviations_are_those_of_the_command_line(folder):
    model, expected = kl.load(folder / "numbers.kl"), predicted(folder, "numbers")
    table = frame().sample(frac=1.0, random_state=0)  # another order, another index
    order = table.index
    np.testing.assert_allclose(model.predict(table), expected["prediction"][order], rtol=1e-9)
    ends = model.predict_interval(table, coverage=0.9)
    np.testing.assert_allclose(ends, expected[["lower", "upper"]].to_numpy()[order], rtol=1e-9)
    std = model.predict(table, return_std=True)[1]
    np.testing.assert_allclose(std, expected["std"][order], rtol=1e-9)


def test_extra_columns_and_another_order_are_of_no_account(folder):
    model = kl.load(folder / "kinds.kl")
    table = frame()
    other = table[table.columns[::-1]].assign(further="new")
    before = other.copy()
    assert (model.predict(other) == model.predict(table)).all()
    pd.testing.assert_frame_equal(other, before)


def test_it_has_what_its_estimator_has(folder):
    kinds, numbers = kl.load(folder / "kinds.kl"), kl.load(folder / "numbers.kl")
    assert hasattr(kinds, "predict_proba")
    assert not hasattr(kinds, "predict_interval")
    assert hasattr(numbers, "predict_interval")
    assert not hasattr(numbers, "predict_proba")
    assert repr(kinds) == "<ModelBundle: " + kinds.facts["method_title"] + (
        ", predicts 'y', fitted to t.csv>"
    )


def test_wrong_tables_are_refused_in_a_sentence(folder):
    model = kl.load(folder / "kinds.kl")
    with pytest.raises(TableError, match=r"expected a data frame .* got ndarray; read the table"):
        model.predict(np.zeros((2, 3)))
    with pytest.raises(TableError, match="1 of 5 are missing \\('day'\\); add them"):
        model.predict(frame().drop(columns="day"))
    with pytest.raises(TableError, match=r"a date in every cell of column 'day'.* got 'soon' in"):
        model.predict(frame().assign(day="soon"))
    with pytest.raises(TableError, match="the table has no rows"):
        model.predict(frame().iloc[:0])
    twice = frame().iloc[:, [1, 1, 2, 3, 4, 5]]
    with pytest.raises(TableError, match="different names in the table, got 'x' more than once"):
        model.predict(twice)
    with pytest.raises(TableError, match="lacks columns among what kernlearn fit writes"):
        ModelBundle(model.pipeline, {**model.facts, "columns": None}).predict(frame())


def test_a_model_of_matrices_takes_its_own_table(tmp_path):
    rng = np.random.default_rng(1)
    factor = rng.normal(size=(30, 3))
    np.save(tmp_path / "K.npy", factor @ factor.T)
    table = pd.DataFrame({"y": np.where(factor[:, 0] > 0, "up", "down")})
    table.to_csv(tmp_path / "t.csv", index=False)
    model = tmp_path / "m.kl"
    given = ("--target", "y", "--kernel-matrix", tmp_path / "K.npy", "--model", model)
    run("fit", tmp_path / "t.csv", *given, "--method", "mkl", "--quiet")
    loaded = kl.load(model)
    assert (loaded.predict(table) == table["y"]).mean() > 0.8
    with pytest.raises(TableError, match="expected the 30 rows of the kernel matrices, got 4"):
        loaded.predict(table[:4])
