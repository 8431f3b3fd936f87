"""The pictures of a section."""

from __future__ import annotations

from kernlearn.report._html import Html, join, tag
from kernlearn.report._subject import Subject
from kernlearn.report.pictures import PICTURES


def pictures_of(section: str, subject: Subject) -> Html | None:
    """All pictures of the section that apply, or None; without matplotlib, a word about it."""
    names, of_section = subject.pictures, [p for p in PICTURES if p.section == section]
    selected = [p for p in of_section if names is None or p.name in names]
    try:
        drawn = [picture.html(subject) for picture in selected if picture.applies(subject)]
    except ImportError as error:
        return tag("p", f"There is no picture here: {error}.", class_="note")
    return join(*drawn) if drawn else None
