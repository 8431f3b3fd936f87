"""How far off numbers are, and whether intervals hold them."""

from __future__ import annotations

from kernlearn.report._facts import Facts
from kernlearn.report._html import Html, join, tag
from kernlearn.report._numbers import percent, score, whole
from kernlearn.report._subject import Subject
from kernlearn.report.sections._pictures import pictures_of


def numbers(subject: Subject) -> Html | None:
    """Intervals and the picture of predicted against actual, or None for classes."""
    details = subject.facts.part("held_out")
    parts = [_intervals(details.part("interval")), pictures_of("numbers", subject)]
    known = [part for part in parts if part is not None]
    return join(*known) if known else None


def _intervals(facts: Facts) -> Html | None:
    covered, meant = facts.number("covered"), facts.number("coverage")
    if covered is None or meant is None:
        return None
    return tag(
        "p",
        f"Intervals that are meant to hold {percent(meant)} of the numbers hold {percent(covered)} "
        f"of the {whole(facts.number('rows'))} that were held out. They are "
        f"{score(facts.number('mean_width'), '')} wide on average.",
    )
