"""A kernel on a source that some rows lack."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import issparse

from kernlearn.kernels._composite import _Combination, _Wrapper, with_parts
from kernlearn.kernels._sharing import shared
from kernlearn.kernels._sparse_rows import SparseRows
from kernlearn.kernels._validation import is_frame, is_missing, take_rows
from kernlearn.kernels.base import Kernel
from kernlearn.kernels.columns import Columns
from kernlearn.kernels.features import Features
from kernlearn.kernels.normalized import Centered
from kernlearn.typing import Array, Indices, Mask, Rows, Table

# A mean of so many rows is known well enough; all of them would take a matrix of their pairs, and
# stay with the kernel.
MOST_SAMPLE = 3000


class WhereKnown(_Wrapper):
    r"""A kernel centred on the rows that have its source, and zero where a row lacks it.

    .. math:: k(x, z) = a(x) \, a(z) \, k_c(x, z),

    with a(x) = 1 where x is there and 0 where it is missing, and :math:`k_c` the kernel around the
    mean of the training rows that have the source (`Centered`), of 3000 of them where there are
    more: a row without the source lies at that mean, where it is neither like nor unlike any other.
    A row is missing if its thing is (None or NaN), or all of its cells are.

    Parameters
    ----------
    kernel : Kernel
        The kernel k on rows that are there.
    sample : array-like or data frame, optional
        Rows whose mean becomes the origin; the training rows that have the source when not given.
    mean : float, optional
        The mean of k over pairs of the sample, as in `Centered`.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.kernels import Linear, WhereKnown
    >>> X = np.array([[1.0], [np.nan], [3.0]])
    >>> WhereKnown(Linear()).fitted_to(X)(X)
    array([[ 1.,  0., -1.],
           [ 0.,  0.,  0.],
           [-1.,  0.,  1.]])
    """

    takes_things = True

    def __init__(self, kernel: Kernel, sample: Rows = None, mean: float | None = None) -> None:
        self.kernel = kernel
        self.sample = sample
        self.mean = mean

    def _fitted(self, X: Table) -> Kernel:
        if self.sample is not None:
            return self
        there, rows = _known(X)
        if not len(there):
            raise ValueError(
                f"A source must be there in some rows, got one that {type(self.kernel).__name__} "
                f"reads and all {X.shape[0]} training rows lack; drop that source."
            )
        fitted, sample = self.kernel.fitted_to(rows), rows
        if len(there) > MOST_SAMPLE:
            few = np.linspace(0, len(there) - 1, MOST_SAMPLE).astype(int)
            sample = take_rows(rows, few)
        centred = Centered(fitted, sample).fitted_to(sample)
        return with_parts(self, kernel=fitted, sample=sample, mean=centred.mean)

    def sparse_rows(self, X: Table) -> SparseRows | None:
        """Zero where a row is missing."""
        there, rows = _known(X)
        found = self._centred().sparse_rows(rows)
        return None if found is None else found.among(X.shape[0], there)

    def _evaluate(self, X: Table, Y: Table) -> Array:
        i, rows = _known(X)
        j, columns = (i, rows) if Y is X else _known(Y)
        K = np.zeros((X.shape[0], Y.shape[0]))
        centred = self._centred()
        if len(i) and len(j):
            K[np.ix_(i, j)] = centred(rows, columns)
        return K

    def _diag(self, X: Table) -> Array:
        values = np.zeros(X.shape[0])
        there, rows = _known(X)
        centred = self._centred()
        if len(there):
            values[there] = centred.diag(rows)
        return values

    def _centred(self) -> Centered:
        if self.sample is None:
            raise ValueError(
                "WhereKnown must be fitted before it is called, got no sample; call "
                "kernel.fitted_to(X_train) first, as the estimators do."
            )
        return Centered(self.kernel, self.sample, self.mean)


def with_gaps(kernel: Kernel) -> Kernel:
    """Return the kernel with every source within it, what `Columns` choose, allowed to be missing.

    Sums, products and other combinations are entered; where there are no `Columns`, the whole row
    is the source.
    """
    return each_source(kernel, _allowing_gaps)


def each_source(kernel: Kernel, change: Callable[[Kernel], Kernel]) -> Kernel:
    """Return the kernel with every source within it changed; combinations are entered."""
    if isinstance(kernel, _Combination):
        return with_parts(kernel, kernels=[each_source(part, change) for part in kernel.kernels])
    if isinstance(kernel, _Wrapper) and not isinstance(kernel, Columns | Features | WhereKnown):
        return with_parts(kernel, kernel=each_source(kernel.kernel, change))
    return change(kernel)


def _allowing_gaps(source: Kernel) -> Kernel:
    if not isinstance(source, Columns):
        return source if isinstance(source, WhereKnown) else WhereKnown(source)
    return with_parts(source, kernel=_allowing_gaps(source.kernel))


def known_rows(source: Kernel, X: Table) -> Mask:
    """Which rows of a table have the source that a kernel reads."""
    return _is_known(source.selected(X) if isinstance(source, Columns) else X)


def _is_known(X: Rows) -> Mask:
    """Which rows are there."""
    if issparse(X):
        return np.ones(X.shape[0], dtype=bool)
    if is_frame(X):
        return np.asarray(~X.isna().all(axis=1), dtype=bool)
    if X.dtype.kind == "f":
        missing = np.isnan(X)
    else:
        missing = np.array([is_missing(cell) for cell in X.ravel()], dtype=bool).reshape(X.shape)
    return np.asarray(~(missing.all(axis=1) if missing.ndim == 2 else missing))


def _known(X: Table) -> tuple[Indices, Table]:
    """The places of the rows that are there, and these rows; X itself where they are all of it."""

    def found() -> tuple[Indices, Table]:
        there = np.flatnonzero(_is_known(X))
        if len(there) == X.shape[0]:
            return there, X
        return there, take_rows(X, there)

    return shared("known", found, X)
