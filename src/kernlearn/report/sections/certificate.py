"""The optimality certificate."""

from __future__ import annotations

from kernlearn.report._html import Child, Html, join, table, tag
from kernlearn.report._subject import Subject
from kernlearn.report._words import decimal, optimality_words, score, whole
from kernlearn.report.sections._pictures import pictures_of


def _beside(subject: Subject) -> str:
    """The held-out score: a better objective need not predict better."""
    facts = subject.facts
    model = next((s for s in facts.parts("scores") if s.text("role") == "model"), None)
    value = None if model is None else model.number("score")
    if value is None or facts.part("certificate").number("objective") is None:
        return ""
    metric = facts.text("metric")
    shown = score(value, metric)
    return f" What counts for new rows is the held-out {metric or 'score'}: {shown}."


def certificate(subject: Subject) -> Html | None:
    """Value, bound, gap, machine solves and status; lines without a number are left out."""
    facts = subject.facts.part("certificate")
    pictures = pictures_of("certificate", subject)
    numbers = {
        "value of the objective": decimal(facts.number("objective"), 10),
        "no other choice can go below": decimal(facts.number("lower_bound"), 10),
        "relative gap between the two": decimal(facts.number("gap"), 2),
        "machines solved on the way": whole(facts.number("n_machine_solves")),
    }
    keys = ("objective", "lower_bound", "gap", "n_machine_solves")
    known = zip(numbers.items(), keys, strict=True)
    rows: list[list[Child]] = [
        [name, value] for (name, value), key in known if facts.number(key) is not None
    ]
    if facts.text("status"):
        rows.append(["how the fit ended", facts.text("status")])
    words = optimality_words(facts)
    paragraph = tag("p", f"{words}{_beside(subject)}") if words else None
    if paragraph is None and not rows and pictures is None:
        return None
    return join(paragraph, table(["", ""], rows) if rows else None, pictures)
