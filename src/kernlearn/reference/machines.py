"""
The kernel machines as polytopes: V(K) = max over a in A of ℓ(a) − ½ aᵀKa.

Each function states one machine: given the CVXPY variable ``a`` (signed dual coefficients), the
targets and the parameters, it returns ℓ(a), with any fixed quadratic part of the kernel in it, and
the constraints that make up A.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from kernlearn.reference._cvxpy import load_cvxpy
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


Statement = tuple[Any, list[Any]]


def hard_margin(a: Any, y: Array, p: MachineParameters) -> Statement:
    """ℓ = yᵀa over yᵢaᵢ ≥ 0, 1ᵀa = 0."""
    cp = load_cvxpy()
    return y @ a, [cp.multiply(y, a) >= 0, cp.sum(a) == 0]


def soft_margin(a: Any, y: Array, p: MachineParameters) -> Statement:
    """ℓ = yᵀa over 0 ≤ yᵢaᵢ ≤ C, 1ᵀa = 0."""
    cp = load_cvxpy()
    return y @ a, [cp.multiply(y, a) >= 0, cp.multiply(y, a) <= p.C, cp.sum(a) == 0]


def squared_soft_margin(a: Any, y: Array, p: MachineParameters) -> Statement:
    """ℓ = yᵀa − ½ aᵀa / C over yᵢaᵢ ≥ 0, 1ᵀa = 0: the kernel is K + I/C."""
    cp = load_cvxpy()
    return y @ a - p.ridge / 2 * cp.sum_squares(a), [cp.multiply(y, a) >= 0, cp.sum(a) == 0]


def nu_svm(a: Any, y: Array, p: MachineParameters) -> Statement:
    """ℓ = 0 over 0 ≤ yᵢaᵢ ≤ 1/n, 1ᵀa = 0, yᵀa ≥ ν."""
    cp = load_cvxpy()
    box = [cp.multiply(y, a) >= 0, cp.multiply(y, a) <= p.mass / y.size]
    return cp.Constant(0.0), [*box, cp.sum(a) == 0, y @ a >= p.nu * p.mass]


def lagrangian(a: Any, y: Array, p: MachineParameters) -> Statement:
    """ℓ = yᵀa − ½ (1ᵀa)² − ½ aᵀa / C over yᵢaᵢ ≥ 0: the kernel is K + 11ᵀ + λnI, λn = 1/C."""
    cp = load_cvxpy()
    fixed = p.bias * cp.square(cp.sum(a)) + p.ridge * cp.sum_squares(a)
    return y @ a - fixed / 2, [cp.multiply(y, a) >= 0]


def one_class(a: Any, y: Array, p: MachineParameters) -> Statement:
    """ℓ = 0 over 0 ≤ aᵢ ≤ 1/(νn), 1ᵀa = 1."""
    cp = load_cvxpy()
    return cp.Constant(0.0), [a >= 0, a <= p.mass / (p.nu * y.size), cp.sum(a) == p.mass]


def epsilon_svr(a: Any, y: Array, p: MachineParameters) -> Statement:
    """ℓ = yᵀa − ε‖a‖₁ over |aᵢ| ≤ C, 1ᵀa = 0."""
    cp = load_cvxpy()
    return y @ a - p.epsilon * cp.norm1(a), [a <= p.C, a >= -p.C, cp.sum(a) == 0]


def nu_svr(a: Any, y: Array, p: MachineParameters) -> Statement:
    """ℓ = yᵀa over |aᵢ| ≤ C, 1ᵀa = 0, ‖a‖₁ ≤ Cνn."""
    cp = load_cvxpy()
    bounded = [a <= p.C, a >= -p.C, cp.norm1(a) <= p.C * p.nu * y.size]
    return y @ a, [*bounded, cp.sum(a) == 0]


def least_squares(a: Any, y: Array, p: MachineParameters) -> Statement:
    """ℓ = yᵀa − ½ λaᵀa over 1ᵀa = 0, λ = 1/C: the kernel is K + λI."""
    cp = load_cvxpy()
    return y @ a - p.ridge / 2 * cp.sum_squares(a), [cp.sum(a) == 0]


CLASSIFIERS = frozenset(
    {"hard_margin", "soft_margin", "squared_soft_margin", "nu_svm", "lagrangian"}
)
RIDGED = frozenset({"squared_soft_margin", "lagrangian", "least_squares"})
OF_FIXED_MASS = frozenset({"nu_svm", "one_class"})
MACHINES: Mapping[str, Callable[[Any, Array, MachineParameters], Statement]] = MappingProxyType(
    {
        machine.__name__: machine
        for machine in (
            hard_margin,
            soft_margin,
            squared_soft_margin,
            nu_svm,
            lagrangian,
            one_class,
            epsilon_svr,
            nu_svr,
            least_squares,
        )
    }
)
