"""Times to an event: predictions of held-out rows, and their metrics."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from kernlearn.numerics.rounding import ranks
from kernlearn.survival import SurvivalOutcome, kaplan_meier, survival_outcome
from kernlearn.survival.brier import integrated, row_scores, usual_times
from kernlearn.survival.concordance import concordance
from kernlearn.survival.curves import censoring_curve
from kernlearn.typing import Array, Rows, Targets

CONCORDANCE = "concordance"
UNO = "uno_concordance"
BRIER = "neg_integrated_brier_score"
SURVIVAL_METRICS = (CONCORDANCE, UNO, BRIER)
# Times of the curves that are kept of held-out rows.
N_TIMES = 25


class OneCurveForAll(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Kaplan and Meier's curve of all rows for each row, whatever its columns."""

    def fit(self, X: Rows, y: Rows) -> OneCurveForAll:
        """Estimate the curve."""
        self.curve_ = kaplan_meier(y)
        return self

    def predict(self, X: Rows) -> Array:
        """Equal risks."""
        return np.zeros(len(X))

    def predict_survival_function(self, X: Rows, times: Rows) -> Array:
        """The same curve for every row."""
        return np.tile(self.curve_(times), (len(X), 1))


def has_events(y: Targets) -> bool:
    """Whether targets are times to an event."""
    return "event" in (y.dtype.names or ())


def evaluation_times(y: Targets) -> Array:
    """Times at which survival is predicted, with four digits; between them scores are integrated.

    >>> y = np.array([(True, t) for t in range(1, 101)], dtype=[("event", bool), ("time", float)])
    >>> evaluation_times(y)[[0, 12, 24]].tolist()
    [10.9, 50.5, 90.1]
    """
    return np.unique([float(f"{time:.4g}") for time in usual_times(survival_outcome(y), N_TIMES)])


def risk_and_survival(model: Pipeline, X: Rows, times: Array) -> tuple[Array, Array]:
    """Risks of rows, and the probabilities to be free of the event after some times."""
    steps = getattr(model, "steps", None)
    last = model if steps is None else steps[-1][1]
    prepared = model[:-1].transform(X) if steps is not None and len(steps) > 1 else X
    survival = last.predict_survival_function(prepared, times)
    return np.asarray(last.predict(prepared)), np.asarray(survival)


def survival_score(
    name: str, y: Targets, risk: Array, survival: Array, times: Array
) -> float | None:
    """A metric of rows that one model predicted; None if no pair can be compared."""
    outcome = survival_outcome(y)
    if name == BRIER:
        return float(integrated_brier(outcome, survival, times).mean())
    weight = _uno_weight(outcome, float(times[-1])) if name == UNO else None
    index = concordance(outcome, ranks(risk), weight).index
    return index if np.isfinite(index) else None


def integrated_brier(outcome: SurvivalOutcome, survival: Array, times: Array) -> Array:
    """Contribution of each row to the mean integrated Brier score."""
    scores = row_scores(outcome, survival, times, censoring_curve(outcome))
    return integrated(scores, times)


def gain_in_order(y: Targets, risk: Array) -> Array:
    """Contributions of rows to the concordance above 1/2, with the spread of a U-statistic."""
    found = concordance(survival_outcome(y), ranks(risk))
    pairs = max(float(found.comparable.mean()), 1e-300)
    gains = (found.concordant - 0.5 * found.comparable) / pairs
    return np.asarray(2.0 * gains - gains.mean())


def _uno_weight(outcome: SurvivalOutcome, tau: float) -> Array:
    free = censoring_curve(outcome)(outcome.time)
    counted = outcome.event & (outcome.time <= tau) & (free > 0)
    return np.where(counted, 1.0 / np.where(counted, free, 1.0) ** 2, 0.0)
