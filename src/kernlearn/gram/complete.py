"""Kernel matrices with unknown entries, completed with the largest determinant."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cho_factor, cho_solve

from kernlearn.gram._chordal import chordal_completion, elimination_order
from kernlearn.gram._completion_newton import newton_completion
from kernlearn.gram._validation import check_finite, check_symmetric
from kernlearn.typing import Array, Mask

__all__ = ["complete_kernel"]


def complete_kernel(
    K: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    reference: ArrayLike | None = None,
    tol: float = 1e-9,
    max_iter: int = 200,
) -> Array:
    r"""Fill in the unknown entries of a kernel matrix, with the largest determinant.

    .. math::

        \max_{X \succ 0} \; \log\det X - \operatorname{tr}(M^{-1} X)
        \quad \text{subject to} \quad X_{ij} = K_{ij} \text{ where } K_{ij} \text{ is known,}

    without the second term where there is no reference M. (Lanckriet et al. 2004, section 7.) The
    solution is the covariance of largest entropy that agrees with what is known: :math:`X^{-1}` is
    zero wherever :math:`K_{ij}` is unknown. With a reference, usually the kernel matrix of other
    sources, it is the matrix nearest to M in the Kullback–Leibler divergence of Gaussians (Tsuda,
    Akaho and Asai, 2003), :math:`X^{-1}` equals :math:`M^{-1}` there, and whole rows may be
    unknown, the diagonal included.

    Parameters
    ----------
    K : array-like of shape (n, n)
        A symmetric matrix; not modified. Unknown entries may hold anything.
    mask : array-like of bool of shape (n, n), optional
        True where K is known, symmetric. By default, K is known where it is not NaN.
    reference : array-like of shape (n, n), optional
        M, positive definite. Without it, the diagonal of K must be known.
    tol : float, default=1e-9
        The duality gap in log det at which Newton's method ends.
    max_iter : int, default=200
        Most steps of Newton's method.

    Returns
    -------
    X : ndarray of shape (n, n)
        Positive definite, and K itself where that is known.

    Notes
    -----
    Where the graph of known entries is chordal, that is, where rows can be filled in one after the
    other from rows already complete, the solution is in closed form; likewise for whole rows with a
    reference. Otherwise Newton's method solves the dual,
    :math:`\min_Z \langle Z, K \rangle - \log\det(M^{-1} + Z)` over Z that are zero where K is
    unknown, by conjugate gradients.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn import complete_kernel
    >>> complete_kernel([[1.0, 0.5, np.nan], [0.5, 1.0, 0.5], [np.nan, 0.5, 1.0]])
    array([[1.  , 0.5 , 0.25],
           [0.5 , 1.  , 0.5 ],
           [0.25, 0.5 , 1.  ]])
    """
    matrix, known = _checked(K, mask)
    if known.all():
        _check_definite(matrix, "K")
        return matrix.copy()
    if reference is None:
        _check_diagonal(matrix, known)
        order = elimination_order(known)
        if order is not None:
            return chordal_completion(matrix, known, order)
        return newton_completion(matrix, known, None, tol, max_iter)
    M = check_symmetric(reference, "reference")
    if M.shape != matrix.shape:
        raise ValueError(
            f"reference must have the shape of K, {matrix.shape}, got {M.shape}; evaluate the "
            "other kernel on the same points."
        )
    _check_definite(M, "reference")
    rows = known.diagonal()
    if (known == np.outer(rows, rows)).all():
        return _whole_rows(matrix, rows, M)
    return newton_completion(matrix, known, M, tol, max_iter)


def _whole_rows(K: Array, rows: Mask, M: Array) -> Array:
    r"""Complete rows of which nothing is known: those of M, regressed on the known ones.

    With v the known rows, h the others and :math:`B = M_{vv}^{-1} M_{vh}`:
    :math:`X_{vh} = K_{vv} B`, :math:`X_{hh} = M_{hh} - M_{hv} B + B^\top K_{vv} B`.
    """
    X = M.copy()
    if not rows.any():
        return X
    _check_definite(K[np.ix_(rows, rows)], "the known part of K")
    within, across = np.ix_(rows, rows), np.ix_(rows, ~rows)
    B = cho_solve(cho_factor(M[within], lower=True), M[across])
    X[within] = K[within]
    X[across] = K[within] @ B
    X[np.ix_(~rows, rows)] = X[across].T
    rest = M[np.ix_(~rows, ~rows)] - M[across].T @ B + B.T @ X[across]
    X[np.ix_(~rows, ~rows)] = 0.5 * (rest + rest.T)
    return X


def _checked(K: ArrayLike, mask: ArrayLike | None) -> tuple[Array, Mask]:
    """K with zeros where it is unknown, and where it is known."""
    try:
        values = np.array(K, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.ndim != 2 or values.shape[0] != values.shape[1] or not len(values):
        raise ValueError(
            f"K must be a square matrix of numbers, got {type(K).__name__} of shape "
            f"{np.shape(values)}; pass NaN or a mask for the unknown entries."
        )
    known = ~np.isnan(values) if mask is None else np.asarray(mask)
    if known.dtype != bool or known.shape != values.shape or (known != known.T).any():
        raise ValueError(
            f"mask must be a symmetric boolean matrix of shape {values.shape}, True where K is "
            f"known, got {known.dtype} of shape {known.shape}; pass for example ~np.isnan(K)."
        )
    values[~known] = 0.0
    return check_symmetric(check_finite(values, "The known part of K"), "K"), known


def _check_diagonal(K: Array, known: Mask) -> None:
    if not known.diagonal().all():
        raise ValueError(
            f"K must be known on its diagonal, got {int((~known.diagonal()).sum())} unknown "
            "entries there, for which the determinant has no bound; fill them in, or pass a "
            "reference."
        )
    if (K.diagonal() <= 0).any():
        raise ValueError(
            f"K must have a positive diagonal, got {K.diagonal().min():.3g}; drop such points."
        )


def _check_definite(K: Array, name: str) -> None:
    try:
        np.linalg.cholesky(K)
    except np.linalg.LinAlgError:
        raise ValueError(
            f"{name} must be positive definite, got a matrix that is not; add a small multiple of "
            "the identity."
        ) from None
