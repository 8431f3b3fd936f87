"""All rows of a table, and the training of a candidate on them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kernlearn._device import Place
from kernlearn.estimators.mixture.candidates.boosting import BoostedTrees
from kernlearn.estimators.mixture.candidates.family import CandidateFit
from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.options import MixtureOptions
from kernlearn.estimators.mixture.preparation.table import NumericRows, RowSource
from kernlearn.kernels import Kernel
from kernlearn.typing import Array, Indices, Rows

# After an early end, members have this share of their landmarks, and take its square of the time.
_SHARE_AFTER_STOP = 0.25
# A machine on all rows: rows for which its kernel is timed, and seconds of one thread to solve for
# n rows by n³.
_TIMED_ROWS, _SOLVED = 400, 1e-11
# Seconds and landmarks that a member still gets after the end of the time.
_LAST_SECONDS, _FEWEST_LANDMARKS = 0.05, 50


@dataclass(frozen=True, eq=False)
class FoldedRows:
    """The user's rows, before any preparation."""

    rows: Rows  # checked
    folds: Sequence[Indices]  # each row in one
    sample: Indices  # those that are in memory, in increasing order


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """All rows of positive weight."""

    tables: Mapping[str, RowSource]  # the prepared tables, in memory or read in blocks
    Y: Array  # targets, of shape (n, k)
    weight: Array  # weights, of shape (n,)
    sample: CandidateProblem  # rows in memory: all, unless they are many
    place: Place | None  # where machines through landmarks are trained; None for the host
    raw: FoldedRows | None = None  # the rows as they came, of a table that a user gave

    def __len__(self) -> int:
        return len(self.Y)

    def machine(
        self,
        one: CandidateFit,
        options: MixtureOptions,
        random_state: np.random.RandomState,
        outputs: Array | None = None,
        seconds: float = np.inf,
    ) -> KernelMachine:
        """Train a candidate on all rows, beside a kernel over the targets if there is one.

        If the training is expected to take more than `seconds`, landmarks are used.
        """
        table, judged, Y = one.representation.table, one.judged, one.judge.training_targets(self.Y)
        n_landmarks = options.n_landmarks(len(self))
        if len(self) <= options.exact_rows:
            is_exact = judged.has_margin or outputs is not None
            n_landmarks = len(self) if is_exact else self.n_affordable(one, seconds)
            if n_landmarks == len(self):
                X, kernel, lam = self.sample.tables[table], judged.kernel, judged.lam
                rest = self.weight, judged.has_margin, outputs
                return KernelMachine.trained(table, kernel, lam, X, Y, *rest)
        elif isinstance(one.representation, BoostedTrees):
            return one.representation.machine(judged.lam, self.sample.stopping)
        elif self.sample.stopping.stopped is not None:
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

    def n_affordable(self, one: CandidateFit, seconds: float) -> int:
        """Most rows on which a kernel can be evaluated, and its machine solved, in some time.

        The kernel is timed on a few rows: n² values and n³ steps of a machine on n rows are
        compared with nR and nR² of one through R landmarks.
        """
        n, X = len(self), self.sample.tables[one.representation.table]
        if np.isinf(seconds) or n <= _FEWEST_LANDMARKS or not isinstance(X, np.ndarray):
            return n
        few = X[:_TIMED_ROWS]
        pair = min(_seconds_of(one.judged.kernel, few) for _ in range(2)) / len(few) ** 2
        seconds = max(seconds, _LAST_SECONDS)
        if pair * n**2 + _SOLVED * n**3 <= seconds:
            return n
        # The kernel is evaluated twice: for the means of the columns, and for their products.
        linear, square = 2.0 * pair * n, 3.0 * _SOLVED * n
        affordable = (np.sqrt(linear**2 + 4.0 * square * seconds) - linear) / (2.0 * square)
        return int(np.clip(affordable, _FEWEST_LANDMARKS, n - 1))


def _seconds_of(kernel: Kernel, X: NumericRows) -> float:
    start = time.perf_counter()
    kernel(X)
    return time.perf_counter() - start
