"""How many landmarks: few enough for the memory, and as many as the held-out loss asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn._threads import threads_for
from kernlearn.families.factors import Factors
from kernlearn.kernels import Kernel
from kernlearn.solvers.low_rank.held_out import loss_by_rank
from kernlearn.solvers.low_rank.moments import Moments, moments_by_fold, total_of

Array = NDArray[np.float64]

N_FOLDS = 5
# Numbers in the moments of all folds: half a gigabyte.
_MOMENT_NUMBERS = 2**26
_FIRST = 64
# A rank is enough if a half or a quarter of it loses no more than this part of the held-out loss.
_ENOUGH = 0.01


@dataclass(frozen=True, eq=False)
class Seen:
    """The rows of a table as factors and targets see them.

    Attributes
    ----------
    factors : Factors
        The maps to the factors.
    folds : list of Moments
        The moments of each fold.
    fold : ndarray of integers, shape (n,)
        Which fold a row is in.
    """

    factors: Factors
    folds: list[Moments]
    fold: NDArray[np.intp]

    @cached_property
    def moments(self) -> Moments:
        """The moments of all rows."""
        return total_of(self.folds)


@dataclass(frozen=True, eq=False)
class Look:
    """How to look at a table: its kernels, targets, weights, and the seed of the landmarks."""

    source: Any
    kernels: Sequence[Kernel]
    Y: Array
    sample_weight: Array
    random_state: Any

    def at(self, rank: int) -> Seen:
        """Choose landmarks and make one pass over the rows."""
        n = len(self.source)
        with threads_for(rank):
            factors = Factors.through_landmarks(
                self.kernels, self.source, rank, "random", self.random_state
            )
        # Folds by turns of a random order: the rows may be sorted.
        fold = np.random.RandomState(0).permutation(n) % min(N_FOLDS, n)
        with threads_for(n):
            parts = moments_by_fold(self.source, factors, self.Y, self.sample_weight, fold)
        return Seen(factors, parts, fold)

    def at_enough(self, stand_in: Callable[[Seen], tuple[Array, float]]) -> Seen:
        """Double the rank until the held-out loss asks for no more, or the memory is used.

        The loss is that of least squares at the weights and the ridge that ``stand_in`` gives.
        """
        largest = int(np.sqrt(_MOMENT_NUMBERS / N_FOLDS)) // len(self.kernels)
        rank = min(_FIRST, max(largest, 1))
        while True:
            seen = self.at(rank)
            full = rank >= len(self.source) or int(seen.factors.place.max(initial=0)) + 1 < rank
            if full or 2 * rank > largest:
                return seen
            with threads_for(seen.factors.n_columns):
                _, losses = loss_by_rank(seen.folds, seen.factors, *stand_in(seen))
            if losses[-1] >= (1.0 - _ENOUGH) * losses[-3:-1].min(initial=np.inf):
                return seen
            rank *= 2
