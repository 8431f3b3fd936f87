"""The families of candidates; a new one is one line here."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse

from kernlearn.estimators.mixture.candidates.combination import bank, combined, sections
from kernlearn.estimators.mixture.candidates.family import KernelFamily, mean_squared_distance
from kernlearn.estimators.mixture.candidates.lasso import lasso_columns
from kernlearn.estimators.mixture.candidates.source_combination import combined_sources
from kernlearn.estimators.mixture.candidates.trees import tree_kernels
from kernlearn.estimators.mixture.preparation.table import NumericRows
from kernlearn.kernels import ANOVA, Gaussian, Kernel, Laplacian, Linear, Matern, Polynomial
from kernlearn.typing import Array

ARD, COMBINATION, LINEAR, LOG_TARGET = "ARD", "combination", "linear", "log target"
GAUSSIAN, TREES = "Gaussian", "trees"

_WIDTHS = (0.1, 0.3, 1.0, 3.0, 10.0)
_COLUMN_WIDTHS = (0.1, 0.5, 2.0)
# Most columns of families that learn from a sample of the rows.
_MANY = 250
# A kernel of single columns takes a pass over all pairs of rows for each column.
_FEW = 100
# Sections of a hyperkernel take several passes for each column.
_VERY_FEW = 30


def _root(X: NumericRows) -> float:
    return float(np.sqrt(mean_squared_distance(X)))


def _absolute(X: Array) -> float:
    r"""The mean of :math:`\|x - z\|_1` over pairs of rows, column by column from sorted values.

    >>> _absolute(np.array([[0.0], [1.0], [3.0]])) == 2 * (1 + 3 + 2) / 9
    True
    """
    n = len(X)
    ranks = 2.0 * np.arange(1, n + 1) - n - 1.0
    total = float((ranks @ np.sort(X, axis=0)).sum())
    return 2.0 * total / n**2 or 1.0


def _column(X: Array) -> float:
    """The mean variance of a column."""
    return mean_squared_distance(X) / float(2 * X.shape[1])


def _size(X: NumericRows) -> float:
    """The mean squared length of a row: the offset at which a polynomial has all its powers."""
    cells = np.asarray(X.data if issparse(X) else X)
    return float((cells**2).sum()) / X.shape[0] or 1.0


def _gaussian(X: NumericRows, c: float) -> Kernel:
    return Gaussian(c / mean_squared_distance(X))


_ALL = (0.03, *_WIDTHS, 30.0)

FAMILIES: dict[str, KernelFamily] = {
    family.name: family
    for family in (
        KernelFamily(LINEAR, lambda X, c: Linear(), takes_sparse=True, of_sources=True),
        KernelFamily("sparse linear", lambda X, c: Linear(), ranks=False, learn=lasso_columns),
        KernelFamily(
            "linear SVM",
            lambda X, c: Linear(),
            ranks=False,
            has_margin=True,
            takes_sparse=True,
            of_sources=True,
        ),
        KernelFamily(
            "polynomial",
            lambda X, c: Polynomial(int(c), _size(X)),
            (2.0, 3.0),
            takes_sparse=True,
        ),
        KernelFamily(GAUSSIAN, _gaussian, _ALL, stretches=True, takes_sparse=True, of_sources=True),
        KernelFamily(
            "Gaussian SVM", _gaussian, _ALL, ranks=False, has_margin=True, takes_sparse=True
        ),
        KernelFamily("Matérn", lambda X, c: Matern(_root(X) / c, 1.5), _WIDTHS, takes_sparse=True),
        KernelFamily(
            "exponential",
            lambda X, c: Matern(_root(X) / c, 0.5),
            _WIDTHS,
            stretches=True,
            takes_sparse=True,
        ),
        KernelFamily(
            "Laplacian", lambda X, c: Laplacian(c / _absolute(X)), _WIDTHS, stretches=True
        ),
        KernelFamily(
            "additive", lambda X, c: ANOVA(c / _column(X), 1), _COLUMN_WIDTHS, max_columns=_FEW
        ),
        KernelFamily(COMBINATION, None, learn=combined(bank), max_columns=_MANY),
        KernelFamily(
            "hyperkernel", None, learn=combined(sections), max_columns=_VERY_FEW, ranks=False
        ),
        KernelFamily(
            "interactions",
            lambda X, c: ANOVA(c / _column(X), 2),
            _COLUMN_WIDTHS,
            max_columns=_FEW,
        ),
        KernelFamily(TREES, None, learn=tree_kernels, max_columns=_MANY, ranks=False),
        *(
            KernelFamily(
                name,
                None,
                learn=combined_sources(are_equal),
                takes_sparse=True,
                has_margin=has_margin,
                combines_sources=True,
            )
            for name, are_equal, has_margin in (
                ("combined sources", False, False),
                ("equal sources", True, False),
                ("combined sources SVM", False, True),
                ("equal sources SVM", True, True),
            )
        ),
    )
}
