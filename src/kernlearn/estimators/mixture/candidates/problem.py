"""The data from which candidates learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from kernlearn.estimators.held_out.groups import blocks_of
from kernlearn.estimators.mixture.preparation.sources import SourceBlock
from kernlearn.estimators.mixture.preparation.table import NumericRows
from kernlearn.numerics.positions import places_within
from kernlearn.quality.predictive import PredictiveLoss
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.typing import Array, Indices


@dataclass(frozen=True, eq=False)
class CandidateProblem:
    """Prepared rows with their targets."""

    # The same rows, prepared in different ways, by name, of shape (n, p).
    tables: Mapping[str, NumericRows]
    # The loss of the targets, numbers or ±1 for each class, with the weights of the rows.
    loss: PredictiveLoss
    folds: Sequence[Indices]  # rows held out together by candidates without a closed form
    stopping: StoppingControl = field(default_factory=StoppingControl)  # may end the search early
    # For every prepared column, the number of the user's column that it comes from, of shape (p,);
    # None if each is a column of its own.
    origins: Indices | None = None
    # Rows of one number are held out together, in closed forms too; None if all differ; (n,).
    groups: Indices | None = None
    # Whether closed forms leave out folds, too: the user gave them.
    by_folds: bool = False
    # The place of each row among the rows of the fit; None if no rows are left out; (n,).
    places: Indices | None = None
    # The columns of the table of all sources, by source; empty if there is one table.
    source_blocks: Sequence[SourceBlock] = ()
    has_columns: bool = True  # whether the standardised table has any columns
    # Sentences on candidates that broke down on these rows or on parts of them.
    notes: list[str] = field(default_factory=list)

    @property
    def Y(self) -> Array:
        """Targets of shape (n, k)."""
        return self.loss.Y

    @property
    def weight(self) -> Array:
        """Weights of the rows."""
        return self.loss.weight

    @cached_property
    def blocks(self) -> list[Indices]:
        """Rows that closed forms leave out together; all others are left out one by one."""
        return list(self.folds) if self.by_folds else blocks_of(self.groups)

    def columns(self, table: str) -> list[Indices]:
        """Places of the prepared columns of a table, grouped by the user's columns."""
        n_columns = self.tables[table].shape[1]
        origins = np.arange(n_columns) if self.origins is None else self.origins
        return [np.flatnonzero(origins == column) for column in np.unique(origins)]

    def __len__(self) -> int:
        return len(self.Y)

    def rows(self, chosen: Indices) -> CandidateProblem:
        """The same problem on some rows, in increasing order; folds lose the other rows."""
        kept = places_within(self.folds, chosen, len(self))
        return replace(
            self,
            tables={name: table[chosen] for name, table in self.tables.items()},
            loss=self.loss.subset(chosen),
            folds=[fold for fold in kept if len(fold)],
            groups=None if self.groups is None else self.groups[chosen],
            places=chosen if self.places is None else self.places[chosen],
        )

    def sample(self, n_rows: int, random_state: np.random.RandomState) -> Indices:
        """Rows drawn at random, stratified by fold; all if there are no more."""
        if len(self) <= n_rows:
            return np.arange(len(self))
        return sample_of_folds(self.folds, n_rows, random_state)


def sample_of_folds(
    folds: Sequence[Indices], n_rows: int, random_state: np.random.RandomState
) -> Indices:
    """Rows drawn at random, stratified by fold; all if there are no more.

    Folds are balanced by class, and so are their first rows in a random order of each.
    """
    total = sum(map(len, folds))
    if total <= n_rows:
        return np.arange(total)
    order = np.concatenate([random_state.permutation(fold) for fold in folds])
    places = np.concatenate([np.arange(len(fold)) / len(fold) for fold in folds])
    return np.sort(order[np.argsort(places, kind="stable")[:n_rows]])
