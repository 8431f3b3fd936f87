"""MKLSurvival through landmarks against exact fits, and with ties of both kinds."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import PredefinedSplit

import kernlearn as kl
from kernlearn.estimators.mkl.held_out_loss import losses_of
from kernlearn.estimators.mkl.parameters import EngineOptions
from kernlearn.kernels import Columns, Gaussian, Grid, Linear
from kernlearn.solvers.nystroem.rank import FactorLimits, RankOptions
from kernlearn.survival import SurvivalOutcome

RNG = np.random.default_rng(0)
N = 120
X, NEW = RNG.uniform(-1, 1, (N, 3)), RNG.uniform(-1, 1, (30, 3))
RISK = 2.0 * np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2
TIME, UNTIL = RNG.exponential(np.exp(-RISK)), RNG.exponential(2.0, N)
# About five events share a time.
OUTCOME = SurvivalOutcome(np.ceil(10.0 * np.minimum(TIME, UNTIL)), TIME <= UNTIL)
Y = OUTCOME.structured
KERNELS = [Linear(), Gaussian(0.5), Columns([1], Gaussian(2.0))]
FOLDS = PredefinedSplit(np.arange(N) % 4)
ENDS_EARLY = "ignore:.*before the tolerance was reached:UserWarning"


def through_landmarks(model, exact_rows=10, **ranks):
    """A new model that takes few rows for many."""
    model = clone(model)
    model._engine = EngineOptions(
        exact_rows=exact_rows, ranks=RankOptions(**ranks), limits=FactorLimits(coarse_rows=30)
    )
    return model


@pytest.mark.filterwarnings(ENDS_EARLY)
@pytest.mark.parametrize(
    ("weights", "ties"), [("positive", "efron"), ("positive", "breslow"), ("free", "efron")]
)
def test_at_full_rank_it_is_the_exact_estimator(weights, ties):
    weight = RNG.uniform(0.5, 2.0, N)
    weight[::10] = 0.0
    model = kl.MKLSurvival(KERNELS, C=0.5, weights=weights, ties=ties, cv=FOLDS, tol=1e-12)
    exact = clone(model).set_params(rank=None).fit(X, Y, sample_weight=weight)
    found = clone(model).set_params(rank=N).fit(X, Y, sample_weight=weight)
    assert exact.rank_ is None
    assert found.rank_ == 108
    # Weights of both signs end at the rounding of differences.
    digits = 1e-10 if weights == "positive" else 1e-8
    assert found.objective_ == pytest.approx(exact.objective_, rel=digits)
    assert found.lower_bound_ == pytest.approx(exact.lower_bound_, rel=1e-9)
    np.testing.assert_allclose(found.weights_, exact.weights_, atol=1e-5 * exact.weights_.max())
    np.testing.assert_allclose(np.ptp(found.predict(NEW) - exact.predict(NEW)), 0.0, atol=1e-5)
    # Machines without a fold are trained to three digits.
    assert found.held_out_score_ == pytest.approx(exact.held_out_score_, abs=2e-3)
    np.testing.assert_allclose(found.baseline_hazard_, exact.baseline_hazard_, rtol=2e-2)


@pytest.mark.filterwarnings(ENDS_EARLY)
def test_at_full_rank_a_machine_has_ten_digits_of_the_exact_one():
    model = kl.MKLSurvival([Gaussian(0.5)], C=0.5, cv=FOLDS, tol=1e-14)
    exact = clone(model).set_params(rank=None).fit(X, Y)
    found = clone(model).set_params(rank=N).fit(X, Y)
    assert found.objective_ == pytest.approx(exact.objective_, rel=1e-12)
    assert np.ptp(found.predict(NEW) - exact.predict(NEW)) < 1e-10


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_the_bounds_are_those_of_the_matrices_of_the_factors(ties):
    """Both ends of the gap, held against the exact solver on the Gram matrices of the factors."""
    options = kl.MKLOptions(certify="exact", total=100.0)
    model = kl.MKLSurvival(KERNELS, C=0.5, ties=ties, rank=12, options=options).fit(X, Y)
    assert model.rank_ == 12
    assert model.duality_gap_ <= 1e-6
    grams = []
    for kernel, points in zip(model.kernels_, model.landmarks_, strict=True):
        corner, cross = kernel(points), kernel(X, points)
        gram = cross @ np.linalg.pinv(corner, rcond=1e-13, hermitian=True) @ cross.T
        grams.append(0.5 * (gram + gram.T))
    traces = np.array([kernel.diag(X).sum() for kernel in KERNELS])
    # The total is that of the traces of the exact kernels.
    scaled = [gram * (100.0 / trace) for gram, trace in zip(grams, traces, strict=True)]
    stated = {"quality": "cox", "C": 0.5, "ties": ties, "constraint": "sum", "total": 1.0}
    expected = kl.learn_weights(scaled, Y, psd="clip", tol=1e-10, **stated)
    assert model.lower_bound_ <= expected.objective * (1.0 + 1e-9)
    assert model.objective_ >= expected.lower_bound * (1.0 - 1e-9)
    assert model.objective_ == pytest.approx(expected.objective, rel=1e-6)
    # The value of the function that is returned, from its definition.
    f = model.predict(X)
    sizes, loss = np.exp(f), 0.0
    for time in np.unique(OUTCOME.time[OUTCOME.event]):
        events = OUTCOME.event & (OUTCOME.time == time)
        gone = np.arange(events.sum()) / events.sum() * (ties == "efron")
        loss += np.log(sizes[OUTCOME.time >= time].sum() - gone * sizes[events].sum()).sum()
        loss -= f[events].sum()
    norm = sum(
        coef[:, 0] @ kernel(points) @ coef[:, 0] / (2.0 * weight)
        for kernel, points, coef, weight in zip(
            KERNELS, model.landmarks_, model.landmark_coef_, model.weights_, strict=True
        )
        if weight
    )
    assert model.objective_ == pytest.approx(0.5 * loss + norm, rel=1e-9)
    exact = clone(model).set_params(rank=None).fit(X, Y)
    assert model.exact_lower_bound_ <= exact.objective_ <= model.objective_


def test_auto_is_exact_for_few_rows_and_through_landmarks_for_many():
    model = kl.MKLSurvival(KERNELS, cv=3)
    exact = model.fit(X, Y)
    assert exact.rank_ is None
    found = through_landmarks(model, first=8).fit(X, Y)
    assert found.rank_ >= 8
    assert found.duality_gap_ <= 1e-6
    assert found.C_ in found.loss_by_C_[:, 0]
    ranks, losses = found.loss_by_rank_["rank"], found.loss_by_rank_["loss"]
    assert ranks[-1] == found.rank_
    # Martingale residuals have a mean of zero, and are predicted better than by it.
    assert losses[-1] < 1.0
    assert found.score(X, Y) == pytest.approx(exact.score(X, Y), abs=0.03)
    assert found.predict_survival_function(NEW, [5.0, 20.0]).shape == (30, 2)
    assert len(found.event_times_) == len(np.unique(OUTCOME.time[OUTCOME.event]))
    with pytest.raises(ValueError, match="expected rank=None with missing='mean', got 5"):
        kl.MKLSurvival(KERNELS, rank=5, missing="mean").fit(X, Y)


def test_few_events_may_lie_in_one_fold():
    event = np.isin(np.arange(N), [0, 4, 8])
    model = through_landmarks(kl.MKLSurvival(KERNELS, C=1.0, rank=10, cv=FOLDS))
    model.fit(X, event=event, time=OUTCOME.time + 1.0)
    assert model.duality_gap_ <= 1e-6
    assert np.isfinite(model.predict(NEW)).all()
    assert model.event_times_.size == np.unique(OUTCOME.time[event]).size


def test_ties_matter_and_are_checked():
    model = kl.MKLSurvival([Gaussian(0.5)], C=0.5, cv=3)
    by_efron = model.fit(X, Y).predict(NEW)
    by_breslow = clone(model).set_params(ties="breslow").fit(X, Y).predict(NEW)
    # Breslow's ties shrink the log hazard.
    assert np.ptp(by_breslow) < 0.99 * np.ptp(by_efron)
    distinct = {"event": OUTCOME.event, "time": OUTCOME.time + 1e-3 * np.arange(N) / N}
    alone = [clone(model).set_params(ties=ties).fit(X, **distinct) for ties in ("efron", "breslow")]
    assert alone[0].predict(NEW) == pytest.approx(alone[1].predict(NEW), abs=1e-9)
    with pytest.raises(ValueError, match="expected ties to be one of efron, breslow, got 'exact'"):
        clone(model).set_params(ties="exact").fit(X, Y)


def test_a_family_of_kernels_goes_through_landmarks():
    family = Grid([Gaussian(0.5), Gaussian(2.0)], size=[1, 2])
    model = kl.MKLSurvival(family, C=0.5, rank=40, cv=3).fit(X, Y)
    exact = clone(model).set_params(rank=None).fit(X, Y)
    assert model.rank_ == 40
    assert model.duality_gap_ <= 1e-6
    assert model.objective_ == pytest.approx(exact.objective_, rel=1e-3)


def test_rows_that_were_not_held_out_change_no_other_loss():
    """After an early end some rows have no value: NaN there must not reach the risk of others."""
    model = kl.MKLSurvival([Linear()], C=1.0).fit(X, Y)
    values = RISK[:, None] / 2.0
    values[::7] = np.nan
    known = np.isfinite(values[:, 0])
    losses = losses_of(model, None)
    found = losses(values, [OUTCOME.signed], np.ones(N))
    alone = losses(values[known], [OUTCOME.signed[known]], np.ones(known.sum()))
    np.testing.assert_array_equal(np.isnan(found), ~known)
    np.testing.assert_allclose(found[known], alone)
    assert np.isnan(losses(np.full((N, 1), np.nan), [OUTCOME.signed], np.ones(N))).all()
