"""The pages of the comparisons on grades, counts, several outcomes and rankings."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.claims import Row
from benchmarks.kept_fits import Fits, finished
from benchmarks.outcome_tables import Topic
from kernlearn.comparison import Comparison, compare
from kernlearn.papers.method_comparison import (
    Cells,
    mean_of,
    significance_against,
    tests_note,
    wilcoxon_against_each,
)

_ALL, _EACH = "all at once", "one by one"


def errors_of(found: Mapping[str, Cells], loss: str) -> dict[str, Cells]:
    """Fits with one loss as the error."""
    return {
        method: {title: [fit | {"error": fit[loss]} for fit in fits] for title, fits in of.items()}
        for method, of in found.items()
    }


def _comparison(errors: Mapping[str, Cells]) -> Comparison:
    return compare(mean_of(errors, "error"))


def loss_table(loss: str, errors: Mapping[str, Cells]) -> list[str]:
    """Means over splits, mean ranks, and what the tests say."""
    names, means = list(errors), mean_of(errors, "error")
    ours, comparison = names[0], _comparison(errors)
    lines = [f"## {loss[0].upper()}{loss[1:]}", "", f"| table | {' | '.join(names)} |"]
    lines.append("| --- " * (len(names) + 1) + "|")
    for title in means[ours]:
        cells = (f"{means[name][title]:.3f}" for name in names)
        lines.append(f"| {title} | {' | '.join(cells)} |")
    ranks, best = comparison.ranks, comparison.best.sum()
    lines.append(f"| mean rank | {' | '.join(f'{ranks[name]:.2f}' for name in names)} |")
    lines.append(f"| tables with the least loss | {' | '.join(str(best[n]) for n in names)} |")
    lines += ["", f"- {tests_note(comparison)}"]
    lines.append(
        f"- {ours} by Wilcoxon's signed-rank test over {len(means[ours])} tables, adjusted by "
        f"Holm: {', '.join(wilcoxon_against_each(ours, comparison))}."
    )
    lines += [
        f"- {significance_against(ours, name, {n: errors[n] for n in (ours, name)})}"
        for name in names[1:]
    ]
    return [*lines, ""]


def seconds_table(found: Mapping[str, Cells]) -> list[str]:
    """Seconds of a fit with its predictions, and the fits that failed."""
    lines = ["## Processor seconds", "", f"| | {' | '.join(found)} |"]
    lines.append("| --- " * (len(found) + 1) + "|")
    for label, key, number in (
        ("seconds of a fit", "seconds", "{:.2g}"),
        ("fits that failed", "failed", "{:.0f}"),
    ):
        cells = []
        for of in found.values():
            values = [fit[key] for fits in of.values() for fit in fits]
            cells.append(number.format(np.sum(values) if key == "failed" else np.mean(values)))
        lines.append(f"| {label} | {' | '.join(cells)} |")
    return lines


def times_of_one(found: Mapping[str, Cells]) -> dict[str, float]:
    """By table, the time of one fit to all outcomes, in times of a fit to one of them."""
    times = {}
    for title, fits in found[_ALL].items():
        together = sum(fit["seconds"] for fit in fits)
        each = sum(fit["seconds"] / fit["n_outcomes"] for fit in found[_EACH][title])
        times[title] = together / each
    return times


def page(topic: Topic, done: Fits) -> str:
    """All losses, the seconds, and the fits that failed."""
    found, n_splits = finished(done, list(topic.methods))
    n_tables = len(found[next(iter(topic.methods))])
    splits = "split" if n_splits == 1 else "splits"
    lines = [
        f"{n_splits} {splits} of {n_tables} tables, finished by all methods. Lower is better.",
        "",
    ]
    for loss in topic.losses:
        lines += loss_table(loss, errors_of(found, loss))
    lines += seconds_table(found)
    if _ALL in found:
        lines += ["", "## Time of all outcomes, in times of one", ""]
        lines += ["| table | outcomes | times |", "| --- | --- | --- |"]
        for title, times in times_of_one(found).items():
            lines.append(f"| {title} | {found[_ALL][title][0]['n_outcomes']:.0f} | {times:.2f} |")
    return "\n".join(lines) + "\n"


def claims(topic: Topic, done: Fits) -> list[Row]:
    """Whether ours has the best mean rank by each loss, and how long all outcomes take."""
    found, n_splits = finished(done, list(topic.methods))
    rows = []
    for loss in topic.losses:
        ranks = _comparison(errors_of(found, loss)).ranks
        ours = next(iter(topic.methods))
        listed = ", ".join(f"{name} {rank:.2f}" for name, rank in ranks.items())
        best = bool(ranks[ours] <= ranks.min())
        rows.append(Row(f"{loss}: best mean rank", f"{listed}; {n_splits} splits", best))
    if _ALL in found:
        longest = max(times_of_one(found).values())
        rows.append(Row("time of one fit at most twice", f"{longest:.2f} times", longest <= 2.0))
    return rows
