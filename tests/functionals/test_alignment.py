"""One minus the alignment, against the formula written out with whole matrices."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

import kernlearn as kl
from kernlearn.functionals import Alignment
from kernlearn.kernels import Gaussian, Linear, Polynomial, Precomputed


def naive(K, Y, centered):
    """Eq. (4), with HKH and HY for the centred form."""
    if centered:
        H = np.eye(len(K)) - 1.0 / len(K)
        K, Y = H @ K @ H, H @ Y
    T = Y @ Y.T
    return 1.0 - np.trace(K @ T) / (np.linalg.norm(K) * np.linalg.norm(T))


@pytest.mark.parametrize("centered", [False, True])
@pytest.mark.parametrize("kernel", [Linear(), Gaussian(0.3), Polynomial(2, 1.0)], ids=repr)
def test_it_is_the_naive_formula(kernel, centered, make_stack):
    problem = make_stack(seed=20, n=15)
    found = Alignment(centered)(kernel, problem.X, problem.y)
    assert found == pytest.approx(naive(kernel(problem.X), problem.y[:, None], centered), rel=1e-10)
    assert 0 <= found <= 1


@pytest.mark.parametrize("centered", [False, True])
def test_three_classes_have_a_column_each(centered):
    X, y = load_iris(return_X_y=True)
    X, y = X[::4], y[::4][::-1]  # the names in another order than the rows
    Y = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    found = Alignment(centered)(Gaussian(0.3), X, np.array(["x", "y", "z"])[y])
    assert found == pytest.approx(naive(Gaussian(0.3)(X), Y, centered), rel=1e-10)


def test_it_is_one_plus_the_objective_of_learning(make_stack):
    problem = make_stack(seed=21)
    for name, centered in (("alignment", False), ("centered_alignment", True)):
        learned = kl.learn_weights(problem.grams[1:2], problem.y, quality=name)
        found = Alignment(centered)(
            Precomputed(problem.grams[1]), np.arange(12)[:, None], problem.y
        )
        assert found == pytest.approx(1.0 + learned.objective, rel=1e-9)


def test_the_labels_as_a_kernel_are_perfect():
    y = np.array([1.0, 1.0, -1.0, 1.0])
    assert Alignment()(Linear(), y[:, None], y) == pytest.approx(0.0, abs=1e-15)
    # Once centred, so is any affine image of them: constants do not matter.
    assert Alignment(True)(Linear(), 3 * y[:, None] + 7, y) == pytest.approx(0.0, abs=1e-12)
    assert Alignment()(Linear(), 3 * y[:, None] + 7, y) > 0.1


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1e200])
def test_the_scale_of_the_kernel_does_not_matter(scale, make_stack):
    problem = make_stack(seed=22)
    for functional in (Alignment(), Alignment(True)):
        plain = functional(Gaussian(), problem.X, problem.y)
        scaled = functional(scale * Gaussian(), problem.X, problem.y)
        assert scaled == pytest.approx(plain, rel=1e-12)


def test_a_constant_kernel_cannot_be_centred():
    X, y = [[1.0], [1.0], [1.0]], [0, 1, 1]
    with pytest.raises(ValueError, match="that tells points apart, got one that is constant"):
        Alignment(centered=True)(Linear(), X, y)
    assert Alignment()(Linear(), X, y) == pytest.approx(1 - 1 / 9)
