"""Regression with a learned combination of kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from kernlearn._patience import Progress
from kernlearn.estimators._base import Array, KernelCombination
from kernlearn.quality.registry import quality_names


class MKLRegressor(RegressorMixin, KernelCombination):  # type: ignore[misc]
    r"""Support vector or least-squares regression that learns how to combine several kernels.

    Parameters
    ----------
    kernels : list of Kernel, optional
        What to combine; by default linear, quadratic and Gaussian kernels around the data's own
        median distance.
    quality : {"epsilon_svr", "nu_svr", "least_squares"}, default="epsilon_svr"
        The machine whose value is minimised.
    C : float, default=1.0
        The box −C ≤ a ≤ C, as in scikit-learn's SVR; the inverse ridge of "least_squares".
    weights : {"positive", "free"}, default="positive"
        Positive weights, or any sign with K(w) ⪰ 0 on the points given to ``fit``.
    epsilon : float, default=0.1
        Half the width of the tube of "epsilon_svr", in units of y.
    nu : float, default=0.5
        For "nu_svr": upper bound on the share of points outside the tube.
    normalize, center, constraint, total, missing, psd, tol, max_iter, random_state
        As in :class:`kernlearn.MKLClassifier`.
    warm_start, verbose, callback, time_limit
        Likewise.

    Attributes
    ----------
    weights_, kernel_, kernels_, dual_coef_, intercept_, support_, support_vectors_
        As in :class:`kernlearn.MKLClassifier`.
    objective_, lower_bound_, duality_gap_, status_, n_machine_solves_, n_iter_, history_, C_
        Likewise.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn import MKLRegressor
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> model = MKLRegressor(C=10.0, epsilon=0.01).fit(X, np.sin(X[:, 0]))
    >>> bool(model.score(X, np.sin(X[:, 0])) > 0.99)
    True
    """

    def __init__(
        self,
        kernels: Any = None,
        quality: str = "epsilon_svr",
        C: float = 1.0,
        weights: str = "positive",
        *,
        epsilon: float = 0.1,
        nu: float = 0.5,
        normalize: bool = False,
        center: bool = False,
        constraint: str = "trace",
        total: float | None = None,
        missing: str | None = None,
        psd: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 200,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        callback: Callable[[Progress], Any] | None = None,
        time_limit: float | None = None,
    ) -> None:
        self.kernels = kernels
        self.quality = quality
        self.C = C
        self.weights = weights
        self.epsilon = epsilon
        self.nu = nu
        self.normalize = normalize
        self.center = center
        self.constraint = constraint
        self.total = total
        self.missing = missing
        self.psd = psd
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.callback = callback
        self.time_limit = time_limit

    def fit(
        self, X: Any, y: Any, X_unlabeled: Any = None, sample_weight: Any = None
    ) -> MKLRegressor:
        """Learn the kernel and the regression.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Training points.
        y : array-like of shape (n,)
            Targets.
        X_unlabeled : array-like or data frame, optional
            Points without targets; their predictions are in ``transduction_``.
        sample_weight : array-like of shape (n,), optional
            Multiplies C point by point.

        Returns
        -------
        self : MKLRegressor
            Fitted.
        """
        rows, y = self._checked_with_target(X, y, y_numeric=True)
        unlabeled = self._checked_unlabeled(X, X_unlabeled)
        target = y.astype(float)
        weight = self._sample_weight(sample_weight, rows)
        # The intercept takes up any offset; working around it keeps the numbers small.
        offset = float(np.average(target, weights=weight))
        qualities = quality_names("values", "either")
        self._learn(rows, lambda kept: [target[kept] - offset], weight, unlabeled, qualities)
        self.intercept_ = self.intercept_ + offset
        if unlabeled is not None:
            self.transduction_ = self._transduced[:, 0] + offset
            del self._transduced
        return self

    def predict(self, X: Any) -> Array:
        """Predict targets.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Points.

        Returns
        -------
        values : ndarray of shape (n,)
            Predictions.
        """
        return self._decision(X)[:, 0]
