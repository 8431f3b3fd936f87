"""The page of the comparison on right-censored times: concordance and Brier score, ranks, tests."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks import kept_fits
from benchmarks.claims import Row
from benchmarks.kept_fits import Fits
from kernlearn.comparison import Comparison, compare
from kernlearn.papers.method_comparison import (
    Cells,
    mean_of,
    significance_against,
    tests_note,
    wilcoxon_against_each,
)

OURS, SVM = "KernelSurvival", "kernel survival SVM"
# Titles by the keys of the scores; higher concordance is better, and its error is what lacks to 1.
SCORES = {
    "harrell": "Harrell's concordance",
    "brier": "Integrated Brier score",
    "uno": "Uno's concordance",
}


def finished(done: Fits) -> tuple[dict[str, Cells], int]:
    """Ours first, and the method of the small tables last."""
    names = {key.split("|")[2] for key in done}
    return kept_fits.finished(done, sorted(names, key=lambda n: (n != OURS, n == SVM, n)))


def errors_of(found: Mapping[str, Cells], key: str) -> dict[str, Cells]:
    """Errors by one score, of the methods that have it, on tables where every split has it."""
    everywhere = [title for title in found[OURS] if all(key in fit for fit in found[OURS][title])]
    errors: dict[str, Cells] = {}
    for name, cells in found.items():
        for title in everywhere:
            fits = cells.get(title, [])
            if fits and all(key in fit for fit in fits):
                errors.setdefault(name, {})[title] = [
                    fit | {"error": fit[key] if key == "brier" else 1.0 - fit[key]} for fit in fits
                ]
    return errors


def on_all(errors: Mapping[str, Cells]) -> dict[str, Cells]:
    """Without the kernel survival SVM, which runs on small tables."""
    return {name: cells for name, cells in errors.items() if name != SVM}


def on_small(errors: Mapping[str, Cells]) -> dict[str, Cells]:
    """All methods on the tables of the kernel survival SVM."""
    small = errors.get(SVM, {})
    return {name: {title: cells[title] for title in small} for name, cells in errors.items()}


def _comparison(errors: Mapping[str, Cells]) -> Comparison:
    return compare(mean_of(errors, "error"))


def _rank_row(label: str, errors: Mapping[str, Cells], names: list[str]) -> str:
    ranks = _comparison(errors).ranks
    cells = (f"{ranks[name]:.2f}" if name in ranks else "–" for name in names)
    return f"| mean rank, {label}{len(errors[OURS])} tables | {' | '.join(cells)} |"


def score_table(key: str, errors: Mapping[str, Cells]) -> list[str]:
    """Means over splits, and mean ranks."""
    names, means = list(errors), mean_of(errors, key)
    lines = [f"## {SCORES[key]}", "", f"| table | {' | '.join(names)} |"]
    lines.append("| --- " * (len(names) + 1) + "|")
    for title in errors[OURS]:
        cells = (f"{means[name][title]:.3f}" if title in means[name] else "–" for name in names)
        lines.append(f"| {title} | {' | '.join(cells)} |")
    lines.append(_rank_row("", on_all(errors), names))
    best = _comparison(on_all(errors)).best.sum()
    cells = (str(best[name]) if name in best else "–" for name in names)
    lines.append(f"| tables with the best mean | {' | '.join(cells)} |")
    if SVM in errors:
        lines.append(_rank_row("the small ", on_small(errors), names))
    return lines


def notes_on_tests(errors: Mapping[str, Cells]) -> list[str]:
    """What the tests say over the tables, and within each over its splits."""
    every = on_all(errors)
    comparison = _comparison(every)
    notes = [
        tests_note(comparison),
        f"{OURS} by Wilcoxon's signed-rank test over {len(every[OURS])} tables, adjusted by Holm: "
        f"{', '.join(wilcoxon_against_each(OURS, comparison))}.",
    ]
    if SVM in errors:
        small = {name: on_small(errors)[name] for name in (OURS, SVM)}
        notes.append(
            f"The same over the {len(small[OURS])} tables of the {SVM}, by itself: "
            f"{', '.join(wilcoxon_against_each(OURS, _comparison(small)))}."
        )
    for rival in [name for name in errors if name != OURS]:
        pair = on_small(errors) if rival == SVM else every
        notes.append(
            significance_against(OURS, rival, {name: pair[name] for name in (OURS, rival)})
        )
    return [f"- {note}" for note in notes]


def page(done: Fits) -> str:
    """All scores, the seconds, and the fits that failed."""
    found, n_splits = finished(done)
    lines = [
        f"{n_splits} splits of {len(found[OURS])} tables, finished by all methods. Concordances: "
        "higher is better; Brier score: lower.",
        "",
    ]
    for key in SCORES:
        errors = errors_of(found, key)
        missing = [title for title in found[OURS] if title not in errors[OURS]]
        lines += [*score_table(key, errors), "", *notes_on_tests(errors)]
        if missing:
            lines.append(f"- A split of {', '.join(missing)} has no such score.")
        lines.append("")
    seconds = {
        name: float(np.mean([fit["seconds"] for fits in cells.values() for fit in fits]))
        for name, cells in found.items()
    }
    failed = {
        name: int(sum(fit["failed"] for fits in cells.values() for fit in fits))
        for name, cells in found.items()
    }
    names = list(found)
    lines += ["## Processor seconds", "", f"| | {' | '.join(names)} |"]
    lines.append("| --- " * (len(names) + 1) + "|")
    lines.append(f"| seconds of a fit | {' | '.join(f'{seconds[n]:.2g}' for n in names)} |")
    lines.append(f"| fits that failed | {' | '.join(str(failed[n]) for n in names)} |")
    return "\n".join(lines) + "\n"


def claims(done: Fits) -> list[Row]:
    """Whether ours has the best mean rank, by concordance and by Brier score."""
    found, n_splits = finished(done)
    rows = []
    for key in ("harrell", "brier"):
        ranks = _comparison(on_all(errors_of(found, key))).ranks
        listed = ", ".join(f"{name} {rank:.2f}" for name, rank in ranks.items())
        best = ranks[OURS] <= ranks.min()
        rows.append(
            Row(f"{SCORES[key]}: best mean rank", f"{listed}; {n_splits} splits", bool(best))
        )
    return rows
