r"""The least-squares support vector machine on a Gram matrix: Cawley and Talbot (2014), eq. (3).

.. math::

    \begin{bmatrix} K + \Lambda & 1 \\ 1^\top & 0 \end{bmatrix}
    \begin{bmatrix} \alpha \\ b \end{bmatrix} = \begin{bmatrix} y \\ 0 \end{bmatrix},
    \qquad \Lambda = \lambda \operatorname{diag}(1/s_i),

the minimum of :math:`\tfrac12 \sum_i s_i (y_i - f(x_i))^2 + \tfrac{\lambda}{2} \|w\|^2` over
:math:`f(x) = \sum_i \alpha_i k(x_i, x) + b`. Everything about it follows from P, the upper left
block of the inverse of the bordered matrix: α = Py, and held-out residuals are in
:mod:`kernlearn.quality.held_out`.

Since P1 = 0, adding u1ᵀ + 1uᵀ to K changes b but neither P nor α. So K is centred first and
lifted along 1 by its own mean eigenvalue: a kernel that is nearly constant, as a wide Gaussian is,
would otherwise lose the digits that matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

from kernlearn.runtime.threads import safe_threads_for
from kernlearn.typing import Array

# Rounding moves the eigenvalues of K by about this much of its mean diagonal, so a smaller ridge
# has no effect. The larger ones are tried if a kernel is less exact than that.
RIDGE_FLOORS = (1e-12, 1e-10, 1e-8)
# A sum of coefficients that is this part of their sizes is zero.
_ROUNDED = 1e-14
# A raised λ is made no smaller than it has to be by its own rounding.
_SAFE = 1.0 + 4.0 * np.finfo(float).eps


@dataclass(frozen=True, eq=False)
class MachineFit:
    """A trained machine, or k machines on one matrix."""

    dual_coef: Array  # α, one column per target; of shape (n, k)
    intercept: Array  # b, of shape (k,)


@dataclass(frozen=True, eq=False)
class LSSVMFit(MachineFit):
    """Least-squares machines."""

    inverse: Array  # P, exactly symmetric; of shape (n, n)
    # The diagonal of Λ as it was used, raised where it was lost in the rounding of K; of shape (n,)
    ridge: Array
    # Minus the logarithm of the product of the eigenvalues of P that are not zero
    log_volume: float


def fit_ls_svm(K: Array, Y: Array, ridge: Array) -> LSSVMFit:
    """Solve (3) for all columns of Y with one factorisation; `ridge` holds the λ/s_i.

    LinAlgError: K is not positive semidefinite beyond rounding, or not finite.

    >>> import numpy as np
    >>> from kernlearn.quality.ls_svm import fit_ls_svm
    >>> fit = fit_ls_svm(np.eye(2), np.array([[1.0], [-1.0]]), np.ones(2))
    >>> fit.dual_coef.round(3).ravel().tolist(), fit.intercept.round(3).tolist()
    ([0.5, -0.5], [0.0])
    """
    row_means = K.mean(axis=0)
    centred = K - row_means
    centred -= (row_means - row_means.mean())[:, None]
    noise = float(np.abs(K.diagonal()).mean())
    offset = Y.mean(axis=0)
    for floor in RIDGE_FLOORS:
        raised = np.maximum(ridge, floor * noise)
        solved = _solve(centred, raised, Y - offset)
        if solved is not None:
            break
    else:
        raise np.linalg.LinAlgError("the kernel matrix is not positive semidefinite")
    dual_coef, inverse, log_volume = solved
    intercept = offset - row_means @ dual_coef - (raised / len(K)) @ dual_coef
    return LSSVMFit(dual_coef, intercept, inverse, raised, log_volume)


def train_ls_svm(K: Array, Y: Array, lam: float, weight: Array) -> tuple[float, LSSVMFit]:
    """Return λ as it was used, and the machine; inputs are checked.

    `fit_ls_svm` raises the entries λ/s_i of the ridge that are below rounding. With unequal
    weights s the raised ridge belongs to no λ, so λ itself is raised until no entry is below it.

    >>> import numpy as np
    >>> Y, weight = np.array([[1.0], [-1.0]]), np.array([1.0, 4.0])
    >>> train_ls_svm(np.eye(2), Y, 0.5, weight)[0]
    0.5
    >>> lam, fit = train_ls_svm(np.ones((2, 2)), Y, 1e-30, weight)
    >>> round(float(lam) / 4e-12, 6), bool(np.all(fit.ridge == lam / weight))
    (1.0, True)
    """
    while True:
        ridge = lam / weight
        fit = fit_ls_svm(K, Y, ridge)
        raised = fit.ridge > ridge
        if not raised.any():
            return lam, fit
        lam = _SAFE * float((fit.ridge * weight)[raised].max())


def _solve(centred: Array, ridge: Array, Y: Array) -> tuple[Array, Array, float] | None:
    """α, P and its log-volume, or None if the factorisation breaks down.

    α comes from the factor and not from P, whose large entries would cancel for a small ridge.
    """
    n = len(centred)
    matrix = centred + max(float(centred.diagonal().mean()), float(ridge.min())) / n
    matrix[np.diag_indices(n)] += ridge
    # The transpose of a symmetric matrix in C order is the matrix in LAPACK's, without a copy.
    with safe_threads_for(n):
        factor, failed = dpotrf(matrix.T, lower=1, overwrite_a=1, clean=1)
    if failed or not np.isfinite(factor.diagonal()).all():
        return None
    solved, _ = dpotrs(factor, np.column_stack([Y, np.ones(n)]), lower=1)
    towards_one = solved[:, -1]
    total = towards_one.sum()
    dual_coef = solved[:, :-1] - np.outer(towards_one, solved[:, :-1].sum(axis=0) / total)
    left = dual_coef.sum(axis=0)
    if (np.abs(left) > _ROUNDED * np.abs(dual_coef).sum(axis=0)).any():
        # With very unequal ridges, rounding of large terms dominates the first sum.
        dual_coef -= np.outer(towards_one, left / total)
    log_volume = 2.0 * float(np.log(factor.diagonal()).sum()) + float(np.log(total / n))
    with safe_threads_for(n):
        P = mirrored(dpotri(factor, lower=1, overwrite_c=1)[0])
    towards_one = towards_one / np.sqrt(total)
    P -= np.outer(towards_one, towards_one)
    return dual_coef, P, log_volume


def mirrored(lower: Array) -> Array:
    """The symmetric matrix whose lower triangle is given, with zeros above the diagonal."""
    full = lower + lower.T
    full[np.diag_indices(len(full))] *= 0.5
    return np.asarray(full)
