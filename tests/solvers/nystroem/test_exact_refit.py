"""The machine of all rows at a kernel learned through landmarks, beside the exact one."""

import numpy as np
import pytest

import kernlearn as kl
from kernlearn._device import Place, on_place
from kernlearn.estimators.least_squares.lssvm import LeastSquaresOptions
from kernlearn.kernels import ARDGaussian
from kernlearn.quality.held_out import LeaveOneOut
from kernlearn.quality.ls_svm import fit_ls_svm
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.solvers.nystroem import exact_refit as module
from kernlearn.solvers.nystroem.exact_refit import RefitOptions, exact_refit, fits

rng = np.random.default_rng(0)
X = rng.standard_normal((160, 3))
VALUES = np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * rng.standard_normal(160)
Y = np.column_stack([VALUES, X[:, 2] > 0])
WEIGHT = rng.uniform(0.5, 2.0, 160)
THETA = np.array([1.0, 0.1, 0.01])


def press(lam, theta=THETA):
    fit = fit_ls_svm(ARDGaussian(theta)(X), Y, lam / WEIGHT)
    return fit, float(WEIGHT @ (LeaveOneOut(WEIGHT).residuals(fit) ** 2).sum(axis=1))


@pytest.fixture(params=[None, Place("array_api_strict", "cpu"), Place("torch", "cpu")], ids=str)
def place(request):
    if request.param is not None:
        pytest.importorskip(request.param.library)
    return request.param


def refit(starts, chooses=True, source=X, **options):
    stopping, options = StoppingControl(), RefitOptions(**options)
    return exact_refit(source, ARDGaussian, Y, WEIGHT, starts, chooses, stopping, options)


def test_it_is_the_machine_of_all_rows(place):
    found = refit([(0.05, THETA)], chooses=False, source=on_place(X, place), columns=50)
    fit, loss = press(0.05)
    assert found.lam == 0.05
    np.testing.assert_allclose(found.dual_coef, fit.dual_coef, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(found.intercept, fit.intercept, rtol=1e-9)
    np.testing.assert_allclose(found.left_out, LeaveOneOut(WEIGHT).residuals(fit), rtol=1e-8)
    np.testing.assert_allclose(found.loss, loss, rtol=1e-10)


def test_ridge_and_scale_are_those_of_the_smallest_loss_near_by():
    found = refit([(1e2, 0.1 * THETA)], most_on_all=40)
    assert found.theta[0] > 0.1
    np.testing.assert_allclose(found.loss, press(found.lam, found.theta)[1], rtol=1e-9)
    for factor in (10**0.25, 10**-0.25):
        assert found.loss <= press(found.lam * factor, found.theta)[1]
    for factor in (2**0.5, 2**-0.5):
        assert found.loss <= press(found.lam, found.theta * factor)[1]


def test_the_better_of_two_starts_is_kept():
    wrong = THETA[::-1] * 1e3
    starts = [(0.05, wrong), (0.05, THETA)]
    for order in (starts, starts[::-1]):
        found = refit(order)
        np.testing.assert_allclose(found.theta / found.theta[0], THETA)
        assert found.loss <= press(0.05)[1]
    assert refit(starts, chooses=False).lam == 0.05


def test_a_sample_comes_first(monkeypatch):
    sizes = []
    machine = module.exact_machine

    def counted(source, *rest):
        sizes.append(len(source))
        return machine(source, *rest)

    monkeypatch.setattr(module, "exact_machine", counted)
    found = refit([(10.0, THETA)], samples_on_host=((60, 20),))
    assert sizes.count(60) >= 3
    assert sizes.count(160) >= 1
    lowest = min(press(lam)[1] for lam in 10.0 ** np.arange(-4, 2, 0.5))
    assert press(found.lam, found.theta)[1] < 1.05 * lowest


def with_options(model, **options):
    model._options = LeastSquaresOptions(exact_rows=100, **options)
    return model


def test_the_estimator_trains_on_all_rows():
    model = with_options(kl.FirstLevelRegressor(tol=0.1))
    model.fit(X, VALUES, sample_weight=np.append(0, WEIGHT[1:]))
    assert (model.refit_, model.rank_, model.device_) == ("exact", None, "cpu")
    assert model.support_.tolist() == list(range(1, 160))
    K = model.kernel_(X[1:])
    given = kl.LSSVMRegressor(model.kernel_, selection=None, lam=model.lam_, rank=None)
    given.fit(X, VALUES, sample_weight=np.append(0, WEIGHT[1:]))
    np.testing.assert_allclose(model.dual_coef_, given.dual_coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(model.loo_predictions_, given.loo_predictions_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(
        model.predict(X[1:]), (K @ model.dual_coef_.T + model.intercept_)[:, 0], rtol=1e-10
    )
    np.testing.assert_allclose(
        model.predict_interval(X[:5]), given.predict_interval(X[:5]), rtol=1e-6
    )
    np.testing.assert_allclose(
        model.predict(X[:5], return_std=True)[1],
        given.predict(X[:5], return_std=True)[1],
        rtol=1e-6,
    )
    classifier = with_options(kl.FirstLevelClassifier(tol=0.1)).fit(X, VALUES > 0)
    assert classifier.refit_ == "exact"
    assert classifier.predict_proba(X).shape == (160, 2)
    assert not hasattr(classifier, "landmarks_")


def test_what_does_not_fit_is_trained_through_landmarks():
    few = RefitOptions(most_rows_on_host=150)
    assert not fits(X, few)
    assert fits(X[:150], few)
    auto = with_options(kl.FirstLevelRegressor(tol=0.1), refit=few)
    assert auto.fit(X, VALUES).refit_ == "landmarks"
    exact = with_options(
        kl.FirstLevelRegressor(tol=0.1, options=kl.FirstLevelOptions(refit="exact")), refit=few
    )
    with pytest.raises(MemoryError, match="matrix of 160 x 160 numbers with refit='exact'"):
        exact.fit(X, VALUES)
    with pytest.raises(ValueError, match="refit"):
        kl.FirstLevelRegressor(options=kl.FirstLevelOptions(refit="yes")).fit(X, VALUES)
