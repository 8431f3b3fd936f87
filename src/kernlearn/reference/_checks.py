"""Checks of the arguments of reference programs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlearn.typing import Array

# Relative to the largest entry: what rounding in a Gram matrix can explain.
ROUNDING = 1e-8


def check_grams(grams: ArrayLike, name: str = "grams") -> Array:
    """Return `grams` as a finite, symmetric stack of shape (m, N, N), a copy if it must differ."""
    stack = np.asarray(grams, dtype=np.float64)
    if stack.ndim != 3 or stack.shape[1] != stack.shape[2] or stack.size == 0:
        raise ValueError(
            f"{name}: expected a stack of square matrices of shape (m, N, N), got shape "
            f"{stack.shape}; build it with numpy.stack([K1, K2, ...])."
        )
    return _symmetric(name, stack)


def check_pivots(K_pivots: ArrayLike, n_pivots: int) -> Array:
    """Return `K_pivots` as a finite, symmetric, positive semidefinite (p, p) matrix."""
    matrix = np.asarray(K_pivots, dtype=np.float64)
    if matrix.shape != (n_pivots, n_pivots):
        raise ValueError(
            f"K_pivots: expected one row and one column for each of the {n_pivots} sections, got "
            f"shape {matrix.shape}; pass the hyperkernel between the pairs of the sections."
        )
    matrix = np.asarray(_symmetric("K_pivots", matrix[None])[0])
    eigenvalues = np.linalg.eigvalsh(matrix)
    if not _semidefinite(eigenvalues):
        raise ValueError(
            f"K_pivots: expected a positive semidefinite, non-zero matrix, got eigenvalues from "
            f"{eigenvalues[0]:.3g} to {eigenvalues[-1]:.3g}; a norm needs a hyperkernel."
        )
    return matrix


def check_one_for_each(targets: Array, n_points: int) -> Array:
    """Return `targets` if every point has one: learning with hyperkernels is inductive."""
    if targets.size != n_points:
        raise ValueError(
            f"y: expected one entry for each of the {n_points} points, got {targets.size}; leave "
            f"unlabelled points out of the sections."
        )
    return targets


def check_share(name: str, number: float) -> float:
    """Return `number` as a float in (0, 1]."""
    value = check_positive(name, number)
    if value > 1.0:
        raise ValueError(
            f"{name}: expected a number in (0, 1], got {value!r}; choose 0 < {name} <= 1."
        )
    return value


def check_positive_semidefinite(grams: Array, name: str = "grams") -> None:
    """Refuse a stack with an indefinite matrix: with positive weights K ⪰ 0 rests on each Kᵢ."""
    for number, gram in enumerate(grams):
        eigenvalues = np.linalg.eigvalsh(gram)
        if not _semidefinite(eigenvalues):
            raise ValueError(
                f"{name}: expected positive semidefinite, non-zero matrices for positive weights, "
                f"got matrix {number} with eigenvalues from {eigenvalues[0]:.3g} to "
                f"{eigenvalues[-1]:.3g}; clip its negative eigenvalues or leave it out."
            )


def check_labels(y: ArrayLike, n_points: int) -> Array:
    """Return `y` as floats −1 and +1 with both present, at most one per point."""
    labels = check_targets(y, n_points)
    if set(np.unique(labels)) != {-1.0, 1.0}:
        raise ValueError(
            f"y: expected labels -1 and +1, both present, got the values "
            f"{np.unique(labels).tolist()[:5]}; encode the two classes as -1 and +1."
        )
    return labels


def check_targets(y: ArrayLike, n_points: int) -> Array:
    """Return `y` as a finite vector with at least one and at most one entry per point."""
    targets = np.asarray(y, dtype=np.float64)
    if targets.ndim != 1 or not 1 <= targets.size <= n_points:
        raise ValueError(
            f"y: expected a vector with 1 to {n_points} entries, one for each labelled point, "
            f"got shape {targets.shape}; labelled points come first, and unlabelled ones have none."
        )
    _check_finite("y", targets)
    return targets


def check_vectors(vectors: ArrayLike) -> Array:
    """Return `vectors` as a finite (N, m) array with orthonormal columns."""
    columns = np.asarray(vectors, dtype=np.float64)
    if columns.ndim != 2 or columns.size == 0:
        raise ValueError(
            f"vectors: expected an array of shape (N, m) with one vector in each column, got "
            f"shape {columns.shape}; pass the eigenvectors of numpy.linalg.eigh."
        )
    _check_finite("vectors", columns)
    excess = np.abs(columns.T @ columns - np.eye(columns.shape[1])).max()
    if excess > ROUNDING:
        raise ValueError(
            f"vectors: expected orthonormal columns, got VᵀV that differs from the identity by "
            f"{excess:.3g}; orthonormalise them with numpy.linalg.qr."
        )
    return columns


def check_positive(name: str, number: float, *, infinite: bool = False) -> float:
    """Return `number` as a float above zero; infinity only where the program has a meaning."""
    value = float(number)
    if not value > 0.0 or (np.isinf(value) and not infinite):
        raise ValueError(
            f"{name}: expected a positive {'' if infinite else 'finite '}number, got {number!r}; "
            f"choose {name} > 0."
        )
    return value


def check_non_negative(name: str, number: float) -> float:
    """Return `number` as a finite float, zero or above."""
    value = float(number)
    if not 0.0 <= value < np.inf:
        raise ValueError(
            f"{name}: expected a finite number, zero or above, got {number!r}; choose {name} >= 0."
        )
    return value


def _semidefinite(eigenvalues: NDArray[np.floating]) -> bool:
    """Whether ascending eigenvalues are those of a non-zero matrix K ⪰ 0, up to rounding."""
    return bool(eigenvalues[0] >= -ROUNDING * eigenvalues[-1] and eigenvalues[-1] > 0.0)


def _symmetric(name: str, stack: Array) -> Array:
    """Return the symmetric part of finite matrices that differ from it by rounding only."""
    _check_finite(name, stack)
    transposed = stack.transpose(0, 2, 1)
    if np.abs(stack - transposed).max() > ROUNDING * np.abs(stack).max():
        raise ValueError(
            f"{name}: expected symmetric matrices, got entries that differ from their mirror by "
            f"{np.abs(stack - transposed).max():.3g}; replace K by (K + K.T) / 2."
        )
    return 0.5 * (stack + transposed)


def _check_finite(name: str, array: Array) -> None:
    if not np.isfinite(array).all():
        raise ValueError(
            f"{name}: expected finite numbers, got NaN or infinity; remove or impute them first."
        )
