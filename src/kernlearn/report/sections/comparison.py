"""The comparison that chose the method."""

from __future__ import annotations

from kernlearn.report._html import Child, Html, join, table, tag
from kernlearn.report._numbers import MISSING, duration, score, whole
from kernlearn.report._subject import Subject


def comparison(subject: Subject) -> Html | None:
    """A table of the methods that were compared, or None where one was asked for by name."""
    facts = subject.facts
    metric, entries = facts.text("metric"), facts.parts("comparison")
    if not entries:
        return None
    rows: list[list[Child]] = []
    for entry in entries:
        name = entry.text("name") or entry.text("method")
        kept = bool(entry.values.get("kept"))
        error = entry.number("standard_error")
        rows.append(
            [
                tag("strong", f"{name} (kept)") if kept else name,
                score(entry.number("score"), metric),
                MISSING if error is None else f"± {score(error, metric)}",
                whole(entry.number("rows")),
                whole(entry.number("tested")),
                duration(entry.number("seconds")),
                entry.text("note"),
            ]
        )
    score_of = metric or "score"
    header = ["method", score_of, "standard error", "rows", "tested on", "time", "remark"]
    said = "Scores are of outer folds of a nested cross-validation: no method saw the rows that it "
    said += "is scored on, neither in learning nor in choosing its parameters. Methods that were "
    said += "not clearly behind the best went on to a larger sample of rows, which the table "
    said += "counts with those tested on; of different samples, scores are not to be compared."
    return join(tag("p", said), table(header, rows, {1, 2, 3, 4, 5}))
