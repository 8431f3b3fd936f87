"""Random splits and fingerprints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kernlearn.datasets import RegressionSet, make_two_scales
from kernlearn.papers.splits import draw_split, fingerprint


@pytest.mark.parametrize(("share", "n_train"), [(0.6, 60), (0.8, 80)])
def test_a_split_is_a_partition(share: float, n_train: int) -> None:
    data = make_two_scales(100, random_state=0)
    split = draw_split(data, 4, seed=0, share=share)
    assert (split.n_train, len(split.X_train), len(split.X_test)) == (
        n_train,
        n_train,
        100 - n_train,
    )
    together = np.column_stack([split.X, np.concatenate([split.y_train, split.y_test])])
    np.testing.assert_array_equal(
        np.unique(together, axis=0), np.unique(np.column_stack([data.X, data.y]), axis=0)
    )
    np.testing.assert_array_equal(np.concatenate([split.X_train, split.X_test]), split.X)


def test_a_split_depends_on_name_number_and_seed_and_nothing_else() -> None:
    data = make_two_scales(60, random_state=0)
    first = draw_split(data, 1, 0, 0.6).X
    np.testing.assert_array_equal(first, draw_split(data, 1, 0, 0.6).X)
    others = [
        draw_split(data, 2, 0, 0.6),
        draw_split(data, 1, 1, 0.6),
        draw_split(replace(data, name="other"), 1, 0, 0.6),
    ]
    assert not any(np.array_equal(first, other.X) for other in others)


def test_targets_go_with_their_inputs() -> None:
    X = np.arange(20.0)[:, None]
    split = draw_split(RegressionSet("line", X, 3 * X[:, 0], ("x",), "y"), 0, 0, 0.6)
    np.testing.assert_array_equal(3 * split.X_train[:, 0], split.y_train)
    np.testing.assert_array_equal(3 * split.X_test[:, 0], split.y_test)


def test_a_fingerprint_sees_every_number_and_their_order() -> None:
    data = make_two_scales(20, random_state=0)
    X, y = data.X.copy(), data.y.copy()
    assert fingerprint(X, y) == fingerprint(data.X, data.y)
    X[3, 1] = np.nextafter(X[3, 1], 1e9)
    y[-1] *= -1
    changed = [(X, data.y), (data.X, y), (data.X[::-1], data.y), (data.y, data.X)]
    assert fingerprint(data.X, data.y) not in [fingerprint(*parts) for parts in changed]
    assert fingerprint("a", "b") != fingerprint("b", "a")
