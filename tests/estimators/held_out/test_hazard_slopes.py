"""Slopes that change over time: against naive sums, and on hazards that cross."""

import numpy as np
import pytest
from scipy.optimize import minimize

from kernlearn.estimators.held_out.hazard_slopes import HazardSlopes
from kernlearn.estimators.held_out.survival_curves import SurvivalCurves
from kernlearn.runtime.status import Status
from kernlearn.survival import SurvivalOutcome

N = 260


@pytest.fixture(scope="module")
def crossing():
    """The hazard of one group grows, and that of the other falls."""
    random = np.random.default_rng(0)
    group = random.random(N) < 0.5
    time = np.where(group, random.weibull(3.0, N), random.weibull(0.7, N))
    until = random.exponential(3.0, N)
    outcome = SurvivalOutcome(np.minimum(time, until), time <= until)
    return -group.astype(float), outcome, np.arange(N) % 5


def test_slopes_minimise_the_sum_over_the_periods(crossing):
    risk, outcome, folds = crossing
    found = HazardSlopes.of(outcome, risk - risk.mean(), np.ones(N), folds)
    own, n_periods = np.unique(found.slopes), 4
    assert len(own) == n_periods
    spread, starts = risk.std(), [found.times[found.slopes == s][0] for s in found.slopes]
    starts = np.unique(starts)

    def objective(slopes):
        total = 5.0 * ((slopes - slopes.mean()) ** 2).sum() + 0.5 * slopes.mean() ** 2
        for i in np.flatnonzero(outcome.event):
            f = slopes[np.searchsorted(starts, outcome.time[i], side="right") - 1] * risk / spread
            at_risk = (folds == folds[i]) & (outcome.time >= outcome.time[i])
            total += np.log(np.exp(f[at_risk]).sum()) - f[i]
        return total

    slopes = np.array([found.slopes[found.times == start][0] for start in starts]) * spread
    assert objective(slopes) == pytest.approx(minimize(objective, slopes + 0.1).fun, rel=1e-9)


def test_curves_cross_and_quantiles_are_read_off_them(crossing):
    risk, outcome, folds = crossing
    curves = SurvivalCurves()
    curves.status_, curves.predict = Status.CONVERGED, lambda X: X
    curves._store_curves(outcome, np.ones(N), np.arange(N), risk, None, folds)
    early, late = curves.predict_survival_function(np.array([0.0, -1.0]), [0.2, 1.8]).T
    truth = np.exp(-(np.array([[0.2], [1.8]]) ** np.array([0.7, 3.0])))
    assert early[0] < early[1]
    assert late[0] > late[1]
    assert np.stack([early, late]) == pytest.approx(truth, abs=0.15)
    whole = curves.predict_survival_function(np.array([0.0, -1.0]))
    assert (np.diff(whole, axis=1) <= 0).all()
    for row, at in enumerate(np.searchsorted(curves.event_times_, curves.predict_median(risk[:2]))):
        values = curves.predict_survival_function(risk[:2])[row]
        assert values[at] <= 0.5 < values[at - 1]
