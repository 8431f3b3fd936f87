"""A kernel on a source that some rows lack."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from kernlearn.kernels._composite import _Combination, _Wrapper, with_parts
from kernlearn.kernels._validation import FloatArray, check_rows, is_frame, is_missing
from kernlearn.kernels.base import Kernel
from kernlearn.kernels.centered import Centered
from kernlearn.kernels.columns import Columns
from kernlearn.kernels.features import Features


class WhereKnown(_Wrapper):
    r"""A kernel centred on the rows that have its source, and zero where a row lacks it.

    .. math:: k(x, z) = a(x) \, a(z) \, k_c(x, z),

    with a(x) = 1 where x is there and 0 where it is missing, and :math:`k_c` the kernel around the
    mean of the training rows that have the source (`Centered`): a row without the source lies at
    that mean, where it is neither like nor unlike any other. A row is missing if its thing is (None
    or NaN), or all of its cells are.

    Parameters
    ----------
    kernel : Kernel
        The kernel k on rows that are there.
    sample : array-like or data frame, optional
        Rows whose mean becomes the origin; the training rows that have the source when not given.

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

    def __init__(self, kernel: Kernel, sample: Any = None) -> None:
        self.kernel = kernel
        self.sample = sample

    def _fitted(self, X: Any) -> Kernel:
        if self.sample is not None:
            return self
        there = np.flatnonzero(_is_known(X))
        if not len(there):
            raise ValueError(
                f"A source must be there in some rows, got one that {type(self.kernel).__name__} "
                f"reads and all {X.shape[0]} training rows lack; drop that source."
            )
        rows = _taken(X, there)
        return with_parts(self, kernel=self.kernel.fitted_to(rows), sample=rows)

    def _evaluate(self, X: Any, Y: Any) -> FloatArray:
        i = np.flatnonzero(_is_known(X))
        j = i if Y is X else np.flatnonzero(_is_known(Y))
        K = np.zeros((X.shape[0], Y.shape[0]))
        if len(i) and len(j):
            rows = _taken(X, i)
            K[np.ix_(i, j)] = self._centred()(rows, rows if Y is X else _taken(Y, j))
        return K

    def _diag(self, X: Any) -> FloatArray:
        values = np.zeros(X.shape[0])
        there = np.flatnonzero(_is_known(X))
        if len(there):
            values[there] = self._centred().diag(_taken(X, there))
        return values

    def _centred(self) -> Centered:
        if self.sample is None:
            raise ValueError(
                "WhereKnown must be fitted before it is called, got no sample; call "
                "kernel.fitted_to(X_train) first, as the estimators do."
            )
        return Centered(self.kernel, check_rows(self.sample, "sample"))


def with_gaps(kernel: Kernel) -> Kernel:
    """Return the kernel with every source within it, what `Columns` choose, allowed to be missing.

    Sums, products and other combinations are entered; where there are no `Columns`, the whole row
    is the source.
    """
    if isinstance(kernel, Columns):
        return with_parts(kernel, kernel=WhereKnown(kernel.kernel))
    if isinstance(kernel, _Combination):
        return with_parts(kernel, kernels=[with_gaps(part) for part in kernel.kernels])
    if isinstance(kernel, _Wrapper) and not isinstance(kernel, Features | WhereKnown):
        return with_parts(kernel, kernel=with_gaps(kernel.kernel))
    return WhereKnown(kernel)


def _is_known(X: Any) -> NDArray[np.bool_]:
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


def _taken(X: Any, rows: NDArray[np.intp]) -> Any:
    """These rows; the table itself where they are all of it."""
    if len(rows) == X.shape[0]:
        return X
    return X.iloc[rows] if is_frame(X) else X[rows]
