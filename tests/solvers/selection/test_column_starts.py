"""Directions in which some columns count more than others."""

import numpy as np
import pytest

from kernlearn.solvers.selection.column_starts import column_directions


def product_and_wave(X):
    """Of the variance, the slopes of a machine of all columns see the product alone."""
    return X[:, 4] * X[:, 9] + np.sin(3 * X[:, 1]) * X[:, 6]


def waves(X):
    return np.sin(2 * X[:, 4] * X[:, 9]) + X[:, 1] * np.sin(3 * X[:, 6])


@pytest.mark.parametrize(("function", "seed"), [(product_and_wave, 0), (waves, 1)])
def test_columns_that_matter_in_pairs_are_found_together(function, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((800, 20))
    y = function(X) + 0.1 * rng.standard_normal(800)
    matter = [1, 4, 6, 9]
    margins = [
        theta[matter].min() / np.delete(theta, matter).max()
        for theta in column_directions(X, y[:, None], rng.uniform(0.5, 2.0, 800))
    ]
    assert max(margins) > 3.0


def test_chance_pairs_no_columns():
    """A function of one column, and none at all: no pair explains more than its columns."""
    rng = np.random.default_rng(0)
    X, noise = rng.standard_normal((400, 12)), rng.standard_normal(400)
    for y, n_directions in ((noise, 2), (np.sin(2 * X[:, 3]) + 0.1 * noise, 3)):
        assert len(column_directions(X, y[:, None], np.ones(400))) == n_directions
