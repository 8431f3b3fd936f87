"""Held-out performance beside baselines."""

from __future__ import annotations

from kernlearn.report._html import Child, Html, join, table, tag
from kernlearn.report._numbers import duration, interval, score
from kernlearn.report._subject import Subject
from kernlearn.report.sections._pictures import pictures_of


def performance(subject: Subject) -> Html | None:
    """How rows were held out, the scores in a table, and a picture of them."""
    facts = subject.facts
    metric, entries = facts.text("metric"), facts.parts("scores")
    if not entries:
        return None
    rows: list[list[Child]] = []
    for entry in entries:
        name = entry.text("name")
        value = score(entry.number("score"), metric)
        rows.append(
            [
                tag("strong", name) if entry.text("role") == "model" else name,
                value,
                interval(entry, metric),
                duration(entry.number("seconds")),
            ]
        )
    header = ["", metric or "score", "95 % interval", "time"]
    how = tag("p", facts.text("evaluation")) if facts.text("evaluation") else None
    return join(how, table(header, rows, {1, 2, 3}), pictures_of("performance", subject))
