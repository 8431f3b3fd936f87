"""Standard deviations and intervals: against a Gaussian process, naive refits and coin tosses."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

import kernlearn as kl
from kernlearn.estimators.held_out.intervals import in_blocks, plus_interval
from kernlearn.estimators.held_out.smoother import Smoother
from kernlearn.kernels import Gaussian

REGRESSORS = [
    kl.LSSVMRegressor(),
    kl.FirstLevelRegressor(lam=0.1, mu=0.1),
    kl.MKLRegressor(quality="least_squares", C=3.0),
    kl.HyperkernelRegressor(quality="least_squares", max_pivots=10),
    kl.MKLRegressor(C=3.0),
    kl.MKLRegressor(quality="nu_svr", C=3.0),
    kl.HyperkernelRegressor(max_pivots=10),
]
LEAST_SQUARES = REGRESSORS[:4]


def _waves(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(n, 2))
    return X, 100.0 + np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.3 * rng.normal(size=n)


def _given(**options):
    return kl.LSSVMRegressor(Gaussian(0.2), None, 0.05, **options)


def test_weights_on_the_targets_give_the_machine_back(problem):
    model = _given().fit(problem.X, problem.target)
    smoother = Smoother.of(model.kernel_(problem.X), np.full(40, 0.05))
    h = smoother.weights(model.kernel_(problem.X_new, problem.X))
    np.testing.assert_allclose(h.sum(axis=1), 1.0)
    np.testing.assert_allclose(h @ problem.target, model.predict(problem.X_new), atol=1e-9)


def test_variances_keep_their_digits_where_the_ridge_is_small():
    rng, ridge = np.random.default_rng(0), 1e-9
    X, X_new = rng.normal(size=(40, 2)), rng.normal(size=(5, 2))
    K, K_new = Gaussian(0.05)(X), Gaussian(0.05)(X_new, X)
    found = Smoother.of(K, np.full(40, ridge)).variance(K_new, np.ones(5))
    np.testing.assert_allclose(found, _exact_variances(K, K_new, ridge), rtol=1e-4)


def _exact_variances(K, K_new, ridge):
    """k(x, x) - zᵀA⁻¹z for the bordered matrix A and z = (k, 1), with sixty digits."""
    exact = np.frompyfunc(Decimal, 1, 1)
    ones = np.ones((len(K), 1))
    A = exact(np.block([[K + ridge * np.eye(len(K)), ones], [ones.T, 0.0]]))
    Z = exact(np.column_stack([K_new, np.ones(len(K_new))]).T)
    with localcontext(prec=60):
        rows = np.column_stack([A, Z])
        for j in range(len(A)):
            others = np.arange(len(A)) != j
            rows[j] = rows[j] / rows[j, j]
            rows[others] = rows[others] - rows[others, j, None] * rows[j]
        return (Decimal(1) - (Z * rows[:, len(A) :]).sum(axis=0)).astype(float)


def test_machines_that_miss_a_row_in_closed_form(problem):
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 40)
    model = _given().fit(problem.X, problem.target, sample_weight=weight)
    smoother = Smoother.of(model.kernel_(problem.X), 0.05 / weight)
    r = smoother.residuals(model.dual_coef_.T)[:, 0]
    h = smoother.weights(model.kernel_(problem.X_new, problem.X))
    closed = model.predict(problem.X_new)[:, None] - h * r
    for i in range(40):
        rest = np.arange(40) != i
        without = _given().fit(problem.X[rest], problem.target[rest], sample_weight=weight[rest])
        np.testing.assert_allclose(closed[:, i], without.predict(problem.X_new), atol=1e-9)
        missed = problem.target[i] - without.predict(problem.X[i : i + 1])[0]
        assert r[i] == pytest.approx(missed, abs=1e-9)


def test_the_standard_deviation_is_that_of_a_gaussian_process(problem):
    lam = 0.05
    model = kl.LSSVMRegressor("rbf", None, lam, 0.2).fit(problem.X, problem.target)
    mean, std = model.predict(problem.X_new, return_std=True)
    # An intercept of which nothing is known, as a constant of huge variance.
    width = 1.0 / np.sqrt(2 * 0.2)
    kernel = RBF(width) + ConstantKernel(1e6) + WhiteKernel(lam)
    process = GaussianProcessRegressor(kernel, alpha=0.0, optimizer=None)
    expected_mean, expected = process.fit(problem.X, problem.target).predict(
        problem.X_new, return_std=True
    )
    np.testing.assert_allclose(mean, expected_mean, atol=1e-4)
    ratio = std / expected
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-5)
    # Its scale: residuals on held-out rows are of the size that the process gives them.
    sizes = []
    for i in range(40):
        rest = np.arange(40) != i
        part = GaussianProcessRegressor(kernel, alpha=0.0, optimizer=None)
        part.fit(problem.X[rest], problem.target[rest])
        m, s = part.predict(problem.X[i : i + 1], return_std=True)
        sizes.append((problem.target[i] - m[0]) ** 2 / s[0] ** 2)
    assert ratio[0] ** 2 == pytest.approx(np.mean(sizes), rel=1e-4)


def test_combinations_have_the_same_standard_deviation_as_one_kernel(problem):
    kernel = Gaussian(0.2)
    combined = kl.MKLRegressor(
        [kernel], "least_squares", C=20.0, options=kl.MKLOptions(constraint="sum")
    )
    values, std = combined.fit(problem.X, problem.target).predict(problem.X_new, return_std=True)
    expected = _given().fit(problem.X, problem.target).predict(problem.X_new, return_std=True)
    np.testing.assert_allclose(values, expected[0], atol=1e-6)
    np.testing.assert_allclose(std, expected[1], rtol=1e-5)


@pytest.mark.parametrize("model", LEAST_SQUARES, ids=str)
def test_far_from_the_data_nothing_is_sure(model):
    X, y = _waves(60, 0)
    _, std = clone(model).fit(X, y).predict([[0.0, 0.0], [30.0, -30.0]], return_std=True)
    assert 0.2 < std[0] < 0.6
    assert std[1] > 1.1 * std[0]


@pytest.mark.parametrize("model", REGRESSORS[4:], ids=str)
def test_other_machines_have_no_standard_deviation_and_say_what_they_have(model):
    X, y = _waves(30, 0)
    with pytest.raises(ValueError, match=r"expected quality='least_squares'.*use predict_interval"):
        clone(model).fit(X, y).predict(X, return_std=True)


def test_ends_are_quantiles_over_the_machines():
    rng = np.random.default_rng(0)
    values, residuals = rng.normal(size=(5, 39)), rng.normal(size=39)
    ends = plus_interval(values, residuals, 0.9)
    # ⌈0.9 · 40⌉ = 36: the 36th from either end.
    lower = np.sort(values - np.abs(residuals), axis=1)[:, 39 - 36]
    upper = np.sort(values + np.abs(residuals), axis=1)[:, 36 - 1]
    np.testing.assert_array_equal(ends, np.stack([lower, upper], axis=1))


def test_too_few_rows_for_a_coverage_give_infinite_intervals():
    np.testing.assert_array_equal(
        plus_interval(np.zeros((1, 8)), np.ones(8), 0.9), [[-np.inf, np.inf]]
    )
    assert np.isfinite(plus_interval(np.zeros((1, 9)), np.ones(9), 0.9)).all()


@pytest.mark.parametrize("model", REGRESSORS, ids=str)
def test_intervals_hold_new_targets_about_as_often_as_they_say(model):
    X, y = _waves(100, 0)
    X_new, y_new = _waves(1000, 1)
    model = clone(model).fit(X, y)
    ends = model.predict_interval(X_new, coverage=0.8)
    assert ends.shape == (1000, 2)
    inside = (ends[:, 0] <= y_new) & (y_new <= ends[:, 1])
    assert 0.72 < inside.mean() < 0.9
    narrower = model.predict_interval(X_new, coverage=0.5)
    assert np.ptp(narrower, axis=1).mean() < 0.7 * np.ptp(ends, axis=1).mean()


def test_folds_are_machines_trained_without_them(problem):
    """CV+ is the definition, with machines of another library's making."""
    from sklearn.svm import SVR

    kernel = Gaussian(0.2)
    model = kl.MKLRegressor([kernel], C=3.0, options=kl.MKLOptions(constraint="sum")).fit(
        problem.X, problem.target
    )
    fold = model._folds["fold"]
    values, residuals = np.empty((15, 40)), np.empty(40)
    for i in np.unique(fold):
        out = fold == i
        machine = SVR(kernel=kernel, C=3.0, epsilon=model.epsilon_, tol=1e-8)
        machine.fit(problem.X[~out], problem.target[~out])
        values[:, out] = machine.predict(problem.X_new)[:, None]
        residuals[out] = problem.target[out] - machine.predict(problem.X[out])
    np.testing.assert_allclose(
        model.predict_interval(problem.X_new, 0.7),
        plus_interval(values, residuals, 0.7),
        atol=1e-4,
    )


@pytest.mark.parametrize("model", [_given(), kl.MKLRegressor([Gaussian(0.2)], C=1.0)], ids=str)
def test_blocks_of_points_change_nothing(problem, model):
    model, sizes = clone(model).fit(problem.X, problem.target), []

    def of_some(rows):
        sizes.append(len(rows))
        return model.predict_interval(rows)

    found = in_blocks(problem.X_new, 40, of_some, numbers=160)
    np.testing.assert_allclose(found, model.predict_interval(problem.X_new), rtol=1e-12)
    assert sizes == [4, 4, 4, 3]


def test_several_targets_have_an_interval_each(problem):
    Y = np.column_stack([problem.target, -2.0 * problem.target])
    model = _given().fit(problem.X, Y)
    ends = model.predict_interval(problem.X_new)
    one = _given().fit(problem.X, problem.target)
    assert ends.shape == (15, 2, 2)
    np.testing.assert_allclose(ends[:, 0], one.predict_interval(problem.X_new), atol=1e-9)
    np.testing.assert_allclose(ends[:, 1], -2.0 * ends[:, 0, ::-1], atol=1e-9)
    values, std = model.predict(problem.X_new, return_std=True)
    assert values.shape == std.shape == (15, 2)
    np.testing.assert_allclose(std[:, 1], 2.0 * std[:, 0])


@pytest.mark.parametrize("coverage", [0, 1, 1.5, -0.1, "0.9", None, True, float("nan")])
def test_a_coverage_that_is_no_probability_is_refused(problem, coverage):
    model = _given().fit(problem.X, problem.target)
    with pytest.raises(ValueError, match=r"expected coverage between 0 and 1.*try coverage=0\.9"):
        model.predict_interval(problem.X_new, coverage)


def test_rows_of_no_weight_count_for_nothing(problem):
    weight = np.r_[np.ones(30), np.zeros(10)]
    for model in [_given(), kl.MKLRegressor([Gaussian(0.2)], "least_squares", C=1.0)]:
        with_them = clone(model).fit(problem.X, problem.target, sample_weight=weight)
        without = clone(model).fit(problem.X[:30], problem.target[:30])
        np.testing.assert_allclose(
            with_them.predict_interval(problem.X_new), without.predict_interval(problem.X_new)
        )


def test_one_row_is_too_few_for_an_interval():
    model = kl.MKLRegressor([Gaussian(0.2)]).fit([[0.0]], [1.0])
    with pytest.raises(ValueError, match="expected residuals of held-out rows"):
        model.predict_interval([[0.0]])


def test_frames_and_model_files(problem, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(problem.X, columns=["a", "b", "c"])
    new = pandas.DataFrame(problem.X_new, columns=["a", "b", "c"])
    for i, model in enumerate(
        [kl.LSSVMRegressor(Gaussian(0.2), None, 0.05), kl.MKLRegressor(C=1.0)]
    ):
        model.fit(frame, problem.target)
        kl.save(model, tmp_path / f"{i}.kl")
        loaded = kl.load(tmp_path / f"{i}.kl")
        ends = model.predict_interval(new)
        np.testing.assert_allclose(loaded.predict_interval(new), ends)
        if i == 0:
            expected = model.predict(new, return_std=True)[1]
            np.testing.assert_allclose(loaded.predict(new, return_std=True)[1], expected)
