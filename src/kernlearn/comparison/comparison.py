"""Several methods on several data sets, compared: scores, ranks, tests and text."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernlearn.comparison import rank_tests
from kernlearn.comparison.rank_tests import RankTest
from kernlearn.comparison.scores import Scores, ScoreTable, read_scores
from kernlearn.runtime.optional import load_pandas
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array

if TYPE_CHECKING:
    import pandas as pd

_Mark = Callable[[str], str]

# The level at which the paper's tables print a result in italics.
MARK_LEVEL = 0.05
_NO_DIFFERENCE = (
    "not significantly different from it by Wilcoxon's signed-rank test over the repetitions "
    f"(level {MARK_LEVEL:g})"
)


def compare(
    table: ScoreTable,
    lower_is_better: bool = True,
    *,
    names: Iterable[Hashable] | None = None,
    data_sets: Iterable[Hashable] | None = None,
) -> Comparison:
    """Compare methods over data sets.

    Parameters
    ----------
    table : DataFrame, dict or array-like
        Scores: data sets in rows, methods in columns. With repetitions (the same splits for
        every method), there are standard errors and marks too. One of

        - a DataFrame; repetitions as a second level of its index;
        - a dict from methods to columns. A column is a list, an array or a dict with one entry
          per data set, and an entry is a score, a list of scores (as from ``cross_val_score``),
          what ``cross_validate`` returned, or a ``cv_results_``, of which the best candidate's
          folds are taken (a chosen best is flattered: nested cross-validation is fairer);
        - an array of shape (data sets, methods) or (data sets, methods, repetitions).
    lower_is_better : bool, default=True
        True for errors and losses, False for accuracies.
    names, data_sets : sequence, optional
        Names of the methods and of the data sets, where the table has none.

    Returns
    -------
    Comparison
        Ranks, tests, and the table as text.

    Raises
    ------
    ImportError
        Without pandas, which the extra ``io`` brings.
    ValueError
        If there are fewer than two methods or data sets, a name twice, or anything but a finite
        number in a cell.

    Examples
    --------
    >>> c = compare({"ridge": [0.20, 0.31, 0.15, 0.40], "svm": [0.18, 0.27, 0.15, 0.33]})
    >>> c.ranks.to_dict()
    {'ridge': 1.875, 'svm': 1.125}
    >>> round(c.friedman.pvalue, 3)
    0.083
    """
    if not isinstance(lower_is_better, bool | np.bool_):
        raise ValueError(
            f"expected lower_is_better to be True or False, got {lower_is_better!r}; "
            "errors are better low, accuracies high"
        )
    return Comparison(read_scores(table, names, data_sets), bool(lower_is_better))


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Ranks and tests of methods over data sets; made by `compare`.

    Attributes
    ----------
    lower_is_better : bool
        As given.

    References
    ----------
    Demšar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7.
    Cawley and Talbot (2014), section 3.2.
    """

    _scores: Scores
    lower_is_better: bool

    @property
    def scores(self) -> pd.DataFrame:
        """Mean scores: data sets in rows, methods in columns."""
        return _frame(self._scores, self._scores.means)

    @property
    def standard_errors(self) -> pd.DataFrame:
        """Standard errors s/√n of the means; nan where there is a single repetition."""
        return _frame(self._scores, self._scores.standard_errors)

    @property
    def ranks(self) -> pd.Series:
        """Mean rank of each method, 1 = best; ties share the average of their ranks.

        Scores count as tied where they agree to twelve significant digits.
        """
        mean_ranks = _ranks(self._scores, self.lower_is_better).mean(axis=0)
        return load_pandas("comparing methods").Series(
            mean_ranks, _index(self._scores.methods), name="mean rank"
        )

    @property
    def friedman(self) -> RankTest:
        r"""Friedman's test whether any methods differ: χ²_F, corrected for ties, and p-value.

        .. math:: \chi^2_F = \frac{12N}{k(k+1)} \Bigl[\sum_j R_j^2 - \frac{k(k+1)^2}{4}\Bigr]

        over N data sets and k methods of mean ranks :math:`R_j`, divided by
        :math:`1 - \sum(t^3 - t)/(Nk(k^2-1))` where t scores of a row tie, as scipy does. The
        paper prints the formula without the correction, and without k in the denominator.
        """
        return rank_tests.friedman(_ranks(self._scores, self.lower_is_better))

    @property
    def iman_davenport(self) -> RankTest:
        r"""Iman and Davenport's test whether any methods differ, less conservative.

        .. math:: F_F = \frac{(N-1)\chi^2_F}{N(k-1) - \chi^2_F}

        on k − 1 and (k − 1)(N − 1) degrees of freedom, and its p-value.
        """
        return rank_tests.iman_davenport(_ranks(self._scores, self.lower_is_better))

    def differs(self, alpha: float = 0.1) -> bool:
        """Whether Iman and Davenport's test finds a difference at the level alpha."""
        return self.iman_davenport.pvalue <= _check_level(alpha)

    def critical_difference(self, alpha: float = 0.1) -> float:
        r"""Nemenyi's critical difference of mean ranks, :math:`q_\alpha\sqrt{k(k+1)/(6N)}`."""
        N, k = self._scores.means.shape
        return rank_tests.critical_difference(k, N, _check_level(alpha))

    @property
    def nemenyi(self) -> pd.DataFrame:
        """P-values of Nemenyi's test of every two methods."""
        ranks = _ranks(self._scores, self.lower_is_better)
        methods = _index(self._scores.methods)
        pvalues = rank_tests.pairwise_pvalues(ranks.mean(axis=0), len(ranks))
        return load_pandas("comparing methods").DataFrame(pvalues, methods, methods)

    def groups(self, alpha: float = 0.1) -> list[tuple[Hashable, ...]]:
        """The largest groups of two or more methods that are not significantly different.

        As the paper does it: where Iman and Davenport's test finds no difference at the level
        alpha, all methods are one group; where it does, Nemenyi's test divides them. The best
        method of a group, and the group of the best, come first. A method may be in several.
        """
        width = self.critical_difference(alpha) if self.differs(alpha) else np.inf
        runs = rank_tests.maximal_groups(
            _ranks(self._scores, self.lower_is_better).mean(axis=0).tolist(), width
        )
        return [tuple(self._scores.methods[j] for j in run) for run in runs]

    @property
    def wilcoxon(self) -> pd.DataFrame:
        """Wilcoxon's signed-rank test over the data sets, of every two methods.

        One row per pair, with the data sets on which the first wins and loses, the method that
        the rank sums favour (None for neither), the statistic, and the p-value as it is and
        with Holm's correction for the number of pairs.
        """
        rows = rank_tests.signed_rank_rows(self._scores, self.lower_is_better)
        return load_pandas("comparing methods").DataFrame(rows).set_index(["first", "second"])

    @property
    def best(self) -> pd.DataFrame:
        """Whether a method has the best mean of the data set; the paper prints it in bold."""
        ranks = _ranks(self._scores, self.lower_is_better)
        return _frame(self._scores, ranks == ranks.min(axis=1, keepdims=True))

    def indistinguishable(self, alpha: float = 0.05) -> pd.DataFrame:
        """Whether a method is not the best of the data set, but not significantly worse.

        Methods are compared with the best one, or the first of several that tie, by Wilcoxon's
        signed-rank test over the repetitions at the level alpha. Without repetitions, all values
        are False. The paper prints these methods in italics.
        """
        _check_level(alpha)
        is_best = self.best.to_numpy()
        alike = np.zeros_like(is_best)
        for i, cells in enumerate(self._scores.repetitions):
            best = cells[int(np.argmax(is_best[i]))]
            for j in np.flatnonzero(~is_best[i]) if len(best) > 1 else ():
                alike[i, j] = rank_tests.signed_rank(cells[j], best).pvalue > alpha
        return _frame(self._scores, alike)

    def to_text(self, alpha: float = 0.1, number_format: str = ".3f") -> str:
        """The table with marks, the ranks and the tests, for a terminal."""
        return _as_text(self, _check_level(alpha), number_format)

    def to_markdown(self, alpha: float = 0.1, number_format: str = ".3f") -> str:
        """The table with bold and italic as in the paper, the ranks and the tests."""
        return _as_markdown(self, _check_level(alpha), number_format)

    def __repr__(self) -> str:
        return _summary(self)


def _ranks(scores: Scores, lower_is_better: bool) -> Array:
    return rank_tests.row_ranks(scores.means, lower_is_better)


def _frame(scores: Scores, values: NDArray[Any]) -> pd.DataFrame:
    rows, columns = _index(scores.data_sets), _index(scores.methods)
    return load_pandas("comparing methods").DataFrame(values, rows, columns)


def _index(names: Sequence[Hashable]) -> pd.Index:
    return load_pandas("comparing methods").Index(names, tupleize_cols=False)


def _check_level(alpha: object) -> float:
    if not isinstance(alpha, float | np.floating) or not 0 < alpha < 1:
        raise ValueError(f"expected a level alpha between 0 and 1, got {alpha!r}; 0.05 is usual")
    return float(alpha)


def _as_text(c: Comparison, alpha: float, number_format: str) -> str:
    """Aligned columns for a terminal."""
    rows = _rows(c, number_format, str, "{} *".format, "{} ~".format)
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    legend = "* best of the row" + (f"; ~ {_NO_DIFFERENCE}" if _has_italics(c) else "")
    return "\n".join([*lines, "", legend, "", *_sentences(c, alpha)])


def _as_markdown(c: Comparison, alpha: float, number_format: str) -> str:
    """A Markdown table: the best of a row bold, those not significantly worse italic."""
    rows = _rows(
        c, number_format, lambda name: name.replace("|", r"\|"), "**{}**".format, "*{}*".format
    )
    rows.insert(1, ["---", *["---:"] * (len(rows[0]) - 1)])
    lines = [f"| {' | '.join(row)} |" for row in rows]
    legend = "Bold: best of the row." + (f" Italic: {_NO_DIFFERENCE}." if _has_italics(c) else "")
    return "\n".join([*lines, "", legend, "", *[f"- {line}" for line in _sentences(c, alpha)]])


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


def _summary(c: Comparison) -> str:
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


def _sentences(c: Comparison, alpha: float) -> list[str]:
    """Results of the tests at the level alpha, in sentences."""
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
        f"Nemenyi: mean ranks must differ by {cd:.4g} for significance at the level {alpha:g}"
        + (", which so few data sets cannot show." if cd > k - 1 else "."),
    ]
    lines += [f"Not significantly different: {_listed(group)}." for group in c.groups(alpha)]
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
