"""The affinity of two scatters against its overlap integral, and in an estimator."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn import MKLClassifier
from kernlearn.kernels import Bhattacharyya


def test_it_is_the_overlap_integral_of_two_gaussians():
    sets = [np.array([[1.0, 0.5], [-0.3, 0.8]]), np.array([[0.2, -1.5]])]
    c, grid = 0.7, np.linspace(-12.0, 12.0, 601)
    x = np.stack(np.meshgrid(grid, grid), axis=-1)
    roots = []
    for vectors in sets:
        precision = c * np.eye(2) + 2.0 * vectors.T @ vectors / len(vectors)
        density = np.exp(-0.5 * np.einsum("ijk,kl,ijl->ij", x, precision, x))
        roots.append(np.sqrt(density * np.sqrt(np.linalg.det(precision)) / (2 * np.pi)))
    integral = (roots[0] * roots[1]).sum() * (grid[1] - grid[0]) ** 2
    assert Bhattacharyya(c)(sets)[0, 1] == pytest.approx(integral, rel=1e-6)


def test_sets_that_scatter_along_different_lines_are_told_apart():
    rng = np.random.default_rng(0)
    lines = {0: [1.0, 0.2], 1: [0.2, 1.0]}
    y = np.arange(40) % 2
    X = [rng.normal(size=(6, 1)) * lines[label] + 0.1 * rng.normal(size=(6, 2)) for label in y]
    model = MKLClassifier([Bhattacharyya(1.0)]).fit(X[:20], y[:20])
    assert model.score(X[20:], y[20:]) >= 0.9


@pytest.mark.parametrize(
    ("kernel", "X", "message"),
    [
        (Bhattacharyya(0.0), [[1.0]], "c must be a positive finite number, got 0.0"),
        (Bhattacharyya(), [None], "must be an array with rows, got None in row 0"),
        (Bhattacharyya(), [[[1.0]], [[1.0, 2.0]]], "same number of entries, got 1 and 2"),
        (Bhattacharyya(), [[[np.nan]], [[1.0]]], "finite numbers only, got nan in row 0"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(kernel, X, message):
    with pytest.raises(ValueError, match=message):
        kernel(X)
