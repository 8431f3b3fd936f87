"""The sample in the learned kernel."""

from __future__ import annotations

from kernlearn.report._html import Html, join, tag
from kernlearn.report._subject import Subject
from kernlearn.report.sections._pictures import pictures_of


def geometry(subject: Subject) -> Html | None:
    """Gram matrix, spectrum and map, as far as they apply."""
    pictures = pictures_of("geometry", subject)
    if pictures is None or subject.gram is None:
        return pictures
    return join(tag("p", f"Drawn from a sample of {len(subject.gram)} training rows."), pictures)
