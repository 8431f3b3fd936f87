"""Intervals and quantiles of new targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kernlearn.estimators.held_out.intervals import check_coverage, check_probability
from kernlearn.estimators.inputs.dask_rows import lazy_on_dask
from kernlearn.estimators.mixture.extrapolation import beyond_training
from kernlearn.estimators.mixture.mixture import KernelMixture
from kernlearn.estimators.mixture.preparation.outside_rows import OutsideRows
from kernlearn.estimators.mixture.preparation.table import STANDARD
from kernlearn.estimators.mixture.uncertainty import MixtureUncertainty
from kernlearn.typing import Array, Rows


class QuantilePredictions(KernelMixture):
    """The distribution of new targets around the means that a mixture predicts."""

    _spread: Array  # the unit of the targets, of shape (k,)
    _centre: Array  # their mean, of shape (k,)
    _is_amount: bool  # whether no target is below zero

    def _shaped(self, values: Array) -> Array:
        """Values in the shape of y."""
        raise NotImplementedError

    def _count_quantiles(self, X: Rows, levels: Sequence[float], exposure: Rows) -> Array | None:
        """Quantiles of counts, of shape (n, 1, m); None for other targets."""
        raise NotImplementedError

    @lazy_on_dask
    def predict_interval(self, X: Rows, coverage: float = 0.9, *, exposure: Rows = None) -> Array:
        """Intervals that hold new targets with a given probability.

        Jackknife+: from the residuals of rows held out, whose machines were trained and mixed
        without them, and from the mixture without each of these rows at the new points, in closed
        form. Intervals are wider where predictions are less certain, and where held-out residuals
        are larger. Counts have quantiles of negative binomial counts, calibrated on held-out rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Rows, as in ``fit``.
        coverage : float, default=0.9
            The probability, between 0 and 1.
        exposure : array-like of shape (n,), optional
            The time, area or population that each count covers: by default one for all.

        Returns
        -------
        interval : ndarray of shape (n, 2) or (n, n_targets, 2)
            Lower and upper ends; infinite if there are too few rows for the coverage, else not
            below zero if no target was.
        """
        coverage = check_coverage(coverage)
        check_is_fitted(self)
        levels = 0.5 * (1.0 - coverage), 0.5 * (1.0 + coverage)
        of_counts = self._count_quantiles(X, levels, exposure)
        if of_counts is not None:
            return self._shaped(of_counts)
        ends = self._uncertain(X, lambda found, tables: found.interval(tables, coverage))
        if self._is_amount:
            ends[..., 0] = np.where(
                np.isfinite(ends[..., 0]), np.maximum(ends[..., 0], 0.0), -np.inf
            )
        return self._shaped(ends)

    @lazy_on_dask
    def predict_quantile(self, X: Rows, q: float = 0.5, *, exposure: Rows = None) -> Array:
        """Quantiles of new targets, calibrated along the noise.

        Quantiles come from the residuals of held-out rows, as intervals do, and are farther from
        the prediction where held-out residuals are larger.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Rows, as in ``fit``.
        q : float, default=0.5
            The probability that a new target is below, between 0 and 1.
        exposure : array-like of shape (n,), optional
            The time, area or population that each count covers: by default one for all.

        Returns
        -------
        quantile : ndarray of shape (n,) or (n, n_targets)
            Quantiles; infinite if there are too few rows for q, else not below zero if no target
            was.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from kernlearn import KernelRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> model = KernelRegressor(["linear"]).fit(X[::4], y[::4])
        >>> bool((model.predict_quantile(X, 0.1) < model.predict_quantile(X, 0.9)).all())
        True
        """
        q = check_probability(q)
        check_is_fitted(self)
        of_counts = self._count_quantiles(X, [q], exposure)
        if of_counts is not None:
            return self._shaped(of_counts[..., 0])
        found = self._uncertain(X, lambda one, tables: one.quantile(tables, q)[..., None])[..., 0]
        if self._is_amount:
            found = np.where(np.isfinite(found), np.maximum(found, 0.0), found)
        return self._shaped(found)

    def _uncertain(
        self, X: Rows, compute: Callable[[MixtureUncertainty, dict[str, Rows]], Array]
    ) -> Array:
        """Ends or quantiles in the unit of the targets, of shape (n, k, ...)."""
        uncertainty = MixtureUncertainty.of(self._members)
        outside = OutsideRows(self.preparation_, self._members.n_independent)

        def found(tables: dict[str, Rows]) -> Array:
            values, beyond = self._members.predict(tables), outside.beyond(tables[STANDARD])
            change = beyond_training(
                self._extrapolation, tables, beyond, values, self._members.predict
            )
            return compute(uncertainty, tables) + change[:, :, None]

        ends = self._each_block(X, found)
        outside.warn(self, stacklevel=4)
        return ends * self._spread[:, None] + self._centre[:, None]
