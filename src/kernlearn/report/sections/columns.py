"""Relevance of columns, and the contribution of each source."""

from __future__ import annotations

from kernlearn.report._dependence import dependences
from kernlearn.report._html import Child, Html, join, table, tag
from kernlearn.report._subject import Subject
from kernlearn.report._words import lost_score, whole
from kernlearn.report.sections._pictures import pictures_of

MOST_ROWS = 100


def columns(subject: Subject) -> Html | None:
    """The way relevance was measured, pictures, and the numbers."""
    facts = subject.facts.part("importance")
    found = facts.parts("columns") or facts.parts("views")
    if not facts.text("how") and not found:
        return None
    of_views = tag("p", facts.text("how_views")) if facts.parts("views") else None
    return join(
        tag("p", facts.text("how")) if facts.text("how") else None,
        of_views,
        pictures_of("columns", subject),
        _table(subject, "views", "source"),
        _table(subject, "columns", "column"),
        _table(subject, "together", "correlated columns, together"),
        _interactions(subject),
    )


def _interactions(subject: Subject) -> Html | None:
    """Pairs of columns, by how far their effects are from adding up."""
    if subject.pictures is not None and "dependence" not in subject.pictures:
        return None  # a faster report without it
    found = dependences(subject)
    if found is None or found.pairs is None:
        return None
    pairs = found.pairs
    rows: list[list[Child]] = []
    for place, value in enumerate(pairs["value"]):
        name = f"{pairs['first'][place]} and {pairs['second'][place]}"
        ends = [pairs[end][place] for end in ("low", "high") if end in pairs]
        between = tag("span", " to ".join(map(lost_score, ends)), class_="interval")
        rows.append([name, join(lost_score(float(value)), between if ends else None)])
    note = "How far the effects of two columns are from adding up: the root mean square of what is "
    note += "left of the mean prediction of both after that of each, in units of the prediction; "
    note += "below it its 95 % interval. Zero: they add up."
    return join(tag("p", note), table(["pair of columns", "interaction"], rows, {1}))


def _table(subject: Subject, key: str, title: str) -> Html | None:
    entries = subject.facts.part("importance").parts(key)
    if not entries:
        return None
    has_errors = any(entry.number("standard_error") is not None for entry in entries)
    rows: list[list[Child]] = []
    for entry in entries[:MOST_ROWS]:
        rows.append([entry.text("name"), lost_score(entry.number("importance"))])
        if has_errors:
            rows[-1].append(lost_score(entry.number("standard_error")))
    more = len(entries) - MOST_ROWS
    rest = tag("p", f"And {whole(more)} more.", class_="note") if more > 0 else None
    lost = f"lost {subject.facts.text('metric')}".rstrip()
    header = [title, lost, *["standard error"] * has_errors]
    return join(table(header, rows, {1, 2}), rest)
