r"""Survival curves of new rows from their risks, calibrated on rows held out.

Given a risk r(x) that was learned in any way, the curve of a row is that of Cox's model in this one
column, whose slope β may change over time (:mod:`kernlearn.estimators.held_out.hazard_slopes`):

.. math:: S(t \mid x) = \exp\Bigl(-\sum_{u_k \le t} e^{\beta(u_k) r(x)}
          \,\Delta\Lambda_0(u_k)\Bigr) .

The slopes are those of the largest partial likelihood of held-out risks, and :math:`\Lambda_0` is
the baseline hazard of the same ties, Efron's by default. If held-out risks are uninformative, they
are set to zero, and every row has the curve of the whole table.

Held-out risks are compared within their fold. The origin of a fold's risks is that of the rows
without it: a fold with more events than others was predicted by rows with fewer. Compared across
folds, this flattens the slope, and puts the concordance of noise below one half.
"""

from __future__ import annotations

from numbers import Integral

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from sklearn.utils.validation import check_consistent_length

from kernlearn.estimators.held_out.chance import FEWEST_ROWS, LEVEL, report_chance
from kernlearn.estimators.held_out.hazard_slopes import HazardSlopes
from kernlearn.estimators.held_out.intervals import check_coverage, check_probability
from kernlearn.metrics import harrell_concordance
from kernlearn.numerics.rounding import ranks
from kernlearn.quality.partial_likelihood import centred_within
from kernlearn.runtime.phrases import p_in_words
from kernlearn.survival.concordance import concordance
from kernlearn.survival.numbers import checked_times
from kernlearn.survival.outcome import SurvivalOutcome, survival_outcome
from kernlearn.survival.ties import Ties
from kernlearn.typing import Array, Indices, Rows

# Cumulative hazards that exist together.
_CELLS = 4_000_000
# The logarithm of the largest ratio of hazards: a survival of zero, and no overflow.
_LARGEST = 500.0


class SurvivalCurves:
    """Predicts survival from risks; estimators add `predict`, which returns these."""

    event_times_: Array
    baseline_hazard_: Array
    _hazard: Array  # the same of a row of mean risk
    _origin: float  # the mean risk
    risk_slope_: float
    risk_slopes_: Array
    held_out_score_: float
    held_out_error_: float

    def predict(self, X: Rows) -> Array:
        """Risks, higher for rows that have the event earlier."""
        raise NotImplementedError

    def _store_curves(
        self,
        outcome: SurvivalOutcome,
        weight: Array,
        rows: Indices,
        risk: Array,
        groups: Indices | None,
        folds: Indices,
        ties: Ties = "efron",
    ) -> None:
        """From outcomes of all rows, and risks of some, predicted while these were held out.

        Groups and folds are those of the `rows` that have a risk. If none of them has the event,
        every row has the curve of the whole table.
        """
        known = np.isfinite(risk) & (weight[rows] > 0)
        if not outcome.event[rows[known]].any():
            rows, known, groups = np.arange(len(outcome)), weight > 0, None
            risk, folds = np.zeros(len(outcome)), np.zeros(len(outcome), dtype=np.intp)
        outcome, risk, weight = outcome.subset(rows[known]), risk[known], weight[rows[known]]
        groups = None if groups is None else np.unique(groups[known], return_inverse=True)[1]
        origin = float(np.average(risk, weights=weight))
        risk = centred_within(risk, weight, folds[known])
        model = HazardSlopes.of(outcome, risk, weight, folds[known], ties)
        self.risk_slope_, self.event_times_ = model.mean, model.times
        self.risk_slopes_ = model.slopes
        self._origin, self._hazard = origin, model.hazard
        with np.errstate(over="ignore"):  # where zero is far from every risk
            steps = np.diff(model.hazard, prepend=0.0) * np.exp(-model.slopes * origin)
            self.baseline_hazard_ = np.cumsum(steps)
        found = concordance(outcome, ranks(risk), np.where(outcome.event, weight, 0.0))
        self.held_out_score_, self.held_out_error_ = found.index, found.standard_error(groups)
        report_chance(self, self._chance(len(risk)), stacklevel=4)

    def _chance(self, n_rows: int) -> str | None:
        """The score of a fit at chance; None for a better one, or with too few rows."""
        if n_rows < FEWEST_ROWS or not np.isfinite(self.held_out_score_):
            return None
        error = max(self.held_out_error_, 1e-12)
        p = float(ndtr((0.5 - self.held_out_score_) / error))
        if p < LEVEL:
            return None
        return (
            f"the concordance on held-out rows is {self.held_out_score_:.2f}, that of any order "
            f"0.5 ({p_in_words(p)})"
        )

    def predict_survival_function(self, X: Rows, times: Rows = None) -> Array:
        """Predict the probability to be free of the event after each time.

        Parameters
        ----------
        X : array-like, data frame, dict or Sources
            Rows, as in ``fit``.
        times : array-like of shape (k,), optional
            When to look; by default ``event_times_``, between which the curves are constant.
            Beyond the last of these they stay where they are.

        Returns
        -------
        survival : ndarray of shape (n, k)
            Probabilities that fall along each row.
        """
        place: slice | Indices = slice(1, None)
        if times is not None:
            place = np.searchsorted(self.event_times_, checked_times(times), side="right")
        return np.asarray(np.exp(-self._cumulative_hazard(self.predict(X), place)))

    def _cumulative_hazard(self, risk: Array, place: slice | Indices) -> Array:
        """The cumulative hazard of every row after so many of the event times, of shape (n, k)."""
        steps, parts = np.diff(self._hazard, prepend=0.0), []
        risk = risk - self._origin
        for slope in np.unique(self.risk_slopes_):
            part = np.cumsum(np.where(self.risk_slopes_ == slope, steps, 0.0))
            factor = np.exp(np.minimum(slope * risk, _LARGEST))
            parts.append(np.outer(factor, np.append(0.0, part)[place]))
        return np.asarray(sum(parts))

    def predict_quantile(self, X: Rows, q: float = 0.5) -> Array:
        """Predict the time by which the event has happened with a given probability.

        Parameters
        ----------
        X : array-like, data frame, dict or Sources
            Rows, as in ``fit``.
        q : float, default=0.5
            The probability, between 0 and 1.

        Returns
        -------
        times : ndarray of shape (n,)
            Times; infinite if the curve does not fall that far by the last event.
        """
        q = check_probability(q)
        # A curve that meets the probability up to rounding has met it.
        enough, risk = -np.log1p(-q) * (1.0 - 1e-12), self.predict(X)
        place = np.empty(len(risk), dtype=np.intp)
        size = max(_CELLS // len(self.event_times_), 1)
        for start in range(0, len(risk), size):
            hazard = self._cumulative_hazard(risk[start : start + size], slice(1, None))
            place[start : start + size] = (hazard < enough).sum(axis=1)
        return np.asarray(np.append(self.event_times_, np.inf)[place])

    def predict_median(self, X: Rows) -> Array:
        """Predict the median time to the event.

        Parameters
        ----------
        X : array-like, data frame, dict or Sources
            Rows, as in ``fit``.

        Returns
        -------
        times : ndarray of shape (n,)
            Times; infinite if half of such rows have no event by the last one seen.
        """
        return self.predict_quantile(X, 0.5)

    def predict_interval(self, X: Rows, coverage: float = 0.9) -> Array:
        """Predict intervals that hold the time of the event with a given probability.

        The ends are read off the predicted curves, with equal probabilities beyond either end.

        Parameters
        ----------
        X : array-like, data frame, dict or Sources
            Rows, as in ``fit``.
        coverage : float, default=0.9
            The probability, between 0 and 1.

        Returns
        -------
        interval : ndarray of shape (n, 2)
            Lower and upper ends; infinite if the data end before.
        """
        tail = 0.5 * (1.0 - check_coverage(coverage))
        ends = [self.predict_quantile(X, q) for q in (tail, 1.0 - tail)]
        return np.stack(ends, axis=1)

    def score(self, X: Rows, y: Rows) -> float:
        """Return Harrell's concordance.

        Parameters
        ----------
        X : array-like, data frame, dict or Sources
            Rows, as in ``fit``.
        y : structured array, data frame or array of shape (n, 2)
            Their events and times.

        Returns
        -------
        score : float
            Between 0 and 1; one half for an uninformative risk.
        """
        outcome, risk = survival_outcome(y), ranks(self.predict(X))
        check_consistent_length(risk, outcome.time)
        return harrell_concordance(outcome, risk)


def signed_times(X: Rows, y: Rows, event: Rows, time: Rows) -> NDArray[np.float64]:
    """Checked outcomes in one array, of as many rows as X, where these have been counted."""
    outcome = survival_outcome(y, event=event, time=time)
    n_rows = getattr(X, "shape", [None])[0]
    is_counted = isinstance(n_rows, Integral)  # a Dask collection may have chunks of unknown size
    if is_counted and n_rows != len(outcome):
        raise ValueError(
            f"expected a time and an event for each of {n_rows} rows, got {len(outcome)}; pass "
            "outcomes of the same rows"
        )
    outcome.check_events()
    return outcome.signed
