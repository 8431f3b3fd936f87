"""What it takes to get the same result again."""

from __future__ import annotations

import shlex

from kernlearn.report._html import Child, Html, join, table, tag
from kernlearn.report._numbers import duration, whole
from kernlearn.report._subject import Subject


def repeat(subject: Subject) -> Html | None:
    """The command, the seed, the versions and the time it took, or None."""
    facts = subject.facts
    command = facts.words("command")
    rows: list[list[Child]] = []
    if facts.number("seed") is not None:
        rows.append(["seed", facts.text("seed")])
    if facts.text("created"):
        when = facts.text("created").replace("T", " ", 1).replace("+00:00", " UTC")
        rows.append(["written", when])
    if facts.number("seconds") is not None:
        rows.append(["time of the final fit", duration(facts.number("seconds"))])
    if facts.number("n_rows") is not None:
        rows.append(["rows", whole(facts.number("n_rows"))])
    versions = facts.part("versions")
    rows += [[str(package), versions.text(package)] for package in versions.values]
    if not command and not rows:
        return None
    shown = tag("pre", tag("code", shlex.join(command))) if command else None
    return join(shown, table(["", ""], rows) if rows else None)
