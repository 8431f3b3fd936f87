"""Regression by a least-squares support vector machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from kernlearn.estimators.held_out.chance import chance_of_numbers, report_chance
from kernlearn.estimators.held_out.groups import RowGroups
from kernlearn.estimators.held_out.intervals import LeastSquaresPredictor, check_coverage
from kernlearn.estimators.inputs.dask_rows import lazy_on_dask
from kernlearn.estimators.inputs.ownership import rollback_on_error
from kernlearn.estimators.inputs.validation import check_differences
from kernlearn.estimators.least_squares.learning_data import LeastSquaresData
from kernlearn.estimators.least_squares.lssvm import LeastSquaresSVM
from kernlearn.estimators.mkl.low_rank import LandmarkFolds
from kernlearn.families.parametric import ParametricKernel
from kernlearn.kernels import Kernel
from kernlearn.runtime.phrases import counted
from kernlearn.runtime.stopping import Progress
from kernlearn.typing import Array, FoldsLike, RandomState


class LSSVMRegressor(MultiOutputMixin, RegressorMixin, LeastSquaresSVM):  # type: ignore[misc]
    r"""Least-squares support vector regression that selects its own kernel parameters.

    Kernel ridge regression with an intercept that is not penalised, trained by equation (3) of
    Cawley and Talbot (2014); λ and the kernel parameters are selected as in
    :class:`kernlearn.LSSVMClassifier`. Several targets share λ and θ, so targets in different
    units should be standardised.

    Parameters
    ----------
    selection : {"loo", "cv", "bayes", "evidence"} or None, default="loo"
        The criterion that is minimised over λ and θ: the leave-one-out squared loss (PRESS), the
        k-fold squared loss, PRESS with Bayesian regularisation of θ, or the negative logarithm of
        the evidence, which is the marginal likelihood of a Gaussian process: nothing is held out.
        None takes ``lam`` and ``theta`` as they are.
    lam : float, optional
        λ; `selection` chooses it if not given, together with θ. In
        :class:`kernlearn.FirstLevelRegressor` λ and μ are chosen apart from θ, and each says how.
    cv : int, splitter or iterable, default=5
        For "cv": the number of folds, shuffled, or the folds themselves. Every row is held out
        once.
    tol : float, default=1e-4
        Largest slope of the criterion's logarithm, with respect to log λ and log θ, at the end. It
        is smaller than in :class:`kernlearn.FirstLevelRegressor`, whose loss has no closed form.
    max_iter : int, default=1000
        Limit on the steps of a descent over λ and all of θ. It is higher than in
        :class:`kernlearn.FirstLevelRegressor`, whose search is over two numbers.

    Attributes
    ----------
    objective_ : float
        The criterion at its minimum: PRESS, the k-fold squared loss, or for "bayes"
        (n/2) log PRESS + (p/2) log ½‖θ‖². For "evidence" minus the logarithm of the evidence, with
        a flat prior of the intercept and the variance of the errors that makes it largest. PRESS
        if nothing was selected.
    dual_coef_ : ndarray of shape (n_targets, n_support)
        α, one row for each target.
    intercept_ : ndarray of shape (n_targets,)
        b.
    loo_loss_ : float
        Mean squared error of ``loo_predictions_``, summed over targets: PRESS over the total
        weight. Optimistic if λ and θ were selected by PRESS.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn import LSSVMRegressor
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> model = LSSVMRegressor().fit(X, np.sin(X[:, 0]))
    >>> bool(model.score(X, np.sin(X[:, 0])) > 0.999)
    True
    """

    @property
    def _predicts_means(self) -> bool:
        """Whether squared errors measure the predictions."""
        return True

    def __init__(
        self,
        kernel: str | Kernel | ParametricKernel = "rbf",
        selection: str | None = "loo",
        lam: float | None = None,
        theta: ArrayLike | None = None,
        *,
        cv: FoldsLike = 5,
        tol: float = 1e-4,
        max_iter: int = 1000,
        starts: str = "several",
        random_state: RandomState = 0,
        rank: int | str | None = "auto",
        device: str | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], object] | None = None,
        time_limit: float | None = None,
    ) -> None:
        self.kernel = kernel
        self.selection = selection
        self.lam = lam
        self.theta = theta
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter
        self.starts = starts
        self.random_state = random_state
        self.rank = rank
        self.device = device
        self.verbose = verbose
        self.callback = callback
        self.time_limit = time_limit

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> LSSVMRegressor:
        """Select λ and θ, and train.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Training rows. Rows of a Dask array or data frame stay where they are.
        y : array-like of shape (n,) or (n, n_targets)
            Targets.
        sample_weight : array-like of shape (n,), optional
            The weights s of the squared errors, in training and in selection.
        groups : array-like of shape (n,), optional
            Labels of the rows that belong together, patients for example: rows of one group are
            left out together, and are in one fold. With groups there is no solver through
            landmarks.

        Returns
        -------
        self : LSSVMRegressor
            Fitted.
        """
        with rollback_on_error(self):
            rows, target = self._checked_with_target(X, y, multi_output=True, y_numeric=True)
            target = np.asarray(target, dtype=float)
            weight = self._sample_weight(sample_weight, len(target))
            check_differences(self, target[weight > 0])
            Y = target.reshape(len(target), -1)
            compared = rows if self._options.copies_together else None
            together = RowGroups.of(compared, groups, len(target))
            self._learn(LeastSquaresData(rows, Y, target, weight, False, together))
            self._flat = target.ndim == 1
            left_out = self.loo_predictions_.reshape(Y.shape)
            found = None
            if self._predicts_means:
                found = chance_of_numbers(left_out, Y, weight, together.known)
            report_chance(self, found, stacklevel=2)
            return self

    @lazy_on_dask
    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        r"""Predict targets.

        The standard deviation is that of a new observation, with the machine read as a Gaussian
        process of covariance :math:`s^2 k` with a flat prior of the intercept and noise
        :math:`s^2\lambda`:

        .. math:: s^2 \bigl( k(x,x) - k_x^\top A^{-1} k_x
                  + (1 - 1^\top A^{-1} k_x)^2 / (1^\top A^{-1} 1) + \lambda \bigr), \qquad
                  A = K + \lambda \operatorname{diag}(1/s_i),

        where s² makes the leave-one-out residuals as large as they should be,
        :math:`s^2 = \tfrac1n\sum_i r_i^2 P_{ii}`. The variance takes one factorisation more.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Rows, as in ``fit``.
        return_std : bool, default=False
            Whether to return standard deviations too.

        Returns
        -------
        values : ndarray of shape (n,) or (n, n_targets)
            Predictions, of the shape of the y of ``fit``.
        std : ndarray of the same shape, if asked for
            Standard deviations.
        """
        values = self._shaped(self._decision(X))
        if not return_std:
            return values
        if self.rank_ is not None:
            raise ValueError(
                f"expected rank=None for return_std=True, got {counted(self.rank_, 'landmark')}, "
                "which underestimate the spread away from them; use predict_interval"
            )
        return values, self._shaped(self._predictor().std(self._checked(X, False), self.lam_))

    @lazy_on_dask
    def predict_interval(self, X: ArrayLike, coverage: float = 0.9) -> Array:
        """Intervals that hold new targets with a given probability.

        Jackknife+, from the leave-one-out residuals and the leave-one-out machines at the new
        points, all in closed form; λ and θ are kept. One factorisation more, and memory for
        blocks of points. Through landmarks CV+, from machines that miss a fifth of the rows each.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Rows, as in ``fit``.
        coverage : float, default=0.9
            The probability, between 0 and 1.

        Returns
        -------
        interval : ndarray of shape (n, 2) or (n, n_targets, 2)
            Lower and upper ends; infinite if there are too few rows for the coverage.
        """
        coverage = check_coverage(coverage)
        check_is_fitted(self)
        rows = self._checked(X, reset=False)
        if self.rank_ is not None:
            ends = [
                LandmarkFolds(**folds).interval([self.kernel_], self.landmarks_, rows, coverage)
                for folds in self._folds
            ]
            return self._shaped(np.stack(ends, axis=1))
        return self._shaped(self._predictor().interval(rows, coverage))

    def _predictor(self) -> LeastSquaresPredictor:
        return LeastSquaresPredictor(
            self.kernel_,
            self.support_vectors_,
            self._ridge,
            self.dual_coef_,
            self.intercept_,
            self._groups,
        )

    def _shaped(self, values: Array) -> Array:
        """Values in the shape of y: without an axis for a single target."""
        return values[:, 0] if self._flat else values
