"""Scores of the model beside baselines, and beside other methods."""

from __future__ import annotations

from kernlearn.inspection._text import plain
from kernlearn.report._facts import Facts
from kernlearn.report._html import Child, Html, join, table, tag
from kernlearn.report._subject import Subject
from kernlearn.report._words import MISSING, duration, interval, score, whole
from kernlearn.report.sections._pictures import pictures_of


def performance(subject: Subject) -> Html | None:
    """The evaluation in words, the scores in a table, a picture of them, and paired tests."""
    facts = subject.facts
    metric, entries = facts.text("metric"), facts.parts("scores")
    if not entries:
        return None
    others = _other_metrics(entries, metric)
    rows: list[list[Child]] = []
    for entry in entries:
        name = entry.text("name")
        known = {m.text("name"): m for m in entry.parts("metrics")}
        rows.append(
            [
                tag("strong", name) if entry.text("role") == "model" else name,
                _with_interval(entry, "score", metric),
                *(
                    _with_interval(known.get(title, Facts(None)), "value", title)
                    for title in others
                ),
                duration(entry.number("seconds")),
            ]
        )
    header = ["", metric or "score", *others, "time"]
    how = tag("p", facts.text("evaluation")) if facts.text("evaluation") else None
    shown = table(header, rows, set(range(1, len(header))))
    note = "Below each score is its 95 % interval; the time is that of all fits and predictions."
    ends = tag("p", note, class_="note")
    in_folds = facts.part("rows").number("folds") is not None
    tests = _tests(entries, "fold by fold" if in_folds else "row by row")
    threshold = facts.part("threshold").text("sentence")
    by_cost = tag("p", threshold) if threshold else None
    sentence = facts.part("learning_curve").text("sentence")
    curve = tag("p", sentence) if sentence else None
    return join(how, shown, ends, by_cost, pictures_of("performance", subject), curve, tests)


def _with_interval(entry: Facts, key: str, metric: str) -> Html:
    """A score, and below it its 95 % interval where it has one."""
    between = interval(entry, metric)
    below = None if between == MISSING else tag("span", between, class_="interval")
    return join(score(entry.number(key), metric), below)


def _other_metrics(entries: list[Facts], metric: str) -> list[str]:
    """The metrics that any of the models has, in their order, but for the one that judges."""
    names = [m.text("name") for entry in entries for m in entry.parts("metrics")]
    return [name for name in dict.fromkeys(names) if name != metric]


def _tests(entries: list[Facts], by: str) -> Html | None:
    """Results of paired tests, one sentence for each baseline."""
    items = []
    for entry in entries:
        sentence = entry.part("against").text("sentence")
        if sentence:
            name = tag("strong", f"Against {plain(entry.text('name'))}: ")
            items.append(tag("li", name, f"{sentence}."))
    if not items:
        return None
    note = f"Both sides of a comparison predicted the same rows, so they are compared {by}, "
    note += "not by whether their intervals overlap. Each comparison stands for itself: of twenty "
    note += "between equals, one is expected to look like a difference at p = 0.05."
    return join(tag("ul", *items), tag("p", note, class_="note"))


def comparison(subject: Subject) -> Html | None:
    """A table of the methods that were compared, or None if one was chosen by name."""
    facts = subject.facts
    metric, entries = facts.text("metric"), facts.parts("comparison")
    if not entries:
        return None
    rows: list[list[Child]] = []
    for entry in entries:
        name = entry.text("name") or entry.text("method")
        kept = bool(entry.values.get("kept"))
        error = entry.number("standard_error")
        rows.append(
            [
                tag("strong", f"{name} (kept)") if kept else name,
                score(entry.number("score"), metric),
                MISSING if error is None else f"± {score(error, metric)}",
                whole(entry.number("rows")),
                whole(entry.number("tested")),
                duration(entry.number("seconds")),
                entry.text("note"),
            ]
        )
    score_of = metric or "score"
    header = ["method", score_of, "standard error", "rows", "tested on", "time", "remark"]
    note = "Scores are of outer folds of a nested cross-validation: no method saw the rows that it "
    note += "is scored on, neither in learning nor in choosing its parameters. Methods that were "
    note += "not clearly behind the best went on to a larger sample of rows, which the table "
    note += "counts with those tested on; of different samples, scores are not to be compared."
    return join(tag("p", note), table(header, rows, {1, 2, 3, 4, 5}))
