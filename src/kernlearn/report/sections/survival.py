"""Held-out rows with times to an event: curves of risk groups, and calibration."""

from __future__ import annotations

from kernlearn.report._html import Child, Html, join, table, tag
from kernlearn.report._subject import Subject
from kernlearn.report._words import decimal, whole
from kernlearn.report.pictures.survival import calibrations, risk_groups
from kernlearn.report.sections._pictures import pictures_of
from kernlearn.report.sections.held_out import repeated


def survival(subject: Subject) -> Html | None:
    """Numbers at risk by third of the risk, pictures and calibration; None for other targets."""
    if not risk_groups(subject):
        return None
    items = [tag("li", found.text("sentence")) for found in calibrations(subject)]
    return join(
        repeated(subject),
        pictures_of("survival", subject),
        _at_risk(subject),
        tag("ul", *items) if items else None,
    )


def _at_risk(subject: Subject) -> Html:
    """Numbers of rows of every group that are still observed, at several times."""
    ticks = subject.facts.part("held_out").values.get("ticks")
    times = [decimal(float(t)) for t in ticks] if isinstance(ticks, list) else []
    rows: list[list[Child]] = []
    for group in risk_groups(subject):
        counts = group.values.get("at_risk")
        known = counts if isinstance(counts, list) else []
        numbers = [whole(group.number(key)) for key in ("rows", "events")]
        rows.append([group.text("name"), *numbers, *(whole(float(n)) for n in known)])
    header = ["", "rows", "events", *(f"after {t}" for t in times)]
    note = "Numbers at risk: held-out rows that are still observed without the event."
    return join(tag("p", note), table(header, rows, set(range(1, len(header)))))
