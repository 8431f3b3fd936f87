"""Every two methods, by Wilcoxon's signed-rank test over the data sets."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from kernlearn.comparison.scores import Scores
from kernlearn.comparison.signed_rank import differences, holm, leaning, signed_rank


def signed_rank_rows(scores: Scores, lower_is_better: bool) -> list[dict[str, Any]]:
    """One row per pair of methods, in the order of the table."""
    # Signed so that a higher number is better, and positive differences are wins of the first.
    columns = (-scores.means if lower_is_better else scores.means).T
    rows: list[dict[str, Any]] = []
    for i, j in combinations(range(len(columns)), 2):
        first, second = scores.methods[i], scores.methods[j]
        won = differences(columns[i], columns[j])
        favour = leaning(columns[i], columns[j])
        test = signed_rank(columns[i], columns[j])
        rows.append(
            {
                "first": first,
                "second": second,
                "wins": int((won > 0).sum()),
                "losses": int((won < 0).sum()),
                "better": None if favour == 0 else first if favour > 0 else second,
                "statistic": test.statistic,
                "pvalue": test.pvalue,
            }
        )
    for row, corrected in zip(rows, holm([row["pvalue"] for row in rows]), strict=True):
        row["pvalue_holm"] = float(corrected)
    return rows
