"""The problem that an estimator of combinations states, for any C, and its machines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernlearn.estimators.held_out.refits import Refits, leave_one_out_values, refit_machines
from kernlearn.families.kernel_pool import KernelPool
from kernlearn.families.stack import GramStack
from kernlearn.learn import learn_from_family
from kernlearn.numerics.rounding import standard_deviation
from kernlearn.quality.registry import CRITERIA, QUALITIES, Settings
from kernlearn.quality.rows_left_out import values_left_out
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.core.oracle import Penalty
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.core.solution import Solution
from kernlearn.typing import Array, Indices


@dataclass(frozen=True, eq=False)
class Labelled:
    """Rows, their targets and their weights; further rows may have none."""

    X: Any
    targets: Sequence[Array]
    weight: Array


@dataclass(frozen=True, eq=False)
class Candidates:
    """What weights are learned for: matrices on all points, their total, a penalty at C."""

    family: GramStack | KernelPool
    total: float | None
    penalty: Callable[[float], Penalty | None]


@dataclass(frozen=True, eq=False)
class CombinationProblem:
    """Minimise the machines' values over the weights of a family.

    Attributes
    ----------
    family : GramStack or KernelPool
        The matrices.
    targets : sequence of ndarray
        One for each machine.
    quality : str
        What makes a kernel good.
    settings : Settings
        Parameters of the machines; their C is replaced by that of a call.
    learn_C : bool
        Whether C is one more weight.
    free_sign : bool
        K(w) ⪰ 0 instead of w ≥ 0.
    constraint : {"trace", "sum"}
        What is held.
    total : float
        At which value.
    penalty : callable
        ``penalty(C)``, or None where there is none.
    even : ndarray of shape (m,)
        The shares of the matrices where all sources have the same.
    """

    family: GramStack | KernelPool
    targets: Sequence[Array]
    quality: str
    settings: Settings
    learn_C: bool
    free_sign: bool
    constraint: str
    total: float
    penalty: Callable[[float], Penalty | None]
    even: Array

    def learn(
        self, C: float, start: Array | None, control: Control, equal_share: float = 0.0
    ) -> Solution:
        """The best weights at C, of which a share is given to all sources equally."""
        return learn_from_family(
            self.family,
            self.targets,
            quality=self.quality,
            settings=replace(self.settings, C=C),
            learn_C=self.learn_C,
            free_sign=self.free_sign,
            constraint=self.constraint,
            total=self.total,
            penalty=self.penalty(C),
            control=control,
            start=start,
            least=equal_share * self.even if equal_share else None,
        )

    def train(self, C: float, weights: Array, control: Control) -> Solution:
        """A soft margin machine on a kernel that was learned without one."""
        return learn_from_family(
            GramStack(self.family.combine(weights)[None]),
            self.targets,
            quality="soft_margin",
            settings=replace(self.settings, C=C),
            learn_C=False,
            free_sign=False,
            constraint="sum",
            total=1.0,
            penalty=None,
            control=control,
        )

    def machines(self, C: float, weights: Array, stopping: StoppingControl) -> Machines:
        """The machines at these weights, whatever these were learned by; infinite C is allowed."""
        quality = "soft_margin" if self.quality in CRITERIA else self.quality
        if np.isinf(C):
            quality, C = "hard_margin", 1.0
        settings = replace(self.settings, C=C)
        return Machines(self.family.combine(weights), self.targets, quality, settings, stopping)

    def on_rows(self, rows: Indices) -> CombinationProblem:
        """The same problem on some rows: a machine with the same C, at the same weights."""
        family = self.family
        share = len(rows) / family.n_points if self.constraint == "trace" else 1.0
        weight = self.settings.sample_weight[rows]
        return replace(
            self,
            family=family.on_rows(rows) if isinstance(family, KernelPool) else family.subset(rows),
            targets=[target[rows] for target in self.targets],
            settings=replace(self.settings, sample_weight=weight),
            total=share * self.total,
        )

    def of_kernels(self, chosen: Indices) -> CombinationProblem:
        """The same problem with these kernels of a family alone, whose matrices are kept."""
        assert isinstance(self.family, KernelPool)
        n = self.family.n_labelled
        grams = np.stack([self.family.gram(int(i))[:n, :n] for i in chosen])
        return replace(self, family=GramStack(grams), even=self.even[chosen])

    @property
    def is_of_family(self) -> bool:
        """Whether the kernels are made when they are looked at."""
        return isinstance(self.family, KernelPool)

    @property
    def is_plain(self) -> bool:
        """Whether it means the same on fewer rows: matrices of labelled points, w ≥ 0, no more."""
        whole = self.is_of_family or self.family.n_labelled == self.family.n_points
        return whole and not self.free_sign and self.penalty(1.0) is None

    @property
    def unit_of_C(self) -> float:
        """The C that goes with the size of the kernel, and with that of the targets for tubes."""
        traces = self.family.traces
        held = 1.0 if self.constraint == "trace" else float(traces.mean())
        size = self.total * held / self.family.n_points
        unit = 1.0
        if self.quality in QUALITIES and QUALITIES[self.quality].targets == "values":
            unit = float(standard_deviation(self.targets[0])) or 1.0
        return float(unit / size)


@dataclass(frozen=True, eq=False)
class Machines:
    """Machines at one kernel, and what they say of rows held out.

    Attributes
    ----------
    K : ndarray of shape (n, n)
        The learned kernel on the labelled points.
    targets, quality, settings
        What is trained there.
    stopping : StoppingControl
        The clock of the fit.
    dual_coef : ndarray of shape (k, n), optional
        Coefficients of the machines on all rows, where these have been trained.
    intercept : ndarray of shape (k,), optional
        Their intercepts.
    """

    K: Array
    targets: Sequence[Array]
    quality: str
    settings: Settings
    stopping: StoppingControl
    dual_coef: Array | None = None
    intercept: Array | None = None

    def refits(self, folds: Sequence[Indices]) -> Refits:
        """Machines without one fold each, at the same kernel."""
        return refit_machines(
            self.K, self.targets, self.quality, self.settings, folds, self.stopping
        )

    def held_out_values(self, folds: Sequence[Indices]) -> Array:
        """Decision values of shape (n, k): by leave-one-out in closed form, or by those folds."""
        if self.quality == "least_squares" and len(self.K) > 1:
            return leave_one_out_values(self.K, self.targets, self.settings)
        return self.refits(folds).values

    def left_out_values(self) -> Array | None:
        """Decision values of shape (n, k), each without that row; None where refits are needed."""
        if self.quality == "least_squares" and len(self.K) > 1:
            return leave_one_out_values(self.K, self.targets, self.settings)
        # The estimates of several machines are compared with each other, where refits did better.
        if self.dual_coef is None or self.intercept is None or len(self.targets) > 1:
            return None
        machine, a = (
            QUALITIES[self.quality].build(self.targets[0], self.settings),
            self.dual_coef[0],
        )
        with threads_for(len(self.K)):
            left = values_left_out(machine, self.K, a, self.K @ a + self.intercept[0])
        return left[:, None] if left is not None and np.isfinite(left).all() else None
