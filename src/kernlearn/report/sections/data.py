"""The data, and what was done to them."""

from __future__ import annotations

from kernlearn.report._facts import Facts
from kernlearn.report._html import Child, Html, join, table, tag
from kernlearn.report._numbers import percent, whole
from kernlearn.report._subject import Subject

MOST_COLUMNS = 100
MOST_CLASSES = 50


def data(subject: Subject) -> Html | None:
    """Size, classes, what was done to each column and to the table, or None."""
    facts = subject.facts
    parts = [_size(facts), _notes(facts), _classes(facts), _columns(facts), _views(facts)]
    known = [part for part in parts if part is not None]
    return join(*known) if known else None


def _size(facts: Facts) -> Html | None:
    n_rows, n_columns = facts.number("n_rows"), facts.number("n_columns")
    if n_rows is None or n_columns is None:
        return None
    name = facts.text("table") or "The table"
    said = f" has {whole(n_rows)} rows that were used and {whole(n_columns)} columns beside the "
    said += "target"
    target: Child = tag("code", facts.text("target")) if facts.text("target") else None
    return tag("p", tag("code", name), said, " " if target else None, target, ".")


def _notes(facts: Facts) -> Html | None:
    notes = facts.words("notes")
    return tag("ul", *(tag("li", note) for note in notes)) if notes else None


def _classes(facts: Facts) -> Html | None:
    classes, counts = facts.words("classes"), facts.values.get("class_counts")
    if not classes or not isinstance(counts, list) or len(counts) != len(classes):
        return None
    total = float(sum(counts)) or 1.0
    rows: list[list[Child]] = [
        [name, whole(count), percent(count / total)]
        for name, count in zip(classes, counts, strict=True)
    ]
    return _shortened(["class", "rows", "share"], rows, {1, 2}, MOST_CLASSES, "classes")


def _columns(facts: Facts) -> Html | None:
    rows: list[list[Child]] = [
        [tag("code", c.text("name")), c.text("kind"), c.text("action")]
        for c in facts.parts("columns")
    ]
    if not rows:
        return None
    return _shortened(["column", "kind", "what was done"], rows, set(), MOST_COLUMNS, "columns")


def _views(facts: Facts) -> Html | None:
    views = facts.part("views")
    rows: list[list[Child]] = [
        [str(name), ", ".join(views.words(name)[:MOST_COLUMNS])] for name in views.values
    ]
    return table(["view", "columns"], rows) if rows else None


def _shortened(
    header: list[str], rows: list[list[Child]], numbers: set[int], most: int, what: str
) -> Html:
    more = len(rows) - most
    note = tag("p", f"And {whole(more)} more {what}.", class_="note") if more > 0 else None
    return join(table(header, rows[:most], numbers), note)
