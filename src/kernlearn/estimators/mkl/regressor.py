"""Regression with a learned combination of kernels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from kernlearn.estimators.held_out.chance import chance_of_numbers, tell_chance
from kernlearn.estimators.held_out.intervals import (
    FoldPredictor,
    LeastSquaresPredictor,
    check_coverage,
)
from kernlearn.estimators.inputs.dask_rows import lazy_on_dask
from kernlearn.estimators.inputs.ownership import rollback_on_error
from kernlearn.estimators.mkl.combination import CombinationFit
from kernlearn.estimators.mkl.extension import ExtendableCombination
from kernlearn.estimators.mkl.held_out_loss import hold_out_rule, losses_of, squared_losses
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
    kernels : list of Kernel, or a family of kernels, optional
        What to combine. By default a linear, a quadratic and four Gaussian kernels, whose widths
        lie around the one at which a least-squares machine has the smallest leave-one-out loss on a
        sample of the rows; on columns scaled one by one if that predicts clearly better; through
        landmarks also kernels on the pairs of columns that say most together. Kernels that are
        nearly constant or nearly the identity are left out. If X holds several views, every kernel
        is on each of them, and ``Columns("genes", kernel)`` on the view of that name alone. A
        family, :class:`kernlearn.kernels.PerColumn`, :class:`kernlearn.kernels.Grid` or any object
        with a length that makes its i-th kernel on demand, may have hundreds of thousands: they are
        evaluated one by one and never stored. It takes positive weights of a machine at a given C,
        or at ``C="auto"``. :class:`kernlearn.kernels.GaussianRange` has every bandwidth of an
        interval.
    quality : str, default="epsilon_svr"
        The machine whose value is minimised: "epsilon_svr", "nu_svr", "huber", "quantile" (the
        pinball loss) or "least_squares".
    C : float or "auto", default="auto"
        The box −C ≤ a ≤ C, as in scikit-learn's SVR; the inverse ridge of "least_squares", and
        what multiplies the loss of "huber" and "quantile". "auto" searches six values, in units of
        the targets' spread where that matters, for the smallest held-out squared error, or loss of
        "huber" and "quantile", as in :class:`kernlearn.MKLClassifier`. A box given as a number is
        in units of y: targets in other units need another, so that the default is "auto" here and
        1 for the classifier.
    weights : {"positive", "free"}, default="positive"
        Positive weights, or any sign with K(w) ⪰ 0 on the points given to ``fit``. On other points
        the kernel may be indefinite; then :class:`kernlearn.exceptions.IndefiniteKernelWarning` is
        raised, and ``extend`` is the cure.
    epsilon : float or "auto", default="auto"
        Half the width of the tube of "epsilon_svr", in units of y. "auto" is a tenth of the
        targets' spread, the interquartile range over 1.35: the standard deviation of normal
        targets. The unit and the origin of y then change nothing but the unit of the predictions.
        For "huber" the residual beyond which the loss is linear, "auto" three tenths of the spread.
    nu : float, default=0.3
        For "nu_svr", in (0, 1]: upper bound on the share of rows outside the tube. Ong et al.
        (2005) have 0.3, scikit-learn's NuSVR 0.5.
    normalize : bool, default=False
        Give every kernel a unit diagonal, k(x, z)/√(k(x, x) k(z, z)). It is on by default for
        :class:`kernlearn.MKLNoveltyDetector` alone.
    missing : {None, "mean", "complete"}, default=None
        How to treat rows that lack a whole source, that is, all cells of a kernel's `Columns`, or
        its text or other thing. None refuses them. "mean" puts them at the mean of the rows that
        have the source, where their kernel with every row is zero
        (:class:`kernlearn.kernels.WhereKnown`). "complete" places them by what they have of the
        other sources (:class:`kernlearn.kernels.Completed`). Any pattern of gaps can be predicted;
        a row without any source is at the mean of each. Centring and the unit diagonal come after.
    rank : int, "auto" or None, default="auto"
        None solves on Gram matrices of all rows. An integer approximates every kernel through that
        many landmarks (rows of X), in time linear in the rows and with nothing of size n × n.
        "auto" does so above 3000 rows, with as many as the held-out loss asks for. For
        "least_squares", "epsilon_svr", "huber" and "quantile". Not with
        ``X_unlabeled``. With "least_squares" and positive weights, kernels that are inner
        products of sparse features, such as words, need no landmarks.
    cv : int, splitter or iterable of pairs of rows, default=5
        Folds by which rows are held out, for ``C="auto"``, equal shares and intervals.
        Closed-form leave-one-out needs no folds; with ``groups``, a splitter or pairs of rows these
        folds take its place.
    device : None, "cpu", "cuda" or the like of "cuda:1", default=None
        Where kernels and products over rows are computed when learning through landmarks, and
        predictions from them; and where the kernels of a :class:`kernlearn.kernels.Grid` on Gram
        matrices are priced. None follows X: an array of PyTorch or CuPy is worked on where it
        is, all else on the host. Fitted attributes and predictions are arrays of NumPy.
    tol : float, default=1e-6
        Relative duality gap to reach. The least-squares estimators, such as
        :class:`kernlearn.LSSVMClassifier`, solve no convex problem: their ``tol`` is on a slope.
    random_state : int, RandomState or None, default=0
        Seed of the sample from which the default kernels take their widths, of landmarks, and of
        folds.
    verbose : int, default=0
        Print a line of progress for every kernel tried.
    time_limit : float, optional
        Seconds after which the fit ends, checked after every step. After such an end, and after
        one by a callback or by Ctrl-C, what was learned so far is kept: ``duality_gap_``
        says how far it may be off, ``status_`` why it ended.
    options : MKLOptions, optional
        What few fits need, such as the level of "quantile", centring, constraints or a penalty on
        the weights, a share that is equal for all sources, or a callback: see
        :class:`kernlearn.MKLOptions`.

    Attributes
    ----------
    weights_ : ndarray of shape (m,)
        Learned weights; exactly zero for kernels that are not used.
    kernel_ : Kernel
        The learned kernel, to be called on new data or handed to ``SVC(kernel=...)``.
    kernels_ : list of Kernel
        The kernels that were combined, with normalising and centring where asked for. Of a family,
        the sequence of its kernels as they are; those with weight are in ``kernel_.kernels``.
    bank_notes_ : list of str
        Where the kernels were chosen for the data: at which width, and which were left out.
    views_ : dict
        Where X held several views: the name of each, and its place among all columns.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        Signed dual coefficients.
    intercept_ : ndarray of shape (n_machines,)
        Intercepts.
    active_kernels_, active_weights_ : ndarray of shape (n_active,)
        Numbers of the kernels that have weight, and these weights.
    support_ : ndarray of shape (n_support,)
        Rows of X with a coefficient.
    support_vectors_ : array or data frame of shape (n_support, n_features)
        Those rows.
    objective_, lower_bound_, duality_gap_ : float
        The certificate: value, a bound no weights can beat, and the relative gap between them.
    status_ : Status
        How the solution ended.
    n_machine_solves_, n_iter_ : int
        Machines solved, and kernels tried.
    history_ : tuple of Step
        Objective and lower bound after every kernel tried.
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
    rank_ : int or None
        Columns of the largest factor through landmarks, 0 if no kernel needs any; None on Gram
        matrices. With landmarks there are no ``dual_coef_``, ``support_`` and
        ``support_vectors_``, but what follows.
    landmarks_, landmark_coef_ : list of m arrays
        The landmarks of each kernel, and the coefficients of k(x, landmark) for each machine. A
        kernel whose sparse features were taken as they are has None, and coefficients of these.
    residual_trace_ : ndarray of shape (m,)
        The part of each kernel's trace that its landmarks leave out.
    loss_by_rank_ : dict
        ``"rank"`` and ``"loss"``: the held-out squared error of least squares at the learned
        weights, for this and smaller ranks. If it still falls, more rank would help.
    exact_lower_bound_ : float
        With the option ``certify="exact"``: a lower bound for any weights of the exact kernels.
    device_ : str
        Where the rows were worked on: "cpu", or a library and its device, "torch:cuda:0".
    certificate_covers_ : str
        Of a range of kernels: which of them the duality gap holds for.
    extension_ : Extension
        After ``extend``: whether the weights were kept or learned again. Predictions of new rows
        are in ``transduction_``, after those of ``X_unlabeled``.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if X was a data frame.

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
        kernels: Any = None,
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
        y: Any,
        *,
        sample_weight: Any = None,
        X_unlabeled: Rows = None,
        groups: Rows = None,
    ) -> Self:
        """Learn the kernel and the regression.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features), or dict or list of these
            Training points. Of a dictionary or list of tables, each is a view with kernels of its
            own: the default bank, or those of ``kernels``, on its columns alone. Predictions take
            the same views, by their names and in any order if they have such. Rows of views belong
            together by position: data frames that have row labels in common, in other rows, are
            refused. The rows of a Dask array or data frame stay where they are.
        y : array-like of shape (n,)
            Targets.
        sample_weight : array-like of shape (n,), optional
            Multiplies C point by point.
        X_unlabeled : array-like or data frame, optional
            Points without targets; their predictions are in ``transduction_``.
        groups : array-like of shape (n,), optional
            A label for each row, such as the patient it is of. Rows of one group are held out
            together wherever rows are held out: for C, shares, the widths of the default kernels,
            ranks, probabilities and intervals.

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
            self.epsilon_, is_told = tube_of(self, target[kept], weight[kept])
            # The intercept takes up any offset; working around it keeps the numbers small.
            offset = float(np.average(target, weights=weight))
            qualities = quality_names("values", "either")
            fit = self._learn(
                rows, lambda kept: [target[kept] - offset], weight, unlabeled, qualities, groups
            )
            self._offset, self._warns_of_chance = offset, not is_told
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
            Points.
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
            Points.
        coverage : float, default=0.9
            The probability, between 0 and 1.

        Returns
        -------
        interval : ndarray of shape (n, 2)
            Lower and upper ends; infinite where there are too few rows for the coverage.
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
        tell_chance(self, found, stacklevel=3, warns=self._warns_of_chance)

    def _transduce(self, values: Array) -> None:
        self.transduction_ = values[:, 0]

    def _hold_out_rule(self) -> HoldOut:
        losses = losses_of(self, squared_losses)
        return hold_out_rule(self._seed, losses, stratify=False, machines=True)

    def _keep_held_out(self, fit: CombinationFit, offset: float) -> str | None:
        """Keep what intervals need: the ridge, or machines trained without a fold each.

        What is known of a fit that is no better than the mean on those rows is returned.
        """
        data, held_out, solution = fit.data, fit.learned.held_out, fit.learned.solution
        self._ridge: Array | None = None
        self._groups = data.groups
        assert held_out is not None
        if self.rank_ is None and self.quality == "least_squares":
            self._ridge = 1.0 / (self.C_ * data.weight)
        else:
            assert isinstance(held_out, FoldMachines)
            # Model files hold what is plain: a dictionary of arrays.
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
