"""Counts, several outcomes and grades of new rows, as a model file names their columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.tables import TableError
from kernlearn.tables.outcome_targets import (
    COUNTS,
    OUTCOMES,
    read_known_counts,
    read_known_outcomes,
    read_known_ranking,
)
from kernlearn.typing import Indices, Json, PandasFrame, Targets


def known_outcomes(
    facts: Json, table: PandasFrame, y: ArrayLike | None, n_rows: int
) -> tuple[Targets, Indices]:
    """The targets, and their rows; `y`, if given, in place of the columns of targets."""
    task, targets = facts["task"], facts["outcomes"] or [facts["target"]]
    frame = table.set_axis([str(name) for name in table.columns], axis=1).replace({"": np.nan})
    if y is not None:
        outcome = np.asarray(y).reshape(n_rows, -1)
        if outcome.shape[1] != len(targets):
            raise ValueError(
                f"evaluate expected y of shape ({n_rows}, {len(targets)}), got shape "
                f"{np.shape(y)}; pass a column for each of {', '.join(targets)}"
            )
        frame = frame.assign(**dict(zip(targets, outcome.T, strict=True)))
    needed = [*targets, *filter(None, (facts["exposure"], facts["rank_by"]))]
    missing = [name for name in needed if name not in frame.columns]
    if missing:
        raise TableError(
            f"expected the column {missing[0]!r}, which the model was fitted with, in the table, "
            "got none of that name; add what was observed, or use kernlearn predict"
        )
    frame = frame.reset_index(drop=True)
    if task == COUNTS:
        return read_known_counts(frame, targets[0], facts["exposure"])
    if task == OUTCOMES:
        return read_known_outcomes(frame, targets)
    return read_known_ranking(frame, targets[0], facts["rank_by"])
