"""A kernel with unit diagonal, or centred in feature space."""

from __future__ import annotations

import numpy as np

from kernlearn._device import beside, is_elsewhere, to_host
from kernlearn.kernels._composite import _Wrapper, with_parts
from kernlearn.kernels._matrices import check_diagonal, divide_by_roots, roots, squares_around_mean
from kernlearn.kernels._sharing import shared
from kernlearn.kernels._sparse_rows import SparseRows
from kernlearn.kernels.base import Kernel
from kernlearn.typing import Array, Rows, Table


class Normalized(_Wrapper):
    r"""The cosine in feature space, :math:`k(x, z) / \sqrt{k(x, x) \, k(z, z)}`.

    A point with k(x, x) = 0 has no direction: its normalised value is zero with every point,
    itself included, so that the matrix stays positive semidefinite.

    Parameters
    ----------
    kernel : Kernel
        The kernel k.

    Examples
    --------
    >>> from kernlearn.kernels import Linear, Normalized
    >>> Normalized(Linear())([[3.0, 0.0], [1.0, 1.0], [0.0, 0.0]]).round(3)
    array([[1.   , 0.707, 0.   ],
           [0.707, 1.   , 0.   ],
           [0.   , 0.   , 0.   ]])
    """

    passes_arrays = True

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def sparse_rows(self, X: Table) -> SparseRows | None:
        """The directions of the rows."""
        rows = self.kernel.sparse_rows(X)
        if rows is None:
            return None
        return rows.rescaled(1.0 / roots(rows.squared_lengths()))

    def _evaluate(self, X: Table, Y: Table) -> Array:
        if is_elsewhere(X):
            outer = roots(self._checked_diag(to_host(X))), roots(self._checked_diag(to_host(Y)))
            scales = [beside(1.0 / part, X) for part in outer]
            cosines: Array = self.kernel(X, Y) * scales[0][:, None] * scales[1][None, :]
            return cosines
        rows = self._checked_diag(X)
        columns = rows if Y is X else self._checked_diag(Y)
        K = divide_by_roots(self.kernel(X, Y), rows, columns)
        if Y is X:
            np.fill_diagonal(K, rows > 0)
        return K

    def _diag(self, X: Table) -> Array:
        return (self._checked_diag(X) > 0).astype(np.float64)

    def _checked_diag(self, X: Table) -> Array:
        diagonal = self.kernel.diag(X)
        check_diagonal(diagonal, "Normalized")
        return diagonal


class Centered(_Wrapper):
    r"""The inner product around the mean of a sample in feature space.

    With :math:`\bar k(x) = \frac1s \sum_i k(x, s_i)` over the s points of the sample,

    .. math:: k_c(x, z) = k(x, z) - \bar k(x) - \bar k(z) + \frac1s \sum_i \bar k(s_i),

    on any points, those of the sample or new ones.

    Parameters
    ----------
    kernel : Kernel
        The kernel k.
    sample : array-like or data frame of shape (s, d)
        The points whose mean becomes the origin, usually the training data.
    mean : float, optional
        :math:`\frac1s \sum_i \bar k(s_i)`, where it is known; `fitted_to` computes it once. When
        not given, every call evaluates k on the sample again, s² values in all.

    Examples
    --------
    >>> from kernlearn.kernels import Centered, Linear
    >>> Centered(Linear(), sample=[[1.0], [3.0]])([[2.0], [5.0]])
    array([[0., 0.],
           [0., 9.]])
    """

    def __init__(self, kernel: Kernel, sample: Rows, mean: float | None = None) -> None:
        self.kernel = kernel
        self.sample = sample
        self.mean = mean

    def _fitted(self, X: Table) -> Kernel:
        if self.mean is not None:
            return self
        fitted = with_parts(self, kernel=self.kernel.fitted_to(X))
        return with_parts(fitted, mean=fitted._overall_mean())

    def sparse_rows(self, X: Table) -> SparseRows | None:
        """The rows around the mean of the sample."""
        rows = self.kernel.sparse_rows(X)
        if rows is None:
            return None
        sample = shared(
            "sparse sample", lambda: self.kernel.sparse_rows(self.sample), self.kernel, self.sample
        )
        return None if sample is None else rows.around(sample)

    def _evaluate(self, X: Table, Y: Table) -> Array:
        rows, mean = self._means(X), self._overall_mean()
        columns = rows if Y is X else self._means(Y)
        # The two means are added first: their sum is the same for (i, j) and (j, i).
        shift = np.add.outer(rows, columns)
        K = np.subtract(self.kernel(X, Y), shift, out=shift)
        K += mean
        if Y is X:
            np.fill_diagonal(K, self._squared_lengths(X, rows, mean))
        return K

    def _diag(self, X: Table) -> Array:
        return self._squared_lengths(X, self._means(X), self._overall_mean())

    def _squared_lengths(self, X: Table, means: Array, mean: float) -> Array:
        squares = self.kernel.diag(X)
        found = squares_around_mean(squares - 2.0 * means + mean, squares, means, mean)
        return np.maximum(found, 0.0)

    def _means(self, X: object) -> Array:
        def means() -> Array:
            return np.asarray(self.kernel(X, self.sample).mean(axis=1))

        return shared("means", means, self.kernel, self.sample, X)

    def _overall_mean(self) -> float:
        return float(self._means(self.sample).mean()) if self.mean is None else self.mean
