"""Methods on splits of several sets: every cell in a results file, errors ranked and tested."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kernlearn.comparison import Comparison, compare
from kernlearn.comparison.rank_tests import holm
from kernlearn.inspection import CriticalDifferenceDisplay
from kernlearn.methods.paired import corrected_t
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.grid_search import Estimator
from kernlearn.papers.pictures import save_picture
from kernlearn.papers.runner import run_splits
from kernlearn.papers.splits import TrainTestSplit
from kernlearn.papers.tables import ComparisonTable, TableEntry
from kernlearn.typing import Rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N_SPLITS = 20
LEVEL = 0.05
BEHIND = 0.05
SECONDS = "seconds"

Cells = dict[str, list[dict[str, float]]]
"""For every set and split the ``error``, the ``seconds`` and the ``ratio`` of test to training
rows."""


@dataclass(frozen=True)
class MethodColumn:
    """One column of a table.

    ``make(subject, X, y)`` returns an estimator that is not fitted, for training rows of this size
    and spread; the subject is the task, or the set. `needs` is a package that must be installed,
    and a slow method runs only when it is asked for.
    """

    name: str
    make: Callable[[Any, Rows, Rows], Estimator]
    needs: str | None = None
    is_slow: bool = False

    @property
    def is_there(self) -> bool:
        """Whether the package it needs is installed."""
        return self.needs is None or find_spec(self.needs) is not None


def by_name(*methods: MethodColumn) -> dict[str, MethodColumn]:
    """The methods by their names, in this order."""
    return {method.name: method for method in methods}


def chosen_methods(names: Sequence[str], methods: Mapping[str, MethodColumn]) -> list[MethodColumn]:
    """Methods by name, in the order of all; all that are not slow where none is named."""
    unknown = [name for name in names if name not in methods]
    if unknown:
        raise ValueError(
            f"expected methods among {', '.join(methods)}, got {unknown[0]!r}: choose some of them."
        )
    if not names:
        return [method for method in methods.values() if not method.is_slow]
    chosen = [method for method in methods.values() if method.name in names]
    missing = [method for method in chosen if not method.is_there]
    if missing:
        raise ImportError(
            f"method {missing[0].name} needs the package {missing[0].needs}, which is not "
            f"installed: run pip install {missing[0].needs}, or leave it out."
        )
    return chosen


def fit_split(
    method: MethodColumn, subject: Any, split: TrainTestSplit, is_regression: bool = False
) -> dict[str, float]:
    """Fit a method to one split: error in per cent, or root mean squared; seconds; `ratio`.

    The seconds are the processor's, of making and fitting, summed over threads: they are comparable
    on a machine that has other work to do.
    """
    start = time.process_time()
    with warnings.catch_warnings():
        # Kernels at the ends of their ranges, libsvm at its limits: the errors tell.
        warnings.simplefilter("ignore")
        model = method.make(subject, split.X_train, split.y_train)
        fitted = model.fit(split.X_train, split.y_train)
        seconds = time.process_time() - start
        predicted = fitted.predict(split.X_test)
    if is_regression:
        error = float(np.sqrt(np.mean((predicted - split.y_test) ** 2)))
    else:
        error = 100.0 * float(np.mean(predicted != split.y_test))
    return {"error": error, "seconds": seconds, "ratio": split.ratio}


def run_method(
    cell: Callable[..., dict[str, float]],
    method: MethodColumn,
    task: str,
    sets: Mapping[str, Any],
    options: RunOptions,
) -> Cells:
    """Fit a method to the splits of all sets, or read the results of an earlier run.

    ``cell(method, data, index, seed)`` is what `fit_split` returns of one split. Every set has a
    ``fingerprint``.
    """
    settings = {
        "method": method.name,
        "task": task,
        "data": {name: data.fingerprint for name, data in sets.items()},
    }
    return run_splits(
        partial(cell, method),
        sets,
        options.splits or N_SPLITS,
        options,
        name=f"{task}-{method.name.lower().replace(', ', '-').replace(' ', '-')}",
        settings=settings,
        description=method.name,
    )


def method_table(
    title: str,
    task: str,
    cell: Callable[..., dict[str, float]],
    methods: Mapping[str, MethodColumn],
    sets: Mapping[str, Any],
    options: RunOptions,
    *,
    rival: str,
    number_format: str,
    notes: tuple[str, ...],
) -> ComparisonTable:
    """Errors by set and method, mean ranks, seconds, and the results of tests below.

    Every method is held against the `rival`, set by set, by the t-test that Nadeau and Bengio
    corrected for splits that share rows, with Holm's adjustment for the number of sets. The
    critical-difference diagram goes to the file ``TASK.png``.
    """
    found = {
        method.name: run_method(cell, method, task, sets, options)
        for method in chosen_methods(options.methods, methods)
    }
    errors = {name: _column(cells, "error") for name, cells in found.items()}
    entries = [
        TableEntry((name,), method, None, errors[method][name], number_format)
        for name in sets
        for method in found
    ]
    if len(found) > 1:
        comparison = compare(errors)
        entries += [
            TableEntry(("mean rank",), str(method), None, [float(rank)], ".2f")
            for method, rank in comparison.ranks.items()
        ]
        others = [method for method in errors if rival in errors and method != rival]
        notes = (
            *notes,
            tests_note(comparison),
            *(significance_against(method, rival, found) for method in others),
            save_ranks(options.out / f"{task}.png", comparison, LEVEL, height=2.6),
        )
    for method, cells in found.items():
        seconds = [value for values in _column(cells, SECONDS).values() for value in values]
        entries.append(TableEntry((SECONDS,), method, None, [float(np.mean(seconds))], ".2g"))
    return ComparisonTable(
        title, ("data",), tuple(found), tuple(entries), notes, has_published=False
    )


def save_ranks(path: Path, comparison: Comparison, level: float, height: float) -> str:
    """Draw the critical-difference diagram and return a note of its file."""

    def draw(figure: Figure) -> None:
        CriticalDifferenceDisplay.from_comparison(comparison, level, ax=figure.subplots())

    return save_picture(path, draw, width=8.0, height=height)


def _column(cells: Cells, key: str) -> dict[str, list[float]]:
    return {name: [cell[key] for cell in of_set] for name, of_set in cells.items()}


def tests_note(comparison: Comparison) -> str:
    """Friedman's test, Nemenyi's critical difference, and the groups that it does not separate."""
    groups = "; ".join(" = ".join(map(str, group)) for group in comparison.groups(LEVEL)) or "none"
    return (
        "Friedman's test in the form of Iman and Davenport: p = "
        f"{comparison.iman_davenport.pvalue:.2g}. Nemenyi's critical difference of mean ranks at "
        f"{LEVEL}: {comparison.critical_difference(LEVEL):.2f}; not separated: {groups}."
    )


def adjusted_pvalues(ours: Cells, theirs: Cells) -> dict[str, float]:
    """P-values by set: Nadeau and Bengio's t-test over the splits, adjusted by Holm over the sets.

    If every split has the same difference, the test has no p-value: 1 if it is zero, else 0.
    """
    found = []
    for name, cells in ours.items():
        pairs = zip(cells, theirs[name], strict=True)
        apart = np.array([first["error"] - second["error"] for first, second in pairs])
        p = corrected_t(apart, float(np.mean([cell["ratio"] for cell in cells])))
        found.append(0.0 if p is None else p)
    return {name: float(p) for name, p in zip(ours, holm(found), strict=True)}


def significance_against(method: str, rival: str, found: Mapping[str, Cells]) -> str:
    """Sets on which the corrected test separates a method from its rival."""
    if any(len(cells) < 2 for cells in found[method].values()):
        return f"{method} against {rival}: one split has no test."
    better: list[str] = []
    worse: list[str] = []
    for name, p in adjusted_pvalues(found[method], found[rival]).items():
        if p <= LEVEL:
            ours, theirs = (_column(found[each], "error")[name] for each in (method, rival))
            (better if np.mean(ours) < np.mean(theirs) else worse).append(name)
    return (
        f"{method} against {rival}, corrected resampled t-test at {LEVEL}, adjusted by Holm: "
        f"better on {len(better)} ({', '.join(better) or 'none'}), worse on {len(worse)} "
        f"({', '.join(worse) or 'none'})."
    )


def mean_of(found: Mapping[str, Cells], key: str) -> dict[str, dict[str, float]]:
    """The mean over splits of one number of the cells, by method and set."""
    return {
        method: {
            name: float(np.mean([cell[key] for cell in of_set])) for name, of_set in cells.items()
        }
        for method, cells in found.items()
    }


def errors_over(method: str, errors: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """The geometric mean of the ratio of errors, over sets where no method has none."""
    shared = [name for name in errors[method] if all(one[name] > 0 for one in errors.values())]
    logs = {each: np.log([of_one[name] for name in shared]) for each, of_one in errors.items()}
    return {each: float(np.exp(np.mean(log - logs[method]))) for each, log in logs.items()}


def wilcoxon_against_each(method: str, comparison: Comparison) -> list[str]:
    """Wilcoxon's test over the sets against every other method, adjusted for their number.

    The method is the first of the comparison.
    """
    rows = comparison.wilcoxon.loc[method]
    adjusted = holm(rows["pvalue"].to_numpy())
    return [
        f"{rival} (better on {row['wins']:.0f}, worse on {row['losses']:.0f}, p = {p:.2g})"
        for (rival, row), p in zip(rows.iterrows(), adjusted, strict=True)
    ]


def tables_behind(method: str, errors: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Sets on which the lowest error is lower than the method's by more than `BEHIND` of it."""
    behind = []
    for name, error in errors[method].items():
        best = min(errors, key=lambda each: errors[each][name])
        if errors[best][name] < (1.0 - BEHIND) * error:
            behind.append(f"{name} ({error:.3g}, {best} {errors[best][name]:.3g})")
    return behind
