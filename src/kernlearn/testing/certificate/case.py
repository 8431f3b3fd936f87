"""A stated problem, and its value at any weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.testing.certificate.definitions import (
    Definition,
    alignment_of,
    centre,
    constraint_misses,
    minus_log_det,
)
from kernlearn.testing.certificate.machine_training import REGRESSIONS, best_values
from kernlearn.typing import Array, LongArray, Targets

if TYPE_CHECKING:
    from kernlearn.families.constraints import Constraint
    from kernlearn.solvers.core.oracle import Penalty

ALIGNMENTS = ("alignment", "centered_alignment")
# Roundings of long double and of the matrices as they were computed, for each point.
ROUNDINGS = (8.0 * float(np.finfo(np.longdouble).eps), 1e-17, 1e-16, 1e-15)


@dataclass(frozen=True, eq=False)
class Case:
    """A stated problem: what ``learn_weights`` was called with."""

    grams: Array
    y: Targets  # for the quality "cox" a structured array of (event, time)
    quality: str = "soft_margin"
    C: float | str = 1.0
    nu: float = 0.3
    epsilon: float = 0.1
    quantile: float = 0.5
    ties: str = "efron"
    weights: str = "positive"
    constraint: str = "trace"
    total: float | None = None
    penalty: Penalty | None = None
    sample_weight: Array | None = None
    constraints: Sequence[Constraint] = ()
    tol: float = 1e-6
    others: Sequence[ArrayLike] = field(default_factory=tuple)

    @property
    def learns_C(self) -> bool:
        """Whether C is learned: the identity is one more matrix."""
        return isinstance(self.C, str)

    @property
    def n(self) -> int:
        """Number of labelled points."""
        return len(self.y)

    @property
    def normaliser(self) -> Array:
        """The rᵢ of Σ wᵢrᵢ = total; with a learned C, one more for the identity."""
        N = self.grams.shape[1]
        if self.constraint == "trace":
            r = np.trace(self.grams, axis1=1, axis2=2)
            return np.append(r, float(N)) if self.learns_C else r
        return np.ones(len(self.grams) + self.learns_C)

    @property
    def c(self) -> float:
        """The total."""
        if self.total is not None:
            return self.total
        return float(self.normaliser.sum()) if self.constraint == "trace" else 1.0

    @property
    def shift(self) -> np.longdouble:
        """Constant that is taken off targets far from zero: an intercept makes up for it.

        Residuals are small beside such targets, and would lose digits to them.
        """
        regression = self.quality in REGRESSIONS
        return np.longdouble(np.median(self.y) if regression else 0.0)

    @property
    def s(self) -> LongArray:
        """Sample weights."""
        weight = np.ones(self.n) if self.sample_weight is None else self.sample_weight
        return np.asarray(weight, dtype=np.longdouble)

    def misses(self, weights: Array) -> LongArray:
        """Violation of each constraint; negative if the constraint holds."""
        m = len(self.grams)
        return constraint_misses(self.constraints, weights[..., :m], self.normaliser[:m] / self.c)

    @cached_property
    def _long_grams(self) -> LongArray:
        return self.grams.astype(np.longdouble)

    def kernel(self, weights: Array) -> LongArray:
        """K(w) over all points, in long double; or a stack of them, for a stack of weights."""
        w = weights[..., : len(self.grams)].astype(np.longdouble)
        return np.asarray(np.tensordot(w, self._long_grams, 1))

    @cached_property
    def rounding(self) -> float:
        """Relative accuracy of the matrices: with it, the even combination is in the cone."""
        even = even_weights(self)
        return next((r for r in ROUNDINGS if has_factor(self, even, r)), ROUNDINGS[-1])

    def machine(self, weights: Array) -> Definition:
        """The machine at these weights."""
        ridge = None
        if self.learns_C:
            ridge = np.longdouble(weights[-1]) / self.s
        quality = "hard_margin" if self.learns_C else self.quality
        if quality == "alignment":
            used = self.normaliser > 0
            traces = np.trace(self.grams, axis1=1, axis2=2)
            size = self.c * np.mean(traces[used] / self.normaliser[used]) / self.grams.shape[1]
            ridge = np.full(self.n, np.longdouble(1e-10) * size)
        C = 1.0 if self.learns_C else float(self.C)
        event, y = None, self.y
        if quality == "cox":
            event, y = y["event"], y["time"]
        y = y.astype(np.longdouble) - self.shift
        known = quality, y, C, self.nu, self.epsilon, self.s, ridge, self.quantile
        return Definition(*known, event, self.ties)

    @cached_property
    def _centred(self) -> Case:
        """The same with every matrix centred."""
        return replace(self, grams=np.array([centre(K) for K in self.grams]))

    def value(self, weights: Array) -> float:
        """The objective at ``weights``, or something above it."""
        return self.values([weights])[0]

    def values(self, weights: Sequence[Array]) -> list[float]:
        """The objective at each of these ``weights``, or something above it."""
        if self.quality == "centered_alignment" and self.penalty is None:
            # A constant kernel, however large, must not take the digits of the others.
            return [-alignment_of(self._centred.kernel(w), self.y, True) for w in weights]
        kernels = [self.kernel(w) for w in weights]
        if self.quality in ALIGNMENTS and self.penalty is None:
            return [-alignment_of(K, self.y, False) for K in kernels]
        if self.quality == "max_determinant":
            return [minus_log_det(K) for K in kernels]
        if not kernels:
            return []
        labelled = np.array(kernels)[:, : self.n, : self.n]
        values = best_values([self.machine(w) for w in weights], labelled)
        if self.quality not in ("nu_svm", "one_class", "cox"):
            # A kernel indefinite by its rounding gives a large function a negative norm.
            values = [max(value, 0.0) for value in values]
        if self.penalty is None:
            return values
        return [v + float(self.penalty.value(w)) for v, w in zip(values, weights, strict=True)]


def even_weights(case: Case) -> Array:
    """Weights that give every matrix the same part of the total."""
    r, used = case.normaliser, case.normaliser > 0
    return np.where(used, case.c / np.where(used, r, 1.0) / used.sum(), 0.0)


def has_factor(case: Case, weights: Array, rounding: float) -> bool:
    """Whether K(w) has a Cholesky factor in long double, but for a rounding of its terms."""
    A, n = case.kernel(weights), case.grams.shape[1]
    pairs = zip(weights, case.grams, strict=False)  # the identity has no matrix
    terms = sum(abs(weight) * np.diagonal(K) for weight, K in pairs)
    A.flat[:: n + 1] += rounding * n * np.max(terms)
    for k in range(n):
        if not A[k, k] > 0:
            return False
        column = A[k + 1 :, k] / A[k, k]
        A[k + 1 :, k + 1 :] -= np.multiply.outer(column, A[k, k + 1 :])
    return True
