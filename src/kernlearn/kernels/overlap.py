"""Categories: equal or not, rare ones counting more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array

from kernlearn.kernels._composite import with_parts
from kernlearn.kernels._distances import squared_lengths
from kernlearn.kernels._parameters import positive
from kernlearn.kernels._validation import check_rows, check_same_columns, is_frame, is_missing
from kernlearn.kernels.base import Kernel
from kernlearn.kernels.structured_inputs import inner_products_of_counts
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array, Rows, Table, Things


class Overlap(Kernel):
    r"""The share of columns in which two rows have the same category, rare ones counting more.

    .. math::

        k(x, z) = \frac1d \sum_{j=1}^{d} h(p_j(x_j)) \, [x_j = z_j],
        \qquad h(p) = (1 - p^\alpha)^{1/\alpha},

    where :math:`p_j(c)` is the share of category c in column j of the training rows: to agree in
    what is rare says more (Belanche and Villegas, 2013). A category that the training rows do not
    have has p = 0. A missing cell (None, NaN) equals nothing, not even another missing cell.

    Parameters
    ----------
    alpha : float or None, default=1.0
        The α, above zero; the larger it is, the less rarity counts. None: all categories count the
        same, and nothing is taken from the training rows.
    frequencies : list of dict, optional
        :math:`p_j` for every column; taken from the training rows when not given.

    Examples
    --------
    >>> from kernlearn.kernels import Overlap
    >>> X = [["red", "S"], ["red", "M"], ["red", "S"], ["blue", "M"]]
    >>> Overlap().fitted_to(X)(X[:3], X[3:])
    array([[0.  ],
           [0.25],
           [0.  ]])
    >>> Overlap(alpha=None)([["red", "S"]], [["red", "M"]])
    array([[0.5]])
    """

    takes_things = True

    def __init__(self, alpha: float | None = 1.0, frequencies: Any = None) -> None:
        self.alpha = alpha
        self.frequencies = frequencies

    def _check_parameters(self) -> None:
        if self.alpha is not None:
            positive(self.alpha, "Overlap's alpha")

    def _check_table(self, X: object, name: str) -> Rows:
        table = check_rows(X, name)
        return table if table.ndim == 2 else table[:, None]

    def _check_data(self, X: Rows, name: str) -> Things:
        if hasattr(X, "tocsr"):
            raise ValueError(
                f"Overlap needs {name} as a dense table of categories, got a sparse matrix; choose "
                "the columns of categories first."
            )
        return np.asarray(X.to_numpy(dtype=object) if is_frame(X) else X.astype(object))

    def _fitted(self, X: Table) -> Kernel:
        if self.alpha is None or self.frequencies is not None:
            return self
        columns = self._check_data(X, "X").T
        return with_parts(self, frequencies=[_shares(column) for column in columns])

    def _evaluate(self, X: Things, Y: Things) -> Array:
        if Y is X:
            cells = self._indicators(X)
            return inner_products_of_counts(cells, cells)
        check_same_columns(X, Y)
        cells = self._indicators(np.concatenate([X, Y]))
        return inner_products_of_counts(cells[: len(X)], cells[len(X) :])

    def _diag(self, X: Things) -> Array:
        return squared_lengths(self._indicators(X))

    def _indicators(self, X: Things) -> csr_array:
        """One column for each category of each column, with the root of its weight."""
        if self.alpha is not None:
            self._check_fitted(X.shape[1])
        rows, columns = [], []
        numbers: dict[tuple[int, Hashable], int] = {}
        for j, column in enumerate(X.T):
            for i, cell in enumerate(column):
                if not is_missing(cell):
                    rows.append(i)
                    columns.append(numbers.setdefault((j, _category(cell)), len(numbers)))
        weights = [self._weight(j, category) for j, category in numbers]
        values = np.sqrt(np.array(weights, dtype=float) / X.shape[1])[columns]
        shape = (len(X), max(len(numbers), 1))
        return coo_array((values, (rows, columns)), shape=shape).tocsr()

    def _weight(self, j: int, category: Hashable) -> float:
        if self.alpha is None:
            return 1.0
        share = float(self.frequencies[j].get(category, 0.0))
        return float(max(1.0 - share**self.alpha, 0.0) ** (1.0 / self.alpha))

    def _check_fitted(self, n_columns: int) -> None:
        if self.frequencies is None:
            raise ValueError(
                "Overlap must be fitted before it is called, got no frequencies; call "
                "kernel.fitted_to(X_train) first, as the estimators do, or choose alpha=None."
            )
        if len(self.frequencies) != n_columns:
            raise ValueError(
                f"Overlap must be called with the {counted(len(self.frequencies), 'column')} whose "
                f"frequencies it has, got {n_columns}; pass the same columns."
            )


def _shares(column: Things) -> dict[Hashable, float]:
    counts = Counter(_category(cell) for cell in column if not is_missing(cell))
    return {category: n / len(column) for category, n in counts.items()}


def _category(cell: object) -> Hashable:
    plain = cell.item() if isinstance(cell, np.generic) else cell
    try:
        hash(plain)
    except TypeError:
        raise ValueError(
            f"Overlap's categories must be text or numbers, got {plain!r}; choose the columns of "
            "categories with kernlearn.kernels.Columns."
        ) from None
    return plain
