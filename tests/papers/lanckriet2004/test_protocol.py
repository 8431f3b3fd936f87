"""Splits and kernels of Section 6.1 against their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.datasets import DataSet, make_twonorm
from kernlearn.papers.lanckriet2004 import protocol
from kernlearn.papers.lanckriet2004.protocol import (
    SETS,
    draw_split,
    gaussian_kernel,
    load_set,
    unit_grams,
)


def test_a_split_is_a_partition_into_80_and_20() -> None:
    data = make_twonorm(330, random_state=0)
    split = draw_split(data, 4, seed=0)
    assert (split.n_train, len(split.y_test)) == (264, 66)
    together = np.column_stack([split.X, np.concatenate([split.y_train, split.y_test])])
    original = np.column_stack([data.X, data.y])
    np.testing.assert_array_equal(np.unique(together, axis=0), np.unique(original, axis=0))


def test_a_split_depends_on_its_number_the_seed_and_nothing_else() -> None:
    data = make_twonorm(60, random_state=0)
    first = draw_split(data, 1, seed=0).X
    np.testing.assert_array_equal(first, draw_split(data, 1, seed=0).X)
    for other in (draw_split(data, 2, seed=0), draw_split(data, 1, seed=1)):
        assert not np.array_equal(first, other.X)


def test_kernels_by_hand() -> None:
    x, z = np.array([[1.0, 2.0]]), np.array([[3.0, -0.5]])
    K1, K2, K3 = SETS["Heart"].kernels()
    assert K1(x, z)[0, 0] == pytest.approx((1 + 2) ** 2)
    assert K2(x, z)[0, 0] == pytest.approx(np.exp(-0.5 * (4 + 6.25) / 0.5))
    assert K3(x, z)[0, 0] == pytest.approx(2)
    assert gaussian_kernel(100.0)(x, z)[0, 0] == pytest.approx(np.exp(-0.5 * 10.25 / 100))


def test_grams_are_normalised() -> None:
    split = draw_split(make_twonorm(40, random_state=0), 0, seed=0)
    grams = unit_grams(SETS["2-norm"].kernels(), split.X)
    raw = (1 + split.X @ split.X.T) ** 2
    scale = np.sqrt(np.diag(raw))
    np.testing.assert_allclose(grams[0], raw / np.outer(scale, scale), rtol=1e-12)
    np.testing.assert_allclose(grams[:, range(40), range(40)], 1.0)


def test_only_heart_is_standardised(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).normal(5, 3, size=(30, 2))
    table = DataSet("any", X, np.ones(30, dtype=np.int64), ("a", "b"), ("-", "+"))
    monkeypatch.setattr(protocol, "load_uci", lambda source, data_dir: table)
    heart = load_set("Heart", None, seed=0).X
    np.testing.assert_allclose(heart.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(heart.std(axis=0), 1)
    for name in ("Sonar", "Breast cancer", "Ionosphere"):
        assert load_set(name, None, seed=0).X is X
