"""The table that is timed."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.runtime.optional import load_pandas
from kernlearn.tables import Column

__all__ = ["generated_table"]

NOISE = 0.5


def generated_table(
    n_rows: int, n_columns: int, task: str, seed: int
) -> tuple[Any, Any, list[Column]]:
    r"""A table with something to learn and enough noise that it is not easy.

    .. math:: f(x) = \sin 2 x_1 + \sum_{j > 1} x_j / j, \quad y = f(x) / \sigma + \varepsilon / 2

    with normal :math:`x` and :math:`\varepsilon`, and :math:`\sigma` the standard deviation of
    :math:`f` over the rows. For classification, the two sides of the median of :math:`y`.

    Parameters
    ----------
    n_rows, n_columns : int
        Its size.
    task : str
        "classification" or "regression".
    seed : int
        Of the generator.

    Returns
    -------
    X : DataFrame
    y : ndarray
    columns : list of Column
        What the columns are.
    """
    pd = load_pandas("timing the methods")
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    signal = np.sin(2.0 * X[:, 0]) + X[:, 1:] @ (1.0 / np.arange(2.0, n_columns + 1.0))
    y = signal / signal.std() + NOISE * rng.normal(size=n_rows)
    names = [f"x{j}" for j in range(1, n_columns + 1)]
    target = y if task == "regression" else np.where(y > np.median(y), "above", "below")
    return pd.DataFrame(X, columns=names), target, [Column(name, "number", "") for name in names]
