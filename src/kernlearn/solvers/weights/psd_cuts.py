r"""Keeping K(w) ⪰ 0 by eigenvector cuts :math:`v^\top K(w) v \ge 0`.

Eigenvectors found so far span a subspace V. Within it every cut is known from the small matrices
:math:`V^\top K_i V`, so the subspace is exhausted first, and a matrix of the full size is looked at
only when it has nothing more to say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, eigh
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigsh

from kernlearn._device import lower_factor
from kernlearn.families.base import Family
from kernlearn.families.matrices import GramStack, WithIdentity
from kernlearn.families.weights import Domain
from kernlearn.gram.eigen import lowest_eigenpairs
from kernlearn.numerics.sums import SplitMatrices, rounding
from kernlearn.typing import Array


@dataclass(frozen=True)
class PSDCutOptions:
    """Tolerances of cuts for K(w) ⪰ 0, and the number of cuts that are kept."""

    tolerance: float = 1e-9  # relative to the mean eigenvalue: what counts as zero
    dense_size: int = 200  # points up to which eigenvectors come from LAPACK
    vectors: int = 2  # eigenvectors of a round
    max_cuts: int = 60
    clear: float = 1e-10  # rounding relative to a cut, which takes next to nothing off the bound
    known: float = 1e-8  # what is left of a unit vector that the subspace contains


OPTIONS = PSDCutOptions()
PSD_TOLERANCE = OPTIONS.tolerance


class _Crossing(NamedTuple):
    """Crossing of a segment out of the cone of the subspace, and directions that cut its end off.

    Eigenvectors at the end cut deepest there. Generalised eigenvectors make cuts that touch the
    cone where the segment crosses its boundary.
    """

    share: float  # of the segment, that lies inside
    directions: Array  # (k, m), unit vectors of the subspace


class PsdCuts:
    """Cuts for one family, added to a domain as they are found.

    If the matrices of the family are combinations of others, `reduced` holds the others and the
    coefficients of the combinations.
    """

    def __init__(
        self, family: Family, domain: Domain, reduced: tuple[Family, Array] | None = None
    ) -> None:
        self.family, self.domain, self.reduced = family, domain, reduced
        self.vectors = np.zeros((family.n_points, 0))
        self.small = np.zeros((family.n_matrices, 0, 0))
        # The same of the matrices that are combined, if any are
        self.small_given = np.zeros((0 if reduced is None else len(reduced[1]), 0, 0))
        self.n_full_checks = 0
        self._shift, self._rounding = 1e-3, _rounding(family)
        self._inside = domain.start  # the search itself moves the start

    def cut_in_subspace(self, x: Array) -> bool:
        """Add the cuts of the subspace at coordinates x; True if there was one."""
        crossing = self._crossing(x)
        return crossing is not None and self._cut_at(x, crossing)

    def moved_into_subspace(self, x: Array, is_cheap: Callable[[Array], bool]) -> Array | None:
        """The coordinates, moved towards the inner point until the subspace has no cut for them.

        If the move is not cheap, cuts are added instead, and there are no coordinates.
        """
        crossing = self._crossing(x)
        if crossing is None:
            return x
        # Twice as far as to the boundary, so that what the subspace lacks does not cut it off.
        moved = self._inside + (2.0 * crossing.share - 1.0) * (x - self._inside)
        # The inner point need not lie within limits of the weights.
        if self.domain.limits is None and crossing.share > 0.5 and is_cheap(moved):
            return np.asarray(moved)
        return None if self._cut_at(x, crossing) else x

    def _cut_at(self, x: Array, crossing: _Crossing) -> bool:
        if len(self.domain.cuts) > OPTIONS.max_cuts:
            # The subspace can make any of them again, and small programs are solved sooner.
            self.domain.forget_slack_cuts(x, OPTIONS.max_cuts // 2)
        return self._add_rows(crossing.directions)

    def _crossing(self, x: Array) -> _Crossing | None:
        r"""Crossing of the segment from the inner point to x out of the subspace's cone, if any.

        A pair of matrices A and B, at the inner point and at x, has the generalised eigenvalues μ
        with :math:`(A - B) v = \mu A v`. At the share t of the way, :math:`v^\top A v (1 - t\mu)`
        is zero for t = 1/μ.
        """
        if self.vectors.shape[1] == 0:
            return None
        weights = self.domain.weights(x)
        matrix = self._in_subspace(weights)
        values, vectors = np.linalg.eigh(matrix)
        scale = max(abs(float(values.sum())) / len(values), self._mean(weights))
        zero = 0.3 * OPTIONS.tolerance * scale
        bad = vectors[:, values < -zero]
        if bad.shape[1] == 0:
            return None
        inner = self._in_subspace(self.domain.weights(self._inside))
        inner.flat[:: len(inner) + 1] += zero
        matrix.flat[:: len(inner) + 1] += zero
        try:
            ratios, touching = eigh(inner - matrix, inner, check_finite=False)
        except LinAlgError:  # in this subspace the inner point is no farther inside
            return _Crossing(0.0, bad)
        touching = touching[:, ratios > 1.0]
        touching /= np.linalg.norm(touching, axis=0)
        return _Crossing(1.0 / max(1.0, float(ratios[-1])), np.hstack([bad, touching]))

    def _in_subspace(self, weights: Array) -> Array:
        k = self.small.shape[1]
        return np.asarray(weights @ self.small.reshape(len(weights), -1)).reshape(k, k)

    def cut_in_full(self, x: Array) -> bool:
        """Look at the whole matrix and add cuts if it is indefinite; True if there was one."""
        self.n_full_checks += 1
        weights = self.domain.weights(x)
        K = self.family.combine(weights, labelled_only=False)
        mean = self._mean(weights)
        values, vectors = smallest_eigenpairs(K, OPTIONS.tolerance * mean, self._shift * mean)
        if len(values) == 0:
            return False
        self._shift = float(np.clip(3.0 * -values.min() / mean, 1e-8, 1.0))
        return self.add_vectors(vectors)

    def _mean(self, weights: Array) -> float:
        traces = self.family.traces
        return float(np.abs(traces @ weights)) / self.family.n_points

    def add_vectors(self, vectors: Array) -> bool:
        """Add unit vectors to the subspace, with their cuts."""
        k, together = self.vectors.shape[1], self.vectors
        for vector in vectors.T:  # one by one: what is new in one of them may be all that is
            for _ in range(2):  # twice is enough for orthogonality
                vector = vector - together @ (together.T @ vector)
                length = float(np.linalg.norm(vector))
                vector = vector / (length or 1.0)
                if length < OPTIONS.known:
                    break
            else:
                together = np.column_stack([together, vector])
        if together.shape[1] == k:
            return True  # the subspace contains them
        self.small = _bordered(self.small, self.family.forms(together, together[:, k:]))
        if self.reduced is not None:
            block = self.reduced[0].forms(together, together[:, k:])
            self.small_given = _bordered(self.small_given, block)
        self.vectors = together
        return self._add_rows(np.eye(together.shape[1])[:, k:])

    def _add_rows(self, directions: Array) -> bool:
        rows, noise = self._forms(directions)
        return self.domain.add_cuts(rows, noise + 2.0 * self._below_zero(rows, directions))

    def _forms(self, directions: Array) -> tuple[Array, Array]:
        """The forms of vectors in the subspace, and bounds on their rounding, both (k, m)."""
        rows = _diagonal_forms(self.small, directions)
        # For Vd with unit vectors V, the terms of a form add up to at most ‖d‖₁² of the norm.
        spread = np.square(np.abs(directions).sum(axis=0))[:, None]
        noise = spread * self._rounding
        is_clear = np.linalg.norm(noise, axis=1) <= OPTIONS.clear * np.linalg.norm(rows, axis=1)
        if is_clear.all() or self._split is None:
            return rows, noise
        rows, noise = self._split.forms(self.vectors @ directions)
        if rows.shape[1] == self.family.n_matrices:
            return rows, noise
        apart = np.zeros((len(rows), 1))  # that of the identity
        return np.hstack([rows, apart]), np.hstack([noise, apart])

    @cached_property
    def _split(self) -> SplitMatrices | None:
        """Split matrices, for forms with next to no rounding; None without Gram matrices."""
        family = self.family.family if isinstance(self.family, WithIdentity) else self.family
        return SplitMatrices(family.grams) if isinstance(family, GramStack) else None

    def _below_zero(self, rows: Array, directions: Array) -> Array:
        """Shortfalls below zero of forms of the given matrices, which count as positive; (k, m).

        A matrix that is a little indefinite passes for positive semidefinite, and its positive
        multiples must pass with it: cuts allow for the negative values of its forms.
        """
        if self.reduced is None:
            return np.maximum(-rows - self._rounding, 0.0)
        family, transform = self.reduced
        forms = _diagonal_forms(self.small_given, directions)
        return np.asarray(np.maximum(-forms - _rounding(family), 0.0) @ np.abs(transform))


def _bordered(small: Array, block: Array) -> Array:
    """Symmetric matrices (m, k, k) with the last columns of larger ones, (m, l, l - k)."""
    m, size, new = block.shape
    k = size - new
    grown = np.zeros((m, size, size))
    grown[:, :k, :k] = small
    grown[:, :, k:] = block
    grown[:, k:, :k] = block[:, :k].transpose(0, 2, 1)
    return grown


def _diagonal_forms(small: Array, directions: Array) -> Array:
    """The forms dᵀMᵢd of directions d in columns, (k, m)."""
    return np.asarray(np.sum(np.matmul(small, directions) * directions, axis=1).T)


def _rounding(family: Family) -> Array:
    """Rounding of forms: sums of products that together are at most as large as the matrix."""
    return rounding(family.n_points) * family.norms


def smallest_eigenpairs(K: Array, tolerance: float, shift: float) -> tuple[Array, Array]:
    """Some of the most negative eigenpairs below ``-tolerance``; none if there are none.

    A Cholesky factorisation settles the common case. Otherwise the spectrum is shifted, by
    ``shift`` to begin with, until it exists, and a few Lanczos steps with its inverse find the
    lowest end.
    """
    n = K.shape[0]
    if _shifted_factor(K, tolerance) is not None:
        return np.zeros(0), np.zeros((n, 0))
    values, vectors = rough_eigenpairs(K, OPTIONS.vectors, shift)
    bad = values < -0.5 * tolerance
    if not bad.any():  # a rough search may miss what the factorisation saw
        values, vectors = lowest_eigenpairs(K, OPTIONS.vectors)
        bad = values < -0.5 * tolerance
    return values[bad], vectors[:, bad]


def rough_eigenpairs(K: Array, count: int, shift: float) -> tuple[Array, Array]:
    """Rough eigenpairs of the lowest end of the spectrum, the lowest first; exact of few points."""
    if len(K) > OPTIONS.dense_size:
        for _ in range(12):
            factor = _shifted_factor(K, shift)
            if factor is not None:
                return _lanczos(K, factor, shift, count)
            shift *= 10.0
    return lowest_eigenpairs(K, count)


def _shifted_factor(K: Array, shift: float) -> Array | None:
    shifted = K.copy()
    shifted.flat[:: K.shape[0] + 1] += shift
    try:
        return np.asarray(lower_factor(shifted))
    except LinAlgError:
        return None


def _lanczos(K: Array, factor: Array, shift: float, count: int) -> tuple[Array, Array]:
    """A few rough eigenpairs; roughness costs a cut its depth, never its validity."""
    n = len(K)
    inverse = LinearOperator(
        K.shape, matvec=lambda v: cho_solve((factor, True), v, check_finite=False), dtype=K.dtype
    )
    # A fixed start keeps the method deterministic; it must not be orthogonal to what is sought.
    v0 = np.cos(np.arange(n, dtype=float)) + 0.1
    try:
        _, vectors = eigsh(
            K, count, sigma=-shift, OPinv=inverse, v0=v0, tol=0.03, ncv=2 * count + 6
        )
    except ArpackNoConvergence as unfinished:
        vectors = unfinished.eigenvectors
    except ArpackError:
        vectors = np.zeros((n, 0))
    values = np.einsum("ij,ij->j", vectors, K @ vectors)
    order = np.argsort(values, kind="stable")
    return values[order], vectors[:, order]
