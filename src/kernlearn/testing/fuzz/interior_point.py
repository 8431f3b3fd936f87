r"""A small interior-point method in plain NumPy: the judge's own way to a machine's solution.

.. math::

    \min_x \; \tfrac12 x^\top Q x + q^\top x \quad\text{subject to}\quad
    A x = b, \quad 0 \le x \le u .

Mehrotra's predictor and corrector on dense matrices, for many programs of one shape in step: each
is so small that calling takes longer than computing. Accuracy is a convenience only: what comes
out is judged by values recomputed from definitions, which hold for any x.
"""

from __future__ import annotations

import numpy as np

from kernlearn.typing import Array, Mask

STEPS = 60


def solve_boxes(Q: Array, q: Array, A: Array, b: Array, u: Array) -> tuple[Array, Array]:
    """Minimisers and multipliers of ``A x = b``, as well as they could be found.

    The first axis of everything but A, which they share, is that of the programs.
    """
    programs = _Programs(Q, q, A, b, u)
    x, y, least = programs.x.copy(), programs.y.copy(), np.full(len(Q), np.inf)
    going = np.arange(len(Q))
    with np.errstate(all="ignore"):
        for _ in range(STEPS):
            error = programs.error()
            better = error < least[going]
            which = going[better]
            x[which], y[which], least[which] = programs.x[better], programs.y[better], error[better]
            unfinished = (error > 1e-13) & (error < np.inf)
            going = going[unfinished]
            if not len(going):
                break
            programs.keep(unfinished)
            programs.step()
    return x, y


class _Programs:
    """The iterates: x, its distance s to a cap, and the multipliers z, v of the two bounds.

    Without a cap, s is infinite and v is zero.
    """

    def __init__(self, Q: Array, q: Array, A: Array, b: Array, u: Array) -> None:
        self.Q, self.q, self.A, self.b, self.u = Q, q, A, b, u
        (m, n), r = q.shape, len(A)
        self.capped = np.isfinite(u)
        self.pairs = n + self.capped.sum(axis=1)
        self.x = np.where(self.capped, 0.5 * np.minimum(u, 2.0), 1.0)
        self.z, self.v, self.y = np.ones((m, n)), np.where(self.capped, 1.0, 0.0), np.zeros((m, r))
        self.system = np.zeros((m, n + r, n + r))  # without what changes: the diagonal
        self.system[:, :n, :n], self.system[:, :n, n:], self.system[:, n:, :n] = Q, -A.T, A
        self.system[:, range(n + r), range(n + r)] += 1e-14

    def keep(self, which: Mask) -> None:
        """Go on with some of them."""
        if not which.all():
            for name, value in vars(self).items():
                if name != "A":
                    setattr(self, name, value[which])

    def error(self) -> Array:
        self.s = self.u - self.x
        self.dual = _product(self.Q, self.x) + self.q - self.y @ self.A - self.z + self.v
        self.primal = self.x @ self.A.T - self.b
        self.mu = self._complementarity(self.x, self.z, self.s, self.v)
        residuals = np.concatenate([self.dual, self.primal], axis=1)
        return np.asarray(np.maximum(np.abs(residuals).max(axis=1), self.mu))

    def step(self) -> None:
        KKT = self.system.copy()
        diagonal = np.arange(self.x.shape[1])
        KKT[:, diagonal, diagonal] += self.z / self.x + self.v / self.s
        dx, dy, dz, dv = self._direction(KKT, np.zeros(len(KKT)), 0.0, 0.0)
        t = self._length(dx, dz, dv)
        after = self._complementarity(
            self.x + t * dx, self.z + t * dz, self.s - t * dx, self.v + t * dv
        )
        centre = np.where(self.mu > 0, self.mu * (after / self.mu) ** 3, 0.0)
        dx, dy, dz, dv = self._direction(KKT, centre, dx * dz, -dx * dv)
        t = 0.995 * self._length(dx, dz, dv)
        self.x, self.y = self.x + t * dx, self.y + t * dy
        self.z, self.v = self.z + t * dz, self.v + t * dv

    def _complementarity(self, x: Array, z: Array, s: Array, v: Array) -> Array:
        total = (x * z).sum(axis=1) + (s * v).sum(axis=1, where=self.capped)
        return np.asarray(total / self.pairs)

    def _direction(
        self, KKT: Array, centre: Array, low: Array | float, high: Array | float
    ) -> tuple[Array, Array, Array, Array]:
        low, high = centre[:, None] - low, centre[:, None] - high
        right = low / self.x - self.z - (high / self.s - self.v) - self.dual
        step = _solve(KKT, np.concatenate([right, -self.primal], axis=1))
        dx, dy = np.split(step, [self.x.shape[1]], axis=1)
        dz = (low - self.z * dx) / self.x - self.z
        dv = (high + self.v * dx) / self.s - self.v
        return dx, dy, dz, dv

    def _length(self, dx: Array, dz: Array, dv: Array) -> Array:
        """The longest steps, at most one, that keep every positive vector positive."""
        value = np.concatenate([self.x, self.s, self.z, self.v], axis=1)
        change = np.concatenate([dx, -dx, dz, dv], axis=1)
        lengths = np.where(change < 0, -value / change, 1.0)
        return np.asarray(np.minimum(1.0, lengths.min(axis=1, keepdims=True)))


def _product(matrices: Array, vectors: Array) -> Array:
    return np.asarray((matrices @ vectors[..., None])[..., 0])


def _solve(matrices: Array, vectors: Array) -> Array:
    """One system after another only where one is singular: its program goes no further."""
    try:
        return np.asarray(np.linalg.solve(matrices, vectors[..., None])[..., 0])
    except np.linalg.LinAlgError:
        if len(matrices) == 1:
            return np.full_like(vectors, np.nan)
        return np.concatenate(
            [_solve(A[None], b[None]) for A, b in zip(matrices, vectors, strict=True)]
        )
