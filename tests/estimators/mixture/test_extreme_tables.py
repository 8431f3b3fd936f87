"""Tables and targets at the ends of what numbers can be: an answer in numbers, or a sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import kernlearn as kl

N = 16
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3))
LABELS = np.where(X[:, 0] > 0, 1, 0)
TARGETS = X[:, 0] + X[:, 1] ** 2

CLASSIFIERS = [
    kl.MKLClassifier(),
    kl.LSSVMClassifier(),
    kl.HyperkernelClassifier(),
    kl.KernelClassifier(["Laplacian"]),
]
REGRESSORS = [
    kl.MKLRegressor(C=1.0),
    kl.LSSVMRegressor(),
    kl.HyperkernelRegressor(),
    kl.KernelRegressor(["Laplacian"]),
]


def _name(model):
    return type(model).__name__


def _with_cell(value):
    table = X.copy()
    table[3, 1] = value
    return table


def _refusal(model, table, target):
    try:
        model.fit(table, target)
    except ValueError as refusal:
        return str(refusal)
    return None


TABLES = {
    "one cell of 1e300": _with_cell(1e300),
    "sums beyond all numbers": np.where(np.arange(N)[:, None] % 2, 1.7e308, -1.7e308) * np.ones(3),
    "squares beyond all numbers": X * 1e160,
    "squares of zero": X * 1e-200,
}


@pytest.mark.parametrize("what", TABLES)
@pytest.mark.parametrize("model", [*CLASSIFIERS, *REGRESSORS], ids=_name)
def test_extreme_cells_are_answered_without_a_warning(model, what):
    target = LABELS if hasattr(model, "predict_proba") else TARGETS
    refusal = _refusal(model, TABLES[what], target)
    if refusal is None:
        assert np.isfinite(model.predict(TABLES[what])).all()
    else:
        assert any(word in refusal for word in ("scale", "expected", "must"))


@pytest.mark.filterwarnings("ignore::kernlearn.exceptions.ExtrapolationWarning")
@pytest.mark.parametrize("candidate", ["linear", "polynomial", "additive", "trees"])
def test_cells_infinitely_far_beyond_a_column_of_tiny_numbers_are_answered(candidate):
    table = X * [1.0, 1e-300, 1.0]
    far = np.array([[1e12, 1e12, 1e12], [-1e308, 1e200, 0.0]])
    model = kl.KernelRegressor([candidate], effort="fast").fit(table, TARGETS)
    assert np.isfinite(model.predict(far)).all()
    assert np.isfinite(model.predict_interval(far)).all()
    model = kl.KernelClassifier([candidate], effort="fast").fit(table, LABELS)
    assert np.isfinite(model.predict_proba(far)).all()


@pytest.mark.filterwarnings("ignore:MKLRegressor expected targets that differ by more")
@pytest.mark.parametrize("size", [1e-300, 1e120, 1e200, 1e300])
@pytest.mark.parametrize("model", REGRESSORS, ids=_name)
def test_extreme_targets_are_answered_without_a_warning(model, size):
    refusal = _refusal(model, X, TARGETS * size)
    if refusal is None:
        assert np.isfinite(model.predict(X)).all()
    else:
        assert "rescale" in refusal


@pytest.mark.filterwarnings("ignore::kernlearn.exceptions.AtChanceWarning")
@pytest.mark.parametrize("table", [np.full((N, 2), 3.0), {"alone": np.full((N, 1), 3.0)}])
def test_columns_that_are_all_constant_have_no_relevance(table):
    model = kl.KernelRegressor(["linear", "Gaussian"]).fit(table, TARGETS)
    assert np.ptp(model.predict(table)) == 0.0
    assert model.relevance_["relevance"] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=_name)
def test_what_no_table_of_numbers_can_be_is_refused_in_a_sentence(model):
    huge = [[10**400, 1.0]] * N
    with pytest.raises(ValueError, match=r"expected numbers that 64 bits can hold.*rescale"):
        model.fit(huge, LABELS)
    ragged = [[1.0], [1.0, 2.0]] * (N // 2)
    with pytest.raises(ValueError, match="expected a table with rows of one length"):
        model.fit(ragged, LABELS)
    mixed = np.array(["a", 1] * (N // 2), dtype=object)
    with pytest.raises(ValueError, match="expected labels of one kind in y"):
        model.fit(X, mixed)


@pytest.mark.parametrize("model", [kl.MKLClassifier(), kl.LSSVMClassifier()], ids=_name)
def test_dates_are_no_numbers(model):
    table = pd.DataFrame({"a": X[:, 0], "when": pd.date_range("2020", periods=N)})
    with pytest.raises(ValueError, match=r"expected columns of numbers, got .*dates; convert them"):
        model.fit(table, LABELS)
    with pytest.raises(ValueError, match="expected a table with columns, got 0 feature"):
        model.fit(table.iloc[:, :0], LABELS)
