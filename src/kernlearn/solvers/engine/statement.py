"""The statement of a learning problem, checked once; backends do not check it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernlearn.families.constraints import Constraint, LinearRows
from kernlearn.families.penalties import WeightPenalty
from kernlearn.families.weight_limits import EmptySetError, WeightLimits
from kernlearn.numerics.rounding import standard_deviation, usual_weight
from kernlearn.quality.machine import Machine
from kernlearn.quality.multipliers import conjugate_slope
from kernlearn.quality.registry import QUALITIES, Settings
from kernlearn.solvers.core.oracle import Penalty
from kernlearn.solvers.core.problem import WeightSet
from kernlearn.typing import Array, Indices


def no_penalty(C: float) -> Penalty | None:
    """The penalty of a problem that has none."""
    return None


@dataclass(frozen=True)
class HoldOut:
    """Folds of held-out rows, the losses of the rows, and the need for machines of the folds."""

    # The rows of each fold, from the targets of all machines
    folds: Callable[[Sequence[Array]], list[Indices]]
    # The loss of every row, from held-out values (n, k), targets and sample weights
    losses: Callable[[Array, Sequence[Array], Array], Array]
    # Whether the machines trained without each fold are needed, not their values alone
    machines: bool = True
    stratify: bool = False  # whether targets are classes, to be spread over the folds


@dataclass(frozen=True)
class ChoiceOptions:
    """Candidates that are compared on held-out rows, and the largest number of these rows."""

    # In units of one over the kernel's mean diagonal: from mostly bounded to mostly free
    # coefficients.
    factors_of_C: tuple[float, ...] = (0.1, 0.5, 2.0, 10.0, 50.0, 250.0)
    # Shares of the total that sources have equally: 1 for equal weights, 0 for learned weights.
    shares: tuple[float, ...] = (1.0, 2.0 / 3.0, 1.0 / 3.0, 0.0)
    first_share: float = 2.0 / 3.0  # at which C is chosen
    # Size of a penalty, relative to the value without it, at those weights
    strengths: tuple[float, ...] = (0.01, 0.1, 1.0, 10.0)
    rows_for_C: int = 500  # a path on all rows takes many times a fit at one C
    rows_for_shares: int = 1500  # shares differ less in their losses


@dataclass(frozen=True, eq=False)
class Statement:
    """Minimise the values of machines over the weights of their common kernel."""

    targets: Sequence[Array]  # (n,): one for each machine
    quality: str  # what makes a kernel good
    settings: Settings  # parameters of the machines
    free_sign: bool = False  # K(w) ⪰ 0 instead of w ≥ 0
    constraint: str = "trace"  # {"trace", "sum"}: what is held at the total
    total: float | None = None  # by default the mean of the positive traces, or 1 for "sum"
    start: Array | None = None  # (m,): weights to begin near
    learn_C: bool = False  # whether C is one more weight
    # Increasing candidates for C on held-out rows, in the unit of C; empty if C is given
    factors_of_C: tuple[float, ...] = ()
    # The share of the total that all sources have equally; None if held-out rows choose it
    share: float | None = 0.0
    even: Array | None = None  # (m,): the shares of the kernels where all sources have the same
    penalty: Callable[[float], Penalty | None] = no_penalty  # the penalty at a C, or None
    # A penalty whose strength held-out rows choose, in place of the penalty at a C
    open_penalty: WeightPenalty | None = None
    constraints: Sequence[tuple[Constraint, LinearRows]] = ()  # on the weights, with their rows
    hold_out: HoldOut | None = None  # how rows are held out after the fit; None if they are not
    # (n,): the fold of each row, from 0 on; None for folds that are drawn when they are needed
    fold: Indices | None = None
    grouped: bool = False  # whether rows are held out with their fold alone, never one by one
    exact_bound: bool = False  # whether approximate backends bound the exact problem too
    seed: int = 0  # for landmarks and samples
    choices: ChoiceOptions = ChoiceOptions()  # how many rows choose what is open

    @property
    def least(self) -> Array | None:
        """The shares of the total that positive weights have at least."""
        return self.share * self.even if self.share and self.even is not None else None

    def weight_set(self, traces: Array, kept: Array | None = None) -> WeightSet:
        """Set of allowed weights for kernels of these traces.

        Weights of both signs are constrained by the traces ``kept`` by factors, if these are given.
        """
        m, start, least = len(traces), self.start, self.least
        if self.constraint == "sum":
            if self.free_sign:
                _check_equal(traces if kept is None else kept, kept is not None)
            total = 1.0 if self.total is None else self.total
            return self._limited(WeightSet(np.ones(m), total, self.free_sign, start, least))
        # The mean, so that C is that of one machine with one of the kernels.
        positive = traces[traces > 0]
        total = float(positive.mean()) if self.total is None else self.total
        normaliser = traces if kept is None or not self.free_sign else kept
        return self._limited(WeightSet(normaliser, total, self.free_sign, start, least))

    def _limited(self, weight_set: WeightSet) -> WeightSet:
        """The set with the constraints of the weights, refused if no weights are left."""
        limited = _with_limits(weight_set, self.constraints)
        if limited.limits is not None and _is_empty(limited):
            conflict = list(self.constraints)
            for each in self.constraints:  # what is left cannot do without any of its members
                fewer = [other for other in conflict if other is not each]
                if _is_empty(_with_limits(weight_set, fewer)):
                    conflict = fewer
            named = " and ".join(repr(constraint) for constraint, _ in conflict)
            both = (
                "which some weights satisfy together" if len(conflict) > 1 else "for some weights"
            )
            share = f" beside equal_share={self.share:g}" if self.least is not None else ""
            raise ValueError(
                f"expected constraints {both}, got {named}, which no weights w ≥ 0 with this total "
                f"satisfy{share}; drop or loosen one of the limits"
            )
        return limited

    def Cs(self, weight_set: WeightSet, traces: Array, n_rows: int) -> list[float]:
        """The candidates for C, increasing."""
        if not self.factors_of_C:
            return [self.settings.C]
        size = weight_set.mean_diagonal(traces, n_rows)
        unit = 1.0
        of_values = self.quality in QUALITIES and QUALITIES[self.quality].targets == "values"
        # Huber's loss is squared where errors are small: its C has no unit of the targets.
        if of_values and self.quality != "huber":
            unit = float(standard_deviation(self.targets[0])) or 1.0
        unit /= usual_weight(self.settings.sample_weight)
        return [factor * (unit / size) for factor in self.factors_of_C]

    @property
    def folds(self) -> list[Indices]:
        """The rows of each fold; of few rows, those folds that have any."""
        if self.fold is not None:
            return [np.flatnonzero(self.fold == number) for number in np.unique(self.fold)]
        assert self.hold_out is not None
        return self.hold_out.folds(self.targets)

    def fold_of(self, rows: Indices) -> Indices | None:
        """The folds of some of the rows."""
        return None if self.fold is None else self.fold[rows]

    @property
    def responses(self) -> Array:
        """Targets of least squares, of shape (n, k), by which ranks are judged.

        For times these are martingale residuals: an event, less the hazard of a row without risk.
        """
        if QUALITIES[self.quality].targets != "times":
            return np.column_stack(self.targets)
        machines = self.machines(self.settings)
        at_zero = np.column_stack([conjugate_slope(each)(each.linear) for each in machines])
        return np.asarray(at_zero / self.settings.upper[:, None])

    def machines(self, settings: Settings) -> list[Machine]:
        """The machines at these settings."""
        return [QUALITIES[self.quality].build(y, settings) for y in self.targets]


def _with_limits(
    weight_set: WeightSet, constraints: Sequence[tuple[Constraint, LinearRows]]
) -> WeightSet:
    limits = WeightLimits.of(constraints, weight_set.normaliser, weight_set.total)
    return weight_set if limits is None else replace(weight_set, limits=limits)


def _is_empty(weight_set: WeightSet) -> bool:
    """Whether no positive weights are left."""
    try:
        replace(weight_set, start=None).positive_domain()
    except EmptySetError:
        return True
    return False


def _check_equal(traces: Array, are_kept: bool) -> None:
    if np.ptp(traces) > 1e-9 * traces.max():
        through = " through landmarks" if are_kept else ""
        raise ValueError(
            "expected matrices of equal trace for weights='free' with constraint='sum', got "
            f"traces{through} from {traces.min():.6g} to {traces.max():.6g}, for which the set of "
            "kernels is unbounded; use constraint='trace', or normalise the matrices"
        )


def check_traces(traces: Array, what: str = "Gram matrix", zeros: str = "zero matrices") -> None:
    """Refuse kernels that are all zero."""
    if not (traces > 0).any():
        raise ValueError(
            f"expected at least one {what} with a positive trace, got only {zeros}; check the "
            "kernels' parameters"
        )
