"""Weights of Gram matrices on all rows, or of kernels made on demand: stated, and solved at a C.

Matrices whose squares are no numbers are brought to unit size before anything is squared. Sizes are
powers of two, so that going there and back changes no digit. Others are left where they are: a copy
would cost memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace

import numpy as np

from kernlearn.families.base import Family
from kernlearn.families.continuous_pool import ContinuousPool
from kernlearn.families.kernel_pool import KernelPool
from kernlearn.families.matrices import GramStack, WithIdentity
from kernlearn.families.prior_kernels import PriorPenalty
from kernlearn.quality.machine import Machine
from kernlearn.quality.registry import ALIGNMENTS, CRITERIA, DETERMINANT, QUALITIES, Settings
from kernlearn.quality.regression import interpolation
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.core.oracle import Penalty
from kernlearn.solvers.core.penalized import on_some
from kernlearn.solvers.core.problem import (
    Control,
    RescaledPenalty,
    Units,
    WeightSet,
    check_kernel_size,
)
from kernlearn.solvers.core.solution import Solution
from kernlearn.solvers.engine.penalty_checks import check_penalty, check_penalty_values
from kernlearn.solvers.engine.refits import HeldOutValues, leave_one_out_values, refit_machines
from kernlearn.solvers.engine.statement import Statement, check_traces
from kernlearn.solvers.weights.alignment import learn_by_alignment
from kernlearn.solvers.weights.column_generation import learn_by_columns
from kernlearn.solvers.weights.determinant import learn_by_determinant
from kernlearn.solvers.weights.infinite_kernels import learn_over_range
from kernlearn.solvers.weights.recursive_transduction import (
    ExtendedSolution,
    FurtherRows,
    extend_weights,
)
from kernlearn.solvers.weights.search import learn_with_machines
from kernlearn.typing import Array, Indices


class GramProblem:
    """Weights of matrices on all rows."""

    def __init__(
        self,
        statement: Statement,  # what is to be learned
        # The matrices, on further rows too if these have no label. Matrices of a pool are made when
        # needed: their weights are positive, and C is given.
        family: Family | KernelPool,
        sampled: bool = False,  # whether the rows are a sample already, all of which choose C
    ) -> None:
        check_traces(family.traces)
        self.statement, self.family, self.sampled = statement, family, sampled
        penalty = self.penalty(statement.settings.C)
        if penalty is not None:
            _check_few(family, f"the penalty {type(penalty).__name__}")
            check_penalty(penalty, family.n_matrices, statement.quality, statement.learn_C)
        if statement.constraints:
            _check_few(family, repr(statement.constraints[0][0]))
            _check_constraints(statement)
        self.total = statement.weight_set(family.traces).total
        self._solved_family, self._quality = family, statement.quality
        if statement.learn_C and not isinstance(family, KernelPool):
            self._solved_family = WithIdentity(family, 1.0 / statement.settings.sample_weight)
            self._quality = "hard_margin"
        traces = self._solved_family.traces
        self.weight_set = replace(statement, total=self.total).weight_set(traces)
        self._sizes: Array | None = None
        if not isinstance(self._solved_family, KernelPool):
            check_matrix_sizes(self._solved_family, self.weight_set)
            if penalty is not None:
                check_penalty_values(penalty, self.weight_set)
            self._sizes = extreme_sizes(self._solved_family)

    def penalty(self, C: float) -> Penalty | None:
        """The penalty at C, as a function of the weights."""
        penalty, family = self.statement.penalty(C), self.family
        if isinstance(penalty, PriorPenalty) and not isinstance(family, KernelPool):
            size = self.statement.weight_set(family.traces).kernel_size(family)
            return penalty.of_family(family, size)
        return penalty

    def learn(self, C: float, start: Array | None, control: Control) -> Solution:
        """The best weights at C."""
        try:
            return self._solution(C, start, control)
        except np.linalg.LinAlgError as error:
            traces = self._solved_family.traces
            raise ValueError(
                f"expected matrices and settings that linear algebra bears, got {error} from "
                f"LAPACK at traces from {traces.min():.3g} to {traces.max():.3g}; normalise the "
                "kernels, or choose a smaller C"
            ) from error

    def _solution(self, C: float, start: Array | None, control: Control) -> Solution:
        statement, family = self.statement, self._solved_family
        settings = replace(statement.settings, C=C)
        start = None if statement.learn_C else start
        weight_set = replace(self.weight_set, start=start, least=statement.least)
        # The certificate detects overflow and underflow on the way.
        with np.errstate(all="ignore"), threads_for(family.n_points):
            if isinstance(family, KernelPool):
                machines = _machines(self._quality, statement.targets, settings)
                if isinstance(family, ContinuousPool):
                    return learn_over_range(family, machines, weight_set, control)
                penalty = self.penalty(C)
                return learn_by_columns(family, machines, weight_set, control, penalty=penalty)
            penalty, sizes = self.penalty(C), self._sizes
            if sizes is not None:
                family, weight_set, penalty = at_unit_size(family, weight_set, penalty, sizes)
            found = self._learned(family, settings, weight_set, penalty, control)
        if sizes is None:
            return found
        return replace(found, weights=found.weights / sizes[: len(found.weights)])

    def extend(
        self,
        C: float,
        rows: FurtherRows,
        known: Solution,
        control: Control,
    ) -> ExtendedSolution:
        """The best weights at C with K(w) ⪰ 0 on further rows, from those without them."""
        statement, family, weight_set = self.statement, self._solved_family, self.weight_set
        assert not isinstance(family, KernelPool)
        settings, penalty = replace(statement.settings, C=C), statement.penalty(C)
        machines, sizes = _machines(self._quality, statement.targets, settings), self._sizes
        if sizes is not None:
            rows = replace(rows, matrices=rows.matrices.combined(np.diag(1.0 / sizes)))
            family, weight_set, penalty = at_unit_size(family, weight_set, penalty, sizes)
            known = replace(known, weights=known.weights * sizes)
        arguments = family, rows, machines, weight_set, known, control, penalty
        with np.errstate(all="ignore"), threads_for(rows.matrices.n_points):
            found = extend_weights(*arguments)
        if sizes is None:
            return found
        return replace(
            found, solution=replace(found.solution, weights=found.solution.weights / sizes)
        )

    def _learned(
        self,
        family: Family,
        settings: Settings,
        weight_set: WeightSet,
        penalty: Penalty | None,
        control: Control,
    ) -> Solution:
        quality, targets = self._quality, self.statement.targets
        if quality == DETERMINANT:
            linear = None if penalty is None else penalty.gradient(np.zeros(family.n_matrices))
            return learn_by_determinant(family, weight_set, control, linear)
        if quality in ALIGNMENTS and penalty is None:
            centered = quality == "centered_alignment"
            columns = np.column_stack(targets)
            return learn_by_alignment(family, columns, centered, weight_set, control)
        if quality == "alignment":
            size = weight_set.kernel_size(family)
            machines = [interpolation(y, size) for y in targets]
        else:
            machines = _machines(quality, targets, settings)
        return learn_with_machines(family, machines, weight_set, control, penalty)

    def row_losses(self, C: float, solution: Solution, control: Control) -> Array:
        """The loss of every row, held out of machines on the learned kernel."""
        values = self.refits(C, self.family.combine(solution.weights), control).values
        hold_out, targets = self.statement.hold_out, self.statement.targets
        assert hold_out is not None
        return hold_out.losses(values, targets, self.statement.settings.sample_weight)

    def refits(self, C: float, K: Array, control: Control) -> HeldOutValues:
        """Values of rows held out of machines on a kernel: least squares has a closed form."""
        (quality, settings), targets = self.machine_at(C), self.statement.targets
        if quality == "least_squares" and len(K) > 1 and not self.statement.grouped:
            return HeldOutValues(np.arange(len(K)), leave_one_out_values(K, targets, settings))
        folds = self.statement.folds
        return refit_machines(K, targets, quality, settings, folds, control.stopping)

    @property
    def Cs(self) -> list[float]:
        """The candidates for C, increasing."""
        return self.statement.Cs(self.weight_set, self.family.traces, self.family.n_points)

    @property
    def is_plain(self) -> bool:
        """Whether it means the same on fewer rows: matrices of labelled points, w ≥ 0, no more."""
        of_pool = isinstance(self.family, KernelPool)
        whole = of_pool or self.family.n_labelled == self.family.n_points
        return whole and not self.statement.free_sign and self.statement.penalty(1.0) is None

    def on_rows(self, rows: Indices) -> GramProblem:
        """The same problem on some rows: a machine with the same C, at the same weights."""
        family, statement = self.family, self.statement
        some = family.on_rows(rows) if isinstance(family, KernelPool) else family.subset(rows)
        part = len(rows) / family.n_points if statement.constraint == "trace" else 1.0
        settings = replace(statement.settings, sample_weight=statement.settings.sample_weight[rows])
        targets = [target[rows] for target in statement.targets]
        fold, total = statement.fold_of(rows), part * self.total
        stated = replace(statement, targets=targets, settings=settings, total=total, fold=fold)
        return GramProblem(stated, some, sampled=True)

    def of_kernels(self, chosen: Indices) -> GramProblem:
        """The same problem with these kernels of a pool alone, whose matrices are kept."""
        assert isinstance(self.family, KernelPool)
        n, even = self.family.n_labelled, self.statement.even
        grams = np.stack([self.family.gram(int(i))[:n, :n] for i in chosen])
        m, penalty = self.family.n_matrices, self.statement.penalty
        stated = replace(
            self.statement,
            total=self.total,
            even=None if even is None else even[chosen],
            penalty=lambda C: on_some(penalty(C), chosen, m),
        )
        return GramProblem(stated, GramStack(grams), sampled=True)

    def at_share(self, share: float) -> GramProblem:
        """The same problem where all sources have this share of the total equally."""
        other = copy(self)
        other.statement = replace(self.statement, share=share)
        return other

    def at_penalty(self, penalty: Penalty) -> GramProblem:
        """The same problem with this penalty, which is checked."""
        other = copy(self)
        other.statement = replace(self.statement, penalty=lambda C: penalty)
        stated = other.penalty(self.statement.settings.C)
        assert stated is not None
        statement = self.statement
        check_penalty(stated, self.family.n_matrices, statement.quality, statement.learn_C)
        return other

    def machine_at(self, C: float) -> tuple[str, Settings]:
        """The machine on the learned kernel, whatever that was learned by; C may be infinite."""
        quality = self.statement.quality
        quality = "soft_margin" if quality in CRITERIA else quality
        if np.isinf(C):
            quality, C = "hard_margin", 1.0
        return quality, replace(self.statement.settings, C=C)


def _machines(quality: str, targets: Sequence[Array], settings: Settings) -> list[Machine]:
    # A constant added to the targets is added to the function, and must cost no digits.
    shifts = [_shift(y, quality) for y in targets]
    return [
        replace(QUALITIES[quality].build(y - shift, settings), shift=shift)
        for y, shift in zip(targets, shifts, strict=True)
    ]


def _shift(y: Array, quality: str) -> float:
    """A constant in the middle of the targets, where the machine does not depend on it.

    Only where they are so far from zero that taking it off them is exact: numbers within a factor
    of two have a difference without rounding.
    """
    if QUALITIES[quality].targets not in ("values", "either"):
        return 0.0
    with np.errstate(over="ignore"):
        middle = float(np.median(y))
        reach = float(np.abs(y - middle).max())
    return middle if abs(middle) > 2.0 * reach else 0.0


def _check_constraints(statement: Statement) -> None:
    """Refuse constraints where the solver has no rows for them."""
    if statement.quality == DETERMINANT and statement.free_sign:
        raise ValueError(
            f"expected no constraints with weights='free' and quality={DETERMINANT!r}, got "
            f"{statement.constraints[0][0]!r}; use weights='positive', or leave constraints out"
        )


def _check_few(family: Family | KernelPool, what: str) -> None:
    """Refuse a program in the weights of all kernels of a family where these are very many."""
    if isinstance(family, KernelPool) and family.n_matrices > LARGEST_PROGRAM:
        raise ValueError(
            f"expected no constraints and no penalty with a family of {family.n_matrices:,} "
            f"kernels, got {what}; pass a family of at most {LARGEST_PROGRAM:,} of them, or leave "
            "it out"
        )


LARGEST_PROGRAM = 2000  # kernels of a family: programs have as many columns, Hessians also rows
SQUARABLE = 2.0**200  # and as small: fourth powers are numbers
LARGEST_WEIGHT = 2.0**960  # and as small: beyond, its digits would be lost


def check_matrix_sizes(family: Family, weight_set: WeightSet) -> None:
    """Refuse matrices whose traces or weights, or whose combinations when squared, are no numbers.

    A weight is largest where its matrix takes all of the total.
    """
    traces, total = family.traces, weight_set.total
    used = (weight_set.normaliser > 0) & (traces > 0)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        alone = total / weight_set.normaliser[used]
        kernel = weight_set.kernel_size(family)
    if not (np.isfinite(traces).all() and np.isfinite(kernel)):
        alone = np.array([np.inf])
    if (alone > LARGEST_WEIGHT).any() or (alone < 1.0 / LARGEST_WEIGHT).any():
        raise ValueError(
            "expected matrices whose traces are numbers, and so are their weights if one takes all "
            f"of the total, got traces from {traces.min():.3g} to {traces.max():.3g} and a total "
            f"of {total:.3g}; rescale the data, or normalise the kernels"
        )
    check_kernel_size(kernel)


def extreme_sizes(family: Family) -> Array | None:
    """Powers of two near the traces if squares of some are out of range, else None."""
    traces = family.traces
    sized = traces[traces > 0]
    if ((sized < SQUARABLE) & (sized > 1.0 / SQUARABLE)).all():
        return None
    sizes = 2.0 ** np.round(np.log2(np.where(traces > 0, traces, 1.0)))
    if isinstance(family, WithIdentity):  # which stays what it is
        sizes[-1] = 1.0
    return np.asarray(sizes)


def at_unit_size(
    family: Family, weight_set: WeightSet, penalty: Penalty | None, sizes: Array
) -> tuple[Family, WeightSet, Penalty | None]:
    """The same problem in matrices Kᵢ/sᵢ, whose weights are wᵢsᵢ."""
    shrink = np.diag(1.0 / sizes)
    if penalty is not None:
        penalty = RescaledPenalty(penalty, Units(1.0, 1.0), shrink)
    start = None if weight_set.start is None else weight_set.start * sizes
    limits = None if weight_set.limits is None else weight_set.limits.combined(shrink)
    moved = replace(
        weight_set, normaliser=weight_set.normaliser / sizes, start=start, limits=limits
    )
    return family.combined(shrink), moved, penalty
