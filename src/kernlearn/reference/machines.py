"""
The kernel machines as polytopes: V(K) = max over a in A of ℓ(a) − ½ aᵀKa.

Each function states one machine: given the CVXPY variable ``a`` (signed dual coefficients), the
targets and the parameters, it returns ℓ(a), with any fixed quadratic part of the kernel in it, and
the constraints that make up A.

With a = s·x and y = v·y', the value is vs times that of the same machine at x, y', the kernel
(s/v)K and parameters rescaled to match. s and v are chosen so that all of these are of the order
of one, and solvers with absolute tolerances lose no digits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.reference._checks import (
    check_labels,
    check_non_negative,
    check_positive,
    check_share,
    check_targets,
)
from kernlearn.reference._cvxpy import Expression, load_cvxpy
from kernlearn.reference.solution import ReferenceSolution, in_user_units
from kernlearn.typing import Array


@dataclass(frozen=True)
class MachineParameters:
    """
    Parameters of the machines; each machine reads those that it has.

    `ridge` is 1/C, the multiple of the identity in the kernel; `bias` the multiple of 11ᵀ; `mass`
    the total of the coefficients where the machine fixes it. The last two are one in the user's
    units, and stand here so that a machine can be stated in others.
    """

    C: float = 1.0
    nu: float = 0.5
    epsilon: float = 0.1
    quantile: float = 0.5
    ridge: float = 1.0
    bias: float = 1.0
    mass: float = 1.0

    def rescaled(self, s: float, v: float) -> MachineParameters:
        """Parameters for x = a/s and y/v: ℓ(a) − ½ aᵀKa = vs · (ℓ'(x) − ½ xᵀ(s/v)Kx)."""
        return replace(
            self,
            C=self.C / s,
            epsilon=self.epsilon / v,
            ridge=self.ridge * s / v,
            bias=self.bias * s / v,
            mass=self.mass / s,
        )


Statement = tuple[Expression, list[Expression]]
MachineStatement = Callable[[Expression, Array, MachineParameters], Statement]


def hard_margin(a: Expression, y: Array, p: MachineParameters) -> Statement:
    """ℓ = yᵀa over yᵢaᵢ ≥ 0, 1ᵀa = 0."""
    cp = load_cvxpy()
    return y @ a, [cp.multiply(y, a) >= 0, cp.sum(a) == 0]


def soft_margin(a: Expression, y: Array, p: MachineParameters) -> Statement:
    """ℓ = yᵀa over 0 ≤ yᵢaᵢ ≤ C, 1ᵀa = 0."""
    cp = load_cvxpy()
    return y @ a, [cp.multiply(y, a) >= 0, cp.multiply(y, a) <= p.C, cp.sum(a) == 0]


def squared_soft_margin(a: Expression, y: Array, p: MachineParameters) -> Statement:
    """ℓ = yᵀa − ½ aᵀa / C over yᵢaᵢ ≥ 0, 1ᵀa = 0: the kernel is K + I/C."""
    cp = load_cvxpy()
    return y @ a - p.ridge / 2 * cp.sum_squares(a), [cp.multiply(y, a) >= 0, cp.sum(a) == 0]


def nu_svm(a: Expression, y: Array, p: MachineParameters) -> Statement:
    """ℓ = 0 over 0 ≤ yᵢaᵢ ≤ 1/n, 1ᵀa = 0, yᵀa ≥ ν."""
    cp = load_cvxpy()
    box = [cp.multiply(y, a) >= 0, cp.multiply(y, a) <= p.mass / y.size]
    return cp.Constant(0.0), [*box, cp.sum(a) == 0, y @ a >= p.nu * p.mass]


def lagrangian(a: Expression, y: Array, p: MachineParameters) -> Statement:
    """ℓ = yᵀa − ½ (1ᵀa)² − ½ aᵀa / C over yᵢaᵢ ≥ 0: the kernel is K + 11ᵀ + λnI, λn = 1/C."""
    cp = load_cvxpy()
    fixed = p.bias * cp.square(cp.sum(a)) + p.ridge * cp.sum_squares(a)
    return y @ a - fixed / 2, [cp.multiply(y, a) >= 0]


def ranking(a: Expression, y: Array, p: MachineParameters) -> Statement:
    """ℓ = 1ᵀa over 0 ≤ aᵢ ≤ C, on kernels of differences of two rows."""
    cp = load_cvxpy()
    return cp.sum(a), [a >= 0, a <= p.C]


def one_class(a: Expression, y: Array, p: MachineParameters) -> Statement:
    """ℓ = 0 over 0 ≤ aᵢ ≤ 1/(νn), 1ᵀa = 1."""
    cp = load_cvxpy()
    return cp.Constant(0.0), [a >= 0, a <= p.mass / (p.nu * y.size), cp.sum(a) == p.mass]


def epsilon_svr(a: Expression, y: Array, p: MachineParameters) -> Statement:
    """ℓ = yᵀa − ε‖a‖₁ over |aᵢ| ≤ C, 1ᵀa = 0."""
    cp = load_cvxpy()
    return y @ a - p.epsilon * cp.norm1(a), [a <= p.C, a >= -p.C, cp.sum(a) == 0]


def nu_svr(a: Expression, y: Array, p: MachineParameters) -> Statement:
    """ℓ = yᵀa over |aᵢ| ≤ C, 1ᵀa = 0, ‖a‖₁ ≤ Cνn."""
    cp = load_cvxpy()
    bounded = [a <= p.C, a >= -p.C, cp.norm1(a) <= p.C * p.nu * y.size]
    return y @ a, [*bounded, cp.sum(a) == 0]


def logistic(a: Expression, y: Array, p: MachineParameters) -> Statement:
    """ℓ = −C Σ (s log s + (1 − s) log(1 − s)), s = ya/C in [0, 1], 1ᵀa = 0."""
    cp = load_cvxpy()
    share = cp.multiply(y, a) / p.C
    return p.C * cp.sum(cp.entr(share) + cp.entr(1 - share)), [cp.sum(a) == 0]


def huber(a: Expression, y: Array, p: MachineParameters) -> Statement:
    """ℓ = yᵀa − ½ λaᵀa over |aᵢ| ≤ ε/λ, 1ᵀa = 0, λ = 1/C."""
    cp = load_cvxpy()
    bound = p.epsilon / p.ridge
    return y @ a - p.ridge / 2 * cp.sum_squares(a), [a <= bound, a >= -bound, cp.sum(a) == 0]


def quantile(a: Expression, y: Array, p: MachineParameters) -> Statement:
    """ℓ = yᵀa over (q − 1)C ≤ aᵢ ≤ qC, 1ᵀa = 0."""
    cp = load_cvxpy()
    return y @ a, [a <= p.quantile * p.C, a >= (p.quantile - 1) * p.C, cp.sum(a) == 0]


def least_squares(a: Expression, y: Array, p: MachineParameters) -> Statement:
    """ℓ = yᵀa − ½ λaᵀa over 1ᵀa = 0, λ = 1/C: the kernel is K + λI."""
    cp = load_cvxpy()
    return y @ a - p.ridge / 2 * cp.sum_squares(a), [cp.sum(a) == 0]


CLASSIFIERS = frozenset(
    {"hard_margin", "soft_margin", "squared_soft_margin", "nu_svm", "lagrangian", "logistic"}
)
RIDGED = frozenset({"squared_soft_margin", "lagrangian", "least_squares", "huber"})
UNLABELLED = frozenset({"one_class", "ranking"})
OF_FIXED_MASS = frozenset({"nu_svm", "one_class"})
#: The program in CVXPY of every machine, by the name of its quality.
MACHINES: Mapping[str, MachineStatement] = MappingProxyType(
    {
        "hard_margin": hard_margin,
        "soft_margin": soft_margin,
        "squared_soft_margin": squared_soft_margin,
        "nu_svm": nu_svm,
        "lagrangian": lagrangian,
        "one_class": one_class,
        "ranking": ranking,
        "epsilon_svr": epsilon_svr,
        "nu_svr": nu_svr,
        "logistic": logistic,
        "huber": huber,
        "quantile": quantile,
        "least_squares": least_squares,
    }
)


@dataclass(frozen=True, eq=False)
class StatedMachine:
    """A machine at x = a/s: ℓ, the polytope, and the kernels on the labelled points."""

    x: Expression
    linear: Expression
    polytope: list[Expression]
    grams: Array
    alpha_unit: float
    target_unit: float

    def in_user_units(self, solution: ReferenceSolution) -> ReferenceSolution:
        """Return the solution in the user's units; the weights have none."""
        s = self.alpha_unit
        return in_user_units(solution, value=self.target_unit * s, alpha=s)


def state_machine(
    y: ArrayLike | None, machine: str, stack: Array, numbers: tuple[float, ...]
) -> StatedMachine:
    """Check targets, C, ν, ε and q, and state a machine for checked kernels in natural units."""
    n_points = stack.shape[1]
    targets = _check_targets(y, machine, n_points)
    C, nu, epsilon, level = numbers
    nu, C = check_share("nu", nu), check_positive("C", C)
    epsilon = check_non_negative("epsilon", epsilon)
    level = check_share("quantile", level)
    p = MachineParameters(C=C, nu=nu, epsilon=epsilon, quantile=level, ridge=1.0 / C)
    size = float(np.trace(stack, axis1=1, axis2=2).mean()) / n_points
    v = float(np.abs(targets).max()) or 1.0
    if machine in OF_FIXED_MASS:
        s = p.mass / targets.size
        v = s * size
    elif machine in RIDGED:
        s = v / (size + p.ridge)
    else:
        s = 1.0 / (size / v + (0.0 if machine == "hard_margin" else 1.0 / p.C))
    n, labels = targets.size, targets if machine in OF_FIXED_MASS else targets / v
    x = load_cvxpy().Variable(n)
    linear, polytope = MACHINES[machine](x, labels, p.rescaled(s, v))
    return StatedMachine(x, linear, polytope, s / v * stack[:, :n, :n], s, v)


def _check_targets(y: ArrayLike | None, machine: str, n_points: int) -> Array:
    if machine not in MACHINES:
        raise ValueError(
            f"machine: expected one of {sorted(MACHINES)}, got {machine!r}; choose one of them."
        )
    if machine in UNLABELLED:
        size = n_points if y is None else np.shape(y)[0]
        return check_targets(np.zeros(size), n_points)
    if y is None:
        raise ValueError(
            f"y: expected targets for the machine {machine!r}, got None; only "
            f"{' and '.join(sorted(UNLABELLED))} need none."
        )
    return (check_labels if machine in CLASSIFIERS else check_targets)(y, n_points)
