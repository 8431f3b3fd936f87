"""Weights of the sections of a hyperkernel, on any number of rows."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

import numpy as np

from kernlearn.families.matrices import GramStack
from kernlearn.families.section_pool import SectionPool
from kernlearn.gram.landmarks import choose_landmarks
from kernlearn.hyperkernels import Hyperkernel
from kernlearn.kernels import Kernel
from kernlearn.quality.machine import on_rows
from kernlearn.runtime.status import Status
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.engine.approximate import learn_pool, settle_on_sample
from kernlearn.solvers.engine.backend import EngineFit
from kernlearn.solvers.engine.exact import sample_for_C
from kernlearn.solvers.engine.statement import Statement
from kernlearn.solvers.nystroem.certificate import LowRankSolution
from kernlearn.solvers.nystroem.rank import FactorLimits
from kernlearn.solvers.weights.column_generation import ColumnGenerationOptions
from kernlearn.solvers.weights.search import learn_with_machines
from kernlearn.typing import Array, Indices

# Factor in time for twice the landmarks, and the share of the remaining time that they may take.
LONGER, TIME_SHARE = 4.0, 0.5


@dataclass(frozen=True)
class SectionOptions:
    """Options for learning sections of a hyperkernel on many rows."""

    landmarks: int = 64  # landmarks of all sections in the first round
    # With rank="auto", twice as many follow while the held-out loss falls by this share, and while
    # the sections with weight have no more columns than these together
    enough: float = 0.01
    most_columns: int = 2048
    pairs: int = 20_000  # pairs of rows among which pivots are chosen, likewise
    # Rows that the first weights come from, and the relative gap to which they are learned there
    first_rows: int = 500
    first_tol: float = 1e-3
    # The first weights leave few sections to be found
    columns: ColumnGenerationOptions = field(
        default_factory=lambda: ColumnGenerationOptions(joining=4)
    )

    def asks_for_more(self, fit: EngineFit[LowRankSolution], n_rows: int) -> bool:
        """Whether twice as many landmarks would help, and are affordable."""
        solution = fit.solution
        if fit.loss_by_rank is None or solution.status is Status.NO_SOLUTION:
            return False
        rank, losses = int(fit.loss_by_rank.ranks[-1]), fit.loss_by_rank.losses
        falls = len(losses) > 1 and losses[-1] < (1.0 - self.enough) * losses[-2]
        return falls and rank < n_rows and 2 * len(solution.coef) <= self.most_columns


def learn_sections(
    hyperkernel: Hyperkernel,
    pivots: Array,  # (m, 2, d): the pairs that fix the sections
    X: Array,
    rank: int | str,  # landmarks, or "auto"
    statement: Statement,
    control: Control,
    limits: FactorLimits,
    options: SectionOptions,
) -> tuple[EngineFit[LowRankSolution], Indices, list[Kernel]]:
    """Learn the weights of sections from all rows, through landmarks that they share.

    C, if it is open, and first weights come from Gram matrices of a sample. Column generation goes
    on from there, so that the certificate holds for all sections through these landmarks. With
    rank="auto" their number is doubled while the held-out loss falls. Weights are those of all
    sections; the numbers of those with weight, and their kernels, are returned too.
    """

    def family_on(sample: Indices) -> GramStack:
        return GramStack(hyperkernel.sections(X[sample], pivots))

    n, m = len(X), len(pivots)
    statement, choices = settle_on_sample(statement, family_on, m, False, control)
    few = sample_for_C(statement.targets, m, statement.seed, options.first_rows, statement.fold)
    machines = [on_rows(machine, few) for machine in statement.machines(statement.settings)]
    rough = replace(control, tol=max(options.first_tol, control.tol))
    family, penalty = family_on(few), statement.penalty(statement.settings.C)
    weight_set = statement.weight_set(family.traces)
    weights = learn_with_machines(family, machines, weight_set, rough, penalty).weights
    size = min(options.landmarks if isinstance(rank, str) else rank, n)
    while True:
        start = time.monotonic()
        expansion = hyperkernel.expansion(pivots, np.maximum(weights, 0.0))
        marks = np.sort(choose_landmarks(expansion, X, size, random_state=statement.seed).rows)
        pool = SectionPool(hyperkernel, pivots, X, marks)
        near = replace(statement, start=weights)
        found = learn_pool(X, pool, near, control, limits, options.columns)
        fit = found[0]
        seconds = LONGER * (time.monotonic() - start)
        in_time = seconds < TIME_SHARE * control.stopping.seconds_left
        if not (isinstance(rank, str) and in_time and options.asks_for_more(fit, n)):
            break
        size, weights = min(2 * size, n), fit.solution.weights
    return (choices.with_sample_losses(fit), *found[1:])
