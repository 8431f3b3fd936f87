"""Held-out rows: class by class, or number by number."""

from __future__ import annotations

import re

from kernlearn.report._facts import Facts
from kernlearn.report._html import Child, Html, join, table, tag
from kernlearn.report._subject import Subject
from kernlearn.report._words import decimal, percent, score, whole
from kernlearn.report.sections._pictures import pictures_of

MOST_CLASSES = 50


def classes(subject: Subject) -> Html | None:
    """Recall and precision by class, the confusion matrix and pictures, or None for numbers."""
    details = subject.facts.part("held_out")
    shown = _by_class(details)
    parts = [repeated(subject) if shown else None, shown, _confusion(details)]
    parts += [_distances(details), _calibration(details)]
    known = [part for part in (*parts, pictures_of("classes", subject)) if part is not None]
    return join(*known) if known else None


def repeated(subject: Subject) -> Html | None:
    """Note that the section shows the first repeat of the folds; None without repeats."""
    repeats = subject.facts.part("rows").number("repeats")
    if repeats is None or repeats < 2:
        return None
    note = f"This section shows the first of {whole(repeats)} repeats of the folds, in which every "
    return tag("p", f"{note}row was predicted once by a model that had not seen it.")


def _by_class(details: Facts) -> Html | None:
    entries = details.parts("classes")
    if not entries:
        return None
    rows: list[list[Child]] = [
        [
            entry.text("class"),
            whole(entry.number("rows")),
            percent(entry.number("recall")),
            percent(entry.number("precision")),
            decimal(entry.number("auc"), 3),
        ]
        for entry in entries[:MOST_CLASSES]
    ]
    header = ["class", "rows", "recall", "precision", "ROC AUC"]
    note = "Recall is the share of the rows of a class that are found, precision the share of the "
    note += "rows taken for the class that belong to it."
    more = len(entries) - MOST_CLASSES
    rest = tag("p", f"And {whole(more)} more classes.", class_="note") if more > 0 else None
    return join(tag("p", note), table(header, rows, {1, 2, 3, 4}), rest)


def _confusion(details: Facts) -> Html | None:
    names = [entry.text("class") for entry in details.parts("classes")]
    counts = details.rows("confusion", len(names))
    if len(counts) != len(names) or len(names) < 2:
        return None
    head = tag(
        "tr", tag("th", "true \\ predicted"), *(tag("th", n, class_="number") for n in names)
    )
    body = []
    for i, row in enumerate(counts):
        total = sum(row) or 1.0
        cells = [_cell(n, n / total, i == j) for j, n in enumerate(row)]
        body.append(tag("tr", tag("th", names[i]), *cells))
    note = "Confusion: how many rows of each class, from the left, are taken for which, above; the "
    note += "deeper the blue, the larger the share of the row."
    shown = tag("table", tag("thead", head), tag("tbody", *body), class_="confusion")
    return join(tag("p", note), tag("div", shown, class_="scroll"))


def _distances(details: Facts) -> Html | None:
    """Distances of wrong grades."""
    found = details.values.get("distances")
    if not isinstance(found, list) or not sum(found):
        return None
    shares = [f"{percent(n / sum(found))} by {whole(apart)}" for apart, n in enumerate(found)]
    shares[0] = f"{percent(found[0] / sum(found))} are right"
    return tag("p", f"By the distance of grades: {', '.join(shares)}.")


def _cell(n: float, share: float, is_right: bool) -> Html:
    shown: Child = tag("strong", whole(n)) if is_right else whole(n)
    style = f"background: rgba(0, 114, 178, {0.55 * share:.2f})"
    return tag("td", shown, class_="number", style=style)


def _calibration(details: Facts) -> Html | None:
    sentence = details.part("calibration").text("sentence")
    if not sentence:
        return None
    note = "The calibration error is the mean distance, over bins of rows, between the probability "
    note += "that the model gives and the share for which it came true."
    text = re.sub(r"-(?=\d)", "−", sentence)
    return join(tag("p", text), tag("p", note, class_="note"))


def numbers(subject: Subject) -> Html | None:
    """Intervals and the picture of predicted against actual, or None for classes."""
    details = subject.facts.part("held_out")
    shown = _intervals(details.part("interval"))
    parts = [repeated(subject) if shown else None, shown, pictures_of("numbers", subject)]
    known = [part for part in parts if part is not None]
    return join(*known) if known else None


def _intervals(facts: Facts) -> Html | None:
    covered, share = facts.number("covered"), facts.number("coverage")
    if covered is None or share is None:
        return None
    return tag(
        "p",
        f"Intervals that are meant to hold {percent(share)} of the numbers hold {percent(covered)} "
        f"of the {whole(facts.number('rows'))} that were held out. They are "
        f"{score(facts.number('mean_width'), '')} wide on average.",
    )
