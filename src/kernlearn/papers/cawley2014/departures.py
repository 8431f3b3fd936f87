"""Which of our mean errors are not the paper's."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from kernlearn.papers.cawley2014.columns import Column
from kernlearn.papers.cawley2014.published import (
    TABLE_2,
    TABLE_2_COLUMNS,
    TABLE_3,
    TABLE_3_COLUMNS,
)
from kernlearn.papers.tables import mean_and_error

__all__ = ["PRINTED", "departure", "departures_note"]

# {method: {set: (mean, standard error)}}
PRINTED: dict[str, Mapping[str, tuple[float, float]]] = {
    method: {name: row[i] for name, row in rows.items()}
    for columns, rows in ((TABLE_2_COLUMNS, TABLE_2), (TABLE_3_COLUMNS, TABLE_3))
    for i, method in enumerate(columns)
}
FAR = 2.0


def departure(ours: Sequence[float], mean: float, error: float) -> float:
    r"""Return by how many standard errors of the difference our mean is above the printed one.

    .. math:: (\bar e - m) / \sqrt{s^2/n + \sigma^2}

    with s the standard deviation of our n errors, and m and σ the printed mean and its standard
    error. The two are taken to be independent; where partitions are the same ones, the difference
    is known better than that. Not a number for a single partition.

    >>> departure([9.0, 11.0], mean=10.0, error=0.1)
    0.0
    """
    our_mean, our_error = mean_and_error(ours)
    spread = math.hypot(our_error, error)
    if math.isnan(spread):
        return math.nan
    return (our_mean - mean) / spread


def departures_note(columns: Iterable[Column]) -> str:
    """List every mean error that is more than two standard errors away from the printed one."""
    far, unknown = [], 0
    for column in columns:
        for name, errors in column.errors.items():
            mean, error = PRINTED[column.method][name]
            distance = departure(errors, mean, error)
            unknown += math.isnan(distance)
            if abs(distance) > FAR:
                ours = math.fsum(errors) / len(errors)
                far.append(
                    f"{column.method} on {name}, {ours:.3f} instead of {mean:.3f} ({distance:+.1f})"
                )
    text = f"More than two standard errors of the difference from the paper: {_listed(far)}."
    if unknown:
        text += f" With one partition there is no telling for {unknown} means."
    return text


def _listed(items: Sequence[str]) -> str:
    return "; ".join(items) or "none"
