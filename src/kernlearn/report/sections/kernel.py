"""The learned kernel in words, as a formula, and in pictures."""

from __future__ import annotations

from kernlearn.inspection import kernel_formula
from kernlearn.inspection._text import plain
from kernlearn.kernels import Kernel
from kernlearn.report._html import Html, join, tag
from kernlearn.report._subject import Subject
from kernlearn.report._words import kernel_words
from kernlearn.report.sections._pictures import pictures_of

LONGEST_FORMULA = 2000


def kernel(subject: Subject) -> Html | None:
    """Words, formula and every picture that applies; None if there is nothing of these."""
    learned = getattr(subject.estimator, "kernel_", None)
    words = kernel_words(subject.facts)
    formula = kernel_formula(learned) if isinstance(learned, Kernel) else ""
    pictures = pictures_of("kernel", subject)
    if not words and not formula and pictures is None:
        return None
    return join(
        tag("p", f"{words[:1].upper()}{words[1:]}.") if words else None,
        tag("p", plain(formula, LONGEST_FORMULA), class_="formula") if formula else None,
        pictures,
    )
