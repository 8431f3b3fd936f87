"""Regression with a kernel learned in a hyper-RKHS."""

from __future__ import annotations

from collections.abc import Sequence

from kernlearn.estimators.hyperkernel.hyperkernel import HyperkernelExpansion
from kernlearn.estimators.hyperkernel.options import HyperkernelOptions
from kernlearn.estimators.mkl.regressor import MKLRegressor
from kernlearn.hyperkernels import Hyperkernel
from kernlearn.numerics.rounding import standard_deviation
from kernlearn.typing import Array, FoldsLike, RandomState

# Machines whose errors are squared, so that C has no unit of the targets.
SQUARED = ("least_squares", "huber")


class HyperkernelRegressor(HyperkernelExpansion, MKLRegressor):
    r"""ν-regression that learns its kernel from a hyperkernel: Ong et al. (2005), Example 11.

    Program (31) is written in units of λ = 1/(Cn), so that λ_Q stands there as λ_Q·Cn, and the
    scale of the kernel is broken by 1ᵀβ = the standard deviation σ of the targets. "least_squares"
    has 1ᵀβ = 1 and λ_Q·Cnσ²: its errors are squared. So the unit of y changes nothing but that of
    the predictions, unless the options ``total`` or ``squared`` are given: the paper's program has
    ``squared`` in units of y.

    Parameters
    ----------
    hyperkernel : Hyperkernel, optional
        By default ``ARDHarmonic(lambda_h=0.6)`` with widths from the data.
    quality : str, default="nu_svr"
        The machine: "nu_svr", "epsilon_svr", "huber", "quantile" or "least_squares". The default is
        that of the paper; :class:`kernlearn.MKLRegressor` has "epsilon_svr", scikit-learn's SVR.
    C : float or "auto", default=100.0
        The box −C ≤ a ≤ C, 100 as in section 7 of the paper; "auto" as in
        :class:`kernlearn.MKLRegressor`, where it is the default.
    lambda_q : float, default=1.0
        Weight of the kernel's norm in the hyper-RKHS.
    nu : float, default=0.3
        For "nu_svr", in (0, 1]: upper bound on the share of rows outside the tube. Ong et al.
        (2005) have 0.3, scikit-learn's NuSVR 0.5.
    epsilon : float or "auto", default="auto"
        Half the width of the tube of "epsilon_svr", in units of y. "auto" is a tenth of the
        targets' spread, the interquartile range over 1.35: the standard deviation of normal
        targets. The unit and the origin of y then change nothing but the unit of the predictions.
        For "huber" the residual beyond which the loss is linear, "auto" three tenths of the spread.
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
        "epsilon_svr", "huber", "quantile" and "least_squares", not for "nu_svr".
    cv : int, splitter or iterable of pairs of rows, default=5
        Folds by which rows are held out, for ``C="auto"`` and intervals.
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
        The pairs of the expansion.
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
    dual_coef_ : ndarray of shape (1, n_support)
        Signed dual coefficients.
    intercept_ : ndarray of shape (1,)
        The intercept.
    support_ : ndarray of shape (n_support,)
        Rows of X with a coefficient.
    support_vectors_ : ndarray of shape (n_support, n_features)
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
        The C used: the one given or chosen.
    epsilon_ : float
        The ``epsilon`` that was used, in units of y.
    rank_ : int or None
        Columns of the largest factor through landmarks, 0 if no kernel needs any; None on Gram
        matrices. With landmarks there are no ``dual_coef_``, ``support_`` and
        ``support_vectors_``, but what follows.
    landmarks_, landmark_coef_ : list of m arrays
        The landmarks of each kernel, and the coefficients of k(x, landmark) for each machine. A
        kernel whose sparse features were taken as they are has None, and coefficients of these.
    residual_trace_ : ndarray of shape (m,)
        The part of each kernel's trace that its landmarks leave out.
    exact_lower_bound_ : float
        With the option ``certify="exact"``: a lower bound for any weights of the exact sections.
        The certificate itself holds for all pivots, seen through the landmarks.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if X was a data frame.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn import HyperkernelRegressor
    >>> X = np.random.default_rng(0).uniform(-2, 2, size=(60, 2)) * [1.0, 1000.0]
    >>> y = np.sin(X[:, 0])
    >>> bool(HyperkernelRegressor(max_pivots=30).fit(X, y).score(X, y) > 0.95)
    True
    """

    def __init__(
        self,
        hyperkernel: Hyperkernel | None = None,
        quality: str = "nu_svr",
        C: float | str = 100.0,
        lambda_q: float = 1.0,
        *,
        nu: float = 0.3,
        epsilon: float | str = "auto",
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
        self.epsilon = epsilon
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

    def _scale(self, ys: Sequence[Array]) -> float | None:
        spread = float(standard_deviation(ys[0]))
        is_of_kernel = self._options.total is None and self.quality not in SQUARED
        return spread if is_of_kernel and spread > 0 else super()._scale(ys)

    def _penalty_factor(self, ys: Sequence[Array], C: float) -> float:
        factor = C * len(ys[0])
        if self.quality in SQUARED:
            return factor * (float(standard_deviation(ys[0])) ** 2 or 1.0)
        return factor
