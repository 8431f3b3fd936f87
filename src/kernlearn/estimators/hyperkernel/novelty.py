"""Novelty detection with a kernel learned in a hyper-RKHS."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernlearn.estimators.hyperkernel.hyperkernel import HyperkernelExpansion, gamma_of
from kernlearn.estimators.hyperkernel.options import HyperkernelOptions
from kernlearn.estimators.mkl.novelty import MKLNoveltyDetector
from kernlearn.hyperkernels import Hyperkernel
from kernlearn.typing import Array, RandomState

# Relative to a constant column's value: smaller differences are rounding.
_SAME = 1e-6


class HyperkernelNoveltyDetector(HyperkernelExpansion, MKLNoveltyDetector):
    r"""One-class machine that learns its kernel from a hyperkernel: Ong et al. (2005), Example 10.

    Program (30) has λ_Q/ν where the others have λ_Q, and prints no constraint against the scale
    of the kernel; 1ᵀβ = 1 breaks it, as in the others.

    Parameters
    ----------
    hyperkernel : Hyperkernel, optional
        By default ``ARDHarmonic(lambda_h=0.6)`` with length scales from the data's quantiles. A row
        that differs in a column that was constant in training is far from all of them there.
    gamma_factor : float or "auto", default="auto"
        Factor of the γ of the default hyperkernel. "auto" is 1, the paper's rule: without targets
        no held-out loss can choose a factor.
    rank : int, "auto" or None, default="auto"
        None solves on Gram matrices of all rows, one for each pivot. An integer approximates all
        sections through that many landmarks (rows of X), in time linear in the rows. "auto" does
        so above 2000 rows, with 64 landmarks or more, chosen by the trace of the learned kernel.
    random_state : int, RandomState or None, default=0
        Seed of samples of rows and pairs.

    Attributes
    ----------
    offset_ : float
        Threshold: ``decision_function = score_samples − offset_``.

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
        """As for the others, but constant columns count: rows that differ in one are novel."""
        gammas = super()._gammas(X)
        for j in np.flatnonzero(gammas == 0.0):
            # With many rows, widths come from a sample: a column may be constant there by chance.
            gammas[j] = gamma_of(float(np.ptp(X[:, j])) or _SAME * float(np.abs(X[0, j])))
        return gammas
