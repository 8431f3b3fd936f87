"""The way in: from a table of scores to a comparison."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from kernlearn.comparison.comparison import Comparison
from kernlearn.comparison.reading import read_scores


def compare(
    table: Any,
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
