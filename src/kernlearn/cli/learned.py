"""The output of `fit`."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from kernlearn.inspection._text import plain
from kernlearn.runtime.phrases import counted, listed
from kernlearn.typing import Json

FEW = 12


def print_learned(console: Console, facts: Json) -> None:
    """Print the facts for a person; names in the table are data, never markup."""
    if facts["chance"]:
        _print_sentence(console, f"No better than guessing: {facts['chance']}.")
    for warning in facts["warnings"]:
        _print_sentence(console, f"Warning: {warning}.")
    _print_sentence(
        console,
        f"{facts['table']}: {facts['n_rows']} rows, {counted(facts['n_columns'], 'column')}; "
        f"{facts['task_reason']}.",
    )
    for line in _columns(facts["columns"]):
        _print_sentence(console, f"  {line}")
    for note in facts["notes"]:
        _print_sentence(console, f"Note: {note}.")
    if facts["comparison"]:
        console.print(_comparison(facts))
    console.print(_scores(facts))
    for entry in facts["scores"]:
        if entry["against"]:
            _print_sentence(console, f"Against {entry['name']}: {entry['against']['sentence']}.")
    for name in ("threshold", "learning_curve"):
        if facts[name]:
            _print_sentence(console, facts[name]["sentence"])
    for sentence in [*details_sentences(facts), *facts["rows"]["sentences"]]:
        _print_sentence(console, sentence)
    _print_sentence(
        console, f"Method: {facts['method_title']}, fitted in {facts['seconds']:.1f} s."
    )
    _print_sentence(console, f"Kernel: {facts['kernel']}.")
    if facts["landmarks"]:
        _print_sentence(console, facts["landmarks"]["sentence"])
    for line in _chosen(facts):
        _print_sentence(console, line)
    _print_sentence(console, f"Certificate: {facts['certificate']['sentence']}")


def _print_sentence(console: Console, sentence: str) -> None:
    console.print(Text(plain(sentence)))


def _columns(columns: list[dict[str, str]]) -> list[str]:
    """One line for each action: which columns it was taken on."""
    by_action: dict[str, list[str]] = {}
    for column in columns:
        by_action.setdefault(column["action"], []).append(column["name"])
    lines = []
    for action, names in by_action.items():
        lines.append(f"{listed(names, FEW)}: {action}")
    return lines[:40] + [f"… {len(lines) - 40} more" for _ in range(len(lines) > 40)]


def _comparison(facts: Json) -> Table:
    table = Table(title="Methods compared by nested cross-validation, on rows each had not seen")
    table.add_column("method")
    for title in (facts["metric"], "standard error", "rows", "seconds"):
        table.add_column(title, justify="right")
    for entry in facts["comparison"]:
        name = Text(entry["name"] + (" (kept)" if entry["kept"] else ""))
        error = entry["standard_error"]
        table.add_row(
            name,
            "skipped" if entry["score"] is None else short(entry["score"]),
            "" if error is None else f"{error:.3f}",
            str(entry["rows"]),
            f"{entry['seconds']:.1f}",
        )
    return table


def _scores(facts: Json) -> Table:
    title = f"On {counted(facts['n_held_out'], 'held-out row')}, with 95 % intervals"
    table = Table(title=title)
    table.add_column("model")
    table.add_column(facts["metric"], justify="right")
    # The chosen metric comes first; the usual others follow.
    others = {m["name"]: None for entry in facts["scores"] for m in entry["metrics"]}
    others.pop(facts["metric"], None)
    for title in others:
        table.add_column(title, justify="right")
    for entry in facts["scores"]:
        known = {m["name"]: m for m in entry["metrics"]}
        first = with_interval(entry["score"], entry["low"], entry["high"])
        rest = [known.get(title, {}) for title in others]
        ends = [with_interval(m.get("value"), m.get("low"), m.get("high")) for m in rest]
        table.add_row(Text(plain(entry["name"])), first, *ends)
    return table


def with_interval(value: float | None, low: float | None, high: float | None) -> str:
    """A score, and below it its interval where it has one."""
    shown = short(value)
    return shown if low is None or high is None else f"{shown}\n{short(low)} to {short(high)}"


def short(value: float | None) -> str:
    """A number with three decimals, or none if it is large; a mean that is rounding is zero.

    >>> short(0.12345), short(1234.5), short(None), short(-3e-6), short(2e-9), short(56.789)
    ('0.123', '1234', '', '0.000', '2e-09', '56.79')
    """
    if value is None:
        return ""
    if -1e-3 < value <= 0.0:
        return "0.000"
    if 1e3 <= abs(value) < 1e9:
        return f"{value:.0f}"
    if 10.0 <= value < 1000.0:
        return f"{value:.4g}"
    return f"{value:.3f}" if value < 0 or 0.01 <= value < 10.0 else f"{value:.3g}"


def _score_loss(entry: Json) -> str:
    """The loss of score, and its standard error."""
    value, error = entry["importance"], entry["standard_error"]
    shown = f"{value:.3f}" if abs(value) < 10.0 else short(value)
    if error is None:
        return shown
    return f"{shown} ± {f'{error:.3f}' if abs(value) < 10.0 else short(error)}"


def details_sentences(facts: Json) -> list[str]:
    """Recall by class, calibration, coverage of intervals: a sentence or more."""
    details, sentences = facts["held_out"], []
    if facts["task"] == "classification":
        known = [entry for entry in details["classes"] if entry["recall"] is not None]
        recalls = [f"{entry['class']} {entry['recall']:.2f}" for entry in known]
        sentences.append(f"Recall by class: {listed(recalls, FEW)}.")
        if details["calibration"]:
            sentences.append(details["calibration"]["sentence"])
    elif facts["task"] == "survival":
        sentences += [entry["sentence"] for entry in details["calibrations"]]
    elif facts["task"] == "outcomes":
        sentences += outcomes_sentences(details)
    elif facts["task"] == "ranking":
        sentences.append(details["ranking_sentence"])
    if details.get("rates_sentence"):
        sentences.append(details["rates_sentence"])
    if details.get("interval"):
        interval = details["interval"]
        sentences.append(
            f"Intervals meant to hold {interval['coverage']:.0%} of the numbers hold "
            f"{interval['covered']:.1%} of the {interval['rows']} held-out ones; they are "
            f"{short(interval['mean_width'])} wide on average."
        )
    return sentences


def outcomes_sentences(details: Json) -> list[str]:
    """The scores of each outcome, and what its intervals hold."""
    lines = []
    for entry in details["outcomes"][:FEW]:
        scores = [
            f"{score['name']} {short(score['value'])}"
            + (
                ""
                if score["low"] is None
                else f" ({short(score['low'])} to {short(score['high'])})"
            )
            for score in entry["scores"]
            if score["value"] is not None
        ]
        held = entry["covered"]
        coverage = "" if held is None else f"; intervals hold {held:.1%}"
        lines.append(f"{entry['name']}: {', '.join(scores)}{coverage}.")
    more = len(details["outcomes"]) - FEW
    return [*lines, *(f"… {more} more outcomes" for _ in range(more > 0))]


def _chosen(facts: Json) -> list[str]:
    """Parameters, and the contributions of columns and views."""
    lines = []
    if facts["parameters"] and not facts["candidates"]:
        named = [f"{p['name']} = {p['value']:.4g}" for p in facts["parameters"]]
        lines.append(f"Parameters: {', '.join(named)}.")
    for key, title in (
        ("views", "Sources"),
        ("columns", "Columns"),
        ("together", "Correlated columns together"),
    ):
        entries = [e for e in facts["importance"][key] or [] if e["importance"] is not None]
        if entries:
            shown = listed([f"{e['name']} {_score_loss(e)}" for e in entries], FEW)
            metric = facts["metric"]
            lines.append(f"{title}, by the {metric} that is lost without them: {shown}.")
    return lines
