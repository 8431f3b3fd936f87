"""Learning through more columns than their moments have room for: from Z itself, on all its rows.

Hundreds of kernels, of some dozen columns each, have R of ten thousand and more. Their moments
are matrices of R columns and R rows, one for each fold; Z is smaller where the rows are few beside
that, and the systems of a machine are never larger than its free rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn._cluster import Chunked
from kernlearn._device import room_beside
from kernlearn.families.factor_rows import FactorRows
from kernlearn.families.factors import Factors
from kernlearn.quality.registry import QUALITIES
from kernlearn.runtime.memory import FLOAT, allowed, available
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.nystroem.certified import certified, landmark_values
from kernlearn.solvers.nystroem.conjugate_gradient import leave_out_folds
from kernlearn.solvers.nystroem.exact_forms import exact_lower_bound
from kernlearn.solvers.nystroem.held_out import halves
from kernlearn.solvers.nystroem.learned import Learned
from kernlearn.solvers.nystroem.problem import learn_machines
from kernlearn.solvers.nystroem.rank import N_FOLDS, RankSearch, folds_of
from kernlearn.solvers.nystroem.refits import machine_refits
from kernlearn.solvers.nystroem.request import Request
from kernlearn.solvers.nystroem.solution import LowRankSolution
from kernlearn.typing import Array

# Numbers of moments: a gigabyte. And of Z: two, unless the user allows for more or less, and a
# quarter of what there is.
_MOST_MOMENTS, _MOST_NUMBERS, _SHARE_OF_MEMORY = 2**27, 2**28, 0.25
# Columns whose moments least squares is learned from, if the rows are not fewer: half a gigabyte,
# and a factorisation of some seconds.
_MOST_COLUMNS = 8000


def most_numbers(source: Any) -> float:
    """How large Z may be where the rows are, kept because its moments would be larger."""
    there = available()
    most = np.inf if there is None else _SHARE_OF_MEMORY * there / FLOAT
    most = most if allowed() is not None else min(_MOST_NUMBERS, most)
    return source.room(most) if isinstance(source, Chunked) else room_beside(source, most)


def by_moments(n_rows: int, n_columns: int) -> bool:
    """Whether least squares is learned from its moments rather than from Z."""
    return n_columns <= min(n_rows, _MOST_COLUMNS)


def is_wide(source: Any, n_columns: int, request: Request) -> bool:
    """Whether machines are to be learned from Z alone.

    Weights of both signs need the moments, and so does a choice of C.
    """
    if request.free_sign or request.factors_of_C:
        return False
    if request.quality == "least_squares" and by_moments(len(source), n_columns):
        return False
    too_many = N_FOLDS * n_columns**2 > _MOST_MOMENTS
    return too_many and len(source) * n_columns <= most_numbers(source)


def learn_from_rows(
    look: RankSearch, factors: Factors, targets: Sequence[Array], request: Request, control: Control
) -> Learned:
    """Learn the weights and the machines."""
    settings, n = request.settings, len(look.source)
    machines = [QUALITIES[request.quality].build(y, settings) for y in targets]
    bound = held_out = None
    with threads_for(n):
        rows = FactorRows(look.source, factors, keep=True)
        traces = rows.traces()
        weight_set = request.weight_set(traces)
        found = learn_machines(rows, machines, traces, weight_set, control, request.near)
        values = landmark_values(look.source, factors)
        solution = certified(found, machines, values, weight_set, control.tol)
        ranks, losses = _loss_by_rank(rows, look, traces, solution, request)
        if request.held_out:
            held_out = machine_refits(rows, folds_of(n), traces, solution, machines)
    if request.exact_bound:
        coefs = np.atleast_2d(np.asarray(solution.dual_coef))
        bound = exact_lower_bound(
            look.source, look.kernels, machines, coefs, weight_set.normaliser, weight_set.total
        )
    return Learned(solution, ranks, losses, held_out, bound, settings.C, np.empty((0, 2)))


@dataclass(frozen=True)
class _UpToRank:
    """Z with so many columns of each kernel."""

    rows: FactorRows
    rank: int

    def applied(self, weights: Array, a: Array) -> Array:
        """K(w)a."""
        factors = self.rows.factors
        diagonal = np.where(factors.place < self.rank, weights[factors.owner], 0.0)
        return self.rows.times(diagonal[:, None] * self.rows.transposed_times(a))


def _loss_by_rank(
    rows: FactorRows, look: RankSearch, traces: Array, solution: LowRankSolution, request: Request
) -> tuple[NDArray[np.intp], Array]:
    """What least squares loses on rows held out, at the rank and at half of it.

    Where nothing is foretold, the part of the trace that is left out.
    """
    ranks, weights = halves(rows.factors)[-2:], solution.weights
    if request.quality == "one_class":
        exact, kept = traces @ weights
        return ranks[-1:], np.array([max(1.0 - kept / exact, 0.0)])
    fold, ridge = folds_of(rows.n_rows), 1.0 / request.settings.C
    known = look.Y, look.sample_weight, fold, ridge
    parts = [_UpToRank(rows, int(rank)) for rank in ranks]
    return ranks, np.array([leave_out_folds(part, weights, *known).loss for part in parts])
