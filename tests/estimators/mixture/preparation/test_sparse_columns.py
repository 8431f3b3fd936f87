"""Scales of sparse columns: those of their cells, and of all columns where cells are few."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

import kernlearn as kl
from kernlearn.estimators.mixture.preparation.sparse_columns import SparsePreparation

NAMES = [f"x{j}" for j in range(4)]


def factors(table, scale=True):
    return SparsePreparation.fit(csr_array(table), NAMES[: table.shape[1]], scale).factors


def test_columns_of_many_cells_lose_their_unit():
    rng = np.random.default_rng(0)
    plain = rng.normal(size=(2000, 3)) * (rng.uniform(size=(2000, 3)) < [1.0, 0.5, 0.2])
    units = np.array([1e-3, 1.0, 1e4])
    np.testing.assert_allclose(factors(plain * units) * units, factors(plain), rtol=0.1)
    assert (factors(plain * units, scale=False) == 1.0).all()


def test_a_column_of_few_cells_has_the_scale_of_the_others():
    table = np.zeros((500, 4))
    table[:, 0] = np.where(np.arange(500) % 2, 2.0, -2.0)
    table[::3, 1] = np.where(np.arange(167) % 2, 2.0, -2.0)
    table[7, 2] = 40.0  # once; and the last is empty
    found = 1.0 / factors(table)
    np.testing.assert_allclose(found[:2], 2.0, rtol=0.05)
    assert found[2] < 2.5
    assert found[3] == pytest.approx(2.0, rel=0.05)


@pytest.mark.parametrize("size", [1e-300, 1e-5, 1e200])
def test_cells_of_any_size_have_finite_scales(size):
    found = factors(size * np.array([[1.0, 3.0, 0.0], [0.0, 3.0, 0.0], [2.0, 3.0, 0.0]]))
    assert np.isfinite(found * size).all()
    assert (found > 0).all()


def test_rare_words_do_not_make_held_out_rows_look_better_than_new_ones():
    """Every text has words of its own, which tell nothing, beside two words for its class."""
    rng = np.random.default_rng(0)
    n, own = 400, 1500
    y = rng.integers(0, 2, n)
    words = np.zeros((n, 4 + own))
    words[np.arange(n), 2 * y + rng.integers(0, 2, n)] = 1.0
    words[np.arange(n)[:, None], 4 + rng.integers(0, own, (n, 8))] = 1.0
    table = csr_array(words)
    model = kl.KernelClassifier(["linear", "Gaussian"]).fit(table[:200], y[:200])
    assert model.score(table[200:], y[200:]) > 0.95
