"""The data and the request of a least-squares fit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kernlearn.estimators.held_out.folds import make_folds
from kernlearn.estimators.held_out.groups import RowGroups, blocks_of
from kernlearn.estimators.inputs.dask_rows import select_rows
from kernlearn.families.parametric import ParametricKernel
from kernlearn.quality.held_out import HeldOutLoss, leave_out
from kernlearn.solvers.nystroem.kernel_fit import StageOptions, TrainingTable
from kernlearn.solvers.selection.objective import DescentLimits
from kernlearn.typing import Array, FoldsLike, Indices, RandomState, Rows, Targets


@dataclass(frozen=True, eq=False)
class LeastSquaresRequest:
    """The checked parameters of an estimator for a table."""

    family: ParametricKernel
    # None if they are to be chosen
    lam: float | None
    theta: Array | None
    limits: DescentLimits
    rows: Rows  # rows of positive weight
    rank: int | str | None  # None for the matrix of all rows


@dataclass(frozen=True, eq=False)
class LeastSquaresData:
    """Checked rows with their targets."""

    X: Rows
    Y: Array  # numbers, or signs for each class, of shape (n, k)
    y: Targets  # what they were made from
    weight: Array  # of shape (n,)
    stratify: bool  # whether y holds labels
    groups: RowGroups  # rows that are held out together

    @cached_property
    def kept(self) -> Indices:
        """The rows of positive weight."""
        return np.flatnonzero(self.weight > 0)

    @cached_property
    def blocks(self) -> list[Indices]:
        """Rows that count and are left out together, as positions among them."""
        return blocks_of(self.groups.subset(self.kept).known)

    @cached_property
    def leave_out(self) -> HeldOutLoss:
        """Every row that counts is left out alone, or together with its group."""
        return leave_out(self.weight[self.kept], self.blocks)

    def folds(self, cv: FoldsLike, random_state: RandomState) -> list[Indices]:
        """Folds of the rows that count, as positions among them."""
        return make_folds(
            cv,
            self.X,
            self.y,
            self.kept,
            stratify=self.stratify,
            random_state=random_state,
            groups=self.groups,
        )

    def training_table(self, rows: Rows, seed: RandomState, stages: StageOptions) -> TrainingTable:
        """The rows that count, where they are, with their targets."""
        return TrainingTable(rows, self.Y[self.kept], self.weight[self.kept], seed, stages)

    def ordered(self, order: Indices) -> LeastSquaresData:
        """The data with the rows in another order."""
        if (order == np.arange(len(order))).all():
            return self
        return replace(
            self,
            X=select_rows(self.X, order),
            Y=self.Y[order],
            y=self.y[order],
            weight=self.weight[order],
            groups=self.groups.subset(order),
        )
