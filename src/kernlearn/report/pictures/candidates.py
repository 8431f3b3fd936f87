"""What a mixture has tried."""

from __future__ import annotations

from typing import Any

from kernlearn.inspection import CandidatesDisplay
from kernlearn.inspection._text import plain
from kernlearn.report._facts import Facts
from kernlearn.report._subject import LONGEST_NAME, Subject
from kernlearn.report.pictures.picture import Picture, bar_height, listed

KEYS = ("held_out_loss", "standard_error", "weight")


def _tried(subject: Subject) -> list[Facts]:
    entries = subject.facts.parts("candidates")
    return [entry for entry in entries if all(entry.number(key) is not None for key in KEYS)]


def _draw(subject: Subject, ax: Any) -> None:
    tried = _tried(subject)
    names = [plain(entry.text("candidate"), LONGEST_NAME) for entry in tried]
    losses, errors, weights = ([entry.number(key) or 0.0 for entry in tried] for key in KEYS)
    CandidatesDisplay(names, losses, errors, weights).plot(ax=ax)


def _describe(subject: Subject) -> str:
    members = [e for e in _tried(subject) if e.number("weight")]
    weights = [e.number("weight") or 0.0 for e in members]
    return f"weights {listed([e.text('candidate') for e in members], weights)}"


PICTURE = Picture(
    name="candidates",
    section="kernel",
    title="What was tried",
    caption="The loss of every candidate on rows that it had not seen, with its standard error, "
    "the least first; blue are the members of the mixture, with their weights.",
    describe=_describe,
    applies=lambda subject: len(_tried(subject)) > 1,
    height=lambda subject: bar_height(len(_tried(subject))),
    draw=_draw,
)
