"""Alignment against the formula written out with whole matrices."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.families.matrices import GramStack
from kernlearn.quality.alignment import alignment


def naive_alignment(K, T):
    """⟨K, T⟩_F / (‖K‖_F ‖T‖_F)."""
    return np.sum(K * T) / np.sqrt(np.sum(K * K) * np.sum(T * T))


def target_matrix(Y, n_points):
    """YYᵀ, with zeros where no label is known."""
    padded = np.zeros((n_points, Y.shape[1]))
    padded[: len(Y)] = Y
    return padded @ padded.T


@pytest.fixture(params=[0, 4], ids=["all labelled", "transduction"])
def case(request, make_stack):
    problem = make_stack(seed=2, n=9, n_unlabelled=request.param)
    w = np.random.default_rng(0).uniform(0.1, 2.0, size=3)
    return problem, np.tensordot(w, problem.grams, 1), w


def test_value_is_the_naive_formula(case):
    problem, K, w = case
    found = alignment(GramStack(problem.grams, problem.n), problem.y[:, None]).value(w)
    expected = naive_alignment(K, target_matrix(problem.y[:, None], len(K)))
    assert found == pytest.approx(expected, rel=1e-12)


def test_centred_value_is_that_of_centred_matrices(case):
    problem, K, w = case
    N = len(K)
    H = np.eye(N) - 1.0 / N
    centred_y = (problem.y - problem.y.mean())[:, None]
    found = alignment(GramStack(problem.grams, problem.n), problem.y[:, None], centered=True)
    expected = naive_alignment(H @ K @ H, target_matrix(centred_y, N))
    assert found.value(w) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("centred", [False, True])
def test_several_targets_add_up_to_one_matrix(case, centred):
    problem, K, w = case
    N = len(K)
    Y = np.sign(np.random.default_rng(1).normal(size=(problem.n, 3)))
    found = alignment(GramStack(problem.grams, problem.n), Y, centred).value(w)
    if centred:
        H = np.eye(N) - 1.0 / N
        K, Y = H @ K @ H, Y - Y.mean(axis=0)
    assert found == pytest.approx(naive_alignment(K, target_matrix(Y, N)), rel=1e-12)


def test_the_ideal_kernel_is_aligned_and_scale_does_not_matter(make_stack):
    y = make_stack().y
    both = alignment(GramStack(np.stack([np.outer(y, y), np.eye(12)])), y[:, None])
    assert both.value(np.array([3.0, 0.0])) == pytest.approx(1.0, rel=1e-14)
    assert both.value(np.array([1.0, 2.0])) == pytest.approx(both.value(np.array([5.0, 10.0])))
    assert both.value(np.array([0.0, 1.0])) == pytest.approx(1 / np.sqrt(12))
