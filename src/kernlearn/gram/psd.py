"""Checks and repairs of Gram matrices: finite, symmetric, positive semidefinite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike

from kernlearn._device import lower_factor, minor
from kernlearn.kernels._matrices import is_asymmetric, largest_asymmetry, surely_symmetric
from kernlearn.kernels._validation import as_floats, is_finite
from kernlearn.typing import Array


def check_matrix(K: ArrayLike, name: str) -> Array:
    """Return `K` as a 2-D float64 array of finite numbers, without a copy where it is one."""
    matrix = as_floats(K, name)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ValueError(
            f"{name} must be a matrix with rows and columns, got shape {matrix.shape}; pass the "
            "kernel values of all pairs of points."
        )
    return check_finite(matrix, name)


def check_square(K: ArrayLike, name: str) -> Array:
    """Return `K` as a square float64 array of finite numbers."""
    shape = np.shape(K)
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(
            f"{name} must be a square matrix, got shape {shape}; pass the kernel values of the "
            "same points in rows and in columns."
        )
    return check_matrix(K, name)


def check_symmetric(K: ArrayLike, name: str) -> Array:
    """Return `K` as a square float64 array, symmetric up to rounding."""
    shape = np.shape(K)
    if len(shape) == 2 and shape[0] == shape[1] > 0:
        matrix = as_floats(K, name)
        if surely_symmetric(matrix):
            return matrix
    matrix = check_square(K, name)
    asymmetry = largest_asymmetry(matrix)
    if is_asymmetric(asymmetry, matrix):
        raise ValueError(
            f"{name} must be symmetric, got entries (i, j) and (j, i) that differ by up to "
            f"{asymmetry:.3g}; if both are estimates of one value, pass (K + K.T) / 2."
        )
    return matrix


def check_vector(values: ArrayLike, length: int, name: str) -> Array:
    """Return `values` as a float64 vector of finite numbers of this length."""
    vector = as_floats(values, name)
    if vector.shape != (length,):
        raise ValueError(
            f"{name} must be a vector of length {length}, got shape {vector.shape}; pass one "
            "number for each row or column of the matrix."
        )
    return check_finite(vector, name)


def check_finite(values: Array, name: str) -> Array:
    """Return `values` if no entry is NaN or infinite."""
    if not is_finite(values):
        raise ValueError(
            f"{name} must hold finite numbers only, got NaN or infinity; rescale the data, or "
            "remove the points that cause it."
        )
    return values


Repair = Literal["raise", "clip", "shift", "trust"]

# An eigenvalue this far below zero, relative to the largest, is more than rounding leaves behind.
PSD_TOLERANCE = 1e-8
GLANCE = 400  # points of the principal minor that is looked at first


def seems_psd(K: Array) -> bool:
    """Whether a principal minor on a sample of points shows no negative eigenvalue.

    By interlacing, K has an eigenvalue at least as negative as any of the minor: a matrix that
    is no kernel shows it in a few hundred points nearly always, for a hundredth of the time.
    """
    n = len(K)
    if n <= GLANCE:
        return _is_surely_psd(K)
    rows = np.sort(np.random.default_rng(n).choice(n, GLANCE, replace=False))
    return _is_surely_psd(minor(K, rows))


def check_gram(K: ArrayLike, *, psd: Repair = "raise", name: str = "Gram matrix") -> Array:
    r"""Return `K` if it is a Gram matrix, repaired if so asked; refuse it otherwise.

    A matrix counts as positive semidefinite when
    :math:`\lambda_{\min} \ge -10^{-8} \lambda_{\max}`.

    Parameters
    ----------
    K : array-like of shape (n, n)
        Finite and symmetric; never modified.
    psd : {"raise", "clip", "shift", "trust"}, default="raise"
        Treatment of an indefinite matrix: refuse it; replace its negative eigenvalues by zero
        (the nearest positive semidefinite matrix in Frobenius norm); add
        :math:`-\lambda_{\min}` to its diagonal; or skip this test, which costs a Cholesky
        factorisation, because the matrix is known to be positive semidefinite.
    name : str, default="Gram matrix"
        Name of the matrix in error messages.

    Returns
    -------
    K : ndarray of shape (n, n)
        The array passed in, not a copy, where it is float64 and needs no repair.

    Examples
    --------
    >>> from kernlearn.gram import check_gram
    >>> check_gram([[1.0, 2.0], [2.0, 1.0]], psd="shift")
    array([[2., 2.],
           [2., 2.]])
    """
    return checked_gram(K, psd, name)[0]


def checked_gram(K: ArrayLike, psd: Repair, name: str) -> tuple[Array, bool]:
    """`check_gram`, and whether no eigenvalue is negative by more than half of what is rounding."""
    repair = _repair(psd)
    matrix = check_symmetric(K, name)
    if psd == "trust":
        return matrix, False
    # Half of what eigenvalues of n rows may be wrong by, relative to the largest diagonal entry.
    allowed = 2.0 * float(np.finfo(float).eps) * (4.0 + float(np.sqrt(len(matrix))))
    if _is_surely_psd(matrix, allowed):
        return matrix, True
    return _indefinite_or_not(matrix, repair, name), False


def _indefinite_or_not(matrix: Array, repair: Callable[[Array], Array] | None, name: str) -> Array:
    if _is_surely_psd(matrix):
        return matrix
    values = scipy.linalg.eigvalsh(matrix, check_finite=False)
    if values[0] >= -PSD_TOLERANCE * max(values[-1], 0.0):
        return matrix
    if repair is None:
        raise ValueError(
            f"{name} must be positive semidefinite, got a smallest eigenvalue of {values[0]:.3g} "
            f'(the largest is {values[-1]:.3g}); pass psd="clip" to set negative eigenvalues to '
            'zero, or psd="shift" to add to the diagonal.'
        )
    return repair(matrix)


def clipped(K: Array) -> Array:
    """Return `K` with negative eigenvalues set to zero; inputs are checked."""
    values, vectors = scipy.linalg.eigh(K, check_finite=False)
    kept = values > 0
    root = vectors[:, kept] * np.sqrt(values[kept])
    # A product with its own transpose is exactly symmetric.
    return np.asarray(root @ root.T)


def shifted(K: Array) -> Array:
    """Return `K` with its smallest eigenvalue, a negative one, moved to zero; inputs checked."""
    result = K.copy()
    result[np.diag_indices_from(result)] -= scipy.linalg.eigvalsh(K, check_finite=False)[0]
    return result


def _repair(psd: str) -> Callable[[Array], Array] | None:
    repairs = {"raise": None, "trust": None, "clip": clipped, "shift": shifted}
    if psd not in repairs:
        raise ValueError(
            f'psd must be "raise", "clip", "shift" or "trust", got {psd!r}; choose one of these.'
        )
    return repairs[psd]


def _is_surely_psd(K: Array, allowed: float | None = None) -> bool:
    """Whether a Cholesky factor shows that no eigenvalue is too negative; False proves nothing.

    It may be so negative, relative to the largest diagonal entry; by default to the tolerance.
    """
    largest = float(K.diagonal().max())  # of all entries, if no eigenvalue is negative
    if largest <= 0.0:
        return not K.any()
    with np.errstate(over="ignore"):
        work = K / largest
    if allowed is None:
        # Two Rayleigh quotients bound the largest eigenvalue from below; half the tolerance is left
        # for rounding in the factorisation.
        allowed = 0.5 * PSD_TOLERANCE * max(1.0, float(work.mean()) * len(work))
    work.flat[:: len(work) + 1] += allowed
    try:
        lower_factor(work)
    except scipy.linalg.LinAlgError:
        return False
    return True
