"""Regression with a kernel learned at the first level of inference."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.estimators.held_out.intervals import (
    LeastSquaresPredictor,
    check_coverage,
    plus_interval,
)
from kernlearn.estimators.inputs.dask_rows import lazy_on_dask
from kernlearn.estimators.least_squares.first_level import FirstLevel
from kernlearn.estimators.least_squares.first_level_options import FirstLevelOptions
from kernlearn.estimators.least_squares.lssvm_regressor import LSSVMRegressor
from kernlearn.families.parametric import ParametricKernel
from kernlearn.families.penalties import WeightPenalty
from kernlearn.kernels import Kernel
from kernlearn.runtime.stopping import Progress
from kernlearn.typing import Array, FoldsLike, RandomState


class FirstLevelRegressor(FirstLevel, LSSVMRegressor):
    r"""Least-squares regression that learns a scale for every column.

    It minimises equation (5) of Cawley and Talbot (2014), as
    :class:`kernlearn.FirstLevelClassifier` does, with y the targets. Several targets share θ, λ
    and μ, so targets in different units should be standardised. Huber's loss and the pinball loss
    of quantiles may take the place of squares.

    Parameters
    ----------
    lam : float, "cv" or "evidence", default="cv"
        λ, or how it is chosen: by the squared loss on held-out folds, or by the evidence for λ and
        μ, in Laplace's approximation, for which nothing is held out.
    loss : {"squared", "huber", "quantile"}, default="squared"
        The loss of the training criterion, and of the held-out folds by which λ and μ are chosen.
        "huber" is ½r² for residuals r up to ``epsilon`` and linear beyond, which is robust to few
        outlying targets. "quantile" is the pinball loss max(q r, (q − 1) r): f is the
        q-quantile. Both take some times as long, and train on the matrix of all rows and on the
        host alone.
    epsilon : float or "auto", default="auto"
        For "huber", in units of y. "auto" is 1.345 times the errors' size, which is the robust
        spread of leave-one-out residuals at the family's start.
    cv : int, splitter or iterable, default=5
        The number of folds, shuffled, or the folds themselves. Every row is held out once.
    tol : float, default=3e-4
        Largest slope of the logarithm of that loss, by log λ and log μ, at the end; if the
        loss has a kink, λ and μ are found to half a per cent. For the simplex, its size. It is
        larger than in :class:`kernlearn.LSSVMRegressor`, whose criterion has a closed form: here θ
        is found by a descent in every fold.
    max_iter : int, default=200
        Limit on the evaluations of that loss, and on the machines trained for each θ. The search
        is over λ and μ alone; that of :class:`kernlearn.LSSVMRegressor` is over all of θ, too, and
        may take 1000 steps.

    Attributes
    ----------
    cv_loss_ : float or None
        Mean of ½(y - f)², or of another ``loss``, over held-out points, summed over targets; None
        where λ and μ were given, or chosen by the evidence.
    loo_loss_ : float
        Mean squared error of ``loo_predictions_``, summed over targets, or mean of another
        ``loss``, where the values are those of one Newton step. Optimistic, since θ was learned
        with the row; ``cv_loss_`` is not.
    dual_coef_ : ndarray of shape (n_targets, n_support)
        α, one row for each target.
    intercept_ : ndarray of shape (n_targets,)
        b.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn import FirstLevelRegressor
    >>> X = np.random.default_rng(0).normal(size=(80, 2))
    >>> model = FirstLevelRegressor().fit(X, np.sin(2 * X[:, 0]))
    >>> bool(model.score(X, np.sin(2 * X[:, 0])) > 0.99)
    True
    """

    _losses = ("squared", "huber", "quantile")

    def __init__(
        self,
        kernel: str | Kernel | ParametricKernel = "ard",
        lam: float | str = "cv",
        mu: float | str = "cv",
        *,
        loss: str = "squared",
        epsilon: float | str = "auto",
        penalty: WeightPenalty | None = None,
        cv: FoldsLike = 5,
        tol: float = 3e-4,
        max_iter: int = 200,
        random_state: RandomState = 0,
        rank: int | str | None = "auto",
        device: str | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], object] | None = None,
        time_limit: float | None = None,
        options: FirstLevelOptions | None = None,
    ) -> None:
        self.kernel = kernel
        self.lam = lam
        self.mu = mu
        self.loss = loss
        self.epsilon = epsilon
        self.penalty = penalty
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.rank = rank
        self.device = device
        self.verbose = verbose
        self.callback = callback
        self.time_limit = time_limit
        self.options = options

    @property
    def _predicts_means(self) -> bool:
        """Whether squared errors measure the predictions."""
        return self.loss == "squared"

    @lazy_on_dask
    def predict_interval(self, X: ArrayLike, coverage: float = 0.9) -> Array:
        """Intervals that hold new targets with a given probability.

        For squares as in :class:`kernlearn.LSSVMRegressor`. For another loss the jackknife: a
        quantile of the sizes of approximate leave-one-out residuals on either side of the
        prediction.

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
        if self.loss == "squared":
            return super().predict_interval(X, coverage)
        coverage, values = check_coverage(coverage), self._decision(X)
        ends = [
            plus_interval(np.zeros((1, len(r))), r, coverage)[0] for r in self._left_out_residuals.T
        ]
        return self._shaped(values[:, :, None] + np.stack(ends))

    def _predictor(self) -> LeastSquaresPredictor:
        if self.loss != "squared":
            raise ValueError(
                f"expected loss='squared' for return_std=True, got loss={self.loss!r}, which is no "
                "Gaussian process; use predict_interval"
            )
        return super()._predictor()
