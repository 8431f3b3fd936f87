"""Several methods on several data sets, compared."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernlearn.comparison import friedman, nemenyi, pairwise, signed_rank, writing
from kernlearn.comparison.rank_test import RankTest
from kernlearn.comparison.ranks import row_ranks
from kernlearn.comparison.scores import Scores
from kernlearn.runtime.optional import load_pandas
from kernlearn.typing import Array

if TYPE_CHECKING:
    import pandas as pd


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

    def __init__(self, scores: Scores, lower_is_better: bool) -> None:
        self._scores = scores
        self.lower_is_better = lower_is_better

    @property
    def scores(self) -> pd.DataFrame:
        """Mean scores: data sets in rows, methods in columns."""
        return self._frame(self._scores.means)

    @property
    def standard_errors(self) -> pd.DataFrame:
        """Standard errors s/√n of the means; nan where there is a single repetition."""
        return self._frame(self._scores.standard_errors)

    @property
    def ranks(self) -> pd.Series:
        """Mean rank of each method, 1 = best; ties share the average of their ranks.

        Scores count as tied where they agree to twelve significant digits.
        """
        mean_ranks = self._ranks().mean(axis=0)
        return load_pandas("comparing methods").Series(
            mean_ranks, self._methods(), name="mean rank"
        )

    @property
    def friedman(self) -> RankTest:
        r"""Friedman's test whether any methods differ: χ²_F, corrected for ties, and p-value.

        .. math:: \chi^2_F = \frac{12N}{k(k+1)} \Bigl[\sum_j R_j^2 - \frac{k(k+1)^2}{4}\Bigr]

        over N data sets and k methods of mean ranks :math:`R_j`, divided by
        :math:`1 - \sum(t^3 - t)/(Nk(k^2-1))` where t scores of a row tie, as scipy does. The
        paper prints the formula without the correction, and without k in the denominator.
        """
        return friedman.friedman(self._ranks())

    @property
    def iman_davenport(self) -> RankTest:
        r"""Iman and Davenport's test whether any methods differ, less conservative.

        .. math:: F_F = \frac{(N-1)\chi^2_F}{N(k-1) - \chi^2_F}

        on k − 1 and (k − 1)(N − 1) degrees of freedom, and its p-value.
        """
        return friedman.iman_davenport(self._ranks())

    def differs(self, alpha: float = 0.1) -> bool:
        """Whether Iman and Davenport's test finds a difference at the level alpha."""
        return self.iman_davenport.pvalue <= _check_level(alpha)

    def critical_difference(self, alpha: float = 0.1) -> float:
        r"""Nemenyi's critical difference of mean ranks, :math:`q_\alpha\sqrt{k(k+1)/(6N)}`."""
        N, k = self._scores.means.shape
        return nemenyi.critical_difference(k, N, _check_level(alpha))

    @property
    def nemenyi(self) -> pd.DataFrame:
        """P-values of Nemenyi's test of every two methods."""
        ranks = self._ranks()
        methods = self._methods()
        pvalues = nemenyi.pairwise_pvalues(ranks.mean(axis=0), len(ranks))
        return load_pandas("comparing methods").DataFrame(pvalues, methods, methods)

    def groups(self, alpha: float = 0.1) -> list[tuple[Hashable, ...]]:
        """The largest groups of two or more methods that are not significantly different.

        As the paper does it: where Iman and Davenport's test finds no difference at the level
        alpha, all methods are one group; where it does, Nemenyi's test divides them. The best
        method of a group, and the group of the best, come first. A method may be in several.
        """
        width = self.critical_difference(alpha) if self.differs(alpha) else np.inf
        runs = nemenyi.undivided(self._ranks().mean(axis=0).tolist(), width)
        return [tuple(self._scores.methods[j] for j in run) for run in runs]

    @property
    def wilcoxon(self) -> pd.DataFrame:
        """Wilcoxon's signed-rank test over the data sets, of every two methods.

        One row per pair, with the data sets on which the first wins and loses, the method that
        the rank sums favour (None for neither), the statistic, and the p-value as it is and
        with Holm's correction for the number of pairs.
        """
        rows = pairwise.signed_rank_rows(self._scores, self.lower_is_better)
        return load_pandas("comparing methods").DataFrame(rows).set_index(["first", "second"])

    @property
    def best(self) -> pd.DataFrame:
        """Whether a method has the best mean of the data set; the paper prints it in bold."""
        ranks = self._ranks()
        return self._frame(ranks == ranks.min(axis=1, keepdims=True))

    def indistinguishable(self, alpha: float = 0.05) -> pd.DataFrame:
        """Whether a method, though not the best, is not told apart from the best of the data set.

        By Wilcoxon's signed-rank test over the repetitions at the level alpha; the paper prints
        these in italics. Without repetitions, nowhere. Where several tie for the best, the first.
        """
        _check_level(alpha)
        is_best = self.best.to_numpy()
        alike = np.zeros_like(is_best)
        for i, cells in enumerate(self._scores.repetitions):
            best = cells[int(np.argmax(is_best[i]))]
            for j in np.flatnonzero(~is_best[i]) if len(best) > 1 else ():
                alike[i, j] = signed_rank.signed_rank(cells[j], best).pvalue > alpha
        return self._frame(alike)

    def to_text(self, alpha: float = 0.1, number_format: str = ".3f") -> str:
        """The table with marks, the ranks and the tests, for a terminal."""
        return writing.as_text(self, _check_level(alpha), number_format)

    def to_markdown(self, alpha: float = 0.1, number_format: str = ".3f") -> str:
        """The table with bold and italic as in the paper, the ranks and the tests."""
        return writing.as_markdown(self, _check_level(alpha), number_format)

    def __repr__(self) -> str:
        return writing.summary(self)

    def _ranks(self) -> Array:
        return row_ranks(self._scores.means, self.lower_is_better)

    def _methods(self) -> Any:
        return load_pandas("comparing methods").Index(self._scores.methods, tupleize_cols=False)

    def _frame(self, values: NDArray[Any]) -> pd.DataFrame:
        rows = load_pandas("comparing methods").Index(self._scores.data_sets, tupleize_cols=False)
        return load_pandas("comparing methods").DataFrame(values, rows, self._methods())


def _check_level(alpha: Any) -> float:
    if not isinstance(alpha, float | np.floating) or not 0 < alpha < 1:
        raise ValueError(f"expected a level alpha between 0 and 1, got {alpha!r}; 0.05 is usual")
    return float(alpha)
