r"""Kernel logistic regression at a fixed kernel: the mode of a Gaussian process of classes.

.. math::

    \min_f \; \sum_i s_i \log\bigl(1 + e^{-y_i f_i}\bigr) + \tfrac12 f^\top A^{-1} f,

for labels y = ±1 and a covariance A. With :math:`f = Aa`, the optimum has
:math:`a_i = s_i y_i / (1 + e^{y_i f_i})`. Nothing inverts A: with W the second derivatives of the
loss, :math:`D = W^{1/2}` and :math:`B = I + DAD`, whose eigenvalues are at least one, a step of
Newton's method solves :math:`(I + WA)\,a = c` by :math:`a = c - D B^{-1} D A c` (Rasmussen and
Williams 2006, section 3.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs
from scipy.special import expit

from kernlearn.quality.ls_svm import mirrored
from kernlearn.runtime.threads import safe_threads_for
from kernlearn.typing import Array, Indices

# Newton's method doubles its digits: after a step with a smaller relative gain, twice as many are
# right.
_LAST_GAIN = 1e-12
_MAX_STEPS, _MAX_HALVINGS = 100, 40


@dataclass(frozen=True, eq=False)
class LogisticMode:
    """The optimum for one vector of labels, and the factorisation there."""

    A: Array  # The covariance of f, of shape (n, n)
    signs: Array  # y, of shape (n,)
    weight: Array  # s, of shape (n,)
    coef: Array  # a, of shape (n,)
    values: Array  # f, of shape (n,)
    factor: Array  # L, lower, LLᵀ = B; of shape (n, n)

    @cached_property
    def curvature(self) -> Array:
        """W, of shape (n,)."""
        return _curvature(self.values, self.weight)

    @property
    def loss(self) -> float:
        """The sum of the losses."""
        return float(self.weight @ np.logaddexp(0.0, -self.signs * self.values))

    @property
    def squared_norm(self) -> float:
        """Squared norm of f in the space of the kernel A."""
        return float(self.coef @ self.values)

    @property
    def log_determinant(self) -> float:
        """Log determinant of I + WA."""
        return 2.0 * float(np.log(self.factor.diagonal()).sum())

    def inverse(self) -> Array:
        """R, the inverse of A + W⁻¹; of shape (n, n)."""
        root = np.sqrt(self.curvature)
        with safe_threads_for(len(root)):
            R = mirrored(dpotri(self.factor, lower=1)[0])
        R *= root
        R *= root[:, None]
        return R

    @cached_property
    def variances(self) -> Array:
        """Posterior variances of f by Laplace's approximation, of shape (n,)."""
        return np.asarray(self.A.diagonal() - (self._half() ** 2).sum(axis=0))

    def left_out(self, blocks: Sequence[Indices] = ()) -> Array:
        """The f of every row by the machine without that row, or without its block; approximate.

        The losses of the other rows stay the quadratic ones at the mode.
        """
        W, v = self.curvature, self.variances
        found = np.asarray(self.values - self.coef * v / (1.0 - W * v))
        half = self._half() if blocks else self.A
        for rows in blocks:
            V = self.A[np.ix_(rows, rows)] - half[:, rows].T @ half[:, rows]
            moved = np.linalg.solve(np.eye(len(rows)) - V * W[rows], V @ self.coef[rows])
            found[rows] = self.values[rows] - moved
        return found

    def influence(self, slope: Array) -> Array:
        """The w with wᵀ dA a = slopeᵀ df: a change dA moves the mode by df."""
        root = np.sqrt(self.curvature)
        solved = dpotrs(self.factor, root * (self.A @ slope), lower=1)[0]
        return np.asarray(slope - root * solved)

    def _half(self) -> Array:
        """L⁻¹DA, whose square is ARA."""
        right = np.asfortranarray(np.sqrt(self.curvature)[:, None] * self.A)
        with safe_threads_for(len(right)):
            return np.asarray(dtrsm(1.0, self.factor, right, lower=1, overwrite_b=1))


def find_logistic_mode(
    A: Array, signs: Array, weight: Array, start: Array | None = None
) -> LogisticMode:
    """Find the mode by Newton's method, from the values `start` if given; inputs are checked.

    LinAlgError: A is not positive semidefinite beyond rounding, or not finite.

    >>> import numpy as np
    >>> mode = find_logistic_mode(np.eye(2), np.array([1.0, -1.0]), np.ones(2))
    >>> mode.coef.round(4).tolist(), mode.values.round(4).tolist()
    ([0.4011, -0.4011], [0.4011, -0.4011])
    """
    point = _NewtonIterate(A, signs, weight, np.zeros(len(signs)), np.zeros(len(signs)))
    if start is not None:
        warm = point.stepped(start)
        point = warm if warm.objective < point.objective else point
    for _ in range(_MAX_STEPS):
        following = point.towards(point.stepped(point.values))
        gain = point.objective - following.objective
        point = following
        if not gain > _LAST_GAIN * point.objective:
            break
    factor = _factor(A, _curvature(point.values, weight))
    return LogisticMode(A, signs, weight, point.coef, point.values, factor)


@dataclass(frozen=True, eq=False)
class _NewtonIterate:
    """An iterate of Newton's method."""

    A: Array
    signs: Array
    weight: Array
    coef: Array
    values: Array

    @cached_property
    def objective(self) -> float:
        losses = np.logaddexp(0.0, -self.signs * self.values)
        return float(self.weight @ losses) + 0.5 * float(self.coef @ self.values)

    def stepped(self, values: Array) -> _NewtonIterate:
        """Newton's step from these values."""
        W = _curvature(values, self.weight)
        root = np.sqrt(W)
        c = W * values + self.weight * self.signs * expit(-self.signs * values)
        right = root * (self.A @ c)
        coef = c - root * dpotrs(_factor(self.A, W), right, lower=1)[0]
        return _NewtonIterate(self.A, self.signs, self.weight, coef, self.A @ coef)

    def towards(self, proposed: _NewtonIterate) -> _NewtonIterate:
        """The proposed point, or one on the way there that is no higher; else this one."""
        for _ in range(_MAX_HALVINGS):
            # Rounding hides the gain of the last step, which is the one that matters.
            if proposed.objective <= (1.0 + _LAST_GAIN) * self.objective:
                return proposed
            coef, values = proposed.coef + self.coef, proposed.values + self.values
            proposed = _NewtonIterate(self.A, self.signs, self.weight, 0.5 * coef, 0.5 * values)
        return self


def _curvature(values: Array, weight: Array) -> Array:
    """Second derivatives of the losses."""
    return np.asarray(weight * expit(values) * expit(-values))


def _factor(A: Array, W: Array) -> Array:
    """L with LLᵀ = I + W^½AW^½."""
    root = np.sqrt(W)
    B = A * root
    B *= root[:, None]
    B[np.diag_indices_from(B)] += 1.0
    # The transpose of a symmetric matrix in C order is the matrix in LAPACK's, without a copy.
    with safe_threads_for(len(B)):
        factor, failed = dpotrf(B.T, lower=1, overwrite_a=1, clean=1)
    if failed or not np.isfinite(factor.diagonal()).all():
        raise np.linalg.LinAlgError("the kernel matrix is not positive semidefinite")
    return np.asarray(factor)
