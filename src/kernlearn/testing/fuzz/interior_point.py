r"""A small interior-point method in plain NumPy: the judge's own way to a machine's solution.

.. math::

    \min_x \; \tfrac12 x^\top Q x + q^\top x \quad\text{subject to}\quad
    A x = b, \quad 0 \le x \le u .

Mehrotra's predictor and corrector on dense matrices. Accuracy is a convenience only: what comes
out is judged by values recomputed from definitions, which hold for any x.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dgetrf, dgetrs

Array = NDArray[np.float64]

STEPS = 60


def solve_box(Q: Array, q: Array, A: Array, b: Array, u: Array) -> tuple[Array, Array]:
    """The minimiser and the multipliers of ``A x = b``, as well as they could be found."""
    program = _Program(Q, q, A, b, u)
    best, least = (program.x, program.y), np.inf
    with np.errstate(all="ignore"):
        for _ in range(STEPS):
            error = program.error()
            if error < least:
                best, least = (program.x, program.y), error
            if not 1e-13 < error < np.inf:
                break
            program.step()
    return best


class _Program:
    """The iterate: x, its distance s to a cap, and the multipliers z, v of the two bounds."""

    def __init__(self, Q: Array, q: Array, A: Array, b: Array, u: Array) -> None:
        self.Q, self.q, self.A, self.b, self.u = Q, q, A, b, u
        self.capped = np.flatnonzero(np.isfinite(u))
        self.x = np.where(np.isfinite(u), 0.5 * np.minimum(u, 2.0), 1.0)
        self.z, self.v, self.y = np.ones(len(q)), np.ones(len(self.capped)), np.zeros(len(b))
        self.pairs = len(q) + len(self.capped)
        n, r = len(q), len(b)
        self.system = np.zeros((n + r, n + r), order="F")  # without what changes: the diagonal
        self.system[:n, :n], self.system[:n, n:], self.system[n:, :n] = Q, -A.T, A
        self.system.flat[:: n + r + 1] += 1e-14

    def error(self) -> float:
        self.s = self.u[self.capped] - self.x[self.capped]
        self.dual = self.Q @ self.x + self.q - self.A.T @ self.y - self.z
        self.dual[self.capped] += self.v
        self.primal = self.A @ self.x - self.b
        self.mu = float(self.x @ self.z + self.s @ self.v) / self.pairs
        dual = float(np.abs(self.dual).max())
        return max(dual, float(np.abs(self.primal).max(initial=0.0)), self.mu)

    def step(self) -> None:
        n = len(self.q)
        D = self.z / self.x
        D[self.capped] += self.v / self.s
        KKT = self.system.copy(order="F")
        diagonal = np.arange(n)
        KKT[diagonal, diagonal] += D
        self.factor, self.pivots, _ = dgetrf(KKT, overwrite_a=True)
        dx, dy, dz, dv = self._direction(0.0, np.zeros(n), np.zeros(len(self.v)))
        t = self._length(dx, dz, dv)
        after = (self.x + t * dx) @ (self.z + t * dz)
        after += (self.s - t * dx[self.capped]) @ (self.v + t * dv)
        centre = self.mu * float(after / self.pairs / self.mu) ** 3 if self.mu > 0 else 0.0
        dx, dy, dz, dv = self._direction(centre, dx * dz, -dx[self.capped] * dv)
        t = 0.995 * self._length(dx, dz, dv)
        self.x, self.y = self.x + t * dx, self.y + t * dy
        self.z, self.v = self.z + t * dz, self.v + t * dv

    def _direction(
        self, centre: float, low: Array, high: Array
    ) -> tuple[Array, Array, Array, Array]:
        right = -self.dual + (centre - low) / self.x - self.z
        right[self.capped] -= (centre - high) / self.s - self.v
        step = dgetrs(self.factor, self.pivots, np.concatenate([right, -self.primal]))[0]
        dx, dy = step[: len(self.q)], step[len(self.q) :]
        dz = (centre - low - self.z * dx) / self.x - self.z
        dv = (centre - high + self.v * dx[self.capped]) / self.s - self.v
        return dx, dy, dz, dv

    def _length(self, dx: Array, dz: Array, dv: Array) -> float:
        """The longest step, at most one, that keeps every positive vector positive."""
        value = np.concatenate([self.x, self.s, self.z, self.v])
        change = np.concatenate([dx, -dx[self.capped], dz, dv])
        falling = change < 0
        return min(1.0, float((-value[falling] / change[falling]).min(initial=1.0)))
