"""Kernel matrices with unknown entries, completed with the largest determinant."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_factor, cho_solve, eigh

from kernlearn.gram.psd import check_finite, check_symmetric
from kernlearn.typing import Array, Mask


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
    If the graph of known entries is chordal, that is, if rows can be filled in one after the
    other from rows already complete, the solution is in closed form; likewise for whole rows with a
    reference. Otherwise Newton's method solves the dual,
    :math:`\min_Z \langle Z, K \rangle - \log\det(M^{-1} + Z)` over Z that are zero where K is
    unknown, by conjugate gradients.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.gram import complete_kernel
    >>> complete_kernel([[1.0, 0.5, np.nan], [0.5, 1.0, 0.5], [np.nan, 0.5, 1.0]])
    array([[1.  , 0.5 , 0.25],
           [0.5 , 1.  , 0.5 ],
           [0.25, 0.5 , 1.  ]])
    """
    matrix, observed = _checked(K, mask)
    if observed.all():
        _check_definite(matrix, "K")
        return matrix.copy()
    if reference is None:
        _check_diagonal(matrix, observed)
        order = elimination_order(observed)
        if order is not None:
            return chordal_completion(matrix, observed, order)
        return newton_completion(matrix, observed, None, tol, max_iter)
    M = check_symmetric(reference, "reference")
    if M.shape != matrix.shape:
        raise ValueError(
            f"reference must have the shape of K, {matrix.shape}, got {M.shape}; evaluate the "
            "other kernel on the same points."
        )
    _check_definite(M, "reference")
    rows = observed.diagonal()
    if (observed == np.outer(rows, rows)).all():
        return _whole_rows(matrix, rows, M)
    return newton_completion(matrix, observed, M, tol, max_iter)


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


def _check_diagonal(K: Array, observed: Mask) -> None:
    if not observed.diagonal().all():
        raise ValueError(
            f"K must be known on its diagonal, got {int((~observed.diagonal()).sum())} unknown "
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


def elimination_order(observed: Mask) -> NDArray[np.intp] | None:
    """Return an order in which each point's known entries with earlier points are a full block.

    Each time, the point with most known entries among those taken comes next (maximum cardinality
    search); if the graph is chordal, this order has the property, and otherwise none has it.
    """
    n = len(observed)
    counts = np.zeros(n, dtype=np.intp)
    taken = np.zeros(n, dtype=bool)
    order = np.empty(n, dtype=np.intp)
    for step in range(n):
        point = int(np.argmax(np.where(taken, -1, counts)))
        earlier = np.flatnonzero(observed[point] & taken)
        if not observed[np.ix_(earlier, earlier)].all():
            return None
        order[step] = point
        taken[point] = True
        counts[observed[point]] += 1
    return order


def chordal_completion(K: Array, observed: Mask, order: NDArray[np.intp]) -> Array:
    r"""Fill in row after row; `K` is zero where it is unknown.

    A point v that is known with the points N of those taken, P, depends on the others only through
    N when the determinant is largest: :math:`X_{vP} = K_{vN} K_{NN}^{-1} X_{NP}`.
    """
    X = K.copy()
    for step, v in enumerate(order):
        taken = order[:step]
        near = taken[observed[v, taken]]
        far = taken[~observed[v, taken]]
        if not len(near):
            _check_schur(float(K[v, v]), float(K[v, v]))
            continue
        # The block is positive definite, since each of its points passed the check below.
        slopes = cho_solve(cho_factor(X[np.ix_(near, near)], lower=True), K[near, v])
        _check_schur(float(K[v, v] - K[v, near] @ slopes), float(K[v, v]))
        X[v, far] = X[far, v] = slopes @ X[np.ix_(near, far)]
    return X


def _check_schur(rest: float, whole: float) -> None:
    if not rest > 1e-12 * whole:
        raise ValueError(
            "K must be positive definite where it is known, got a block that is not; no completion "
            "has a positive determinant: add a small multiple of the identity."
        )


_MOST_CG_STEPS = 1000
# Part of the way to the cone's boundary, and the tolerance of the line search.
_INSIDE, _NEAR = 0.99, 1e-6


def newton_completion(
    K: Array, observed: Mask, M: Array | None, tol: float, max_iter: int
) -> Array:
    r"""Return the completion by Newton's method on the dual; `K` is zero where it is unknown.

    With R the inverse of the reference, or zero, minimise
    :math:`\phi(Z) = \langle Z, K \rangle - \log\det(R + Z)` over Z that are zero where K is
    unknown. The direction D solves :math:`P(W D W) = P(W - K)` with :math:`W = (R + Z)^{-1}` and P
    the entries where K is known, by conjugate gradients; :math:`P(Y D Y)`, :math:`Y = R + Z`, is
    the preconditioner. Along D, φ is a sum of logarithms of the eigenvalues of
    :math:`W^{1/2} D W^{1/2}`, so that the best step costs nothing. For any such Z and completion X,
    :math:`\log\det X - \langle R, X \rangle \le \phi(Z) - n`, so that W with the known entries
    put back is as good as the gap says. If :math:`\langle Z, K \rangle \le 0` with R = 0, there
    is no positive definite completion, since :math:`\langle Z, X \rangle > 0` for all of them.
    """
    # In units in which the diagonal is one.
    sizes = np.sqrt(np.where(observed.diagonal(), K.diagonal(), 1.0))
    if M is not None:
        sizes = np.sqrt(M.diagonal())
    scale = np.outer(sizes, sizes)
    unit = K / scale
    R = np.zeros_like(K) if M is None else np.linalg.inv(M / scale)
    X = _completion(unit, observed, 0.5 * (R + R.T), tol, max_iter, M is None) * scale
    return np.where(observed, K, X)


def _completion(
    K: Array, observed: Mask, R: Array, tol: float, max_iter: int, is_plain: bool
) -> Array:
    """Return the completion of a matrix with unit diagonal, up to rounding where it is known."""
    n = len(K)
    Z = np.eye(n) if is_plain else np.zeros((n, n))
    gap = math.inf
    for _ in range(max_iter):
        Y = R + Z
        W, log_det = _inverse(Y)
        value = float((Z * K).sum()) - log_det
        if is_plain and (Z * K).sum() <= 0:
            raise ValueError(
                "K must have a positive definite completion, found none: what is known is "
                "contradictory; check the entries, or add a multiple of the identity."
            )
        gradient = np.where(observed, K - W, 0.0)
        D = _direction(W, Y, observed, gradient)
        gap = value - n - _primal(np.where(observed, K, W), R)
        if gap <= tol:
            # A gap of ε leaves an error of √ε in the entries; a last full step squares that.
            return _inverse(Y + D)[0]
        Z = Z + _best_step(Y, D, float((D * K).sum())) * D
    raise ValueError(
        f"expected a duality gap of {tol:g} after max_iter={max_iter} steps, got {gap:.3g}: what "
        "is known is nearly singular or contradictory; raise max_iter or tol, or add a small "
        "multiple of the identity."
    )


def _primal(X: Array, R: Array) -> float:
    """Return log det X − ⟨R, X⟩; −∞ where X is not positive definite."""
    try:
        factor = np.linalg.cholesky(X)
    except np.linalg.LinAlgError:
        return -math.inf
    return 2.0 * float(np.log(factor.diagonal()).sum()) - float((R * X).sum())


def _inverse(Y: Array) -> tuple[Array, float]:
    factor = cho_factor(Y, lower=True)
    W = cho_solve(factor, np.eye(len(Y)))
    return 0.5 * (W + W.T), 2.0 * float(np.log(factor[0].diagonal()).sum())


def _direction(W: Array, Y: Array, observed: Mask, gradient: Array) -> Array:
    """Return D with P(W D W) = −gradient, up to a tenth at first and less near the end."""

    def image(A: Array, of: Array) -> Array:
        # Asymmetry by rounding would grow from step to step.
        product = A @ of @ A
        return np.where(observed, 0.5 * (product + product.T), 0.0)

    D = np.zeros_like(W)
    residual = -gradient
    search = image(Y, residual)
    square = float((residual * search).sum())
    goal = min(0.01, square) * square
    for _ in range(_MOST_CG_STEPS):
        curved = image(W, search)
        along = square / float((search * curved).sum())
        D = D + along * search
        residual = residual - along * curved
        preconditioned = image(Y, residual)
        last, square = square, float((residual * preconditioned).sum())
        if square <= goal:
            break
        search = preconditioned + square / last * search
    return D


def _best_step(Y: Array, D: Array, slope: float) -> float:
    """Minimise slope·t − Σ log(1 + tλ) over t, with λ the eigenvalues of D relative to Y."""
    eigenvalues = eigh(D, Y, eigvals_only=True)
    limit = math.inf if eigenvalues[0] >= 0 else -1.0 / float(eigenvalues[0])
    t = 0.0
    for _ in range(50):
        ratios = eigenvalues / (1.0 + t * eigenvalues)
        step = -(slope - float(ratios.sum())) / float((ratios**2).sum())
        forward = min(t + step, t + _INSIDE * (limit - t), 10.0 * max(t, 1.0))
        if abs(forward - t) <= _NEAR * abs(t):
            break
        t = max(forward, 0.0)
    return t
