"""Stacks: built once, never copied without need, errors that name the matrix."""

import tracemalloc

import numpy as np
import pytest

from kernlearn.gram import check_stack, gram_stack
from kernlearn.kernels import Gaussian, Kernel, Linear, Polynomial

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((20, 3)), RNG.standard_normal((7, 3))
KERNELS = [Linear(), Polynomial(2), Gaussian(0.3)]
INDEFINITE = np.array([[1.0, 2.0], [2.0, 1.0]])


def test_every_layer_is_its_kernel():
    square, cross = gram_stack(KERNELS, X), gram_stack(KERNELS, Y, X)
    assert cross.shape == (3, 7, 20)
    for i, kernel in enumerate(KERNELS):
        np.testing.assert_array_equal(square[i], kernel(X))
        np.testing.assert_array_equal(cross[i], kernel(Y, X))


def test_each_kernel_is_evaluated_once():
    class Counting(Linear):
        calls = 0

        def _evaluate(self, X, Y):
            Counting.calls += 1
            return super()._evaluate(X, Y)

    gram_stack([Counting(), Counting()], X)
    assert Counting.calls == 2


def test_building_a_stack_takes_the_stack_and_few_matrices_beside_it():
    n, m = 300, 12
    table = RNG.standard_normal((n, 3))
    one = 8 * n * n
    tracemalloc.start()
    gram_stack([Gaussian(0.1 * (i + 1)) for i in range(m)], table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (m + 3) * one


@pytest.mark.parametrize(
    ("kernels", "message"),
    [
        ([], r"at least one kernel, got an empty list; pass for example"),
        ([Linear(), "rbf"], r"kernel objects only, got 'rbf' at position 1"),
        ([lambda X, Y: np.ones(3)], r"Kernel 0 must return a matrix of shape \(20, 20\), got \(3,"),
    ],
)
def test_bad_lists_of_kernels_are_refused(kernels, message):
    with pytest.raises(ValueError, match=message):
        gram_stack(kernels, X)


def test_a_good_stack_is_passed_through_without_a_copy():
    stack = gram_stack(KERNELS, X)
    assert check_stack(stack) is stack
    stack[1] = 0.0
    assert check_stack(stack) is stack, "an all-zero matrix is allowed"
    stack.flags.writeable = False
    assert check_stack(stack) is stack
    tracemalloc.start()
    check_stack(stack, psd="trust")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < stack.nbytes


@pytest.mark.parametrize(
    "convert",
    [list, tuple, np.asfortranarray, lambda s: s.tolist(), lambda s: s.astype(np.longdouble)],
    ids=["list", "tuple", "Fortran", "nested lists", "other precision"],
)
def test_other_forms_become_one_contiguous_array(convert):
    stack = gram_stack(KERNELS, X)
    checked = check_stack(convert(stack))
    assert checked.flags.c_contiguous
    assert checked.dtype == np.float64
    np.testing.assert_array_equal(checked, stack)


def test_repair_touches_the_indefinite_matrix_only_and_never_the_input():
    stack = np.array([np.eye(2), INDEFINITE, 3 * np.eye(2)])
    before = stack.copy()
    for cure, mended in (("clip", np.full((2, 2), 1.5)), ("shift", np.full((2, 2), 2.0))):
        for grams in (stack, list(stack)):
            checked = check_stack(grams, psd=cure)
            np.testing.assert_allclose(checked, [np.eye(2), mended, 3 * np.eye(2)], atol=1e-14)
            np.testing.assert_array_equal(stack, before)


@pytest.mark.parametrize(
    ("grams", "message"),
    [
        (np.eye(2), r"shape \(m, n, n\) or a list of matrices, got shape \(2, 2\); pass \[K\]"),
        ([], r"at least one Gram matrix, got none; pass"),
        ([np.eye(2), np.eye(3)], r"Gram matrix 1 must have the shape of the first, \(2, 2\), got"),
        ([np.ones((2, 3))], r"Gram matrix 0 must be a square matrix, got shape \(2, 3\)"),
        ([np.eye(2), INDEFINITE], r"Gram matrix 1 must be positive semidefinite, .* -1 "),
        ([np.eye(1), [[np.nan]]], r"Gram matrix 1 must hold finite numbers only"),
        ([np.eye(2), [[1, 0], [1, 1]]], r"Gram matrix 1 must be symmetric, .* up to 1;"),
    ],
)
def test_bad_stacks_are_refused_and_the_matrix_is_named(grams, message):
    with pytest.raises(ValueError, match=message):
        check_stack(grams)


def test_bad_tables_are_refused_by_the_kernels():
    class Never(Kernel):
        def _evaluate(self, X, Y):
            raise RuntimeError("bad data reached the computation")

        _diag = _evaluate

    with pytest.raises(ValueError, match="finite numbers only, got nan"):
        gram_stack([Never()], [[np.nan]])
