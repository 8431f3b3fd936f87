"""Rows that belong together: groups, such as patients, and copies of one row.

Equal rows are copies unless chance makes them: where columns hold few values, equal rows are
different observations. If columns were independent, a row would have as many twins as there are
other rows times the share of pairs that agree in every column; from one twin on, none is a copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from kernlearn.runtime.optional import load_pandas
from kernlearn.typing import Array, Indices, PandasFrame, Targets

# Rows that tell how often columns agree.
SAMPLE = 5000


@dataclass(frozen=True, eq=False)
class RowUnits:
    """What is held out together, and counts as one in tests."""

    codes: Indices | None
    """The number of every row's unit; None where every row is one."""
    n_duplicates: int = 0
    """Rows that repeat an earlier one."""

    @classmethod
    def of(cls, X: PandasFrame, groups: Targets | None) -> RowUnits:
        """From typed rows; `groups` holds a label for every row.

        >>> import pandas as pd
        >>> RowUnits.of(pd.DataFrame({"a": [0.5, 0.7, 0.5, 0.1, 0.2]}), None).codes.tolist()
        [0, 1, 0, 2, 3]
        """
        pd = load_pandas("reading a table")
        copies = _copies(X)
        n_duplicates = len(copies) - len(np.unique(copies))
        if groups is None:
            return cls(copies if n_duplicates else None, n_duplicates)
        codes = pd.factorize(groups)[0]
        return cls(_joined(codes, copies) if n_duplicates else codes, n_duplicates)


def _copies(X: PandasFrame) -> Indices:
    """The number of every row among the different ones; where chance makes equal rows, of all."""
    pd = load_pandas("reading a table")
    cells = X.map(str) if any(kind.kind == "O" for kind in X.dtypes) else X
    codes = np.asarray(pd.factorize(pd.util.hash_pandas_object(cells, index=False))[0])
    some = cells.iloc[np.linspace(0, len(X) - 1, min(len(X), SAMPLE)).astype(int)]
    n = len(some)
    counts = [some[name].value_counts(dropna=False).to_numpy() for name in some.columns]
    pairs = [float((each * (each - 1.0)).sum()) / max(n * (n - 1.0), 1.0) for each in counts]
    return np.arange(len(X)) if (len(X) - 1) * np.prod(pairs) >= 1.0 else codes


def _joined(groups: Indices, copies: Indices) -> Indices:
    """Groups of which a row is a copy of one in another become one."""
    n_groups, n_rows = int(groups.max()) + 1, int(copies.max()) + 1
    edges = coo_array(
        (np.ones(len(groups)), (groups, n_groups + copies)), shape=(n_groups + n_rows,) * 2
    )
    return np.asarray(connected_components(edges, directed=False)[1][groups])


def clustered_error(values: Array, units: Sequence[Indices]) -> float:
    r"""The standard error of a mean over rows that belong to units.

    Units are independent, and the rows of one are not, so that the variance of the mean is that of
    sums over units,

    .. math:: \frac{G}{G - 1} \frac{1}{n^2} \sum_g \Bigl(\sum_{i \in g} (v_i - \bar v)\Bigr)^2

    with G units and n rows.
    """
    n, rest = len(units), values - values.mean()
    sums = np.array([float(rest[rows].sum()) for rows in units])
    return float(np.sqrt(n / max(n - 1, 1) * (sums**2).sum())) / len(values)
