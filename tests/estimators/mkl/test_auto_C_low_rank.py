"""C="auto" through landmarks: by folds of second moments, or by a sample of the rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import kernlearn as kl
from kernlearn.estimators.mkl.parameters import EngineOptions
from kernlearn.kernels import Gaussian, Laplacian, Linear
from kernlearn.solvers.engine.exact import sample_for_C
from kernlearn.solvers.engine.statement import ChoiceOptions

RNG = np.random.default_rng(0)
N = 72
X = RNG.standard_normal((N, 3))
VALUES = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * RNG.standard_normal(N)
LABELS = np.digitize(VALUES, [-0.5, 0.5])
KERNELS = [Gaussian(0.2), Laplacian(0.5), Linear()]


def _folds(n):
    return np.random.RandomState(0).permutation(n) % 5


def _least_squares_by_hand(K, Y, lam, inside, outside):
    """The bordered system of the machine with an intercept, at the rows outside."""
    n = len(inside)
    A = np.ones((n + 1, n + 1))
    A[:n, :n] = K[np.ix_(inside, inside)] + lam * np.eye(n)
    A[n, n] = 0.0
    found = np.linalg.solve(A, np.vstack([Y[inside], np.zeros((1, Y.shape[1]))]))
    return K[np.ix_(outside, inside)] @ found[:n] + found[n]


@pytest.mark.parametrize("classes", [True, False])
def test_losses_of_least_squares_are_those_of_machines_that_did_not_see_the_fold(classes):
    """At one kernel and full rank everything can be done by hand."""
    kernel = Gaussian(0.2)
    kind = kl.MKLClassifier if classes else kl.MKLRegressor
    y = LABELS if classes else VALUES + 30.0
    model = kind([kernel], C="auto", quality="least_squares", rank=N).fit(X, y)
    Y = np.where(LABELS[:, None] == np.arange(3), 1.0, -1.0) if classes else VALUES[:, None]
    K, fold = kernel(X), _folds(N)
    assert 3 <= len(model.loss_by_C_) <= 6
    for C, loss in model.loss_by_C_:
        lost = 0.0
        for i in range(5):
            out, inside = np.flatnonzero(fold == i), np.flatnonzero(fold != i)
            lost += ((Y[out] - _least_squares_by_hand(K, Y, 1.0 / C, inside, out)) ** 2).sum()
        assert loss == pytest.approx(lost / N, rel=1e-6)
    assert model.loss_by_C_[model.loss_by_C_[:, 1].argmin(), 0] == model.C_


NAMES = ["ls classes", "ls free", "squared hinge", "tube"]
MODELS = [
    (kl.MKLClassifier(KERNELS, quality="least_squares", C="auto"), LABELS),
    (kl.MKLRegressor(KERNELS, quality="least_squares", C="auto", weights="free"), VALUES),
    (kl.MKLClassifier(KERNELS, quality="squared_soft_margin", C="auto"), LABELS > 0),
    (
        kl.MKLRegressor(
            KERNELS, quality="epsilon_svr", C="auto", options=kl.MKLOptions(total=40.0)
        ),
        VALUES,
    ),
]


@pytest.mark.parametrize(("model", "y"), MODELS, ids=NAMES)
@pytest.mark.filterwarnings("ignore:.*before the tolerance was reached:UserWarning")
def test_the_solution_is_that_of_the_chosen_C(model, y):
    chosen = clone(model).set_params(rank=30, random_state=0).fit(X, y)
    given = clone(chosen).set_params(C=chosen.C_).fit(X, y)
    assert chosen.rank_ == given.rank_ == 30
    assert given.C_ == chosen.C_
    assert chosen.objective_ == pytest.approx(given.objective_, rel=1e-5)
    np.testing.assert_allclose(chosen.predict(X), given.predict(X), rtol=1e-2, atol=1e-2)
    assert 2 <= len(chosen.loss_by_C_) <= 6
    assert not hasattr(given, "loss_by_C_")


def test_a_given_C_forgets_what_was_looked_at_before():
    chosen = kl.MKLRegressor([Gaussian(0.2)], quality="least_squares", C="auto", rank=30)
    assert hasattr(chosen.fit(X, VALUES), "loss_by_C_")
    assert not hasattr(chosen.set_params(C=1.0).fit(X, VALUES), "loss_by_C_")


@pytest.mark.parametrize(("model", "y"), MODELS[2:], ids=NAMES[2:])
@pytest.mark.filterwarnings("ignore:.*before the tolerance was reached:UserWarning")
def test_other_machines_choose_C_on_a_sample_as_the_exact_estimator_does(model, y):
    exact = clone(model).set_params(rank=None).fit(X, y)
    found = clone(model).set_params(rank=30).fit(X, y)
    np.testing.assert_allclose(found.loss_by_C_, exact.loss_by_C_, rtol=1e-4)
    # Of half of the rows the same kernels have half the trace, and C its unit all the same.
    half = clone(model).set_params(rank=30)
    half._engine = EngineOptions(choices=ChoiceOptions(rows_for_C=N // 2))
    half.fit(X, y)
    # The one that both begin with.
    first = [m.loss_by_C_[np.abs(np.log(m.loss_by_C_[:, 0])).argmin()] for m in (half, exact)]
    np.testing.assert_allclose(first[0][0], first[1][0], rtol=0.3)
    assert not np.isclose(first[0][1], first[1][1], rtol=1e-3)


def test_auto_C_no_longer_keeps_large_tables_exact():
    model = kl.MKLClassifier(KERNELS, quality="least_squares", C="auto")
    model._engine = EngineOptions(exact_rows=50)
    model.fit(X, LABELS)
    assert model.rank_ is not None
    assert model.loss_by_rank_["rank"][-1] == model.rank_


def test_the_sample_has_every_class_in_its_share_and_fits_into_memory():
    y = np.repeat([-1.0, 1.0], [9000, 1000])
    few = sample_for_C([y], n_kernels=6, seed=0, max_rows=1500)
    assert len(few) == 1500
    assert (np.diff(few) > 0).all()
    assert (y[few] > 0).sum() == 150
    assert not np.array_equal(few, sample_for_C([y], 6, 1, 1500))
    assert sample_for_C([y[:50]], 6, 0, 1500).tolist() == list(range(50))
    assert len(sample_for_C([y], n_kernels=2000, seed=0, max_rows=1500)) == 259


def test_an_early_end_on_the_way_to_C_leaves_a_model():
    for model, y in (MODELS[0], MODELS[2]):
        seen = []

        def once(progress, seen=seen):
            seen.append(progress)
            return len(seen) == 4

        with pytest.warns(UserWarning, match="callback"):
            fitted = clone(model).set_params(rank=20, options__callback=once).fit(X, y)
        assert 1 <= len(fitted.loss_by_C_) < 6
        assert not fitted.status_.is_optimal
        assert np.isfinite(fitted.predict_proba(X)).all()
