"""Dependence of predictions on the columns that matter, for the report."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from kernlearn.inspection._refits import refits
from kernlearn.inspection.dependence import dependence_of, interactions_of
from kernlearn.inspection.dependence_display import shown_classes
from kernlearn.report._subject import Subject
from kernlearn.typing import Targets

MOST_COLUMNS = 4
MOST_PAIRED = 3
# More rows and values make the curves smoother, and the report slower.
N_ROWS, N_VALUES, ROWS_OF_PAIRS = 60, 12, 30


@dataclass(frozen=True, eq=False)
class Dependences:
    """Dependence on the columns that matter, the most important first."""

    curves: dict[str, dict[str, Targets]]
    pairs: dict[str, Targets] | None
    classes: list[object]


def important_columns(subject: Subject) -> list[str]:
    """Columns of the table without which more is lost than two standard errors."""
    names = list(map(str, getattr(subject.rows, "columns", [])))
    found = []
    for entry in subject.facts.part("importance").parts("columns"):
        value, error = entry.number("importance"), entry.number("standard_error")
        is_known = value is not None and entry.text("name") in names
        if is_known and value > 2.0 * (error or 0.0):  # type: ignore[operator]
            found.append(entry.text("name"))
    return found[:MOST_COLUMNS]


# Several parts of the page show them.
_known: WeakKeyDictionary[Subject, Dependences | None] = WeakKeyDictionary()


def dependences(subject: Subject) -> Dependences | None:
    """Curves and interactions, computed once; None where no column is known to matter."""
    if subject not in _known:
        _known[subject] = _dependences(subject)
    return _known[subject]


def _dependences(subject: Subject) -> Dependences | None:
    names = important_columns(subject)
    kinds = {column.text("name"): column.text("kind") for column in subject.facts.parts("columns")}
    names = [name for name in names if kinds.get(name) in ("number", "category")]
    if not names or subject.rows is None:
        return None
    made = refits(subject.model)
    columns = [str(name) for name in subject.rows.columns]
    order = np.random.RandomState(0).permutation(len(subject.rows))
    some, few = (subject.rows.iloc[np.sort(order[:n])] for n in (N_ROWS, ROWS_OF_PAIRS))
    curves = {name: dependence_of(made, some, columns.index(name), N_VALUES) for name in names}
    places = sorted(columns.index(name) for name in names[:MOST_PAIRED])
    pairs = interactions_of(made, few, places) if len(places) > 1 else None
    return Dependences(curves, pairs, shown_classes(subject.model))
