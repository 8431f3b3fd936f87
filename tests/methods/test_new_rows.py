"""Rows to predict beside those of the fit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from kernlearn import KernelRegressor, LSSVMRegressor
from kernlearn.bundle import ModelBundle
from kernlearn.methods.new_rows import NewRows, number_ranges
from kernlearn.tables import Column

COLUMNS = [Column("a", "number", ""), Column("b", "number", ""), Column("c", "category", "")]


def drawn(n, seed):
    random = np.random.default_rng(seed)
    letters = random.choice(["u", "v"], size=n)
    return pd.DataFrame({"a": random.normal(size=n), "b": random.normal(size=n), "c": letters})


def bundle_of(n=150, model=None):
    rows = drawn(n, 0)
    y = rows["a"].to_numpy()
    learn = model or LSSVMRegressor(selection=None, lam=0.1, theta=0.5)
    pipeline = Pipeline(
        [("prepare", ColumnTransformer([("numbers", "passthrough", ["a", "b"])])), ("learn", learn)]
    ).fit(rows, y)
    columns = [vars(column) for column in COLUMNS]
    ranges = number_ranges(rows, COLUMNS, np.arange(n))
    return ModelBundle(pipeline, {"columns": columns, "ranges": ranges}, rows, y)


@pytest.fixture(scope="module")
def bundle():
    return bundle_of()


def test_rows_like_those_of_the_fit_are_not_outside(bundle):
    found = NewRows(bundle)
    assert (found.add(drawn(400, 1)) == found.add(drawn(400, 1))).all()
    facts = found.facts()
    assert facts["outside"]["rows"] == len(found.outside)
    assert facts["outside"]["share"] < 0.03
    assert facts["outside"]["expected_share"] == 1 / 151
    assert facts["outside"]["p_value"] > 0.01
    assert facts["far_cells"] == facts["drifted"] == []


def test_of_training_rows_that_are_left_out_the_expected_share_is_outside(bundle):
    """The rule is exact over draws of the training rows: here for leaving each out in turn."""
    found = NewRows(bundle)
    distance, tables, own = found._reference
    squares = distance.between(tables, tables)
    np.fill_diagonal(squares, np.inf)
    n_beyond = (own >= squares.min(axis=1)[:, None]).sum(axis=1)
    assert (n_beyond == 1).sum() == 1  # the most extreme one


@pytest.mark.parametrize("model", [None, KernelRegressor(["linear", "Gaussian"], cv=2)])
def test_far_rows_and_columns_that_drifted_are_named(model):
    rows = drawn(100, 2)
    rows.loc[7, "a"] = 9999.0
    rows["b"] += 1.5
    rows["c"] = "u"
    found = NewRows(bundle_of(60, model))
    found.add(rows[:50])
    outside = found.add(rows[50:].reset_index(drop=True))
    facts = found.facts()
    assert found.n_rows == 100
    assert 8 in facts["outside"]["first"]
    assert outside.sum() == sum(row >= 50 for row in found.outside)
    (cell,) = facts["far_cells"]
    assert (cell["column"], cell["cells"], cell["row"], cell["value"]) == ("a", 1, 8, 9999.0)
    assert {entry["column"] for entry in facts["drifted"]} == {"b", "c"}
    told = " ".join(facts["sentences"])
    assert "the first 9999 in row 8" in told
    assert "c ('u' in 100%, was 4" in told
    assert "b (median 1." in told


def test_missing_cells_drift_too_and_few_rows_are_kept(bundle):
    found = NewRows(bundle, most_rows=60)
    rows = drawn(300, 3).assign(b=lambda t: t["b"].where(np.arange(300) % 2 == 0))
    found.add(rows[["a", "c"]].assign(b=rows["b"].fillna(0.0)))
    found._kept, found._keys = [], []
    found._kept.append(rows)
    found._keys.append(np.random.default_rng(0).random(300))
    (entry,) = found._drifted()
    assert len(found._kept[0]) == 60
    assert entry["column"] == "b"
    assert entry["change"].startswith("missing in ")


def test_without_rows_or_a_kernel_there_is_no_distance(bundle):
    for other in (
        ModelBundle(bundle.pipeline, bundle.facts, bundle.sample_X[:10], bundle.sample_y[:10]),
        ModelBundle(bundle.pipeline, {"columns": [vars(Column("n", "row number", ""))]}),
    ):
        found = NewRows(other)
        assert found.add(drawn(30, 1)) is None
        assert found.facts() == {"outside": None, "far_cells": [], "drifted": [], "sentences": []}
