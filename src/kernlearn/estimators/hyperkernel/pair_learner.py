"""Learning from pairs for `HyperkernelMetric`: state, solve, store, evaluate."""

from __future__ import annotations

from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.decomposition import KernelPCA
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from kernlearn._checks import check_choice, check_count, check_pivots, check_positive
from kernlearn.estimators.inputs.stopping import StoppingParameters
from kernlearn.hyperkernels import Expansion, GaussianHyperkernel, Hyperkernel
from kernlearn.hyperkernels._validation import check_pairs, check_same_features, quiet
from kernlearn.kernels import Kernel
from kernlearn.kernels.bank import median_distance
from kernlearn.runtime.convergence_warnings import warn_if_unfinished
from kernlearn.runtime.memory import matrices, require
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.pairs import PairProgram, PairSolution, pair_kernel, solve_pairs
from kernlearn.typing import Array, Indices

# New pairs that are scored together: their table and their values take a few megabytes.
_BLOCK = 4096
# σ in units of the median distance, and σ_h in units of σ: in the middle of the range where
# scores and distances both separate the bundled digits (0.35 to 1, and 1 to 3).
_WIDTH, _SHARED = 0.5, 3.0
# Points above which a sample is taken: its components are about those of all points.
_MOST_POINTS = 2000
# Most memory for each pair: numbers, and copies of the factor's row (measured).
PAIR_COLUMNS, FACTORS = 30, 4


class Embedding:
    """Coordinates √λ v of the centred kernel, for any points; signs are settled.

    The components are computed with the first coordinates: scores and distances need none.
    """

    def __init__(self, kernel: Kernel, n_components: int, seed: int) -> None:
        self.kernel = kernel
        self.n_components = n_components
        self._seed = seed

    def fit(self, X: Array) -> Self:
        """Keep (at most two thousand of) the rows of `X`, whose components these are."""
        if len(X) > _MOST_POINTS:
            chosen = check_random_state(self._seed).choice(len(X), _MOST_POINTS, replace=False)
            X = X[np.sort(chosen)]
        else:
            X = X.copy()
        self.n_components = min(self.n_components, len(X))
        self.points = X
        return self

    @cached_property
    def pca(self) -> KernelPCA:
        """The components."""
        # The dense solver: no random start, so that the same data give the same picture.
        components = KernelPCA(self.n_components, kernel="precomputed", eigen_solver="dense")
        return components.fit(self.kernel(self.points))

    def transform(self, X: Array) -> Array:
        """Return the coordinates of points, old or new."""
        return np.asarray(self.pca.transform(self.kernel(X, self.points)))


class PairLearner(StoppingParameters):
    """Mixin for estimators with these parameters, which learns coefficients of labelled pairs."""

    hyperkernel: Hyperkernel | None
    combination: str
    C: float
    n_components: int
    pivot_tol: float
    max_pivots: int | None
    tol: float
    max_iter: int
    _seed: int
    n_features_in_: int

    def _learn(self, X: Array, pairs: Indices, labels: Array) -> Self:
        check_choice("combination", self.combination, ["conic", "linear"])
        n_components = check_count("n_components", self.n_components)
        conic = self.combination == "conic"
        tol, stopping = check_positive("tol", self.tol), self._stopping_control()
        check_pivots(self.pivot_tol, self.max_pivots)
        self._require_memory(len(pairs), X.shape[1] if X.ndim == 2 else 1)
        self.hyperkernel_ = self._prepared_hyperkernel(X).fitted_to(X)
        with threads_for(len(pairs)):
            kernel, self.pivot_residual_ = pair_kernel(
                self.hyperkernel_, X, pairs, self.pivot_tol, self.max_pivots
            )
            solution = solve_pairs(
                PairProgram(kernel, labels, check_positive("C", self.C), conic),
                tol,
                check_count("max_iter", self.max_iter),
                stopping,
            )
        self._store(X[pairs], solution)
        if conic:
            self.kernel_: Expansion = self._learned_kernel(X[pairs[:1]])
            self._embedding = Embedding(self.kernel_, n_components, self._seed).fit(X)
        else:
            self.__dict__.pop("kernel_", None)  # of an earlier fit
        warn_if_unfinished(
            type(self).__name__, solution.status, stopping, solution.gap, tol, stacklevel=3
        )
        return self

    def _require_memory(self, n_pairs: int, n_features: int) -> None:
        rank = n_pairs if self.max_pivots is None else min(n_pairs, self.max_pivots)
        require(
            matrices(1, n_pairs, PAIR_COLUMNS + 6 * n_features + FACTORS * rank),
            f"{type(self).__name__} on {n_pairs:,} pairs",
            "pass n_pairs, for example n_pairs=20000, or lower max_pivots",
        )

    def _store(self, pairs: Array, solution: PairSolution) -> None:
        kept = np.flatnonzero(solution.coef)
        self.pairs_ = pairs[kept]
        self.coef_ = solution.coef[kept]
        self.intercept_ = solution.intercept
        self.n_pairs_ = len(pairs)
        self.objective_ = solution.objective
        self.lower_bound_ = solution.lower_bound
        self.whole_lower_bound_ = solution.whole_lower_bound
        self.duality_gap_ = solution.gap
        self.status_ = solution.status
        self.n_iter_ = solution.n_iter

    def _learned_kernel(self, any_pair: Array) -> Expansion:
        """The sum of the sections; the zero function if no pair has a coefficient."""
        if len(self.coef_) == 0:
            return self.hyperkernel_.expansion(any_pair, [0.0])
        return self.hyperkernel_.expansion(self.pairs_, self.coef_)

    def _values(self, left: Array, right: Array) -> Array:
        """Σ α_p k̲(p, (x, z)) for every pair, in blocks."""
        values: Array = np.zeros(len(left))
        if len(self.coef_) == 0:
            return values
        hyperkernel = self.hyperkernel_
        # One thread: for blocks of this size more would wait for each other.
        with quiet(), threads_for(0):
            fixed = hyperkernel._table(self.pairs_[:, 0], self.pairs_[:, 1])
            for start in range(0, len(left), _BLOCK):
                rows = slice(start, start + _BLOCK)
                table = hyperkernel._table(left[rows], right[rows])
                values[rows] = self.coef_ @ hyperkernel._evaluate(fixed, table)
        hyperkernel._check_values(values)
        return values

    def _checked_pairs(self, pairs: ArrayLike) -> Array:
        check_is_fitted(self)
        points = check_pairs(pairs, "pairs", self.hyperkernel_.takes_things)
        expected = getattr(self, "n_features_in_", None)  # None if points are things
        if expected is not None:
            check_same_features(points, np.empty((1, 2, expected)), "pairs")
        return points

    def _prepared_hyperkernel(self, X: Array) -> Hyperkernel:
        if self.hyperkernel is None:
            sigma = _WIDTH * median_distance(X, self._seed)
            return GaussianHyperkernel(sigma, _SHARED * sigma)
        if not isinstance(self.hyperkernel, Hyperkernel):
            raise ValueError(
                f"expected a hyperkernel of kernlearn.hyperkernels, got {self.hyperkernel!r}; pass "
                "for example GaussianHyperkernel(sigma=1.0, sigma_h=1.0)"
            )
        return self.hyperkernel
