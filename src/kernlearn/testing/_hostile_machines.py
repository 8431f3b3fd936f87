"""The machines of the hyperkernel estimators from their definitions, for the fuzzer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.svm import SVC, SVR, NuSVR, OneClassSVM

from kernlearn.testing._hostile_problem import close
from kernlearn.testing._long_double import Long, long

# Coefficients are in their box to this part of it.
_FEASIBLE = 1e-12
_QUICK = {"kernel": "precomputed", "tol": 1e-6, "max_iter": 3000}


class HostileMachine:
    """Both programs of one machine; subclasses say which.

    Parameters
    ----------
    model : estimator
        Fitted.
    y : array-like or None
        Targets as they were given.
    n : int
        Number of points.
    """

    def __init__(self, model: Any, y: Any, n: int) -> None:
        self.model, self.y, self.n = model, y, n
        self.C = long(getattr(model, "C", 1.0))

    def feasible(self, a: Long) -> Iterator[str]:
        """Sentences for coefficients outside of their polytope."""
        low, high = self.box()
        unit = _FEASIBLE * max(np.max(np.abs(low)), np.max(np.abs(high)))
        yield from close(a.sum(), self.total(), self.n * unit, "the sum of the dual coefficients")
        if np.any(a < low - unit) or np.any(a > high + unit):
            yield "a dual coefficient outside of its box"

    def total(self) -> float:
        """What the coefficients add up to."""
        return 0.0

    def box(self) -> tuple[Any, Any]:
        """The least and the largest coefficients."""
        return -self.C, self.C

    def dual(self, K: Long, a: Long) -> Any:
        """The dual value of feasible coefficients."""
        raise NotImplementedError

    def loss(self, f: Long, b: Any) -> Any:
        """What the primal program adds to ½‖w‖²."""
        raise NotImplementedError

    def primal(self, K: Long, a: Long, b: Any) -> tuple[Any, Any]:
        """The primal value of the function Ka + b, and the size of its terms."""
        f = K @ a
        sizes = np.abs(K) @ np.abs(a)
        size = 0.5 * np.abs(a) @ sizes + self.weight() * (sizes.max() + np.abs(b) + self.scale())
        return 0.5 * a @ f + self.loss(f, b), size

    def weight(self) -> Any:
        """The weight of a loss."""
        return self.C * self.n

    def scale(self) -> Any:
        """The size of the targets."""
        return 1.0

    def machine(self) -> Any:
        """Somebody else's machine for a given kernel."""
        raise NotImplementedError

    def found_by_anyone(self, K: Long) -> Iterator[tuple[Long, Any]]:
        """Functions that need no solver of ours: a constant, and libsvm's."""
        yield np.zeros(self.n, dtype=np.longdouble), self.constant()
        machine = self.machine().fit(K.astype(float), self.libsvm_targets())
        a = np.zeros(self.n, dtype=np.longdouble)
        if np.isfinite(machine.dual_coef_).all():
            a[machine.support_] = machine.dual_coef_[0]
            yield a, long(machine.intercept_)[0]

    def constant(self) -> Any:
        """A constant function to try."""
        return long(0.0)

    def libsvm_targets(self) -> Any:
        """The targets for that machine."""
        return self.y


class SoftMargin(HostileMachine):
    """Hinge loss with labels ±1."""

    def __init__(self, model: Any, y: Any, n: int) -> None:
        super().__init__(model, y, n)
        self.t = long(np.where(np.asarray(y) == model.classes_[1], 1.0, -1.0))

    def box(self) -> tuple[Any, Any]:
        """Of the sign of the label."""
        return np.minimum(self.C * self.t, 0), np.maximum(self.C * self.t, 0)

    def dual(self, K: Long, a: Long) -> Any:
        """1ᵀα − ½aᵀKa."""
        return self.t @ a - 0.5 * a @ K @ a

    def loss(self, f: Long, b: Any) -> Any:
        """C Σ [1 − t(f + b)]₊."""
        return self.C * np.maximum(1 - self.t * (f + b), 0).sum()

    def machine(self) -> Any:
        """Libsvm's."""
        return SVC(C=float(self.C), **_QUICK)

    def constant(self) -> Any:
        """The label of most points."""
        return np.sign(self.t.sum())

    def libsvm_targets(self) -> Any:
        """The labels."""
        return self.t.astype(float)


class _Regression(HostileMachine):
    def __init__(self, model: Any, y: Any, n: int) -> None:
        super().__init__(model, y, n)
        self.target = long(y)
        self.middle = np.median(self.target)

    def scale(self) -> Any:
        """Of the targets around their middle, and what rounding does to the rest."""
        return np.abs(self.target - self.middle).max() + np.abs(self.target).max()

    def constant(self) -> Any:
        """The median."""
        return self.middle

    def libsvm_targets(self) -> Any:
        """Around the middle: libsvm has one tolerance for targets of all sizes."""
        return (self.target - self.middle).astype(float)

    def found_by_anyone(self, K: Long) -> Iterator[tuple[Long, Any]]:
        """With the middle given back."""
        yield np.zeros(self.n, dtype=np.longdouble), self.middle
        for a, b in list(super().found_by_anyone(K))[1:]:
            yield a, b + self.middle


class EpsilonTube(_Regression):
    """The ε-insensitive loss."""

    def dual(self, K: Long, a: Long) -> Any:
        """Return yᵀa − ε‖a‖₁ − ½aᵀKa, targets around their middle."""
        target = self.target - self.middle
        return target @ a - self.model.epsilon_ * np.abs(a).sum() - 0.5 * a @ K @ a

    def loss(self, f: Long, b: Any) -> Any:
        """C Σ [|y − f| − ε]₊."""
        return self.C * np.maximum(np.abs(self.target - f - b) - self.model.epsilon_, 0).sum()

    def machine(self) -> Any:
        """Libsvm's."""
        return SVR(C=float(self.C), epsilon=self.model.epsilon_, **_QUICK)


class NuTube(_Regression):
    """The same with the width of the tube at a price."""

    def dual(self, K: Long, a: Long) -> Any:
        """Return yᵀa − ½aᵀKa, targets around their middle."""
        return (self.target - self.middle) @ a - 0.5 * a @ K @ a

    def loss(self, f: Long, b: Any) -> Any:
        """C(νnε + Σ [|y − f| − ε]₊) at the best ε, which is zero or one of |y − f|."""
        away = np.abs(self.target - f - b)
        widths = np.append(away, 0)
        losses = np.maximum(away - widths[:, None], 0).sum(axis=1)
        return self.C * (losses + self.model.nu * self.n * widths).min()

    def machine(self) -> Any:
        """Libsvm's."""
        return NuSVR(C=float(self.C), nu=self.model.nu, **_QUICK)


class OneClass(HostileMachine):
    """A threshold under most points."""

    def total(self) -> float:
        """One."""
        return 1.0

    def box(self) -> tuple[Any, Any]:
        """No point weighs more than its share of νn."""
        return long(0.0), 1 / (long(self.model.nu) * self.n)

    def dual(self, K: Long, a: Long) -> Any:
        """−½aᵀKa."""
        return -0.5 * a @ K @ a

    def loss(self, f: Long, b: Any) -> Any:
        """−ρ + Σ [ρ − f]₊/(νn) with ρ = −b."""
        return b + np.maximum(-b - f, 0).sum() / (long(self.model.nu) * self.n)

    def weight(self) -> Any:
        """A loss of all points."""
        return 1 / long(self.model.nu)

    def machine(self) -> Any:
        """libsvm's, whose coefficients add up to νn."""
        return OneClassSVM(nu=self.model.nu, **_QUICK)

    def found_by_anyone(self, K: Long) -> Iterator[tuple[Long, Any]]:
        """In the units of this machine."""
        for a, b in super().found_by_anyone(K):
            unit = long(self.model.nu) * self.n
            yield a / unit, b / unit

    def libsvm_targets(self) -> Any:
        """None."""
        return None


MACHINES: dict[str, type[HostileMachine]] = {
    "soft_margin": SoftMargin,
    "epsilon_svr": EpsilonTube,
    "nu_svr": NuTube,
    "one_class": OneClass,
}
