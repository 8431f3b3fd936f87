"""Exports of models of tables as people have them: numbers in words, columns without names."""

from __future__ import annotations

import runpy
from datetime import date, time, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import kernlearn as kl
from kernlearn.export import to_numpy_code, to_onnx

N = 40


def numbers():
    return np.random.default_rng(0).normal(size=N).round(3)


def table():
    """Columns of which no cell is a plain number."""
    z = numbers()
    days = [date(2020, 1, 1) + timedelta(days=int(50 * v)) for v in z]
    return pd.DataFrame(
        {
            "money": [f"-$ {-1e4 * v:,.2f}" if v < 0 else f"$ {1e4 * v:,.2f}" for v in z],
            "decimal comma": [f"{1e4 * v:.1f}".replace(".", ",") for v in z],
            "share": [f"{10 * v:.0f} %" for v in z],
            "text of numbers": [f" {v} " for v in z],
            "truth": np.where(z > 0, "True", "false"),
            "day": [each.strftime("%d/%m/%Y") for each in days],
            "iso": [f"{each.isoformat()}T10:30:00+02:00" for each in days],
            "clock": [time(int(12 + 3 * v), 30, 15) for v in z],
            "month": pd.PeriodIndex(pd.to_datetime(days), freq="M"),
            "stamps": pd.Series([np.datetime64(each, "s") for each in days], dtype=object),
            "grade": pd.Series([Decimal(int(v > 0)) for v in z], dtype="category"),
            "colour": np.where(z > 0.5, "red", "blue"),
        }
    )


def code_of(model, folder):
    to_numpy_code(model, folder / "model.py")
    return runpy.run_path(str(folder / "model.py"))


def fitted(X):
    return kl.KernelRegressor(["linear"], effort="fast").fit(X, numbers())


def test_code_reads_what_is_written_as_in_training(tmp_path):
    X = table()
    X.loc[3, ["money", "day", "clock", "colour"]] = None
    model = fitted(X)
    code = code_of(model, tmp_path)
    assert np.allclose(code["predict"](X), model.predict(X), rtol=1e-10, atol=1e-10)
    with pytest.raises(ValueError, match=r"expected a cell written like \$ 1,234.5, got 'much'"):
        code["predict"](X.assign(money="much"))
    with pytest.raises(ValueError, match="expected a number, got 'many'; correct it, or leave"):
        code["predict"](X.assign(**{"text of numbers": "many"}))


@pytest.mark.parametrize("columns", [["clock", "colour"], ["share", "colour"], ["colour"]])
def test_columns_without_names_are_told_by_their_numbers(columns, tmp_path):
    X = table()[columns]
    X.columns = range(len(columns))
    model = fitted(X)
    code = code_of(model, tmp_path)
    assert np.allclose(code["predict"](X), model.predict(X), atol=1e-10)
    assert np.allclose(code["predict"](X.to_numpy()), model.predict(X), atol=1e-10)


def test_sources_as_they_came(tmp_path):
    plain, of_text = pd.DataFrame({5: numbers(), 6: table()["colour"]}), table()["colour"]
    X = {"frame": plain, "series": pd.Series(numbers() ** 2), "list": numbers().tolist()}
    model = fitted(X | {"word": of_text.tolist()})
    code = code_of(model, tmp_path)
    rows = X | {"word": of_text.tolist()}
    assert np.allclose(code["predict"](rows), model.predict(rows), atol=1e-10)


def run_onnx(model, given, folder):
    onnxruntime = pytest.importorskip("onnxruntime")
    to_onnx(model, folder / "model.onnx")
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"))
    return session.run(["prediction"], given)[0]


def test_inputs_of_onnx_have_names_of_their_own(tmp_path):
    pytest.importorskip("onnx")
    z = numbers()
    names = ["value_1", "constant_2", "value_3_0"]
    X = pd.DataFrame(np.column_stack([z, z**2, np.sin(z)]), columns=names)
    model = kl.KernelRegressor(["additive"], effort="fast").fit(X, z)
    given = {name: X[[name]].to_numpy() for name in names}
    assert np.allclose(run_onnx(model, given, tmp_path), model.predict(X), rtol=1e-5)
    for name in ("", "prediction"):
        renamed = X.rename(columns={"value_1": name})
        with pytest.raises(ValueError, match=f"expected inputs of ONNX to have .* {name!r}"):
            to_onnx(fitted(renamed), tmp_path / "refused.onnx")


def test_a_list_is_an_input_by_the_name_of_its_source(tmp_path):
    pytest.importorskip("onnx")
    words = table()["colour"].tolist()
    model = fitted({"word": words})
    found = run_onnx(model, {"word": np.array(words, dtype=object)[:, None]}, tmp_path)
    assert np.allclose(found, model.predict({"word": words}), rtol=1e-5)


def test_targets_that_are_zero_in_single_precision(tmp_path):
    pytest.importorskip("onnx")
    z = numbers()
    X, y = z[:, None], 1e-100 * (z + 2.0)
    model = kl.KernelRegressor(["linear"], effort="fast").fit(X, y)
    assert np.allclose(run_onnx(model, {"X": X}, tmp_path) / 1e-100, z + 2.0, rtol=1e-4)
