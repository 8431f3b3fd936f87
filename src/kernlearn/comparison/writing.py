"""A comparison as text: the table with its marks, and sentences about the tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kernlearn.runtime.phrases import counted

if TYPE_CHECKING:
    from kernlearn.comparison.comparison import Comparison

_Mark = Callable[[str], str]

# The level at which the paper's tables print a result in italics.
MARK_LEVEL = 0.05
_NOT_TOLD_APART = (
    "not told apart from it by Wilcoxon's signed-rank test over the repetitions "
    f"(level {MARK_LEVEL:g})"
)


def as_text(c: Comparison, alpha: float, number_format: str) -> str:
    """Aligned columns for a terminal."""
    rows = _rows(c, number_format, str, "{} *".format, "{} ~".format)
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    legend = "* best of the row" + (f"; ~ {_NOT_TOLD_APART}" if _has_italics(c) else "")
    return "\n".join([*lines, "", legend, "", *sentences(c, alpha)])


def as_markdown(c: Comparison, alpha: float, number_format: str) -> str:
    """A Markdown table: the best of a row bold, those not told apart from it italic."""
    rows = _rows(
        c, number_format, lambda name: name.replace("|", r"\|"), "**{}**".format, "*{}*".format
    )
    rows.insert(1, ["---", *["---:"] * (len(rows[0]) - 1)])
    lines = [f"| {' | '.join(row)} |" for row in rows]
    legend = "Bold: best of the row." + (f" Italic: {_NOT_TOLD_APART}." if _has_italics(c) else "")
    return "\n".join([*lines, "", legend, "", *[f"- {line}" for line in sentences(c, alpha)]])


def _rows(
    c: Comparison, number_format: str, name: _Mark, best: _Mark, alike: _Mark
) -> list[list[str]]:
    """Header, one row per data set, and the mean ranks."""
    marks = _marks(c, best, alike)
    rows = [["data set", *(name(str(m)) for m in c.ranks.index)]]
    errors = c.standard_errors.to_numpy()
    for i, (data_set, row) in enumerate(zip(c.scores.index, c.scores.to_numpy(), strict=True)):
        cells = [_cell(mean, se, number_format) for mean, se in zip(row, errors[i], strict=True)]
        marked = [mark(cell) for mark, cell in zip(marks[i], cells, strict=True)]
        rows.append([name(str(data_set)), *marked])
    rows.append(["mean rank", *(f"{rank:.4f}" for rank in c.ranks)])
    return rows


def _marks(c: Comparison, best: _Mark, alike: _Mark) -> list[list[_Mark]]:
    is_best, is_alike = c.best.to_numpy(), c.indistinguishable(MARK_LEVEL).to_numpy()
    return [
        [best if b else alike if a else str for b, a in zip(*flags, strict=True)]
        for flags in zip(is_best, is_alike, strict=True)
    ]


def _has_italics(c: Comparison) -> bool:
    return bool(np.isfinite(c.standard_errors.to_numpy()).any())


def _cell(mean: float, error: float, number_format: str) -> str:
    text = format(mean, number_format)
    return f"{text} ± {format(error, number_format)}" if np.isfinite(error) else text


def summary(c: Comparison) -> str:
    """A few lines: sizes, ranks from the best, and whether the methods differ."""
    N, k = c.scores.shape
    ranks = c.ranks.sort_values(kind="stable")
    test = c.iman_davenport
    return "\n".join(
        [
            f"Comparison of {counted(k, 'method')} on {counted(N, 'data set')}, "
            f"{'lower' if c.lower_is_better else 'higher'} is better",
            f"mean ranks: {_listed([f'{name} {rank:.3f}' for name, rank in ranks.items()])}",
            f"Iman-Davenport: F = {test.statistic:.4g}, p = {test.pvalue:.3g}",
        ]
    )


def sentences(c: Comparison, alpha: float) -> list[str]:
    """What the tests say at the level alpha."""
    N, k = c.scores.shape
    friedman, davenport = c.friedman, c.iman_davenport
    cd = c.critical_difference(alpha)
    lines = [
        f"Friedman: χ² = {friedman.statistic:.4g} on {k - 1} degree{'s' * (k > 2)} of freedom, "
        f"p = {friedman.pvalue:.3g}.",
        f"Iman-Davenport: F = {davenport.statistic:.4g} on {k - 1} and {(k - 1) * (N - 1)} "
        f"degrees of freedom, p = {davenport.pvalue:.3g}: "
        + ("the methods differ" if c.differs(alpha) else "no difference between the methods")
        + f" at the level {alpha:g}.",
        f"Nemenyi: mean ranks must differ by {cd:.4g} to be told apart at the level {alpha:g}"
        + (", which so few data sets cannot show." if cd > k - 1 else "."),
    ]
    lines += [f"Not told apart: {_listed(group)}." for group in c.groups(alpha)]
    return [*lines, _wilcoxon_sentence(c, alpha)]


def _wilcoxon_sentence(c: Comparison, alpha: float) -> str:
    pairs = []
    for pair, row in c.wilcoxon.iterrows():
        if row["pvalue_holm"] <= alpha:
            better = row["better"]
            worse = pair[1] if pair[0] == better else pair[0]
            pairs.append(f"{better} better than {worse} (p = {row['pvalue_holm']:.3g})")
    found = "; ".join(pairs) if pairs else f"no pair differs at the level {alpha:g}"
    return f"Wilcoxon with Holm's correction: {found}."


def _listed(names: Sequence[Any]) -> str:
    return ", ".join(str(name) for name in names)
