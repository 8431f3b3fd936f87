r"""Solve a machine whose φ is an entropy, such as the logistic one, by Newton's method.

At the function :math:`f = K\alpha + b` the optimal coefficients are
:math:`a_i = {\varphi_i^*}'(p_i - f_i)`, and :math:`W = \operatorname{diag}(1/\varphi''(a))` is the
curvature of the loss. A step solves the weighted least-squares machine

.. math:: (K + W^{-1})\,\alpha^+ + b^+ = f + W^{-1} a, \qquad 1^\top \alpha^+ = d,

in the symmetric form :math:`I + W^{1/2} K W^{1/2}`, whose eigenvalues are at least one however
small the curvature is (Rasmussen and Williams 2006, Algorithm 3.1). Steps are halved until the
primal value falls.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from kernlearn._device import lower_factor, solve_factored
from kernlearn.numerics.sums import EPS
from kernlearn.quality.machine import Machine, Multipliers, curvature_of
from kernlearn.quality.multipliers import best_multipliers, conjugate_slope
from kernlearn.quality.risk_sets import RiskCurvature
from kernlearn.solvers.machine.active_set import MachineSolution
from kernlearn.typing import Array


@dataclass(frozen=True)
class EntropyOptions:
    """Conditions that end Newton's method."""

    max_iter: int = 100
    exact: float = 1e-22  # relative gap: that of the coefficients is about its root
    blind: float = 1e-14  # relative decrease that the rounding of the value would hide
    sufficient: float = 1e-4  # share of the promised decrease that a step must bring
    halvings: int = 40
    settled: float = 1e-9  # relative gap of coefficients that need no others beside them


OPTIONS = EntropyOptions()
# Points of less curvature, relative to the largest, are held at the end of their box.
_HELD = 1e-12


def solve_entropy(
    K: Array, machine: Machine, warm: MachineSolution | None = None
) -> MachineSolution | None:
    """The solution at a positive semidefinite K, or the best that was found; None if no number is.

    If K is so large that its rounding has eigenvalues below −1/W, no factor can be had.
    """
    newton = (_Newton if machine.risk_sets is None else _CoxNewton)(K, machine, warm)
    # A NaN ends the iteration, as does a step whose matrix has no factor.
    with np.errstate(all="ignore"), suppress(np.linalg.LinAlgError):
        for _ in range(OPTIONS.max_iter):
            if newton.ended or newton.is_exact() or not newton.step():
                break
    return newton.solution()


def _factor_beside_one(K: Array, root: Array) -> Array | None:
    """Factor of I + W½KW½, lifted by its rounding if it is indefinite; None if not finite."""
    for lift in (0.0, len(K) * EPS):
        matrix = root[:, None] * K * root
        matrix.flat[:: len(K) + 1] += 1.0 + lift * float(matrix.diagonal().max())
        if np.isfinite(matrix).all():
            with suppress(np.linalg.LinAlgError):
                return np.asarray(lower_factor(matrix))
    return None


class _Newton:
    """The iterate: α, Kα and b, their optimal coefficients, and the primal value."""

    def __init__(self, K: Array, machine: Machine, warm: MachineSolution | None) -> None:
        self.K, self.machine, self.conjugate_slope = K, machine, conjugate_slope(machine)
        self.ended = False
        if warm is None:
            self.alpha, self.K_alpha = np.zeros(len(K)), np.zeros(len(K))
            self.b = float(best_multipliers(machine, self.K_alpha).rows[0])
        else:
            self.alpha, self.b = warm.coef, float(warm.multipliers.rows[0])
            self.K_alpha = K @ self.alpha
        self.start = self.alpha, self.b
        self._look()

    def _look(self) -> None:
        self.f = self.K_alpha + self.b
        self.coef = self.conjugate_slope(self.machine.linear - self.f)
        self.value = self._value(self.alpha, self.K_alpha, self.b)

    def _value(self, alpha: Array, K_alpha: Array, b: float) -> float:
        return self.machine.upper_value(alpha, K_alpha, Multipliers(np.array([b]), 0.0))

    def is_exact(self) -> bool:
        """Whether the coefficients are those of the function, to rounding."""
        change = self.coef - self.alpha
        missed = float(self.coef.sum() - self.machine.rhs[0])
        off = abs(float(change @ (self.K @ self.coef - self.K_alpha))) + missed**2
        return off <= OPTIONS.exact * abs(self.value)

    def step(self) -> bool:
        """One step; False if it leads nowhere."""
        curvature = curvature_of(self.machine, self.coef)
        root = np.sqrt(1.0 / curvature)
        factor = _factor_beside_one(self.K, root)
        if factor is None:
            return False
        target = root**2 * self.f + self.coef

        def reduced(right: Array) -> Array:
            """The coefficients of (K + W⁻¹)⁻¹W⁻¹ times a right-hand side."""
            return np.asarray(right - root * solve_factored(factor, root * (self.K @ right)))

        alone, border = reduced(target), root * solve_factored(factor, root)
        total = float(border.sum())
        b = (float(alone.sum()) - float(self.machine.rhs[0])) / total if total > 0 else self.b
        alpha = alone - b * border
        return self._search(alpha, self.K @ alpha, b)

    def _search(self, alpha: Array, K_alpha: Array, b: float) -> bool:
        """Take the step, or a part of it, that lowers the primal value."""
        by, K_by, b_by = alpha - self.alpha, K_alpha - self.K_alpha, b - self.b
        missed = float(self.coef.sum() - self.machine.rhs[0])
        slope = float(K_by @ (self.alpha - self.coef)) - b_by * missed
        # Close to the optimum, rounding hides the decrease; the full step is right.
        hidden = OPTIONS.blind * abs(self.value)
        self.ended = abs(slope) <= hidden
        length = 1.0
        for _ in range(OPTIONS.halvings):
            point = self.alpha + length * by, self.K_alpha + length * K_by, self.b + length * b_by
            value = self._value(*point)
            if self.ended or value <= self.value + OPTIONS.sufficient * length * slope:
                self.alpha, self.K_alpha, self.b = point
                self._look()
                return True
            length *= 0.5
            if abs(length * slope) <= hidden:  # rounding hides what shorter steps gain
                break
        return False

    def _weights(self, coef: Array) -> Array:
        """Inverse curvature of each coefficient."""
        return 1.0 / curvature_of(self.machine, coef)

    def solution(self) -> MachineSolution | None:
        """Pack the coefficients, or α if these are differences of far larger numbers.

        If rounding of K hides the gains of steps, the first α may be better than both.
        """
        found = self._packed(self.coef, self.b)
        if found is not None and found.relative_gap <= OPTIONS.settled:
            return found
        candidates = found, self._packed(self.alpha, self.b), self._packed(*self.start)
        return min((c for c in candidates if c is not None), key=lambda c: c.gap, default=None)

    def _packed(self, coef: Array, b: float) -> MachineSolution | None:
        machine = self.machine
        feasible = machine.feasible(coef) if np.isfinite(coef).all() else None
        if feasible is None:
            return None
        coef = feasible
        K_coef = self.K @ coef
        weight = self._weights(coef)
        free = np.flatnonzero(weight > _HELD * float(weight.max(initial=0.0)))
        state = np.zeros(len(coef), dtype=np.intp)
        state[free] = 1
        multipliers = Multipliers(np.array([b]), 0.0)
        return MachineSolution.of(
            machine, coef, K_coef, multipliers, state, None, free, machine.rows[:, free]
        )


class _CoxNewton(_Newton):
    """The same for Cox's partial likelihood, whose curvature W is a matrix that may be singular."""

    def step(self) -> bool:
        """One step, (I + WK)(α⁺ − α) = a − α; False if it leads nowhere.

        Rounding of WK changes how fast the steps converge, but not where they end.
        """
        assert self.machine.risk_sets is not None
        matrix = RiskCurvature(self.machine.risk_sets, self.f).times(self.K)
        matrix.flat[:: len(matrix) + 1] += 1.0
        if not np.isfinite(matrix).all():
            return False
        alpha = self.alpha + np.linalg.solve(matrix, self.coef - self.alpha)
        return self._search(alpha, self.K @ alpha, 0.0)

    def _weights(self, coef: Array) -> Array:
        assert self.machine.risk_sets is not None
        return np.asarray(np.maximum(self.machine.risk_sets.events - coef, 0.0))
