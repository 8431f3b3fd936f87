"""Completions of kernel matrices, held against CVXPY and the conditions of optimality."""

import numpy as np
import pytest

from kernlearn.gram import complete_kernel

cvxpy = pytest.importorskip("cvxpy")


def definite(n, seed, spread=4):
    root = np.random.default_rng(seed).normal(size=(n, spread + n))
    return root @ root.T / n


def pattern(n, share, seed):
    upper = np.triu(np.random.default_rng(seed).random((n, n)) < share, 1)
    return upper | upper.T | np.eye(n, dtype=bool)


def band(n, width):
    return np.abs(np.subtract.outer(np.arange(n), np.arange(n))) <= width


def ring(n):
    return np.isin(np.abs(np.subtract.outer(np.arange(n), np.arange(n))), [0, 1, n - 1])


def rows(n, known):
    there = np.arange(n) < known
    return np.outer(there, there)


def by_cvxpy(K, known, M=None):
    X = cvxpy.Variable(K.shape, symmetric=True)
    value = cvxpy.log_det(X)
    if M is not None:
        value -= cvxpy.trace(np.linalg.inv(M) @ X)
    fixed = [X[i, j] == K[i, j] for i, j in np.argwhere(np.triu(known))]
    cvxpy.Problem(cvxpy.Maximize(value), fixed).solve(
        solver="CLARABEL", tol_gap_abs=1e-9, tol_gap_rel=1e-9
    )
    return X.value


@pytest.mark.parametrize(
    ("known", "with_reference"),
    [
        (band(6, 1), False),
        (band(7, 2), False),
        (ring(6), False),
        (pattern(7, 0.4, 0), False),
        (pattern(7, 0.7, 1), False),
        (np.eye(5, dtype=bool), False),
        (ring(6), True),
        (pattern(6, 0.5, 2), True),
        (rows(6, 4), True),
        (rows(6, 4) & pattern(6, 0.6, 3), True),
    ],
)
def test_the_completion_is_cvxpys(known, with_reference):
    n = len(known)
    K, M = definite(n, 4), definite(n, 5) if with_reference else None
    X = complete_kernel(np.where(known, K, np.nan), reference=M)
    np.testing.assert_allclose(X, by_cvxpy(K, known, M), atol=2e-4)
    np.testing.assert_array_equal(X[known], K[known])
    np.testing.assert_array_equal(X, X.T)
    inverse = np.linalg.inv(X)
    expected = np.zeros((n, n)) if M is None else np.linalg.inv(M)
    np.testing.assert_allclose(inverse[~known], expected[~known], atol=1e-4)


def test_closed_forms_agree_with_newtons_method():
    from kernlearn.gram import complete
    from kernlearn.gram.complete import newton_completion

    K, M = definite(30, 1), definite(30, 2)
    for known, reference in ((band(30, 3), None), (rows(30, 20), M)):
        values = np.where(known, K, 0.0)
        by_newton = newton_completion(values, known, reference, 1e-12, 200)
        closed = complete.complete_kernel(values, known, reference=reference)
        np.testing.assert_allclose(closed, by_newton, atol=1e-6)


def test_larger_patterns_end_where_the_inverse_is_zero():
    K, known = definite(80, 6), pattern(80, 0.3, 7)
    X = complete_kernel(K, known, tol=1e-11)
    inverse = np.linalg.inv(X / np.sqrt(np.outer(K.diagonal(), K.diagonal())))
    assert np.abs(inverse[~known]).max() < 1e-5 * np.abs(inverse).max()
    assert np.linalg.slogdet(X)[1] > np.linalg.slogdet(K)[1]


def test_nothing_is_changed_and_all_known_is_returned_as_it_is():
    K = definite(4, 0)
    known = band(4, 1)
    before = K.copy(), known.copy()
    complete_kernel(K, known)
    np.testing.assert_array_equal(K, before[0])
    np.testing.assert_array_equal(known, before[1])
    whole = complete_kernel(K)
    np.testing.assert_array_equal(whole, K)
    assert whole is not K
    np.testing.assert_array_equal(complete_kernel(np.full((4, 4), np.nan), reference=K), K)


def contradiction():
    """A ring of correlations of 0.99 that ends in −0.99."""
    K = np.where(ring(5), 0.99, np.nan)
    np.fill_diagonal(K, 1.0)
    K[0, 4] = K[4, 0] = -0.99
    return K


@pytest.mark.parametrize(
    ("K", "options", "message"),
    [
        ([[1.0, 2.0]], {}, r"K must be a square matrix of numbers, got list of shape"),
        ("abc", {}, r"K must be a square matrix of numbers"),
        (np.eye(2), {"mask": np.eye(3, dtype=bool)}, r"mask must be a symmetric boolean matrix"),
        (np.eye(2), {"mask": np.eye(2)}, r"mask must be a symmetric boolean .* got float64"),
        (np.eye(2), {"mask": np.array([[True, True], [False, True]])}, r"mask must be a symmetric"),
        ([[1.0, np.inf], [np.inf, 1.0]], {}, r"The known part of K must hold finite numbers"),
        ([[1.0, 0.2], [0.3, 1.0]], {}, r"K must be symmetric"),
        ([[np.nan, 0.2], [0.2, 1.0]], {}, r"known on its diagonal, got 1 unknown"),
        ([[0.0, np.nan], [np.nan, 1.0]], {}, r"positive diagonal, got 0"),
        ([[1.0, 2.0, np.nan], [2.0, 1.0, 0.0], [np.nan, 0.0, 1.0]], {}, r"a block that is not"),
        (contradiction(), {}, r"must have a positive definite completion, found none"),
        (definite(5, 0), {"mask": ring(5), "max_iter": 1}, r"gap of 1e-09 after max_iter=1 steps"),
        ([[1.0, 2.0], [2.0, 1.0]], {}, r"K must be positive definite, got a matrix that is not"),
        (np.full((2, 2), np.nan), {"reference": np.ones((2, 2))}, r"reference must be positive"),
        (np.full((2, 2), np.nan), {"reference": np.eye(3)}, r"reference must have the shape of K"),
    ],
)
def test_what_cannot_be_completed_says_why(K, options, message):
    with pytest.raises(ValueError, match=message):
        complete_kernel(K, **options)
