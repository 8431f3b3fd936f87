"""The families of candidates; a new one is one line here."""

from __future__ import annotations

import numpy as np

from kernlearn.estimators.mixture.candidates.combination import bank, combined, sections
from kernlearn.estimators.mixture.candidates.family import Family
from kernlearn.estimators.mixture.candidates.sparse import sparse_view
from kernlearn.estimators.mixture.candidates.trees import trees_view
from kernlearn.kernels import ANOVA, Gaussian, Kernel, Laplacian, Linear, Matern, Polynomial
from kernlearn.numerics.rounding import standard_deviation
from kernlearn.typing import Array

__all__ = ["ARD", "COMBINATION", "FAMILIES", "LOG_TARGET"]


ARD, COMBINATION, LOG_TARGET = "ARD", "combination", "log target"

_WIDTHS = (0.1, 0.3, 1.0, 3.0, 10.0)
_COLUMN_WIDTHS = (0.1, 0.5, 2.0)
# What is learned from a sample of the rows takes all but very many columns.
_MANY = 250
# A kernel of single columns takes a pass over all pairs of rows for each of them.
_FEW = 100
# Sections of a hyperkernel take several for each.
_VERY_FEW = 30


def _square(X: Array) -> float:
    """The mean squared distance of two rows; one where all rows are equal."""
    return 2.0 * float((standard_deviation(X) ** 2).sum()) or 1.0


def _root(X: Array) -> float:
    return float(np.sqrt(_square(X)))


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
    return _square(X) / float(2 * X.shape[1])


def _size(X: Array) -> float:
    """The mean squared length of a row: the offset at which a polynomial has all its powers."""
    return float((X**2).sum(axis=1).mean()) or 1.0


def _gaussian(X: Array, c: float) -> Kernel:
    return Gaussian(c / _square(X))


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family("linear", lambda X, c: Linear()),
        Family("sparse linear", lambda X, c: Linear(), ranks=False, learn=sparse_view),
        Family("linear SVM", lambda X, c: Linear(), ranks=False, has_margin=True),
        Family("polynomial", lambda X, c: Polynomial(int(c), _size(X)), (2.0, 3.0)),
        Family("Gaussian", _gaussian, (0.03, *_WIDTHS, 30.0), True),
        Family("Gaussian SVM", _gaussian, (0.03, *_WIDTHS, 30.0), ranks=False, has_margin=True),
        Family("Matérn", lambda X, c: Matern(_root(X) / c, 1.5), _WIDTHS),
        Family("exponential", lambda X, c: Matern(_root(X) / c, 0.5), _WIDTHS, True),
        Family("Laplacian", lambda X, c: Laplacian(c / _absolute(X)), _WIDTHS, True),
        Family("additive", lambda X, c: ANOVA(c / _column(X), 1), _COLUMN_WIDTHS, False, _FEW),
        Family(COMBINATION, None, learn=combined(bank), max_columns=_MANY),
        Family("hyperkernel", None, learn=combined(sections), max_columns=_VERY_FEW, ranks=False),
        Family("interactions", lambda X, c: ANOVA(c / _column(X), 2), _COLUMN_WIDTHS, False, _FEW),
        Family("trees", None, learn=trees_view, max_columns=_MANY, ranks=False),
    )
}
