"""The least-squares machine against the linear system of the paper, written down whole."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.quality.held_out import KFoldLoss, LeaveOneOut, SelectionCriterion
from kernlearn.quality.ls_svm import fit_ls_svm


def bordered(K, Y, ridge):
    """Equation (3), by a general solver."""
    n = len(K)
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = K + np.diag(ridge)
    system[:n, n] = system[n, :n] = 1.0
    solution = np.linalg.solve(system, np.vstack([Y, np.zeros((1, Y.shape[1]))]))
    return solution[:n], solution[n]


def refitted_residuals(K, Y, ridge, folds):
    """Train without each fold in turn, and predict it."""
    residuals = np.empty_like(Y)
    for rows in folds:
        others = np.setdiff1d(np.arange(len(K)), rows)
        alpha, b = bordered(K[np.ix_(others, others)], Y[others], ridge[others])
        residuals[rows] = Y[rows] - K[np.ix_(rows, others)] @ alpha - b
    return residuals


@pytest.fixture(params=[(1.0, 0.5), (30.0, 1e-3), (1e-3, 1e-3)], ids=["usual", "narrow", "wide"])
def problem(request):
    """A Gaussian kernel of some width, two targets, weights and a ridge."""
    width, lam = request.param
    rng = np.random.default_rng(3)
    n = 24
    X = rng.normal(size=(n, 3))
    K = np.exp(-width * ((X[:, None] - X) ** 2).sum(axis=-1))
    Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] + rng.normal(size=n) + 5.0])
    weight = rng.uniform(0.2, 3.0, size=n)
    return K, Y, weight, lam / weight


def _folds(n):
    order = np.random.default_rng(0).permutation(n)
    return [order[:3], order[3:4], order[4:15], order[15:]]


def _losses(weight):
    n = len(weight)
    return [
        (LeaveOneOut(weight), np.arange(n)[:, None]),
        (KFoldLoss(weight, _folds(n)), _folds(n)),
    ]


def test_it_solves_the_system_of_the_paper(problem):
    K, Y, _, ridge = problem
    fit = fit_ls_svm(K, Y, ridge)
    alpha, b = bordered(K, Y, ridge)
    np.testing.assert_allclose(fit.dual_coef, alpha, rtol=1e-8, atol=1e-8 * np.abs(alpha).max())
    np.testing.assert_allclose(fit.intercept, b, rtol=1e-8)
    np.testing.assert_allclose(fit.dual_coef.sum(axis=0), 0.0, atol=1e-9 * np.abs(alpha).max())


def test_the_inverse_is_a_block_of_the_bordered_inverse(problem):
    K, Y, _, ridge = problem
    fit = fit_ls_svm(K, Y, ridge)
    np.testing.assert_array_equal(fit.inverse, fit.inverse.T)
    columns, _ = bordered(K, np.eye(len(K)), ridge)
    np.testing.assert_allclose(fit.inverse, columns, atol=1e-8 * np.abs(columns).max())


def test_held_out_residuals_are_those_of_refitting(problem):
    K, Y, weight, ridge = problem
    fit = fit_ls_svm(K, Y, ridge)
    for loss, folds in _losses(weight):
        expected = refitted_residuals(K, Y, ridge, folds)
        np.testing.assert_allclose(loss.residuals(fit), expected, rtol=1e-8, atol=1e-8)
        assert loss.value(fit) == pytest.approx(float((weight[:, None] * expected**2).sum()))


def test_slopes_are_the_differences_of_the_loss(problem):
    """In random symmetric directions of K."""
    K, Y, weight, ridge = problem
    rng = np.random.default_rng(1)
    for loss, _ in _losses(weight):
        W = loss.slope(fit_ls_svm(K, Y, ridge))
        for _ in range(3):
            root = rng.normal(size=K.shape)
            step = 1e-5 * ridge.min() * (root + root.T)
            ahead, behind = (loss.value(fit_ls_svm(K + s * step, Y, ridge)) for s in (1, -1))
            assert float((W * step).sum()) == pytest.approx((ahead - behind) / 2, rel=1e-5)


def test_folds_of_one_point_are_leave_one_out(problem):
    K, Y, weight, ridge = problem
    fit = fit_ls_svm(K, Y, ridge)
    alone = KFoldLoss(weight, list(np.arange(len(K))[:, None]))
    W = LeaveOneOut(weight).slope(fit)
    np.testing.assert_allclose(alone.slope(fit), W, rtol=1e-8, atol=1e-9 * np.abs(W).max())


def test_a_weight_of_two_is_a_repeated_row(problem):
    K, Y, _, _ = problem
    weight = np.where(np.arange(len(K)) % 3 == 0, 2.0, 1.0)
    rows = np.repeat(np.arange(len(K)), weight.astype(int))
    weighted = fit_ls_svm(K, Y, 0.3 / weight)
    repeated = fit_ls_svm(K[np.ix_(rows, rows)], Y[rows], np.full(len(rows), 0.3))
    totals = np.array([repeated.dual_coef[rows == i].sum(axis=0) for i in range(len(K))])
    np.testing.assert_allclose(totals, weighted.dual_coef, atol=1e-10)
    np.testing.assert_allclose(repeated.intercept, weighted.intercept, rtol=1e-10)


def test_a_constant_added_to_the_kernel_changes_nothing(problem):
    """Even one that is a million times larger, since K is centred first."""
    K, Y, _, ridge = problem
    plain, lifted = fit_ls_svm(K, Y, ridge), fit_ls_svm(K + 1e6, Y, ridge)
    scale = np.abs(plain.dual_coef).max()
    np.testing.assert_allclose(lifted.dual_coef, plain.dual_coef, atol=1e-4 * scale)


def test_without_a_ridge_the_targets_are_met():
    """A ridge that rounding swallows is raised, so a singular K is no obstacle."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(10, 2)), 2, axis=0)
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=-1))
    Y = np.repeat(rng.normal(size=(10, 1)), 2, axis=0)
    fit = fit_ls_svm(K, Y, np.full(20, 1e-300))
    assert (fit.ridge > 1e-13).all()
    np.testing.assert_allclose(K @ fit.dual_coef + fit.intercept, Y, atol=1e-7)


@pytest.mark.parametrize("spoilt", [-np.eye(4), np.full((4, 4), np.nan)], ids=["negative", "NaN"])
def test_what_is_no_kernel_matrix_is_refused(spoilt):
    with pytest.raises(np.linalg.LinAlgError, match="not positive semidefinite"):
        fit_ls_svm(spoilt, np.arange(4.0)[:, None], np.full(4, 0.1))


def test_the_regularised_criterion_is_the_published_formula(problem):
    K, Y, weight, ridge = problem
    fit = fit_ls_svm(K, Y, ridge)
    theta = np.array([0.5, 2.0, 1e-3])
    press = LeaveOneOut(weight).value(fit)
    criterion = SelectionCriterion(LeaveOneOut(weight), regularised=True, small_theta=0.7)
    expected = Y.size / 2 * np.log(press) + 3 / 2 * np.log(0.5 * theta @ theta)
    assert criterion.value(fit, theta) == pytest.approx(expected)
    assert SelectionCriterion(LeaveOneOut(weight)).value(fit, theta) == pytest.approx(press)
