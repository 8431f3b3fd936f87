"""The data, their preparation, and the means to get the same result again."""

from __future__ import annotations

import shlex

from kernlearn.report._facts import Facts
from kernlearn.report._html import Child, Html, join, table, tag
from kernlearn.report._subject import Subject
from kernlearn.report._words import duration, percent, whole

MOST_COLUMNS = 100
MOST_CLASSES = 50


def data(subject: Subject) -> Html | None:
    """Size, classes, what was done to each column and to the table, or None."""
    facts = subject.facts
    parts = [
        _size(facts),
        _rows(facts),
        _notes(facts),
        _class_counts(facts),
        _columns_used(facts) or _taken_for(subject),
        _views(facts),
    ]
    known = [part for part in parts if part is not None]
    return join(*known) if known else None


def _size(facts: Facts) -> Html | None:
    n_rows, n_columns = facts.number("n_rows"), facts.number("n_columns")
    if n_rows is None or n_columns is None:
        return None
    name = facts.text("table") or "The table"
    size = f" has {whole(n_rows)} rows that were used and {whole(n_columns)} columns beside the "
    size += "target"
    target: Child = tag("code", facts.text("target")) if facts.text("target") else None
    return tag("p", tag("code", name), size, " " if target else None, target, ".")


def _rows(facts: Facts) -> Html | None:
    """The use of every row."""
    sentences = facts.part("rows").words("sentences")
    return tag("ul", *(tag("li", sentence) for sentence in sentences)) if sentences else None


def _notes(facts: Facts) -> Html | None:
    notes = facts.words("notes")
    return tag("ul", *(tag("li", note) for note in notes)) if notes else None


def _class_counts(facts: Facts) -> Html | None:
    classes, counts = facts.words("classes"), facts.values.get("class_counts")
    if not classes or not isinstance(counts, list) or len(counts) != len(classes):
        return None
    total = float(sum(counts)) or 1.0
    rows: list[list[Child]] = [
        [name, whole(count), percent(count / total)]
        for name, count in zip(classes, counts, strict=True)
    ]
    shown = table(["class", "rows", "share"], rows[:MOST_CLASSES], {1, 2})
    return join(shown, _and_more(len(rows) - MOST_CLASSES, "classes"))


def _columns_used(facts: Facts) -> Html | None:
    """All columns with which the same was done together: tables may have hundreds."""
    groups: dict[tuple[str, str], list[str]] = {}
    for column in facts.parts("columns")[:MOST_COLUMNS]:
        group = (column.text("kind"), column.text("action"))
        groups.setdefault(group, []).append(column.text("name"))
    if not groups:
        return None
    entries: list[Html] = []
    for (kind, action), names in groups.items():
        done = action if kind in action else f"{kind}: {action}"
        entries += [tag("dt", f"{done[:1].upper()}{done[1:]}"), tag("dd", _listed(names))]
    more = len(facts.parts("columns")) - MOST_COLUMNS
    return join(tag("dl", *entries), _and_more(more, "columns"))


def _taken_for(subject: Subject) -> Html | None:
    """Kinds of the columns, as found by a model that prepares its columns itself."""
    kinds = getattr(getattr(subject.estimator, "preparation_", None), "kinds", {})
    rows: list[list[Child]] = [[tag("code", name), words] for name, words in kinds.items()]
    if not rows:
        return None
    shown = table(["column or source", "taken for"], rows[:MOST_COLUMNS])
    return join(shown, _and_more(len(rows) - MOST_COLUMNS, "columns"))


def _listed(names: list[str]) -> Html:
    pieces: list[Child] = []
    for name in names:
        pieces += [", " if pieces else None, tag("code", name)]
    return join(*pieces)


def _views(facts: Facts) -> Html | None:
    views = facts.part("views")
    rows: list[list[Child]] = [
        [str(name), ", ".join(views.words(name)[:MOST_COLUMNS])] for name in views.values
    ]
    return table(["view", "columns"], rows) if rows else None


def _and_more(more: int, what: str) -> Html | None:
    return tag("p", f"And {whole(more)} more {what}.", class_="note") if more > 0 else None


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
