r"""The leave-one-out loss through landmarks as a function of log λ and log θ, with exact slopes.

With weights s, :math:`Z = K(X, S; \theta) L(\theta)^{-\top}`, and rows
:math:`A = \sqrt s\,[Z, 1]` and :math:`y` (times √s as well),
:math:`M = A^\top A + \lambda\,\mathrm{diag}(I, 0)`,

.. math::

    f = A\beta, \quad \beta = M^{-1}A^\top y, \qquad h_i = a_i^\top M^{-1} a_i, \qquad
    e_i = \frac{y_i - f_i}{1 - h_i}, \qquad Q = \sum_i e_i^2 .

Backwards, with :math:`g_i = -2 e_i/(1-h_i)`, :math:`q_i = 2 e_i^2/(1-h_i)`,
:math:`\gamma = M^{-1}A^\top g` and :math:`T = M^{-1}(A^\top q A)M^{-1}`,

.. math::

    \frac{\partial Q}{\partial A} = (g - A\gamma)\beta^\top + (y-f)\gamma^\top
        + 2 q A M^{-1} - 2 A T, \qquad
    \frac{\partial Q}{\partial M} = -\tfrac12 N, \quad
    N = \gamma\beta^\top + \beta\gamma^\top + 2 T .

So :math:`\partial Q/\partial\lambda = -\tfrac12\,\mathrm{tr}\,N_{ZZ}`. Q depends on Z through
ZZᵀ = K_{XS} K_{SS}⁻¹ K_{SX} only, so that with W = ∂Q/∂Z the kernel's share is
:math:`\partial Q/\partial K_{XS} = W L^{-1}` and
:math:`\partial Q/\partial K_{SS} = -\tfrac12 L^{-\top} Z^\top W L^{-1}`, where
:math:`Z^\top W = \lambda N_{ZZ}` takes no further pass over the rows. All in O(nr² + nrd).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernlearn._device import (
    add_to_diagonal,
    all_rows,
    beside,
    copied,
    lower_factor,
    namespace,
    row_dots,
    solve_factored,
    solve_lower,
    to_host,
)
from kernlearn.families.parametric.base import ParametricKernel
from kernlearn.gram.landmarks import choose_landmarks
from kernlearn.quality.held_out import SelectionCriterion
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.solvers.selection.objective import SelectionObjective, ValueAndSlopes
from kernlearn.typing import Array, DeviceArray, RandomState, Rows

# Added to the diagonal of K(S, S), relative to its mean, so that it has a factor at every θ.
JITTER = 1e-8


class LandmarkSelection(SelectionObjective):
    """Log Q at z = (log λ, log θ)."""

    def __init__(
        self,
        kernel: ParametricKernel,  # the family K(θ)
        X: Rows,  # points; where they are, the work is done if the family can do it there
        Y: Array,  # (n, k): targets
        weight: Array,  # (n,): the s
        points: Rows,  # the landmarks S, the same for all θ of a descent
        stopping: StoppingControl | None = None,  # may end the selection early
        seed: RandomState = 0,  # for landmarks that are chosen anew
    ) -> None:
        spread = float(weight @ ((Y - Y.mean(axis=0)) ** 2).sum(axis=1))
        criterion = SelectionCriterion.leave_one_out(weight, spread)
        super().__init__(kernel, to_host(X), Y, criterion, stopping)
        self.weight = weight
        self.rows = all_rows(X) if kernel.follows_arrays else self.X
        self._source, self._seed = X, seed
        self._use(points)

    def _use(self, points: Rows) -> None:
        self.points = points
        self._there = [beside(part, self.rows) for part in (points, self.Y, self.weight)]

    def follow(self, theta: Array) -> None:
        """As many landmarks, chosen at θ.

        Where columns count differently, those chosen at equal scales lie as if chosen at random,
        and resolve the few columns that matter less well.
        """
        kernel, rank = self.kernel.kernel(theta), len(self.points)
        marks = choose_landmarks(kernel, self._source, rank, random_state=self._seed)
        self._use(marks.points)

    def matrix(self, theta: Array) -> Array:
        """K(S, S), which estimates the size of K."""
        return self.kernel.matrix(self.points, None, theta)

    def value(self, z: Array) -> float:
        """Log Q; infinite where no machine can be trained."""
        return self.value_and_gradient(z)[0]

    def values_along(self, points: Sequence[Array]) -> list[float]:
        """One by one: there is no matrix of all rows to decompose."""
        return self.values(points)

    def _at(self, lam: float, theta: Array) -> ValueAndSlopes:
        points, Y, weight = self._there
        square = self.kernel.matrix(points, None, theta)
        xp = namespace(square)
        jitter = JITTER * float(xp.mean(xp.linalg.diagonal(square)))
        L = lower_factor(add_to_diagonal(copied(square), jitter))
        cross = self.kernel.matrix(self.rows, points, theta)
        # Products run at several times the speed of triangular solves, and rows are many.
        inverse = solve_lower(L, beside(np.eye(square.shape[0]), L))
        Z = cross @ inverse.T
        value, W, N = press(Z, Y, weight, lam)
        negligible = self.criterion.negligible
        back = W @ inverse
        inner = inverse.T @ (lam * N) @ inverse
        gradient = np.empty(1 + len(theta))
        gradient[0] = -0.5 * lam * float(xp.sum(xp.linalg.diagonal(N)))
        slopes = self.kernel.gradient(self.rows, theta, cross, back, points)
        slopes += self.kernel.gradient(points, theta, square, -0.5 * inner)
        gradient[1:] = theta * to_host(slopes)
        return float(np.log(value + negligible)), gradient / (value + negligible)


def press(
    Z: DeviceArray, Y: DeviceArray, weight: DeviceArray, lam: float
) -> tuple[float, DeviceArray, DeviceArray]:
    """Q, its derivative with respect to Z, and the N of the module; all arrays are in one place."""
    xp = namespace(Z)
    n, r = Z.shape
    root = xp.sqrt(weight)[:, None]
    A, y = root * xp.concat([Z, beside(np.ones((n, 1)), Z)], axis=1), root * Y
    factor = lower_factor(add_to_diagonal(A.T @ A, beside(np.append(np.full(r, lam), 0.0), Z)))
    beta = solve_factored(factor, A.T @ y)
    residual = y - A @ beta
    half = A @ solve_factored(factor, beside(np.eye(r + 1), Z))  # A M⁻¹
    left = 1.0 - row_dots(half, A)
    if not float(xp.min(left)) > 0.0:
        raise np.linalg.LinAlgError("a row is all that its own prediction rests on")
    e = residual / left[:, None]
    squares = xp.sum(e**2, axis=1)
    g = -2.0 * e / left[:, None]
    q = (2.0 * squares / left)[:, None]
    gamma = solve_factored(factor, A.T @ g)
    rooted = xp.sqrt(q) * half
    T = rooted.T @ rooted
    outer = gamma @ beta.T
    W = A @ (-2.0 * T - outer)[:, :r]
    W += (2.0 * q) * half[:, :r]
    W += xp.concat([g, residual], axis=1) @ xp.concat([beta, gamma], axis=1)[:r, :].T
    W *= root
    return float(xp.sum(squares)), W, (outer + outer.T + 2.0 * T)[:r, :r]
