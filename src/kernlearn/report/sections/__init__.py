"""The sections of the report, from the top.

A section is a function from the subject to HTML, or to None where it has nothing to say. A new one
is one function, and one line here.
"""

from __future__ import annotations

from collections.abc import Callable

from kernlearn.report._html import Html
from kernlearn.report._subject import Subject
from kernlearn.report.sections.certificate import certificate
from kernlearn.report.sections.columns import columns
from kernlearn.report.sections.data import data, repeat
from kernlearn.report.sections.held_out import classes, numbers
from kernlearn.report.sections.kernel import geometry, kernel
from kernlearn.report.sections.outcomes import outcomes, rankings, rates
from kernlearn.report.sections.performance import comparison, performance
from kernlearn.report.sections.summary import summary
from kernlearn.report.sections.survival import survival

Section = Callable[[Subject], Html | None]

# Identifier, heading, content.
SECTIONS: tuple[tuple[str, str, Section], ...] = (
    ("summary", "What was learned", summary),
    ("performance", "How well it does", performance),
    ("classes", "Class by class", classes),
    ("numbers", "Number by number", numbers),
    ("rates", "What was counted beside what was expected", rates),
    ("outcomes", "Outcome by outcome", outcomes),
    ("rankings", "Group by group", rankings),
    ("survival", "Survival by risk", survival),
    ("columns", "Which columns matter", columns),
    ("comparison", "Methods compared", comparison),
    ("kernel", "The learned kernel", kernel),
    ("geometry", "The rows as the kernel sees them", geometry),
    ("certificate", "Could the objective be better?", certificate),
    ("data", "The data", data),
    ("repeat", "How to repeat it", repeat),
)

__all__ = ["SECTIONS"]
