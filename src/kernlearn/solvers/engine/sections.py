"""Weights of the sections of a hyperkernel, on any number of rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from kernlearn.families.matrices import GramStack
from kernlearn.families.section_pool import SectionPool
from kernlearn.gram.landmarks import choose_landmarks
from kernlearn.hyperkernels import Hyperkernel
from kernlearn.kernels import Kernel
from kernlearn.quality.machine import on_rows
from kernlearn.solvers.core.oracle import Penalty
from kernlearn.solvers.core.problem import Control, RescaledPenalty, Units
from kernlearn.solvers.engine.approximate import learn_pool, settle_on_sample
from kernlearn.solvers.engine.backend import Learned
from kernlearn.solvers.engine.exact import sample_for_C
from kernlearn.solvers.engine.statement import Statement
from kernlearn.solvers.nystroem.certificate import LowRankSolution
from kernlearn.solvers.nystroem.rank import FactorLimits
from kernlearn.solvers.weights.column_generation import ColumnGenerationOptions
from kernlearn.solvers.weights.search import learn_with_machines
from kernlearn.typing import Array, Indices


@dataclass(frozen=True)
class SectionOptions:
    """How the sections of a hyperkernel are seen on many rows."""

    landmarks: int = 64  # rows through which all sections are seen, unless told otherwise
    pairs: int = 20_000  # pairs of rows among which pivots are chosen, likewise
    # Rows that the first weights come from, and the relative gap to which they are learned there
    first_rows: int = 500
    first_tol: float = 1e-3
    # The first weights leave few sections to be found
    columns: ColumnGenerationOptions = field(
        default_factory=lambda: ColumnGenerationOptions(joining=4)
    )


def learn_sections(
    hyperkernel: Hyperkernel,
    pivots: Array,  # (m, 2, d): the pairs that fix the sections
    X: Array,
    rank: int | str,  # landmarks, or "auto"
    statement: Statement,
    control: Control,
    limits: FactorLimits,
    options: SectionOptions,
) -> tuple[Learned[LowRankSolution], Indices, list[Kernel]]:
    """Learn the weights of sections from all rows, through landmarks that they share.

    C, if it is open, and first weights come from Gram matrices of a sample. Column generation goes
    on from there, so that the certificate holds for all sections through these landmarks. Weights
    are those of all sections; the numbers of those with weight, and their kernels, are returned
    too.
    """

    def family_on(few: Indices) -> GramStack:
        return GramStack(hyperkernel.sections(X[few], pivots))

    n, m = len(X), len(pivots)
    stated = statement.penalty

    def penalty_of_sample(C: float) -> Penalty | None:
        # Of a share of the rows, the same share: their loss grows with their number, too.
        penalty = stated(C)
        share = min(1.0, statement.choices.rows_for_C / n)
        return None if penalty is None else RescaledPenalty(penalty, Units(1.0, share**-0.5))

    sampled = replace(statement, penalty=penalty_of_sample, exact_bound=False)
    settled, losses = settle_on_sample(sampled, family_on, m, False, control)
    statement = replace(settled, penalty=stated, exact_bound=statement.exact_bound)
    few = sample_for_C(statement.targets, m, statement.seed, options.first_rows, statement.fold)
    machines = [on_rows(machine, few) for machine in statement.machines(statement.settings)]
    rough = replace(control, tol=max(options.first_tol, control.tol))
    family, penalty = family_on(few), stated(statement.settings.C)
    weight_set = statement.weight_set(family.traces)
    first = learn_with_machines(family, machines, weight_set, rough, penalty).weights
    seen = hyperkernel.expansion(pivots, np.maximum(first, 0.0))
    size = min(options.landmarks if isinstance(rank, str) else rank, n)
    marks = np.sort(choose_landmarks(seen, X, size, random_state=statement.seed).rows)
    pool = SectionPool(hyperkernel, pivots, X, marks)
    statement = replace(statement, start=first)
    learned, active, kernels = learn_pool(X, pool, statement, control, limits, options.columns)
    if len(losses):
        learned = replace(learned, loss_by_C=losses)
    return learned, active, kernels
