"""Novelty detection with a kernel learned in a hyper-RKHS."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernlearn.estimators.hyperkernel.hyperkernel import HyperkernelExpansion, gamma_of
from kernlearn.estimators.hyperkernel.options import HyperkernelOptions
from kernlearn.estimators.mkl.novelty import MKLNoveltyDetector
from kernlearn.hyperkernels import Hyperkernel
from kernlearn.typing import Array, RandomState

# Of a constant column's value: what differs by less is the same up to rounding.
_SAME = 1e-6


class HyperkernelNoveltyDetector(HyperkernelExpansion, MKLNoveltyDetector):
    r"""One-class machine that learns its kernel from a hyperkernel: Ong et al. (2005), Example 10.

    Program (30) has λ_Q/ν where the others have λ_Q, and prints no constraint against the scale
    of the kernel; 1ᵀβ = 1 breaks it, as in the others.

    Parameters
    ----------
    hyperkernel : Hyperkernel, optional
        By default ``ARDHarmonic(lambda_h=0.6)`` with widths from the data's quantiles. A row that
        differs in a column that was constant in training is far from all of them there.
    nu : float, default=0.1
        In (0, 1]: upper bound on the share of training points called outliers. With
        ``quality="one_class"`` it is the ``nu`` of :func:`kernlearn.learn_weights`, whose default
        0.3 is that of all its machines.
    lambda_q : float, default=1.0
        Weight of the kernel's norm in the hyper-RKHS.
    gamma_factor : float or "auto", default="auto"
        Factor of the γ of the default hyperkernel. "auto" is 1, the paper's rule: without targets
        no held-out loss can choose a factor.
    max_pivots : int, default=150
        Limit on the number of pairs.
    n_pairs : int, optional
        Size of a sample of pairs to choose the pivots from; by default all, and 20,000 through
        landmarks.
    rank : int, "auto" or None, default="auto"
        None solves on Gram matrices of all rows, one for each pivot. An integer approximates all
        sections through that many landmarks (rows of X), in time linear in the rows. "auto" does
        so above 2000 rows, with 64 landmarks or more, as the held-out loss asks for.
    tol : float, default=1e-6
        Relative duality gap to reach. The least-squares estimators, such as
        :class:`kernlearn.LSSVMClassifier`, solve no convex problem: their ``tol`` is on a slope.
    random_state : int, RandomState or None, default=0
        Seed of samples of rows and pairs.
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
    offset_ : float
        Threshold: ``decision_function = score_samples − offset_``.
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
    >>> from kernlearn import HyperkernelNoveltyDetector
    >>> X = np.random.default_rng(0).normal(size=(80, 2))
    >>> model = HyperkernelNoveltyDetector(max_pivots=30).fit(X)
    >>> model.predict([[0.0, 0.0], [9.0, -9.0]])
    array([ 1, -1])
    """

    @property
    def _weight_signs(self) -> str:
        """β is not negative."""
        if self._options.weights != "positive":
            raise ValueError(
                "expected the option weights='positive' for novelty detection, got "
                f"{self._options.weights!r}; leave it out"
            )
        return "positive"

    def __init__(
        self,
        hyperkernel: Hyperkernel | None = None,
        nu: float = 0.1,
        lambda_q: float = 1.0,
        *,
        gamma_factor: float | str = "auto",
        max_pivots: int | None = 150,
        n_pairs: int | None = None,
        rank: int | str | None = "auto",
        tol: float = 1e-6,
        random_state: RandomState = 0,
        verbose: int = 0,
        time_limit: float | None = None,
        options: HyperkernelOptions | None = None,
    ) -> None:
        self.hyperkernel = hyperkernel
        self.nu = nu
        self.lambda_q = lambda_q
        self.gamma_factor = gamma_factor
        self.max_pivots = max_pivots
        self.n_pairs = n_pairs
        self.rank = rank
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.time_limit = time_limit
        self.options = options

    def _penalty_factor(self, ys: Sequence[Array], C: float) -> float:
        return 1.0 / float(self.nu)

    def _gammas(self, X: Array) -> Array:
        """As for the others, but a constant column is seen: what differs in it is novel."""
        gammas = super()._gammas(X)
        for j in np.flatnonzero(gammas == 0.0):
            # Of many rows a sample tells the widths, in which a column may be constant by chance.
            gammas[j] = gamma_of(float(np.ptp(X[:, j])) or _SAME * float(np.abs(X[0, j])))
        return gammas
