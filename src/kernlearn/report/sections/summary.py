"""What was learned, in a paragraph that can be read aloud."""

from __future__ import annotations

from kernlearn.report._facts import Facts
from kernlearn.report._html import Html, plain, tag
from kernlearn.report._numbers import decimal, percent, whole
from kernlearn.report._subject import Subject

MOST_CLASSES = 5


def summary(subject: Subject) -> Html | None:
    """The paragraph; sentences whose facts are missing are left out."""
    facts = subject.facts
    sentences = [_purpose(facts), _quality(facts), _beside_baseline(facts), _kernel(facts)]
    sentences.append(_certified(facts))
    said = " ".join(sentence for sentence in sentences if sentence)
    return tag("p", said, class_="lead") if said else None


def _purpose(facts: Facts) -> str:
    target = facts.text("target")
    if not target:
        return ""
    text = f"This model predicts {plain(target)}"
    classes = facts.words("classes")
    if classes:
        shown = ", ".join(plain(c) for c in classes[:MOST_CLASSES])
        more = ", …" if len(classes) > MOST_CLASSES else ""
        text += f" ({len(classes)} classes: {shown}{more})"
    n_columns, n_rows = facts.number("n_columns"), facts.number("n_rows")
    if n_columns is not None:
        text += f" from {whole(n_columns)} column" + ("" if n_columns == 1 else "s")
    text += f" of {plain(facts.text('table'))}" if facts.text("table") else ""
    if n_rows is not None:
        # Not "learned from": some of the rows were held out.
        text += f", a table of {whole(n_rows)} rows"
    method = facts.text("method_title") or facts.text("method")
    return f"{text}. The method is {plain(method)}." if method else f"{text}."


def _model(facts: Facts) -> Facts:
    return next((s for s in facts.parts("scores") if s.text("role") == "model"), Facts(None))


def _quality(facts: Facts) -> str:
    model, metric = _model(facts), facts.text("metric")
    value, low, high = model.number("score"), model.number("low"), model.number("high")
    if value is None:
        return ""
    has_interval = low is not None and high is not None
    if metric == "accuracy":
        between = f" (95 % interval {percent(low)} to {percent(high)})" if has_interval else ""
        return f"On rows it had not seen it is right {percent(value)} of the time{between}."
    between = f" (95 % interval {decimal(low, 3)} to {decimal(high, 3)})" if has_interval else ""
    return (
        f"On rows it had not seen its {plain(metric or 'score')} is {decimal(value, 3)}{between}."
    )


def _beside_baseline(facts: Facts) -> str:
    """The best of the baselines, and whether the data tell it from the model."""
    baselines = [s for s in facts.parts("scores") if s.text("role") == "baseline"]
    scored = [(s.number("score"), s) for s in baselines]
    known = [(value, s) for value, s in scored if value is not None]
    if not known or _model(facts).number("score") is None:
        return ""
    value, best = max(known, key=lambda pair: pair[0])
    shown = percent(value) if facts.text("metric") == "accuracy" else decimal(value, 3)
    text = f"The best of what it is compared with, {plain(best.text('name'))}, reaches {shown}"
    overlap = _overlap(_model(facts), best)
    if overlap is None:
        return f"{text}."
    return f"{text}; the two intervals {'overlap' if overlap else 'do not overlap'}."


def _overlap(first: Facts, second: Facts) -> bool | None:
    ends = [entry.number(key) for entry in (first, second) for key in ("low", "high")]
    if any(end is None for end in ends):
        return None
    low, high, other_low, other_high = (end or 0.0 for end in ends)
    return low <= other_high and other_low <= high


def _kernel(facts: Facts) -> str:
    words = plain(facts.text("kernel")).rstrip(". ")
    return f"The kernel is {words}." if words and words != "none" else ""


def _certified(facts: Facts) -> str:
    return plain(facts.part("certificate").text("sentence"))
