"""What is asked of learning through landmarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernlearn.families.weights import positive_weights
from kernlearn.gram.landmarks import NystroemMap
from kernlearn.quality.registry import Settings
from kernlearn.solvers.core.problem import Control, WeightSet
from kernlearn.solvers.core.solution import Solution
from kernlearn.solvers.nystroem.held_out import FoldsOut
from kernlearn.solvers.nystroem.problem import learn_least_squares
from kernlearn.solvers.nystroem.rank import FactorStatistics
from kernlearn.solvers.weights.choice_of_C import lowest
from kernlearn.typing import Array

# Relative gap of the weights by which ranks are judged.
_ROUGH, _FEW_STEPS = 1e-2, 20


@dataclass(frozen=True, eq=False)
class Request:
    """What to learn (inputs are checked).

    Attributes
    ----------
    quality : str
        One of LOW_RANK_QUALITIES.
    settings : Settings
        Of the machine.
    rank : int, list of int, or "auto"
        Columns of each kernel's factor at most, for all kernels or for each.
    free_sign : bool
        K(w) ⪰ 0 in place of w ≥ 0.
    constraint : {"trace", "sum"}
        What is held at the total.
    total : float or None
        By default Σ tr Kᵢ, or 1.
    start : ndarray or None
        Weights to begin near.
    random_state : int, RandomState or None
        Chooses the landmarks.
    exact_bound : bool
        Whether to bound the problem without landmarks too.
    held_out : bool
        Whether to train without each fold too.
    factors_of_C : tuple of float
        Where least squares looks for C, increasing, in units of one over the kernel's mean
        diagonal entry; none where the settings' C is kept.
    maps : sequence of NystroemMap or None
        From rows to the kernels' factors, where these are known already.
    near : Solution or None
        Machines to begin with, on the same rows.
    least : ndarray of shape (m,) or None
        The shares of the total that positive weights have at least.
    explicit : bool
        Whether rows are all here, read by transformers or sparse, so that kernels may have sparse
        features. Others are not asked: to look at their columns would take these into memory.
    """

    quality: str
    settings: Settings
    rank: Any
    free_sign: bool
    constraint: str
    total: float | None
    start: Array | None
    random_state: Any
    exact_bound: bool
    held_out: bool
    factors_of_C: tuple[float, ...] = ()
    maps: Sequence[NystroemMap] | None = None
    near: Solution | None = None
    least: Array | None = None
    explicit: bool = False

    def weight_set(self, traces: Array) -> WeightSet:
        """Where weights may lie: by the exact traces, or those of the factors for free signs."""
        exact, kept = traces
        if not (exact > 0).any():
            raise ValueError(
                "expected at least one kernel with a positive trace, got only zeros; check the "
                "kernels' parameters"
            )
        if self.constraint == "sum":
            total = 1.0 if self.total is None else self.total
            return WeightSet(np.ones(len(exact)), total, self.free_sign, self.start, self.least)
        normaliser = kept if self.free_sign else exact
        # The mean, as for the exact estimators: C is then that of one machine with one kernel.
        total = float(exact[exact > 0].mean()) if self.total is None else self.total
        return WeightSet(normaliser, total, self.free_sign, self.start, self.least)

    def Cs(self, traces: Array, n_rows: int) -> list[float]:
        """What C may be, increasing, for kernels of these traces."""
        if not self.factors_of_C:
            return [self.settings.C]
        size = self.weight_set(traces).mean_diagonal(traces[0], n_rows)
        return [factor / size for factor in self.factors_of_C]

    def stand_in(self, seen: FactorStatistics) -> tuple[Array, float]:
        """Weights and ridge by which a rank is judged.

        Equal shares of the kernels, and the ridge that is best for them; least squares learns the
        weights for that ridge, roughly.
        """
        moments, factors = seen.moments, seen.factors
        weight_set = self.weight_set(moments.traces)
        domain = positive_weights(weight_set.normaliser, weight_set.total, least=self.least)
        even = domain.weights(domain.start)
        ridges = [1.0 / C for C in self.Cs(moments.traces, len(seen.fold))]
        ridge = ridges[0]
        if len(ridges) > 1:
            out = FoldsOut(seen.folds, factors.membership)
            ridge = ridges[lowest(lambda k: float(out.loss(even, ridges[k]).sum()), len(ridges))]
        if self.quality != "least_squares" or self.free_sign:
            return even, ridge
        rough = Control(_ROUGH, _FEW_STEPS)
        return learn_least_squares(moments, factors, ridge, weight_set, rough).weights, ridge
