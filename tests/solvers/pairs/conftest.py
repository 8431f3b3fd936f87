"""Pair programs on random points."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from kernlearn.hyperkernels import GaussianHyperkernel
from kernlearn.solvers.pairs import PairProgram, pair_kernel, solve_pairs
from kernlearn.solvers.pairs.solve import interior_points, working_sets


def _problem(n=9, d=3, sigma=1.5, seed=0, n_classes=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = rng.normal(size=(n, d)) + 1.5 * rng.normal(size=(n_classes, d))[y]
    first, second = np.triu_indices(n)
    pairs = np.column_stack([first, second])
    labels = np.where(y[first] == y[second], 1.0, -1.0)
    hyperkernel = GaussianHyperkernel(sigma, sigma)
    return SimpleNamespace(
        X=X, pairs=pairs, labels=labels, hyperkernel=hyperkernel, K=hyperkernel(X[pairs])
    )


def _program(problem, *, conic=True, dense=True, C=10.0, tol=0.0, max_rank=None):
    few = len(problem.pairs) if dense else 0
    kernel, _ = pair_kernel(problem.hyperkernel, problem.X, problem.pairs, tol, max_rank, few)
    return PairProgram(kernel, problem.labels, C, conic)


@pytest.fixture
def make_problem():
    return _problem


@pytest.fixture
def make_program():
    """A program with its whole matrix, or with a factor."""
    return _program


@pytest.fixture
def only_interior():
    """Leave everything to the interior-point method."""
    return partial(solve_pairs, methods=(interior_points,))


@pytest.fixture
def only_working_sets():
    """Working sets have to reach the tolerance by themselves."""
    return partial(solve_pairs, methods=(working_sets,))
