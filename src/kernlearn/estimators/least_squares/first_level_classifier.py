"""Classification with a kernel learned at the first level of inference."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from kernlearn.estimators.least_squares.first_level import FirstLevel
from kernlearn.estimators.least_squares.first_level_options import FirstLevelOptions
from kernlearn.estimators.least_squares.learning_data import LeastSquaresData
from kernlearn.estimators.least_squares.lssvm_classifier import LSSVMClassifier
from kernlearn.families.parametric import ParametricKernel
from kernlearn.families.penalties import WeightPenalty
from kernlearn.kernels import Kernel
from kernlearn.runtime.stopping import Progress
from kernlearn.typing import Array, FoldsLike, RandomState


class FirstLevelClassifier(FirstLevel, LSSVMClassifier):
    r"""Least-squares support vector classifier that learns its kernel together with itself.

    For labels ±1 it minimises over the machine and the kernel parameters at once

    .. math:: \tfrac12 \sum_i s_i (y_i - f(x_i))^2 + \tfrac{\lambda}{2}\|w\|^2
              + \tfrac{\mu}{2}\|\theta\|^2, \qquad
              f(x) = \sum_i \alpha_i k(x_i, x; \theta) + b,

    equation (5) of Cawley and Talbot (2014). With ``loss="logistic"`` the sum is that of
    log(1 + exp(−y f(x))), and f are log-odds. In ``min over k in F of Q(k) + λΩ(k)`` the loss and
    ‖w‖² are Q, and Ω is ½‖θ‖² or another ``penalty``.

    Only λ and μ are left to cross-validation, so that one scale for every column can be learned
    without over-fitting: ``theta_`` shows which columns matter. More than two classes are
    separated one against the rest, with one θ for the sum of their criteria. Columns are used as
    they come; standardise them first, in a pipeline, as the paper does, since μ weighs all scales
    alike.

    Parameters
    ----------
    kernel : {"ard", "rbf", "ard_polynomial", "substitution"} or ParametricKernel, default="ard"
        The family K(θ): a Gaussian with a scale for every column or with one for all, a
        polynomial with a scale for every column, similarities of the letters of sequences, with X a
        list of strings, or a family of one's own. The default has a scale for every column, since
        μ keeps many of them from over-fitting; that of an LS-SVM, which has no μ, is "rbf".
    lam : float, "cv" or "evidence", default="cv"
        λ, or how it is chosen: by the loss on held-out folds, or by the evidence for λ and
        μ, in Laplace's approximation, for which nothing is held out.
    mu : float, "cv" or "evidence", default="cv"
        μ, or how it is chosen, in the same way as λ.
    loss : {"squares", "logistic"}, default="squares"
        The loss of the training criterion, and of the held-out folds by which λ and μ are chosen.
        "logistic" takes some times as long, trains on the matrix of all rows and on the host alone.
    penalty : Penalty, optional
        Ω(θ), which μ multiplies, in place of ½‖θ‖²: :class:`kernlearn.penalties.L1Norm`, for which
        many columns have a θ of zero, :class:`kernlearn.penalties.GroupNorm` for columns that
        belong together, :class:`kernlearn.penalties.NearTheta` for a prior θ₀, or a sum of them.
        A strength of "auto" counts as one. On the matrix of all rows and on the host alone.
    cv : int, splitter or iterable, default=5
        The number of folds, shuffled and stratified, or the folds themselves. Every row is held
        out once.
    class_weight : dict, "balanced" or None, default=None
        What multiplies the weights of the rows of each class, in training and in selection.
        "balanced" gives every class the same weight in all.
    tol : float, default=3e-4
        Largest slope of the logarithm of that loss, by log λ and log μ, at the end; where the
        loss has a kink, λ and μ are found to half a per cent. For the simplex, its size. It is
        larger than in :class:`kernlearn.LSSVMClassifier`, whose criterion has a closed form: here θ
        is found by a descent in every fold.
    max_iter : int, default=200
        Limit on the evaluations of that loss, and on the machines trained for each θ. The search
        is over λ and μ alone; that of :class:`kernlearn.LSSVMClassifier` is over all of θ, too, and
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
    classes_ : ndarray of shape (n_classes,)
        The labels.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        α: one row for two classes, one row for each class for more.
    intercept_ : ndarray of shape (n_machines,)
        b.
    support_ : ndarray of shape (n_support,)
        Rows of X of positive weight; all of them have a coefficient.
    support_vectors_ : ndarray of shape (n_support, n_features) or (n_support,)
        Those rows.
    loo_predictions_ : ndarray of shape (n,) or (n, n_classes)
        Decision value of every row of X by the machine trained without it, or without its group,
        for these λ and θ.
    loo_loss_ : float
        Mean squared difference between them and ±1, summed over machines; for "logistic" their
        mean log loss, where the values are those of one Newton step. Optimistic, since θ was
        learned with the row; ``cv_loss_`` is not.
    calibration_ : ndarray of shape (2,)
        Slope and offset of the sigmoid, or softmax, of ``predict_proba``: fitted to
        ``loo_predictions_``. One and zero for two classes with "logistic".
    n_duplicates_ : int
        Rows that repeat an earlier one in every column. They are held out together with it, unless
        landmarks are used.
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
        Mean of ½(y - f)², or of the log loss, over held-out points, summed over machines; None
        where λ and μ were given.
    n_iter_ : int
        Machines trained for the final θ.
    n_evaluations_, n_machine_solves_ : int
        Evaluations of the cross-validated loss, and all machines trained.
    status_ : Status
        How it ended.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if X was a data frame.

    See Also
    --------
    kernlearn.LSSVMClassifier : Selects θ at the second level, by held-out loss.
    kernlearn.inspection.ThetaDisplay : A picture of ``theta_``.

    References
    ----------
    G. C. Cawley and N. L. C. Talbot (2014), Kernel learning at the first level of inference,
    Neural Networks 53.

    Examples
    --------
    The second column is noise:

    >>> import numpy as np
    >>> from kernlearn import FirstLevelClassifier
    >>> X = np.random.default_rng(0).normal(size=(80, 2))
    >>> model = FirstLevelClassifier().fit(X, X[:, 0] > 0)
    >>> bool(model.theta_[1] < 0.1 * model.theta_[0]), bool(model.score(X, X[:, 0] > 0) > 0.95)
    (True, True)
    """

    _losses = ("squares", "logistic")

    def __init__(
        self,
        kernel: str | Kernel | ParametricKernel = "ard",
        lam: float | str = "cv",
        mu: float | str = "cv",
        *,
        loss: str = "squares",
        penalty: WeightPenalty | None = None,
        cv: FoldsLike = 5,
        class_weight: Mapping[object, float] | str | None = None,
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
        self.penalty = penalty
        self.cv = cv
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.rank = rank
        self.device = device
        self.verbose = verbose
        self.callback = callback
        self.time_limit = time_limit
        self.options = options

    def _calibration(self, data: LeastSquaresData) -> Array:
        """From what was left out; the logistic loss of two classes has probabilities itself."""
        if self.loss == "logistic" and data.Y.shape[1] == 1:
            return np.array([1.0, 0.0])
        return super()._calibration(data)
