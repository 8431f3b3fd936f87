"""Regression with a kernel learned at the first level of inference."""

from __future__ import annotations

from collections.abc import Callable

from kernlearn.estimators.least_squares.first_level import FirstLevel
from kernlearn.estimators.least_squares.lssvm_regressor import LSSVMRegressor
from kernlearn.families.parametric import ParametricKernel
from kernlearn.kernels import Kernel
from kernlearn.runtime.stopping import Progress
from kernlearn.typing import FoldsLike, RandomState


class FirstLevelRegressor(FirstLevel, LSSVMRegressor):
    r"""Least-squares regression that learns its kernel together with itself.

    It minimises equation (5) of Cawley and Talbot (2014), as
    :class:`kernlearn.FirstLevelClassifier` does, with y the targets. Several targets share θ, λ
    and μ, so targets in different units should be standardised.

    Parameters
    ----------
    kernel, lam, mu
        As in :class:`kernlearn.FirstLevelClassifier`.
    cv : int, splitter or iterable, default=5
        The number of folds, shuffled, or the folds themselves. Every row is held out once.
    strategy, tol, max_iter, starts, random_state, rank, refit, device
        As in :class:`kernlearn.FirstLevelClassifier`.
    verbose, callback, time_limit
        As in :class:`kernlearn.FirstLevelClassifier`.

    Attributes
    ----------
    theta_, lam_, mu_, kernel_, support_, support_vectors_, objective_, cv_loss_
        As in :class:`kernlearn.FirstLevelClassifier`.
    n_duplicates_, n_iter_, n_evaluations_, n_machine_solves_, status_
        Likewise.
    loo_predictions_, loo_loss_
        As in :class:`kernlearn.LSSVMRegressor`; too hopeful, since θ was learned with the row.
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

    def __init__(
        self,
        kernel: str | Kernel | ParametricKernel = "ard",
        lam: float | str = "cv",
        mu: float | str = "cv",
        *,
        cv: FoldsLike = 5,
        strategy: str = "gradient",
        tol: float = 3e-4,
        max_iter: int = 200,
        starts: str = "several",
        random_state: RandomState = 0,
        rank: int | str | None = "auto",
        refit: str = "auto",
        device: str | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], object] | None = None,
        time_limit: float | None = None,
    ) -> None:
        self.kernel = kernel
        self.lam = lam
        self.mu = mu
        self.cv = cv
        self.strategy = strategy
        self.tol = tol
        self.max_iter = max_iter
        self.starts = starts
        self.random_state = random_state
        self.rank = rank
        self.refit = refit
        self.device = device
        self.verbose = verbose
        self.callback = callback
        self.time_limit = time_limit
