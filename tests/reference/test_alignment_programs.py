"""The alignment programs against (7) and against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from kernlearn.reference import after_eq56, eq53, eq54


def _moments(grams, y):
    n = len(y)
    q = np.array([y @ gram[:n, :n] @ y for gram in grams])
    S = np.array([[np.sum(a * b) for b in grams] for a in grams])
    return q, S


@pytest.mark.parametrize("program", [eq53, after_eq56])
def test_one_kernel_gives_its_alignment(program, make_problem):
    p = make_problem(seed=0, m=1)
    K, n = 5.0 * p.grams[0], p.y.size
    alignment = np.sum(K * np.outer(p.y, p.y)) / (n * np.sqrt(np.sum(K * K)))
    solution = program(K[None], p.y)
    assert solution.value == pytest.approx(n * alignment, rel=1e-6)
    assert solution.weights == pytest.approx([1 / np.linalg.norm(K)], rel=1e-5)
    assert solution.alpha is None


@pytest.mark.parametrize("n_unlabelled", [0, 4])
def test_positive_alignment_is_a_non_negative_least_squares_problem(n_unlabelled, make_problem):
    p = make_problem(seed=1, n_unlabelled=n_unlabelled)
    q, S = _moments(p.grams, p.y)
    L = np.linalg.cholesky(S)
    ray, _ = nnls(L.T, np.linalg.solve(L, q))
    expected = ray @ q / np.sqrt(ray @ S @ ray)
    assert after_eq56(p.grams, p.y).value == pytest.approx(expected, rel=1e-7)


def test_free_alignment_ignores_a_constraint_that_does_not_bind(make_problem, combine):
    p = make_problem(seed=9, m=2)
    q, S = _moments(p.grams, p.y)
    ray = np.linalg.solve(S, q)
    assert np.linalg.eigvalsh(combine(ray, p.grams))[0] > 0
    assert eq53(p.grams, p.y).value == pytest.approx(np.sqrt(q @ ray), rel=1e-6)


@pytest.mark.parametrize("seed", [3, 4])
def test_free_alignment_is_at_least_the_positive_one(seed, make_problem, combine):
    p = make_problem(seed, n_labelled=8, n_unlabelled=2)
    free, positive = eq53(p.grams, p.y), after_eq56(p.grams, p.y)
    q, _ = _moments(p.grams, p.y)
    kernel = combine(free.weights, p.grams)
    assert free.value >= positive.value * (1 - 1e-7)
    assert free.weights @ q == pytest.approx(free.value, rel=1e-6)
    assert np.linalg.norm(kernel) == pytest.approx(1.0, rel=1e-5)
    assert np.linalg.eigvalsh(kernel)[0] > -1e-6


@pytest.mark.parametrize("n_labelled", [10, 6])
def test_rank_one_alignment(n_labelled, make_problem, orthonormal):
    vectors, y = orthonormal(5), make_problem(5).y[:n_labelled]
    squares = (vectors[:n_labelled].T @ y) ** 2
    solution = eq54(vectors, y)
    assert solution.value == pytest.approx(np.linalg.norm(squares), rel=1e-7)
    assert solution.weights == pytest.approx(squares / np.linalg.norm(squares), abs=1e-5)
    outer = np.einsum("pi,qi->ipq", vectors, vectors)
    assert eq53(outer, y).value == pytest.approx(solution.value, rel=1e-6)
