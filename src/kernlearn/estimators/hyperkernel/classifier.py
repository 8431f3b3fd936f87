"""Classification with a kernel learned in a hyper-RKHS."""

from __future__ import annotations

from collections.abc import Mapping

from kernlearn.estimators.hyperkernel.hyperkernel import HyperkernelExpansion
from kernlearn.estimators.hyperkernel.options import HyperkernelOptions
from kernlearn.estimators.mkl.classifier import MKLClassifier
from kernlearn.hyperkernels import Hyperkernel
from kernlearn.typing import FoldsLike, RandomState


class HyperkernelClassifier(HyperkernelExpansion, MKLClassifier):
    r"""Support vector classifier that learns its kernel from a hyperkernel.

    .. math::

        \min_{\beta \ge 0,\; 1^\top\beta = 1} V\Bigl(\sum_p \beta_p\,
        \underline k(\text{pair}_p, \cdot)\Bigr) +
        \tfrac{\lambda_Q}{2}\,\lVert\underline K^{1/2}\beta\rVert

    The pairs are pivots of an incomplete Cholesky factorisation over all pairs of training points.
    With the default hyperkernel every column of the data has its own scale, found without
    cross-validation, on raw columns; the parameters are those of section 7 of Ong, Smola and
    Williamson (2005), but for ``gamma_factor``. The optimum often sits at one pair: the learned
    kernel is then one section of the hyperkernel.

    Parameters
    ----------
    hyperkernel : Hyperkernel, optional
        By default ``ARDHarmonic(lambda_h=0.6)`` with length scales from the data:
        γ is ``gamma_factor`` times that of the paper's rule, 1/(50 q²) with q the 90 % quantile of
        a column's differences. One that is built from kernels of strings, graphs or sets takes
        rows of these.
    quality : str, default="soft_margin"
        The machine: "soft_margin", "nu_svm", "lagrangian", or any that MKLClassifier takes.
    C : float or "auto", default=100.0
        The box 0 ≤ α ≤ C, 100 as in section 7 of the paper; "auto" as in
        :class:`kernlearn.MKLClassifier`, whose default is that of scikit-learn's SVC.
    lambda_q : float, default=1.0
        Weight of the kernel's norm in the hyper-RKHS.
    nu : float, default=0.3
        For "nu_svm", in (0, 1]: upper bound on the share of rows with a margin error. Ong et al.
        (2005) have 0.3, scikit-learn's NuSVC 0.5.
    class_weight : dict or "balanced", optional
        Multiplies C class by class.
    gamma_factor : float or "auto", default="auto"
        Factor of the γ of the default hyperkernel; 1 is the paper's rule. "auto" takes the one at
        which a section has the smallest leave-one-out loss, as the kernel of a least-squares
        machine on a sample of the rows.
    max_pivots : int, default=150
        Limit on the number of pairs.
    n_pairs : int, optional
        Size of a sample of pairs to choose the pivots from; by default all, and 20,000 through
        landmarks.
    rank : int, "auto" or None, default="auto"
        None solves on Gram matrices of all rows, one for each pivot. An integer approximates all
        sections through that many landmarks (rows of X), in time linear in the rows. "auto" does
        so above 2000 rows, with 64 landmarks or more, as the held-out loss asks for. For
        "soft_margin", "squared_soft_margin" and "least_squares".
    cv : int, splitter or iterable of pairs of rows, default=5
        Folds by which rows are held out, for ``C="auto"`` and probabilities.
        Closed-form leave-one-out needs no folds; with ``groups``, a splitter or pairs of rows these
        folds take its place.
    tol : float, default=1e-6
        Relative duality gap to reach. The least-squares estimators, such as
        :class:`kernlearn.LSSVMClassifier`, solve no convex problem: their ``tol`` is on a slope.
    random_state : int, RandomState or None, default=0
        Seed of samples of rows and pairs, and of folds.
    verbose : int, default=0
        Print a line of progress for every kernel tried.
    time_limit : float, optional
        Seconds after which the fit ends, checked after every step. After such an end, and after
        one by a callback or by Ctrl-C, what was learned so far is kept: ``duality_gap_``
        says how far it may be off, ``status_`` why it ended.
    options : HyperkernelOptions, optional
        What few fits need, such as the squared norm, the value of the constraint or a callback:
        see :class:`kernlearn.HyperkernelOptions`.

    Attributes
    ----------
    hyperkernel_ : Hyperkernel
        The hyperkernel, with its widths.
    gamma_factor_ : float
        The factor that was used.
    pivots_ : ndarray of shape (n_pivots, 2, n_features)
        The pairs of the expansion; of shape (n_pivots, 2) where rows are no numbers.
    pivot_residual_ : float
        What the pivots leave out of the trace.
    weights_ : ndarray of shape (n_pivots,)
        The coefficients β.
    n_active_pivots_ : int
        How many of them are positive; often one.
    kernel_ : Kernel
        The learned kernel, made of those pairs alone.
    feature_scales_ : ndarray of shape (n_features,)
        The distance in each column over which the learned kernel falls off (ARDHarmonic).
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
        With the option ``certify="exact"``: a lower bound for any weights of the exact sections.
        The certificate itself holds for all pivots, seen through the landmarks.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        Signed dual coefficients.
    intercept_ : ndarray of shape (n_machines,)
        Intercepts.
    support_ : ndarray of shape (n_support,)
        Rows of X with a coefficient.
    support_vectors_ : array or data frame of shape (n_support, n_features)
        Those rows.
    calibration_ : ndarray of shape (2,)
        Slope and offset of the sigmoid, or softmax, of ``predict_proba``: fitted to decision values
        of rows left out one at a time, in closed form at the learned kernel. For several classes
        (but "least_squares"), for "nu_svm", through landmarks and with ``groups``, the values are
        those of machines that were trained without a fold each.
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
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if X was a data frame.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernlearn import HyperkernelClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = HyperkernelClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.95), bool(model.duality_gap_ <= 1e-6)
    (True, True)
    """

    def __init__(
        self,
        hyperkernel: Hyperkernel | None = None,
        quality: str = "soft_margin",
        C: float | str = 100.0,
        lambda_q: float = 1.0,
        *,
        nu: float = 0.3,
        class_weight: Mapping[object, float] | str | None = None,
        gamma_factor: float | str = "auto",
        max_pivots: int | None = 150,
        n_pairs: int | None = None,
        rank: int | str | None = "auto",
        cv: FoldsLike = 5,
        tol: float = 1e-6,
        random_state: RandomState = 0,
        verbose: int = 0,
        time_limit: float | None = None,
        options: HyperkernelOptions | None = None,
    ) -> None:
        self.hyperkernel = hyperkernel
        self.quality = quality
        self.C = C
        self.lambda_q = lambda_q
        self.nu = nu
        self.class_weight = class_weight
        self.gamma_factor = gamma_factor
        self.max_pivots = max_pivots
        self.n_pairs = n_pairs
        self.rank = rank
        self.cv = cv
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.time_limit = time_limit
        self.options = options
