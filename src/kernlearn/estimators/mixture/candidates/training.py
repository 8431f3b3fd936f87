"""All rows of a table, and how a candidate is trained on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kernlearn._device import Place
from kernlearn.estimators.mixture.candidates.boosting import BoostedTrees
from kernlearn.estimators.mixture.candidates.family import CandidateFit
from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.options import MixtureOptions
from kernlearn.estimators.mixture.preparation.table import RowSource
from kernlearn.typing import Array, Indices, Rows

# After an early end, members have this share of their landmarks, and take its square of the time.
_SHARE_AFTER_STOP = 0.25


@dataclass(frozen=True, eq=False)
class FoldedRows:
    """The user's rows, before any preparation."""

    rows: Rows  # checked
    folds: Sequence[Indices]  # each row in one
    sample: Indices  # those that are in memory, in increasing order


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """All rows that count."""

    tables: Mapping[str, RowSource]  # the prepared tables, in memory or read in blocks
    Y: Array  # targets, of shape (n, k)
    weight: Array  # weights, of shape (n,)
    sample: CandidateProblem  # rows in memory: all, unless they are many
    place: Place | None  # where machines through landmarks are trained; None for the host
    given: FoldedRows | None = None  # the rows as they came, of a table that a user gave

    def __len__(self) -> int:
        return len(self.Y)

    def machine(
        self,
        one: CandidateFit,
        options: MixtureOptions,
        random_state: np.random.RandomState,
        outputs: Array | None = None,
    ) -> KernelMachine:
        """Train a candidate on all rows, beside a kernel over the targets if there is one."""
        table, judged, Y = one.representation.table, one.judged, one.judge.training_targets(self.Y)
        if len(self) <= options.exact_rows:
            X = self.sample.tables[table]
            kernel, lam = judged.kernel, judged.lam
            has_margin = judged.has_margin
            return KernelMachine.trained(table, kernel, lam, X, Y, self.weight, has_margin, outputs)
        if isinstance(one.representation, BoostedTrees):
            return one.representation.machine(judged.lam, self.sample.stopping)
        n_landmarks = options.n_landmarks(len(self))
        if self.sample.stopping.stopped is not None:
            n_landmarks = max(1, int(_SHARE_AFTER_STOP * n_landmarks))
        return KernelMachine.through_landmarks(
            table,
            judged.kernel,
            judged.lam,
            self.tables[table],
            Y,
            self.weight,
            self.sample.tables[table],
            n_landmarks,
            random_state,
            self.place,
        )
