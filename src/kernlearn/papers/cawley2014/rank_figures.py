"""Figures 2, 3, 6, 7 and 8: critical-difference diagrams."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from kernlearn.comparison import Comparison, compare
from kernlearn.papers.cawley2014.methods import run_methods
from kernlearn.papers.cawley2014.protocol import load_sets, splits_note
from kernlearn.papers.cawley2014.published import ERRORS, TABLE_2, TABLE_4, mean_errors
from kernlearn.papers.cawley2014.tables import OURS, compare_with_quoted
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.method_comparison import save_ranks
from kernlearn.papers.tables import ComparisonTable, TableEntry

LEVEL = 0.1
COLUMN = "value"


@dataclass(frozen=True)
class RankFigure:
    """A diagram: its title, the methods that are run, the sets over which they are ranked.

    `quoted` says whether the other authors' columns of Table 4 are shown too.
    """

    title: str
    methods: tuple[str, ...]
    sets: tuple[str, ...]
    quoted: bool = False


ALL, COMMON = (tuple(name for (name,) in table) for table in (TABLE_2, TABLE_4))
XVAL, BAYES, FLKL = "ARD-XVAL-LSSVM", "ARD-BR-LSSVM", "ARD-FLKL-LSSVM"
FIGURES = {
    2: RankFigure("RBF kernel", tuple(mean_errors(2)), ALL),
    3: RankFigure("ARD kernel", tuple(mean_errors(3)), ALL),
    6: RankFigure("RBF and ARD", ("RBF-XVAL-LSSVM", XVAL, "RBF-FLKL-LSSVM", FLKL), ALL),
    7: RankFigure("beside Bayesian regularisation", (XVAL, BAYES, FLKL), COMMON),
    8: RankFigure("beside multiple kernel learning", OURS, COMMON, quoted=True),
}
# Section 3.6 says so; the errors of ARD-BR-LSSVM are not in our copy.
GROUPS_OF_SECTION_3_6 = ((FLKL, BAYES), (BAYES, XVAL))


def printed_errors(number: int) -> dict[str, dict[str, float]] | None:
    """Return the printed mean errors behind a figure by method and set; None if there are none."""
    figure = FIGURES[number]
    if figure.quoted:
        return mean_errors(4)
    if not all(method in ERRORS for method in figure.methods):
        return None
    return {m: {name: ERRORS[m][name][0] for name in figure.sets} for m in figure.methods}


def printed_groups(number: int) -> Sequence[Sequence[Hashable]]:
    """Return the methods that the paper finds not significantly different."""
    errors = printed_errors(number)
    return GROUPS_OF_SECTION_3_6 if errors is None else compare(errors).groups(LEVEL)


def reproduce_rank_figure(number: int, options: RunOptions) -> ComparisonTable:
    """Run the methods of a figure, draw their ranks, and return ranks and tests."""
    figure = FIGURES[number]
    sets = load_sets(options.data_dir)
    names = [name for name in sets if name in figure.sets]
    columns = run_methods(figure.methods, sets, options, names)
    if figure.quoted:
        ours = compare_with_quoted(columns)
    else:
        ours = compare({method: column.errors for method, column in columns.items()})
    errors = printed_errors(number)
    printed = None if errors is None else _statistics(compare(errors))
    entries = tuple(
        TableEntry(row, COLUMN, None if printed is None else printed[row], [value], ".4g")
        for row, value in _statistics(ours).items()
    )
    notes = (
        "The paper's ranks and tests are those of its printed errors"
        + ("." if printed else ", which our copy does not hold for all of these methods."),
        f"Not significantly different at {LEVEL}, paper: {_in_words(printed_groups(number))}.",
        f"Not significantly different at {LEVEL}, ours: {_in_words(ours.groups(LEVEL))}.",
        splits_note({name: sets[name] for name in names}, options),
        *(column.note() for column in columns.values()),
        save_ranks(options.out / f"figure{number}.png", ours, LEVEL, height=2.2),
    )
    title = f"Cawley and Talbot (2014), Figure {number}: mean ranks, {figure.title}"
    return ComparisonTable(title, ("", "method"), (COLUMN,), entries, notes)


def _statistics(comparison: Comparison) -> Mapping[tuple[str, str], float]:
    ranks = {("mean rank", str(m)): float(rank) for m, rank in comparison.ranks.items()}
    test = comparison.iman_davenport
    return ranks | {
        ("χ²_F", ""): comparison.friedman.statistic,
        ("F_F", ""): test.statistic,
        ("p-value of F_F", ""): test.pvalue,
        ("critical difference", ""): comparison.critical_difference(LEVEL),
    }


def _in_words(groups: Iterable[Sequence[Hashable]]) -> str:
    return "; ".join(" = ".join(str(method) for method in group) for group in groups) or "none"
