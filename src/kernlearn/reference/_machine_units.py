"""
Natural units for the machines, so that solvers with absolute tolerances lose no digits.

With a = s·x and y = v·y', the value ℓ(a) − ½ aᵀKa is vs times that of the same machine at x, y',
the kernel (s/v)K and parameters rescaled to match. Here s and v are chosen so that all of these
are of the order of one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlearn.reference._checks import (
    check_labels,
    check_non_negative,
    check_positive,
    check_share,
    check_targets,
)
from kernlearn.reference.machines import (
    CLASSIFIERS,
    MACHINES,
    OF_FIXED_MASS,
    RIDGED,
    MachineParameters,
)
from kernlearn.reference.solution import ReferenceSolution


@dataclass(frozen=True, eq=False)
class ScaledMachine:
    """A machine in units in which its coefficients, targets and kernel are of the order of one."""

    y: NDArray[np.float64]
    parameters: MachineParameters
    kernel: float
    value_unit: float
    alpha_unit: float

    def restore(self, solution: ReferenceSolution) -> ReferenceSolution:
        """Return the solution in the user's units; the weights have none."""
        if solution.alpha is None:
            return solution
        return replace(
            solution,
            value=self.value_unit * solution.value,
            alpha=self.alpha_unit * solution.alpha,
        )


def in_natural_units(
    y: ArrayLike | None,
    machine: str,
    n_points: int,
    size: float,
    numbers: tuple[float, float, float],
) -> ScaledMachine:
    """Check targets and parameters, and choose units; `size` is that of a diagonal entry of K."""
    targets = _check_targets(y, machine, n_points)
    p = _check_parameters(*numbers)
    v = float(np.abs(targets).max()) or 1.0
    if machine in OF_FIXED_MASS:
        s = p.mass / targets.size
        v = s * size
    elif machine in RIDGED:
        s = v / (size + p.ridge)
    else:
        s = 1.0 / (size / v + (0.0 if machine == "hard_margin" else 1.0 / p.C))
    labels = targets if machine in OF_FIXED_MASS else targets / v
    return ScaledMachine(labels, p.rescaled(s, v), s / v, v * s, s)


def _check_targets(y: ArrayLike | None, machine: str, n_points: int) -> NDArray[np.float64]:
    if machine not in MACHINES:
        raise ValueError(
            f"machine: expected one of {sorted(MACHINES)}, got {machine!r}; choose one of them."
        )
    if machine == "one_class":
        size = n_points if y is None else np.shape(y)[0]
        return check_targets(np.zeros(size), n_points)
    if y is None:
        raise ValueError(
            f"y: expected targets for the machine {machine!r}, got None; only 'one_class' needs "
            f"none."
        )
    return (check_labels if machine in CLASSIFIERS else check_targets)(y, n_points)


def _check_parameters(C: float, nu: float, epsilon: float) -> MachineParameters:
    nu = check_share("nu", nu)
    C = check_positive("C", C)
    epsilon = check_non_negative("epsilon", epsilon)
    return MachineParameters(C=C, nu=nu, epsilon=epsilon, ridge=1.0 / C)
