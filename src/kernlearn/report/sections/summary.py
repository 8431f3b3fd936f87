"""A summary of the model in one paragraph."""

from __future__ import annotations

from kernlearn.inspection._text import plain
from kernlearn.report._facts import Facts
from kernlearn.report._html import Html, join, tag
from kernlearn.report._subject import Subject
from kernlearn.report._words import (
    MISSING,
    decimal,
    interval,
    kernel_words,
    optimality_words,
    score,
    whole,
)

MOST_CLASSES = 5


def summary(subject: Subject) -> Html | None:
    """The paragraph; sentences whose facts are missing are left out."""
    facts = subject.facts
    sentences = [_purpose(facts), _quality(facts), _beside_baseline(facts), _kernel(facts)]
    sentences.append(_certified(facts))
    paragraph = " ".join(sentence for sentence in sentences if sentence)
    first = [
        _chance(facts),
        _warnings(facts),
        tag("p", paragraph, class_="lead") if paragraph else None,
    ]
    known = [part for part in first if part is not None]
    return join(*known) if known else None


def _chance(facts: Facts) -> Html | None:
    """The first warning: the model is no better than guessing."""
    found = facts.text("chance")
    if not found:
        return None
    return tag("p", tag("strong", f"No better than guessing: {plain(found)}."), class_="lead")


def _warnings(facts: Facts) -> Html | None:
    """Warnings that the scores may be optimistic."""
    found = facts.words("warnings")
    if not found:
        return None
    return join(*(tag("p", tag("strong", "Warning: "), f"{plain(w)}.") for w in found))


def _purpose(facts: Facts) -> str:
    target = facts.text("target")
    if not target:
        return ""
    text = f"This model predicts {plain(target)}"
    if facts.text("event"):
        text += f", the time to the event {plain(facts.text('event'))},"
    classes = facts.words("classes")
    if classes:
        shown = ", ".join(plain(c) for c in classes[:MOST_CLASSES])
        more = ", …" if len(classes) > MOST_CLASSES else ""
        text += f" ({len(classes)} classes: {shown}{more})"
    n_rows = facts.number("n_rows")
    text += _from_columns(facts)
    text += f" of {plain(facts.text('table'))}" if facts.text("table") else ""
    if n_rows is not None:
        # Not "learned from": some of the rows were held out.
        text += f", a table of {whole(n_rows)} rows"
    method = facts.text("method_title") or facts.text("method")
    return f"{text}. The method is {plain(method)}." if method else f"{text}."


def _from_columns(facts: Facts) -> str:
    n = facts.number("n_columns")
    if n is None:
        return ""
    columns = "column" if n == 1 else "columns"
    left_out = sum(c.text("action").startswith("left out") for c in facts.parts("columns"))
    some = f"{whole(n - left_out)} of the " if left_out else ""
    return f" from {some}{whole(n)} {columns}"


def _model(facts: Facts) -> Facts:
    return next((s for s in facts.parts("scores") if s.text("role") == "model"), Facts(None))


def _quality(facts: Facts) -> str:
    model, metric = _model(facts), facts.text("metric")
    value = model.number("score")
    if value is None:
        return ""
    between = interval(model, metric)
    between = "" if between == MISSING else f" (95 % interval {between})"
    between += (
        ""
        if facts.part("rows").values.get("refitted") is not True
        else ("; the model in the file was then fitted to all rows")
    )
    if metric == "accuracy":
        return f"{_where(facts)} it is right {score(value, metric)} of the time{between}."
    return f"{_where(facts)} its {plain(metric or 'score')} is {score(value, metric)}{between}."


def _where(facts: Facts) -> str:
    held_out = facts.number("n_held_out")
    if held_out is None:
        return "On rows it had not seen"
    if facts.part("rows").number("folds") is not None:
        # Cross-validated: only the model in the file was trained on all of them.
        return "On rows that were left out of the fit in turn"
    return f"On {whole(held_out)} rows it had not seen"


def _beside_baseline(facts: Facts) -> str:
    """The best of the baselines, and whether it differs significantly from the model."""
    baselines = [s for s in facts.parts("scores") if s.text("role") == "baseline"]
    scored = [(s.number("score"), s) for s in baselines]
    known = [(value, s) for value, s in scored if value is not None]
    own = _model(facts).number("score")
    if not known or own is None:
        return ""
    sign = -1.0 if facts.values.get("greater_is_better") is False else 1.0
    value, best = max(known, key=lambda pair: sign * pair[0])
    shown = score(value, facts.text("metric"))
    text = f"The best of what it is compared with, {plain(best.text('name'))}, reaches {shown}"
    if value == own:
        return f"{text} too."
    return f"{text}{_verdict(best.part('against'))}."


def _verdict(against: Facts) -> str:
    """The result of the paired test, or nothing without one."""
    p = against.number("p_value")
    if p is None:
        return ""
    better = against.values.get("better")
    shown = f"p = {decimal(p, 2)}" if p >= 1e-15 else "p < 1e−15"
    if better is None:
        return f"; these rows do not tell the two apart ({shown} on the same rows)"
    who = "the model is better" if better is True else "it is better than the model"
    return f"; {who}, beyond what chance explains ({shown} on the same rows)"


def _kernel(facts: Facts) -> str:
    words = kernel_words(facts)
    return f"The kernel is {words}." if words else ""


def _certified(facts: Facts) -> str:
    return optimality_words(facts.part("certificate"))
