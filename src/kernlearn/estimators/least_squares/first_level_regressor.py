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
    r"""Least-squares regression that learns its kernel together with itself.

    It minimises equation (5) of Cawley and Talbot (2014), as
    :class:`kernlearn.FirstLevelClassifier` does, with y the targets. Several targets share θ, λ
    and μ, so targets in different units should be standardised. Huber's loss and the pinball loss
    of quantiles may take the place of squares.

    Parameters
    ----------
    kernel : {"ard", "rbf", "ard_polynomial", "substitution"} or ParametricKernel, default="ard"
        The family K(θ): a Gaussian with a scale for every column or with one for all, a
        polynomial with a scale for every column, similarities of the letters of sequences, with X a
        list of strings, or a family of one's own. The default has a scale for every column, since
        μ keeps many of them from over-fitting; that of an LS-SVM, which has no μ, is "rbf".
    lam : float, "cv" or "evidence", default="cv"
        λ, or how it is chosen: by the squared loss on held-out folds, or by the evidence for λ and
        μ, in Laplace's approximation, for which nothing is held out.
    mu : float, "cv" or "evidence", default="cv"
        μ, or how it is chosen, in the same way as λ.
    loss : {"squares", "huber", "quantile"}, default="squares"
        The loss of the training criterion, and of the held-out folds by which λ and μ are chosen.
        "huber" is ½r² for residuals r up to ``epsilon`` and linear beyond, so that few outlying
        targets do not rule. "quantile" is the pinball loss max(q r, (q − 1) r): f is the
        q-quantile. Both take some times as long, and train on the matrix of all rows and on the
        host alone.
    epsilon : float or "auto", default="auto"
        For "huber", in units of y. "auto" is 1.345 times the errors' size, which is the robust
        spread of leave-one-out residuals at the family's start.
    penalty : Penalty, optional
        Ω(θ), which μ multiplies, in place of ½‖θ‖²: :class:`kernlearn.penalties.L1Norm`, for which
        many columns have a θ of zero, :class:`kernlearn.penalties.GroupNorm` for columns that
        belong together, :class:`kernlearn.penalties.NearTheta` for a prior θ₀, or a sum of them.
        A strength of "auto" counts as one. On the matrix of all rows and on the host alone.
    cv : int, splitter or iterable, default=5
        The number of folds, shuffled, or the folds themselves. Every row is held out once.
    tol : float, default=3e-4
        Largest slope of the logarithm of that loss, by log λ and log μ, at the end; where the
        loss has a kink, λ and μ are found to half a per cent. For the simplex, its size. It is
        larger than in :class:`kernlearn.LSSVMRegressor`, whose criterion has a closed form: here θ
        is found by a descent in every fold.
    max_iter : int, default=200
        Limit on the evaluations of that loss, and on the machines trained for each θ. The search
        is over λ and μ alone; that of :class:`kernlearn.LSSVMRegressor` is over all of θ, too, and
        may take 1000 steps.
    random_state : int, RandomState or None, default=0
        For shuffling rows into folds. Rows of small tables are sorted before, so that the order in
        which they came changes nothing.
    rank : int, "auto" or None, default="auto"
        None learns from the matrix of all rows. An integer is the number of landmarks (rows of X)
        that approximate the kernel, with nothing of size n × n. "auto" does so above 3000 rows,
        and the held-out loss chooses the number. On this many rows the penalty on θ is needless:
        leave-one-out loss takes its place, and ``mu_`` is zero. θ is learned on samples of up to
        16,000 rows through 1000 landmarks (on a GPU 50,000), λ by held-out loss. "auto" uses no
        landmarks if μ is given or chosen by the evidence, nor with the simplex of
        :class:`kernlearn.FirstLevelOptions`.
    device : None, "cpu", "cuda" or the like of "cuda:1", default=None
        Where kernels and products over rows are computed when learning through landmarks, and
        predictions from them. Without landmarks, too, the machines of all folds, which are trained
        together, for the kernels "ard" and "rbf" and the default search. None follows X: an
        array of PyTorch or CuPy is worked on where it is, all else on the host. Fitted attributes
        and predictions are arrays of NumPy.
    verbose : int, default=0
        Print a line for every λ and μ tried, and for every machine trained on all data then.
    callback : callable, optional
        Called with a :class:`kernlearn.results.Progress` for every such line; the fit ends when it
        returns True.
    time_limit : float, optional
        Seconds after which the fit ends, looked at in every fold. After such an end, and after
        one by the callback or by Ctrl-C, what was learned so far is kept: the best λ
        and μ, and a machine trained with them; ``status_`` says why it ended.
    options : FirstLevelOptions, optional
        What few fits need, such as where the search for λ and μ starts: see
        :class:`kernlearn.FirstLevelOptions`.

    Attributes
    ----------
    theta_ : ndarray of shape (p,)
        The paper's θ; for "ard" one for every column, and zero for a column that is left out.
    lam_, mu_ : float
        λ and μ. λ is raised where it would be lost in the rounding of K. μ is zero where θ was
        selected and not learned: through landmarks, and with the one bandwidth of an LS-SVM.
    kernel_ : Kernel
        The learned kernel, to be called on new data or handed to ``SVC(kernel=...)``.
    support_ : ndarray of shape (n_support,)
        Rows of X of positive weight; all of them have a coefficient.
    support_vectors_ : ndarray of shape (n_support, n_features) or (n_support,)
        Those rows.
    rank_ : int or None
        Number of landmarks, which are the ``support_vectors_``; None on the matrix of all rows.
    landmarks_ : list of one array
        The landmarks; through landmarks only.
    residual_trace_ : ndarray of shape (1,)
        The part of the kernel's trace that the landmarks leave out; through landmarks only.
    loss_by_rank_ : dict
        ``"rank"`` and ``"loss"``: the held-out squared error for this and smaller ranks. If it
        still falls, more rank would help. Through landmarks only.
    device_ : str
        Where the machines were trained: "cpu" for the host.
    refit_ : {"exact", "landmarks"} or None
        What was trained after θ was learned through landmarks; None where it was learned from the
        matrix of all rows.
    objective_ : float
        Equation (5) at its minimum.
    lower_bound_, duality_gap_ : float
        With "substitution", for which equation (5) is convex: a bound from below over all matrices,
        for these λ and μ, and the relative distance of ``objective_`` from it.
    substitution_matrix_ : dict of dict
        With "substitution": the similarity of the letters a and b is
        ``substitution_matrix_[a][b]``.
    log_evidence_ : float or None
        The logarithm of the evidence; None where λ and μ were not chosen by it.
    theta_std_ : ndarray of shape (p,) or None
        Standard deviations of θ in the posterior; None without the evidence.
    theta_p_ : ndarray of shape (p,) or None
        For each θ the p-value of θ = 0, "the column does not matter"; None without the evidence.
        With squares it is that of a likelihood ratio against the kernel without this θ, given λ and
        the others; with the logistic loss that of the normal posterior. NaN where no test can be
        computed.
    cv_loss_ : float or None
        Mean of ½(y - f)², or of another ``loss``, over held-out points, summed over targets; None
        where λ and μ were given, or chosen by the evidence.
    n_duplicates_ : int
        Rows that repeat an earlier one in every column. They are held out together with it, unless
        landmarks are used.
    n_iter_ : int
        Machines trained for the final θ.
    n_evaluations_, n_machine_solves_ : int
        Evaluations of the cross-validated loss, and all machines trained.
    status_ : Status
        How it ended.
    loo_predictions_ : ndarray of shape (n,) or (n, n_targets)
        Prediction of every row of X by the machine trained without it, or without its group, for
        these λ and θ.
    loo_loss_ : float
        Mean squared error of them, summed over targets, or mean of another ``loss``, where the
        values are those of one Newton step. Optimistic, since θ was learned with the row;
        ``cv_loss_`` is not.
    dual_coef_ : ndarray of shape (n_targets, n_support)
        α, one row for each target.
    intercept_ : ndarray of shape (n_targets,)
        b.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if X was a data frame.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn import FirstLevelRegressor
    >>> X = np.random.default_rng(0).normal(size=(80, 2))
    >>> model = FirstLevelRegressor().fit(X, np.sin(2 * X[:, 0]))
    >>> bool(model.score(X, np.sin(2 * X[:, 0])) > 0.99)
    True
    """

    _losses = ("squares", "huber", "quantile")

    def __init__(
        self,
        kernel: str | Kernel | ParametricKernel = "ard",
        lam: float | str = "cv",
        mu: float | str = "cv",
        *,
        loss: str = "squares",
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
        """Whether squared errors tell how good predictions are."""
        return self.loss == "squares"

    @lazy_on_dask
    def predict_interval(self, X: ArrayLike, coverage: float = 0.9) -> Array:
        """Intervals that hold new targets with a given probability.

        For squares as in :class:`kernlearn.LSSVMRegressor`. For another loss the jackknife: a
        quantile of the sizes of approximate leave-one-out residuals on either side of the
        prediction.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Points.
        coverage : float, default=0.9
            The probability, between 0 and 1.

        Returns
        -------
        interval : ndarray of shape (n, 2) or (n, n_targets, 2)
            Lower and upper ends; infinite where there are too few rows for the coverage.
        """
        if self.loss == "squares":
            return super().predict_interval(X, coverage)
        coverage, values = check_coverage(coverage), self._decision(X)
        ends = [
            plus_interval(np.zeros((1, len(r))), r, coverage)[0] for r in self._left_out_residuals.T
        ]
        return self._shaped(values[:, :, None] + np.stack(ends))

    def _predictor(self) -> LeastSquaresPredictor:
        if self.loss != "squares":
            raise ValueError(
                f"expected loss='squares' for return_std=True, got loss={self.loss!r}, which is no "
                "Gaussian process; use predict_interval"
            )
        return super()._predictor()
