"""The two families of kernels of the programs: a stack of Gram matrices, and rank-one matrices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlearn.reference._checks import (
    check_grams,
    check_labels,
    check_positive,
    check_positive_semidefinite,
    check_vectors,
)
from kernlearn.reference._cvxpy import load_cvxpy
from kernlearn.reference._units import Units, alpha_unit


@dataclass(frozen=True, eq=False)
class GramFamily:
    """
    K = Σ μᵢKᵢ on all N points, of which the first n carry the labels y; inputs are checked.

    The names are the paper's: rᵢ = trace Kᵢ, c the fixed trace, C and τ the bound and the ridge.
    """

    grams: NDArray[np.float64]
    y: NDArray[np.float64]
    c: float
    C: float
    tau: float

    @property
    def m(self) -> int:
        """Number of kernels."""
        return int(self.grams.shape[0])

    @property
    def n_points(self) -> int:
        """Number of points, labelled or not."""
        return int(self.grams.shape[1])

    @property
    def n_labelled(self) -> int:
        """Number of labelled points, n_tr in the paper."""
        return self.y.size

    @cached_property
    def r(self) -> NDArray[np.float64]:
        """Traces over all points."""
        traces: NDArray[np.float64] = np.trace(self.grams, axis1=1, axis2=2)
        return traces

    def quadratic_forms(self, alpha: Any) -> list[Any]:
        """αᵀG(Kᵢ,tr)α for each i, as sums of squares that CVXPY knows to be convex."""
        n = self.n_labelled
        return [
            load_cvxpy().sum_squares(
                square_root(gram[:n, :n]).T @ load_cvxpy().multiply(self.y, alpha)
            )
            for gram in self.grams
        ]


def gram_family(
    grams: ArrayLike,
    y: ArrayLike,
    c: float | None,
    *,
    C: float = np.inf,
    tau: float = 0.0,
    psd: bool = False,
    identity: bool = False,
) -> tuple[GramFamily, Units]:
    """
    Check the data of a program over a stack, fill in c, and go over to natural units.

    `psd` asks for positive semidefinite matrices; with `identity` the identity on all points is
    one more matrix of the family, and its trace N is counted in the default of c.
    """
    stack = check_grams(grams)
    if psd:
        check_positive_semidefinite(stack)
    n_points = stack.shape[1]
    labels = check_labels(y, n_points)
    default = float(np.trace(stack, axis1=1, axis2=2).sum()) + (n_points if identity else 0)
    total = check_positive("c", default if c is None else c)
    sizes = np.abs(stack).max(axis=(1, 2))
    units = Units(alpha_unit(total / n_points, C, tau), np.where(sizes > 0.0, sizes, 1.0))
    s = units.alpha
    scaled = stack / units.kernels[:, None, None]
    return GramFamily(scaled, labels, s * total, C / s, s * tau), units


@dataclass(frozen=True, eq=False)
class RankOneFamily:
    """K = Σ μᵢvᵢvᵢᵀ with orthonormal vᵢ, the columns of `vectors`; inputs are checked."""

    vectors: NDArray[np.float64]
    y: NDArray[np.float64]
    c: float
    C: float
    tau: float

    @property
    def m(self) -> int:
        """Number of vectors."""
        return int(self.vectors.shape[1])

    @property
    def n_points(self) -> int:
        """Number of points, labelled or not."""
        return int(self.vectors.shape[0])

    @property
    def n_labelled(self) -> int:
        """Number of labelled points, n_tr in the paper."""
        return self.y.size

    @property
    def r(self) -> NDArray[np.float64]:
        """Traces over all points: one each."""
        return np.ones(self.m)

    @property
    def bar(self) -> NDArray[np.float64]:
        """The labelled parts v̄ᵢ = vᵢ(1 : n_tr), in columns."""
        return self.vectors[: self.n_labelled]

    @property
    def signed(self) -> NDArray[np.float64]:
        """The signed labelled parts v̌ᵢ = diag(y) v̄ᵢ, in columns."""
        return self.y[:, None] * self.bar


def rank_one_family(
    vectors: ArrayLike,
    y: ArrayLike,
    c: float | None,
    *,
    C: float = np.inf,
    tau: float = 0.0,
    identity: bool = False,
) -> tuple[RankOneFamily, Units]:
    """Do the same for a rank-one program; each vᵢvᵢᵀ has trace one, so c is m by default."""
    columns = check_vectors(vectors)
    n_points, m = columns.shape
    labels = check_labels(y, n_points)
    total = check_positive("c", float(m + (n_points if identity else 0)) if c is None else c)
    units = Units(alpha_unit(total / n_points, C, tau), np.ones(m))
    s = units.alpha
    return RankOneFamily(columns, labels, s * total, C / s, s * tau), units


def square_root(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """
    Return the symmetric F with F F = `matrix`, a positive semidefinite one up to rounding.

    The symmetric root rather than a factor of full rank: its rows are alike in size, and Clarabel
    reaches tight tolerances on it about twice as often.
    """
    eigenvalues, eigenvectors = np.linalg.eigh(matrix)
    roots = np.sqrt(np.clip(eigenvalues, 0.0, None))
    factor: NDArray[np.float64] = (eigenvectors * roots) @ eigenvectors.T
    return factor
