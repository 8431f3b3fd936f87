"""Sensitivity of a machine's solution to its kernel: to first order, by its active set."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import LinAlgError

from kernlearn._device import lower_factor, minor, solve_lower
from kernlearn.gram.eigen import lowest_eigenpairs
from kernlearn.quality.machine import Machine
from kernlearn.solvers.machine.active_set import EXCHANGE, ExchangeOptions, MachineSolution
from kernlearn.typing import Array


def factorised(solution: MachineSolution, K: Array, ridge: Array) -> MachineSolution:
    """The solution with the Cholesky factor of its free block, if it lacks it."""
    if solution.factor is not None:
        return solution
    S = solution.free
    if len(S) == 0:
        return replace(solution, factor=np.zeros((0, 0)))
    matrix = minor(K, S)
    diagonal = np.arange(len(S))
    if ridge.ndim == 2:
        matrix += minor(ridge, S)
    else:
        matrix[diagonal, diagonal] += ridge[S]
    size = max(float(K.diagonal().mean()), 1e-300)
    # Steps need the curvature to a few digits only, and half the digits take half the time.
    for dtype, proximal in ((np.float32, 1e-5), (np.float64, 1e-7), (np.float64, 1e-3)):
        with np.errstate(over="ignore"):
            trial = matrix.astype(dtype)
            trial[diagonal, diagonal] = matrix[diagonal, diagonal] + proximal * size
        if not np.isfinite(trial[diagonal, diagonal]).all():
            continue  # beyond the range of single precision
        try:
            return replace(solution, factor=lower_factor(trial))
        except LinAlgError:
            continue
    # A trial kernel may be indefinite; its curvature is then that of the nearest that is not.
    lowest = float(lowest_eigenpairs(matrix, 1)[0][0])
    matrix[diagonal, diagonal] += 2.0 * abs(lowest) + 1e-3 * size
    return replace(solution, factor=lower_factor(matrix))


def curvature(solution: MachineSolution, K_i_coef: Array) -> Array:
    r"""∂²V/∂βᵢ∂βⱼ = (Kᵢa)_Sᵀ P (Kⱼa)_S, P the inverse of K_SS projected on the equalities.

    The solution has its Cholesky factor, and `K_i_coef` the vectors :math:`K_i a` in rows.
    """
    if len(solution.free) == 0:
        return np.zeros((len(K_i_coef), len(K_i_coef)))
    half, border = _halves(solution, K_i_coef[:, solution.free].T, solution.free_rows)
    basis = _orthonormal(border)[0]
    # Projected before it is squared: with a nearly singular factor the difference of the squares
    # would be rounding, and need not be positive.
    Z = half - basis @ (basis.T @ half)
    return np.asarray(Z.T @ Z)


def displaced(
    solution: MachineSolution, machine: Machine, dK_coef: Array, options: ExchangeOptions = EXCHANGE
) -> Array | None:
    r"""First-order change of the coefficients when K changes: δ_S = −P (dK a)_S.

    Coefficients that would leave their segment stop at its end; the others are solved for again,
    so that one point at a bound does not shorten the step of the others. The result is feasible;
    None if it cannot move. The solution has its Cholesky factor, and `dK_coef` is the change of K
    times a.
    """
    S = solution.free
    if len(S) == 0:
        return None
    a, state = solution.coef.copy(), solution.state[S]
    moving = state % 2 == 1
    low, high = np.zeros(len(S)), np.zeros(len(S))
    segment, free = state[moving] // 2, S[moving]
    low[moving] = machine.breakpoints[free, segment] - a[free]
    high[moving] = machine.breakpoints[free, segment + 1] - a[free]
    rows = solution.free_rows
    step = _constrained(solution, -dK_coef[S], rows, np.zeros(len(rows)))
    ended = np.flatnonzero(moving & ((step < low) | (step > high)))
    if len(ended) > 0 and (len(S) < options.large or len(ended) <= options.few * len(S)):
        units = np.zeros((len(ended), len(S)))
        units[np.arange(len(ended)), ended] = 1.0
        values = np.concatenate([np.zeros(len(rows)), np.clip(step, low, high)[ended]])
        step = _constrained(solution, -dK_coef[S], np.vstack([rows, units]), values)
    a[S] += np.clip(step, low, high)
    return machine.feasible(a)


def _constrained(solution: MachineSolution, right: Array, rows: Array, values: Array) -> Array:
    """The δ of rows Eδ = d with the least ½δᵀLLᵀδ − rᵀδ: the nearest to (LLᵀ)⁻¹r."""
    half, border = _halves(solution, right, rows)
    basis, triangle = _orthonormal(border)
    z = half - basis @ (basis.T @ half)
    if values.any():
        z += basis @ np.linalg.lstsq(triangle.T, values, rcond=None)[0]
    factor = solution.factor
    assert factor is not None
    return np.asarray(solve_lower(factor, z.astype(factor.dtype), transposed=True), dtype=float)


def _orthonormal(columns: Array) -> tuple[Array, Array]:
    """The factors of ``columns`` = QR, of one column as of several."""
    if columns.shape[1] != 1:
        return np.linalg.qr(columns)
    length = np.linalg.norm(columns)
    return (columns / length if length else columns), np.array([[length]])


def _halves(solution: MachineSolution, right: Array, rows: Array) -> tuple[Array, Array]:
    """L⁻¹ times ``right`` and times Eᵀ, in double precision from a factor in any."""
    factor = solution.factor
    assert factor is not None
    both = np.column_stack([right, rows.T]).astype(factor.dtype, copy=False)
    solved = solve_lower(factor, both).astype(float, copy=False)
    half = solved[:, : solved.shape[1] - len(rows)]
    return half.reshape(right.shape), solved[:, half.shape[1] :]
