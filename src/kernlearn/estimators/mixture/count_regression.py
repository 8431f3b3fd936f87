"""Regression of counts: a mixture with the deviance in place of squared error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from kernlearn._device import to_host
from kernlearn.estimators.held_out.chance import chance_of_gain, report_chance
from kernlearn.estimators.held_out.count_distribution import CountDistribution
from kernlearn.estimators.held_out.groups import blocks_of
from kernlearn.estimators.held_out.scoring import HeldOutNumbers, held_out_score
from kernlearn.estimators.inputs.dask_rows import in_memory, select_rows
from kernlearn.estimators.inputs.validation import sample_weights
from kernlearn.estimators.mixture.input_checks import (
    TrainingInput,
    check_known,
    checked_with_target,
    feature_names,
)
from kernlearn.estimators.mixture.preparation.sources import prepare
from kernlearn.estimators.mixture.preparation.table import STANDARD
from kernlearn.estimators.mixture.quantiles import QuantilePredictions
from kernlearn.estimators.mixture.targets.counts import (
    NEGATIVE_BINOMIAL,
    CountRows,
    check_no_exposure,
    checked_counts,
    checked_exposure,
    explained_deviance,
)
from kernlearn.quality.counts import CountLoss, deviance
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.typing import Array, Rows

# Rounds of learning after the first, and the part by which the held-out deviance must fall in one
# for another.
_ROUNDS, _CLEAR = 2, 0.01


@dataclass(frozen=True, eq=False)
class CountModel:
    """A map from values of a mixture to counts."""

    distribution: CountDistribution  # of counts around their means
    centre: float  # the logarithm of the rate at values of zero
    dispersion: float  # α of the loss

    def rates(self, values: Array) -> Array:
        """Expected counts of exposure one, of shape (n,)."""
        return np.asarray(np.exp(values[:, 0] + self.centre))


class CountRegression(RegressorMixin, QuantilePredictions):  # type: ignore[misc]  # without types
    """Learns counts, if ``loss`` is a loss of counts."""

    loss: str
    dispersion_: float
    _counts: CountModel | None = None

    def _learn_counts(
        self, X: Rows, y: Rows, sample_weight: Rows, groups: Rows, exposure: Rows
    ) -> None:
        """Learn from working responses near a pilot, then near the mixture while that helps."""
        if self.compress:
            raise ValueError(
                f"{type(self).__name__} expected compress=False with loss={self.loss!r}, got "
                "compress=True; a mixture of counts cannot be distilled: use max_members=1"
            )
        both = checked_counts(self, y, exposure)
        exact = self._options.exact_rows
        inputs = checked_with_target(self, X, both, sample_weight, groups, True, exact)
        self._flat = np.ndim(y) == 1
        counts, exposures = inputs.target.T
        rows = CountRows(counts, exposures, inputs.weight, self.loss == NEGATIVE_BINOMIAL)
        if not rows.counts.any():
            raise ValueError(
                f"{type(self).__name__} with loss={self.loss!r} expected a count above zero in y, "
                "got none: there is no rate to learn; add rows"
            )
        stopping = self._stopping_control()
        loss = rows.near(self._pilot(inputs, rows))
        judged = self._learn_near(inputs, loss, stopping)
        best = self._held_out_deviance(judged)
        for _ in range(_ROUNDS):
            if stopping.stopped:
                break
            before = dict(vars(self))
            again = rows.near(self._values(inputs.rows)[:, 0] + loss.centre)
            new = self._learn_near(inputs, again, stopping)
            value = self._held_out_deviance(new)
            if not value < best:
                self.__dict__.clear()
                self.__dict__.update(before)
                break
            has_fallen = value < (1.0 - _CLEAR) * best
            loss, judged, best = again, new, value
            if not has_fallen:
                break
        self._store_counts(rows, judged)

    def _learn_near(
        self, inputs: TrainingInput, loss: CountLoss, stopping: StoppingControl
    ) -> CountLoss:
        """Learn working responses; the loss of the rows by which the mixture was judged."""
        _, judged = self._learn(inputs, loss, False, stopping)
        assert isinstance(judged, CountLoss)
        return judged

    def _pilot(self, inputs: TrainingInput, rows: CountRows) -> Array:
        """Logarithms of rates before anything is learned by held-out loss."""
        n, most = len(inputs.target), self._options.exact_rows
        if n > most:  # the rows of a table that may be read in blocks
            random_state = check_random_state(self._seed)
            chosen = np.sort(random_state.choice(n, most, replace=False))
            some = in_memory(select_rows(inputs.rows, chosen))
        else:
            some = in_memory(inputs.rows)
        check_known(self, some)
        names = feature_names(self)
        preparation = prepare(some, names, bool(self.standardize), self.columns)
        X = preparation.apply(in_memory(inputs.rows), STANDARD)
        blocks = blocks_of(inputs.groups.known)
        return rows.pilot(X, blocks, check_random_state(self._seed))

    def _held_out_deviance(self, judged: CountLoss) -> float:
        """The mean deviance of the mixture on rows held out, by the dispersion of the loss."""
        return float(judged.share @ judged.rows(self._members.held_out))

    def _store_counts(self, rows: CountRows, judged: CountLoss) -> None:
        """Store the distribution of counts and D² on held-out rows, and warn of a fit at chance."""
        means = judged.mean(self._members.held_out)
        law = CountDistribution.of(judged.counts, means, judged.row_weight)
        self.dispersion_ = law.dispersion
        self._counts = CountModel(law, judged.centre, judged.dispersion)
        rates = (judged.counts / judged.exposure)[:, None]
        self._members = members = replace(self._members, outlying=rates)
        self.has_outliers_ = False
        known = judged.counts, means, judged.exposure, judged.row_weight
        score = explained_deviance(*known, judged.dispersion)
        self.held_out_score_ = score
        if self.scoring is not None:
            held_out = HeldOutNumbers(self._shaped(means[:, None]))
            self.held_out_score_ = held_out_score(self.scoring, held_out, judged.counts)
        constant = judged.exposure * np.exp(rows.mean_log)
        gain = np.subtract(
            *(deviance(judged.counts, one, judged.dispersion) for one in (constant, means))
        )
        figures = f"D² on held-out rows is {score:.2f}, that of one rate for all 0"
        found = chance_of_gain(figures, gain, judged.row_weight, members.groups)
        report_chance(self, found, stacklevel=4)

    def _expected(self, X: Rows, exposure: Rows) -> Array:
        """Expected counts, of shape (n,)."""
        check_is_fitted(self)
        assert self._counts is not None
        rates = self._counts.rates(self._values(X))
        return rates * checked_exposure(self, exposure, len(rates))

    def _count_quantiles(self, X: Rows, levels: Sequence[float], exposure: Rows) -> Array | None:
        check_no_exposure(self.loss, exposure)
        if self._counts is None:
            return None
        mean, law = self._expected(X, exposure), self._counts.distribution
        return np.stack([law.quantile(mean, q) for q in levels], axis=-1)[:, None]

    def score(
        self, X: Rows, y: Rows, sample_weight: Rows = None, *, exposure: Rows = None
    ) -> float:
        """R² of the predictions; for counts D², the explained part of the deviance.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Rows.
        y : array-like of shape (n,) or (n, n_targets)
            Their targets.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows.
        exposure : array-like of shape (n,), optional
            The time, area or population that each count covers; by default one.

        Returns
        -------
        score : float
            At most one.
        """
        check_no_exposure(self.loss, exposure)
        if self._counts is None:
            return float(super().score(X, y, sample_weight))
        counts, exposures = checked_counts(self, y, exposure).T
        weight = sample_weights(to_host(sample_weight), counts)
        mean = self._expected(X, exposures)
        return explained_deviance(counts, mean, exposures, weight, self._counts.dispersion)
