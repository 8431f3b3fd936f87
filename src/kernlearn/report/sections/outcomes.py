"""Held-out rows of counts, of several outcomes and of rankings."""

from __future__ import annotations

from kernlearn.report._facts import Facts
from kernlearn.report._html import Child, Html, join, table, tag
from kernlearn.report._subject import Subject
from kernlearn.report._words import decimal, percent, whole
from kernlearn.report.sections.held_out import repeated

MOST_OUTCOMES = 200


def rates(subject: Subject) -> Html | None:
    """Counts by predicted rate; None for other targets."""
    details = subject.facts.part("held_out")
    bins = details.parts("rates")
    if not bins:
        return None
    rows: list[list[Child]] = [
        [
            whole(entry.number("rows")),
            *(decimal(entry.number(key), 3) for key in ("rate", "expected")),
            whole(entry.number("counted")),
            _ratio(entry),
        ]
        for entry in bins
    ]
    header = ["rows", "expected rate", "expected", "counted", "counted / expected"]
    note = "Rows in groups by their expected rate, from the lowest to the highest."
    return join(
        repeated(subject),
        tag("p", details.text("rates_sentence")),
        tag("p", note),
        table(header, rows, set(range(5))),
    )


def _ratio(entry: Facts) -> str:
    expected, counted = entry.number("expected"), entry.number("counted")
    return decimal(counted / expected if expected and counted is not None else None, 2)


def outcomes(subject: Subject) -> Html | None:
    """Scores of every outcome; None for one target."""
    details = subject.facts.part("held_out")
    entries = details.parts("outcomes")
    if not entries:
        return None
    names = [score.text("name") for score in entries[0].parts("scores")]
    rows: list[list[Child]] = []
    for entry in entries[:MOST_OUTCOMES]:
        cells = [_with_interval(score) for score in entry.parts("scores")]
        rows.append([entry.text("name"), *cells, percent(entry.number("covered"))])
    coverage = percent(details.number("coverage"))
    header = ["outcome", *names, f"held by intervals of {coverage}"]
    more = len(entries) - MOST_OUTCOMES
    rest = tag("p", f"And {whole(more)} more outcomes.", class_="note") if more > 0 else None
    note = (
        "Each score has its 95 % interval; rows of R² zero are predicted no better than the mean."
    )
    shown = table(header, rows, set(range(1, len(header))))
    return join(repeated(subject), tag("p", note), shown, rest)


def _with_interval(score: Facts) -> str:
    low, high = score.number("low"), score.number("high")
    value = decimal(score.number("value"), 3)
    if low is None or high is None:
        return value
    return f"{value} ({decimal(low, 3)} to {decimal(high, 3)})"


def rankings(subject: Subject) -> Html | None:
    """Table of the groups that are ordered worst; None for other targets."""
    details = subject.facts.part("held_out")
    entries = details.parts("worst")
    if not entries:
        return None
    rows: list[list[Child]] = [
        [
            whole(entry.number("rows")),
            *(decimal(entry.number(key), 3) for key in ("score", "pairs")),
        ]
        for entry in entries
    ]
    header = ["rows", details.text("ranking_metric"), "share of pairs in order"]
    note = "The groups that are ordered worst:"
    return join(
        repeated(subject),
        tag("p", details.text("ranking_sentence")),
        tag("p", note),
        table(header, rows, {0, 1, 2}),
    )
