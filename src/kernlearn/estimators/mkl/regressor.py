"""Regression with a learned combination of kernels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from kernlearn.estimators.held_out.chance import chance_of_numbers, report_chance
from kernlearn.estimators.held_out.intervals import (
    FoldPredictor,
    LeastSquaresPredictor,
    check_coverage,
)
from kernlearn.estimators.inputs.dask_rows import lazy_on_dask
from kernlearn.estimators.inputs.ownership import rollback_on_error
from kernlearn.estimators.mkl.combination import CombinationFit
from kernlearn.estimators.mkl.extension import ExtendableCombination
from kernlearn.estimators.mkl.held_out_loss import regression_rule
from kernlearn.estimators.mkl.low_rank import LandmarkFolds
from kernlearn.estimators.mkl.moved_intercept import move_intercept
from kernlearn.estimators.mkl.options import MKLOptions
from kernlearn.estimators.mkl.spread import tube_of
from kernlearn.estimators.mkl.table_inputs import TableInputs
from kernlearn.quality.registry import quality_names
from kernlearn.runtime.phrases import counted
from kernlearn.solvers.engine.refits import FoldMachines
from kernlearn.solvers.engine.statement import HoldOut
from kernlearn.typing import Array, FoldsLike, RandomState, Rows


class MKLRegressor(RegressorMixin, ExtendableCombination):  # type: ignore[misc]
    r"""Support vector or least-squares regression that learns how to combine several kernels.

    Parameters
    ----------
    quality : str, default="epsilon_svr"
        The machine whose value is minimised: "epsilon_svr", "nu_svr", "huber", "quantile" (the
        pinball loss) or "least_squares".
    C : float or "auto", default="auto"
        The box −C ≤ a ≤ C, as in scikit-learn's SVR; the inverse ridge of "least_squares", and
        the factor of the loss of "huber" and "quantile". "auto" searches six values, in units of
        the targets' spread where that matters, for the smallest held-out squared error, or loss of
        "huber" and "quantile", as in :class:`kernlearn.MKLClassifier`. A box given as a number is
        in units of y: targets in other units need another, so that the default is "auto" here and
        1 for the classifier.
    epsilon : float or "auto", default="auto"
        Half the width of the tube of "epsilon_svr", in units of y. "auto" is a tenth of the
        targets' spread, the interquartile range over 1.35: the standard deviation of normal
        targets. The unit and the origin of y then change nothing but the unit of the predictions.
        For "huber" the residual beyond which the loss is linear, "auto" three tenths of the spread.
    nu : float, default=0.3
        For "nu_svr", in (0, 1]: upper bound on the share of rows outside the tube. Ong et al.
        (2005) have 0.3, scikit-learn's NuSVR 0.5.
    rank : int, "auto" or None, default="auto"
        None solves on Gram matrices of all rows. An integer approximates every kernel through that
        many landmarks (rows of X), in time linear in the rows and with nothing of size n × n.
        "auto" does so above 3000 rows, with a number that the held-out loss chooses. For
        "least_squares", "epsilon_svr", "huber" and "quantile". Not with
        ``X_unlabeled``. With "least_squares" and positive weights, kernels that are inner
        products of sparse features, such as words, need no landmarks.
    cv : int, splitter or iterable of pairs of rows, default=5
        Folds by which rows are held out, for ``C="auto"``, equal shares and intervals.
        Closed-form leave-one-out needs no folds; with ``groups``, a splitter or pairs of rows these
        folds take its place.
    options : MKLOptions, optional
        Options that few fits need, such as the level of "quantile", centring, constraints or a
        penalty on the weights, a share that is equal for all sources, or a callback: see
        :class:`kernlearn.MKLOptions`.

    Attributes
    ----------
    kernels_ : list of Kernel
        The kernels that were combined, with normalising and centring if asked for. With a family,
        the sequence of its kernels as they are; those with weight are in ``kernel_.kernels``.
    bank_notes_ : list of str
        How default kernels were chosen: their bandwidths, and the kernels that were left out.
    views_ : dict
        If X held several views, the name of each and its place among all columns.
    active_kernels_, active_weights_ : ndarray of shape (n_active,)
        Numbers of the kernels that have weight, and these weights.
    C_ : float
        The C used: the one given, chosen or learned.
    penalty_strength_ : float
        With a penalty of strength "auto": the strength with the smallest held-out loss.
    loss_by_strength_ : ndarray of shape (4, 2)
        Every strength of the penalty that was tried, and its loss on rows held out.
    equal_share_ : float
        The part of the total that sources share equally: the one given or chosen.
    epsilon_ : float
        The ``epsilon`` that was used, in units of y.
    loss_by_C_ : ndarray of shape (n_tried, 2)
        With ``C="auto"``, every C that was tried and its mean squared error on rows held out.
    loss_by_rank_ : dict
        ``"rank"`` and ``"loss"``: the held-out squared error of least squares at the learned
        weights, for this and smaller ranks. If it still falls, more rank would help.
    device_ : str
        Device of the computations over the rows: "cpu", or a library and its device, such as
        "torch:cuda:0".
    certificate_covers_ : str
        With a range of kernels: which of them the duality gap holds for.
    extension_ : Extension
        After ``extend``: whether the weights were kept or learned again. Predictions of new rows
        are in ``transduction_``, after those of ``X_unlabeled``.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn import MKLRegressor
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> model = MKLRegressor(epsilon=0.01).fit(X, np.sin(X[:, 0]))
    >>> bool(model.score(X, np.sin(X[:, 0])) > 0.99)
    True
    """

    def __init__(
        self,
        kernels: object = None,
        quality: str = "epsilon_svr",
        C: float | str = "auto",
        weights: str = "positive",
        *,
        epsilon: float | str = "auto",
        nu: float = 0.3,
        normalize: bool = False,
        missing: str | None = None,
        rank: int | str | None = "auto",
        cv: FoldsLike = 5,
        device: str | None = None,
        tol: float = 1e-6,
        random_state: RandomState = 0,
        verbose: int = 0,
        time_limit: float | None = None,
        options: MKLOptions | None = None,
    ) -> None:
        self.kernels = kernels
        self.quality = quality
        self.C = C
        self.weights = weights
        self.epsilon = epsilon
        self.nu = nu
        self.normalize = normalize
        self.missing = missing
        self.rank = rank
        self.cv = cv
        self.device = device
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.time_limit = time_limit
        self.options = options

    def fit(
        self,
        X: Rows,
        y: Rows,
        *,
        sample_weight: Rows = None,
        X_unlabeled: Rows = None,
        groups: Rows = None,
    ) -> Self:
        """Learn the kernel and the regression.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features), or dict or list of these
            Training rows. Each table of a dictionary or list is a view with kernels of its
            own: the default bank, or those of ``kernels``, on its columns alone. Predictions take
            the same views, by their names and in any order if they have names. Rows of views
            belong together by position: data frames that have row labels in common, in other
            rows, are refused. The rows of a Dask array or data frame stay where they are.
        y : array-like of shape (n,)
            Targets.
        sample_weight : array-like of shape (n,), optional
            Multiplies C row by row.
        X_unlabeled : array-like or data frame, optional
            Rows without targets; their predictions are in ``transduction_``.
        groups : array-like of shape (n,), optional
            A label for each row, such as the patient it is of. Rows of one group are held out
            together wherever rows are held out: for C, shares, the bandwidths of the default
            kernels, ranks, probabilities and intervals.

        Returns
        -------
        self : MKLRegressor
            Fitted.
        """
        with rollback_on_error(self):
            inputs = TableInputs(self)
            rows, y = inputs.checked_with_target(X, y, y_numeric=True)
            unlabeled = inputs.checked_unlabeled(X, X_unlabeled)
            target = y.astype(float)
            weight = inputs.weights(sample_weight, rows)
            kept = weight > 0
            self.epsilon_, has_warned = tube_of(self, target[kept], weight[kept])
            # The intercept takes up any offset; working around it keeps the numbers small.
            offset = float(np.average(target, weights=weight))
            qualities = quality_names("values", "either")
            fit = self._learn(
                rows, lambda kept: [target[kept] - offset], weight, unlabeled, qualities, groups
            )
            self._offset, self._warns_of_chance = offset, not has_warned
            self._finish(fit)
            if fit.transduced is not None:
                self._transduce(fit.transduced + offset)
            return self

    @lazy_on_dask
    def predict(self, X: Rows, return_std: bool = False) -> Any:
        """Predict targets.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Rows, as in ``fit``.
        return_std : bool, default=False
            Whether to return standard deviations of new observations too, for
            ``quality="least_squares"``; as in :class:`kernlearn.LSSVMRegressor`, with λ = 1/C.

        Returns
        -------
        values : ndarray of shape (n,)
            Predictions.
        std : ndarray of shape (n,), if asked for
            Standard deviations.
        """
        values = self._decision(X)[:, 0]
        if not return_std:
            return values
        if self.rank_ is not None:
            raise ValueError(
                f"expected rank=None for return_std=True, got {counted(self.rank_, 'landmark')}, "
                "which underestimate the spread away from them; use predict_interval"
            )
        if self._ridge is None:
            raise ValueError(
                "expected quality='least_squares' for return_std=True, got "
                f"{self.quality!r}, which is no Gaussian process; use predict_interval"
            )
        rows = self._checked(X, reset=False)
        return values, self._least_squares(self._ridge).std(rows, 1.0 / self.C_)[:, 0]

    @lazy_on_dask
    def predict_interval(self, X: Rows, coverage: float = 0.9) -> Array:
        """Intervals that hold new targets with a given probability.

        For "least_squares" jackknife+ in closed form, as in :class:`kernlearn.LSSVMRegressor`;
        for the other machines CV+, from machines that were trained without a fold each. With
        ``groups`` in the fit, rows of a group are left out together. The kernel is the one learned
        from all rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Rows, as in ``fit``.
        coverage : float, default=0.9
            The probability, between 0 and 1.

        Returns
        -------
        interval : ndarray of shape (n, 2)
            Lower and upper ends; infinite if there are too few rows for the coverage.
        """
        coverage = check_coverage(coverage)
        check_is_fitted(self)
        rows = self._checked(X, reset=False)
        if self._ridge is not None:
            return self._least_squares(self._ridge).interval(rows, coverage)[:, 0]
        if self.rank_ is not None:
            folds = LandmarkFolds(**self._folds)
            return folds.interval(self.kernel_.kernels, self.landmarks_, rows, coverage)
        return FoldPredictor(**self._folds).interval(self.kernel_, rows, coverage)

    def _finish(self, fit: CombinationFit) -> None:
        """Keep what intervals need, and add the targets' offset to the intercept."""
        found = self._keep_held_out(fit, self._offset)
        move_intercept(self, self._offset, fit.data.weight)
        report_chance(self, found, stacklevel=3, warns=self._warns_of_chance)

    def _transduce(self, values: Array) -> None:
        self.transduction_ = values[:, 0]

    def _hold_out_rule(self) -> HoldOut:
        return regression_rule(self)

    def _keep_held_out(self, fit: CombinationFit, offset: float) -> str | None:
        """Keep what intervals need: the ridge, or machines trained without a fold each.

        The scores of a fit that is no better than the mean on held-out rows are returned.
        """
        data, held_out, solution = fit.data, fit.engine_fit.held_out, fit.engine_fit.solution
        self._ridge: Array | None = None
        self._groups = data.groups
        assert held_out is not None
        if self.rank_ is None and self.quality == "least_squares":
            self._ridge = 1.0 / (self.C_ * data.weight)
        else:
            assert isinstance(held_out, FoldMachines)
            # Model files hold plain types: a dictionary of arrays.
            if self.rank_ is None:
                folds = FoldPredictor.of(held_out, data.X, data.targets[0], offset)
                self._folds = vars(folds)
            else:
                known = solution.factors, data.targets[0], offset
                self._folds = vars(LandmarkFolds.of(held_out, *known))
        if self.quality == "quantile":
            return None  # no quantile but the middle one is to be near to the targets
        Y, weight = np.column_stack(data.targets)[held_out.rows], data.weight[held_out.rows]
        together = None if data.groups is None else data.groups[held_out.rows]
        return chance_of_numbers(held_out.values, Y, weight, together)

    def _least_squares(self, ridge: Array) -> LeastSquaresPredictor:
        known = ridge, self.dual_coef_, self.intercept_, self._groups
        return LeastSquaresPredictor(self.kernel_, self.support_vectors_, *known)
