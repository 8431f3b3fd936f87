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
        By default ``ARDHarmonic(lambda_h=0.6)`` with length scales from the data.
    quality : str, default="nu_svr"
        The machine: "nu_svr", "epsilon_svr", "huber", "quantile" or "least_squares". The default is
        that of the paper; :class:`kernlearn.MKLRegressor` has "epsilon_svr", scikit-learn's SVR.
    C : float or "auto", default=100.0
        The box −C ≤ a ≤ C, 100 as in section 7 of the paper; "auto" as in
        :class:`kernlearn.MKLRegressor`, where it is the default.
    rank : int, "auto" or None, default="auto"
        None solves on Gram matrices of all rows, one for each pivot. An integer approximates all
        sections through that many landmarks (rows of X), in time linear in the rows. "auto" does
        so above 2000 rows, with 64 landmarks or more, chosen by the held-out loss. For
        "epsilon_svr", "huber", "quantile" and "least_squares", not for "nu_svr".
    cv : int, splitter or iterable of pairs of rows, default=5
        Folds by which rows are held out, for ``C="auto"`` and intervals.
        Closed-form leave-one-out needs no folds; with ``groups``, a splitter or pairs of rows these
        folds take its place.

    Attributes
    ----------
    C_ : float
        The C used: the one given or chosen.
    epsilon_ : float
        The ``epsilon`` that was used, in units of y.

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
