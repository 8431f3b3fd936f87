r"""Completions by Newton's method on the dual.

With R the inverse of the reference, or zero, minimise

.. math:: \phi(Z) = \langle Z, K \rangle - \log\det(R + Z)

over Z that are zero where K is unknown. The Newton direction D solves
:math:`P(W D W) = P(W - K)` with :math:`W = (R + Z)^{-1}` and P the entries where K is known, by
conjugate gradients; :math:`P(Y D Y)`, :math:`Y = R + Z`, which would be the inverse if all entries
were known, is the preconditioner. Along D, φ is a sum of logarithms of the eigenvalues of
:math:`W^{1/2} D W^{1/2}`, so that the best step costs nothing. For any such Z and any completion X,

.. math:: \log\det X - \langle R, X \rangle \le \phi(Z) - n,

so that W with the known entries put back is as good as the gap says. And if
:math:`\langle Z, K \rangle \le 0` with R = 0, no positive definite completion exists, since
:math:`\langle Z, X \rangle > 0` for all of them.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh

from kernlearn.typing import Array, Mask

_MOST_CG_STEPS = 1000
# Of the way to where a step would leave the cone, and how near to the best step is near enough.
_INSIDE, _NEAR = 0.99, 1e-6


def newton_completion(K: Array, known: Mask, M: Array | None, tol: float, max_iter: int) -> Array:
    """Return the completion; `K` is zero where it is unknown, and inputs are checked."""
    # In units in which the diagonal is one.
    sizes = np.sqrt(np.where(known.diagonal(), K.diagonal(), 1.0))
    if M is not None:
        sizes = np.sqrt(M.diagonal())
    scale = np.outer(sizes, sizes)
    unit = K / scale
    R = np.zeros_like(K) if M is None else np.linalg.inv(M / scale)
    X = _solved(unit, known, 0.5 * (R + R.T), tol, max_iter, M is None) * scale
    return np.where(known, K, X)


def _solved(K: Array, known: Mask, R: Array, tol: float, max_iter: int, is_plain: bool) -> Array:
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
        gradient = np.where(known, K - W, 0.0)
        D = _direction(W, Y, known, gradient)
        gap = value - n - _primal(np.where(known, K, W), R)
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


def _direction(W: Array, Y: Array, known: Mask, gradient: Array) -> Array:
    """Return D with P(W D W) = −gradient, up to a tenth at first and less near the end."""

    def image(A: Array, of: Array) -> Array:
        # What rounding leaves of an asymmetric part would grow from step to step.
        product = A @ of @ A
        return np.where(known, 0.5 * (product + product.T), 0.0)

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
