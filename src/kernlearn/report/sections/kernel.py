"""The learned kernel in words, as a formula and in pictures, and the rows in its feature space."""

from __future__ import annotations

from kernlearn.inspection import kernel_formula
from kernlearn.inspection._text import plain
from kernlearn.kernels import Kernel
from kernlearn.report._facts import Facts
from kernlearn.report._html import Child, Html, join, table, tag
from kernlearn.report._subject import Subject
from kernlearn.report._words import decimal, duration, kernel_words, whole
from kernlearn.report.sections._pictures import pictures_of

LONGEST_FORMULA = 2000
LONGEST_VALUE = 100
MOST_ROWS = 60
MOST_RANKS = 6


def kernel(subject: Subject) -> Html | None:
    """Words, formula and every picture that applies; None if there is nothing of these."""
    learned = getattr(subject.estimator, "kernel_", None)
    words = kernel_words(subject.facts)
    formula = kernel_formula(learned) if isinstance(learned, Kernel) else ""
    pictures = pictures_of("kernel", subject)
    chosen = _parameters(subject)
    if not words and not formula and pictures is None and chosen is None:
        return None
    return join(
        tag("p", f"{words[:1].upper()}{words[1:]}.") if words else None,
        tag("p", plain(formula, LONGEST_FORMULA), class_="formula") if formula else None,
        chosen,
        _landmarks(subject.facts.part("landmarks")),
        pictures,
        _candidates(subject),
    )


def _parameters(subject: Subject) -> Html | None:
    """Chosen parameters, and the weights of classes."""
    entries = subject.facts.parts("parameters")[:MOST_ROWS]
    members = [entry for entry in entries if entry.text("kernel")]
    others = [entry for entry in entries if not entry.text("kernel")]
    parts = (_members(members), _values(subject.facts, others))
    return join(*parts) if any(part is not None for part in parts) else None


def _members(entries: list[Facts]) -> Html | None:
    """The members of a mixture."""
    rows: list[list[Child]] = [
        [
            entry.text("name"),
            plain(entry.text("kernel"), LONGEST_VALUE),
            decimal(entry.number("λ"), 3),
            decimal(entry.number("weight"), 3),
        ]
        for entry in entries
    ]
    return table(["member", "kernel", "λ", "weight"], rows, {2, 3}) if rows else None


def _values(facts: Facts, entries: list[Facts]) -> Html | None:
    rows: list[list[Child]] = [[e.text("name"), decimal(e.number("value"))] for e in entries]
    weight = facts.part("class_weight")
    rows += [[f"weight of class {name}", decimal(weight.number(name))] for name in weight.values]
    if facts.text("class_weight") == "balanced":
        rows.append(["weights of the classes", "balanced"])
    return table(["chosen parameter", ""], rows) if rows else None


def _landmarks(facts: Facts) -> Html | None:
    """Loss on held-out rows by rank, if the fit went through landmarks."""
    losses = facts.rows("losses", 2)[-MOST_RANKS:]
    if not losses:
        return None
    last = losses[-1][1]
    rows: list[list[Child]] = [
        [whole(rank), decimal(loss), f"{100 * (loss / last - 1):+.1f} %" if last > 0 else ""]
        for rank, loss in losses
    ]
    header = ["landmarks", "held-out squared error", "against the last"]
    return join(tag("p", facts.text("sentence")), table(header, rows, {0, 1, 2}))


def _candidates(subject: Subject) -> Html | None:
    """The numbers behind the picture of the candidates."""
    rows: list[list[Child]] = [
        [
            entry.text("candidate"),
            decimal(entry.number("held_out_loss")),
            decimal(entry.number("standard_error"), 2),
            decimal(entry.number("weight"), 3),
            duration(entry.number("seconds")),
        ]
        for entry in subject.facts.parts("candidates")[:MOST_ROWS]
    ]
    header = ["candidate", "held-out loss", "standard error", "weight", "time"]
    return table(header, rows, {1, 2, 3, 4}) if rows else None


def geometry(subject: Subject) -> Html | None:
    """Gram matrix, spectrum and map, as far as they apply."""
    pictures = pictures_of("geometry", subject)
    if pictures is None or subject.gram is None:
        return pictures
    return join(tag("p", f"Drawn from a sample of {len(subject.gram)} training rows."), pictures)
