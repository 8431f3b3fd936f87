"""Sizes of a problem, so that solvers see kernels, targets and values of about one.

Units are powers of two: going there and back changes no digit, so that what is certified in the
solver's units is certified in the user's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernlearn.quality.machine import Machine
from kernlearn.solvers.core.oracle import Penalty
from kernlearn.solvers.core.solution import Step
from kernlearn.typing import Array

LARGEST = 1e151  # its square is still a number, in both directions


@dataclass(frozen=True)
class Units:
    """Sizes of the kernel, the targets and the objective."""

    kernel: float
    target: float

    @property
    def value(self) -> float:
        """Unit of the objective."""
        return self.target**2 / self.kernel

    @property
    def coef(self) -> float:
        """Unit of the dual coefficients."""
        return self.target / self.kernel

    @classmethod
    def of(cls, kernel: float, machines: Sequence[Machine]) -> Units:
        """Units for kernels of this mean diagonal entry."""
        sizes = [np.abs(machine.linear) for machine in machines]
        largest = max(float(size.max()) for size in sizes)
        # A typical target: beside one outlier the others must not pass for rounding.
        typical = max(float(np.median(size)) for size in sizes)
        return cls.near(kernel, largest, typical if typical > 1e-8 * largest else largest)

    @classmethod
    def near(cls, kernel: float, largest: float, typical: float | None = None) -> Units:
        """The powers of two next to the size of a kernel and to that of targets, both checked.

        `kernel` is the mean diagonal entry; the typical target, or the largest, has size one.
        """
        check_kernel_size(kernel)
        _check_size("targets", largest)
        target = largest if typical is None else typical
        # Machines without a linear term keep their coefficients: only values and f scale with K.
        return cls(_power_of_two(kernel), _power_of_two(target if target > 0 else kernel))

    def step(self, step: Step) -> Step:
        """A line of the history in the user's units."""
        v = self.value
        return Step(step.n_machine_solves, step.objective * v, step.lower_bound * v)


def check_kernel_size(size: float) -> None:
    """Refuse kernels of a mean diagonal entry whose square is no number."""
    _check_size("kernels", size)


def _check_size(name: str, size: float) -> None:
    if size > LARGEST or 0 < size < 1.0 / LARGEST or not np.isfinite(size):
        raise ValueError(
            f"expected {name} of a size between {1.0 / LARGEST:g} and {LARGEST:g}, got "
            f"{size:.3g}; rescale the data, or normalise the kernels"
        )


def _power_of_two(size: float) -> float:
    return float(2.0 ** np.round(np.log2(size)))


class RescaledPenalty:
    """A penalty in the solver's units, of weights in the solver's family.

    The user's weights are ``w = unit · T u`` for the solver's u; T is the identity by default.
    """

    def __init__(self, penalty: Penalty, units: Units, transform: Array | None = None) -> None:
        self.penalty, self.unit, self.scale = penalty, units.kernel, 1.0 / units.value
        self.transform = transform

    def composed(self, transform: Array) -> RescaledPenalty:
        """The penalty as a function of the weights of combinations."""
        units = Units(self.unit, 1.0)
        other = RescaledPenalty(self.penalty, units, transform)
        other.scale = self.scale
        return other

    def _weights(self, weights: Array) -> Array:
        own = weights if self.transform is None else self.transform @ weights
        return np.asarray(self.unit * own)

    def value(self, weights: Array) -> float:
        """Value at ``weights``."""
        return self.scale * self.penalty.value(self._weights(weights))

    def gradient(self, weights: Array) -> Array:
        """Gradient at ``weights``."""
        g = self.scale * self.unit * self.penalty.gradient(self._weights(weights))
        return g if self.transform is None else np.asarray(self.transform.T @ g)

    def hessian(self, weights: Array) -> Array:
        """Hessian at ``weights``."""
        H = self.scale * self.unit**2 * self.penalty.hessian(self._weights(weights))
        return H if self.transform is None else np.asarray(self.transform.T @ H @ self.transform)

    def touching(self, weights: Array, slopes: Array) -> Array:
        """Weights next to these at which slopes are as large as asked for, if that can be told."""
        own = getattr(self.penalty, "with_slopes", None)
        if own is None or self.transform is not None:
            return weights
        found = own(self._weights(weights), slopes / (self.scale * self.unit))
        return np.asarray(found / self.unit)

    def sublevel(self, level: float, n_weights: int) -> tuple[Array, float] | None:
        """A matrix M and a radius with ‖M w‖ ≤ radius wherever the penalty is at most ``level``."""
        own = getattr(self.penalty, "sublevel", None)
        if own is None:
            return None
        matrix, radius = own(level / self.scale, n_weights)
        matrix = self.unit * matrix
        return (matrix if self.transform is None else matrix @ self.transform), radius
