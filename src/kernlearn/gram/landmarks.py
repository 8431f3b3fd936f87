r"""Landmarks: a few rows of a table, through which a kernel on all rows is approximated.

With S the landmarks and L the Cholesky factor of :math:`K(S, S)`,

.. math:: Z(X) = K(X, S)\, L^{-\top}, \qquad Z Z^\top = K(X, S) K(S, S)^{-1} K(S, X) \preceq K,

the Nyström approximation. L is triangular, so the first r columns of Z are the factor through the
first r landmarks: one factor holds those of all smaller ranks. A landmark on which those before it
already determine the kernel (a duplicate; any, once the rank is reached) has no column.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Integral

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.utils import check_random_state

from kernlearn._cluster import Chunked
from kernlearn._device import beside, empty_beside, is_elsewhere
from kernlearn.gram._pivoted_cholesky import factorise, random_pivots, sequential_pivots
from kernlearn.gram.incomplete_cholesky import check_kind, columns_of
from kernlearn.kernels import Kernel
from kernlearn.kernels._validation import check_table, take_rows
from kernlearn.runtime.numerical_errors import NumericalError
from kernlearn.typing import Array, DeviceArray, Indices, RandomState, Rows

METHODS = ("random", "greedy")
# Landmarks are chosen among this many times as many rows.
_SAMPLE = 10
_SMALLEST_SAMPLE = 1000
# Columns of a triangular matrix that a product takes together, with the zeros above its diagonal.
_SIDE = 256


@dataclass(frozen=True, eq=False)
class NystroemMap:
    """The map from rows to a block of the factor, for one kernel."""

    kernel: Kernel
    points: Rows  # (r, d): the landmarks that have a column
    rows: Indices  # (r,): which rows of the table they are
    corner: Array  # (r, r): L, lower triangular

    @property
    def rank(self) -> int:
        """Number of columns."""
        return len(self.corner)

    def __call__(self, X: Rows) -> DeviceArray:
        """The factor Z of shape (n, r) on the rows of `X`, where these are."""
        Z = empty_beside((X.shape[0], self.rank), X)
        self.fill(Z, X)
        return Z

    def fill(self, Z: DeviceArray, X: Rows) -> None:
        """Put the factor on the rows of `X` into an array."""
        if self.rank == 0:
            return
        K = self.kernel(X, self.points)
        if is_elsewhere(K):
            Z[:, :] = K @ beside(self.inverse, K).T
            return
        # A product is three times as fast as a triangular solve here (measured). BLAS has one for
        # triangles, but not into a part of an array, nor does it let other threads go on.
        for start in range(0, self.rank, _SIDE):
            stop = min(start + _SIDE, self.rank)
            part = self.inverse[start:stop, :stop]
            np.matmul(K[:, :stop], part.T, out=Z[:, start:stop])

    @cached_property
    def inverse(self) -> Array:
        """L⁻¹, lower triangular."""
        identity = np.eye(self.rank)
        return np.asfortranarray(np.tril(solve_triangular(self.corner, identity, lower=True)))

    @property
    def centre(self) -> Array:
        """Means of the columns over the landmarks."""
        return self.corner.mean(axis=0) if self.rank else np.zeros(0)

    def expansion(self, coef: Array) -> Array:
        """From coefficients of the columns to those of k(x, landmark): Z(x)u = k(x, S) L⁻ᵀu."""
        return np.asarray(self.inverse.T @ coef)


@dataclass(frozen=True, eq=False)
class SparseMap:
    """The map from rows to sparse features that are the factor of their kernel: no landmarks."""

    kernel: Kernel  # one that has `sparse_rows`
    rank: int  # how many features there are
    points: None = None

    def fill(self, Z: Array, X: Rows) -> None:
        """Put the features of the rows of `X`, made dense, into an array."""
        rows = self.kernel.sparse_rows(X)
        assert rows is not None
        Z[:] = rows.times(np.eye(self.rank))

    @property
    def centre(self) -> Array:
        """The origin of the distances."""
        return np.zeros(self.rank)

    def expansion(self, coef: Array) -> Array:
        """The coefficients of the features themselves."""
        return coef


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Rows of a table, in the order in which they were chosen.

    Attributes
    ----------
    points : array or data frame of shape (r, d)
        The landmarks.
    rows : ndarray of shape (r,)
        Positions of the landmarks in the table.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.gram import choose_landmarks
    >>> from kernlearn.kernels import Gaussian, Linear
    >>> X = np.random.default_rng(0).standard_normal((500, 2))
    >>> landmarks = choose_landmarks(Gaussian(0.5), X, rank=40, random_state=0)
    >>> landmarks.factor(Gaussian(0.5), X).shape
    (500, 40)
    >>> landmarks.residual_trace(Gaussian(0.5), X) < 0.01
    True
    >>> landmarks.factor(Linear(), X).shape
    (500, 2)
    """

    points: Rows
    rows: Indices

    def map(self, kernel: Kernel) -> NystroemMap:
        """The map from rows to their part of the factor of `kernel`, to be used block by block.

        Parameters
        ----------
        kernel : Kernel
            Any kernel, not only the one for which the landmarks were chosen.
        """
        check_kind(kernel, Kernel, "kernel", "kernlearn.kernels.Gaussian()")
        diagonal = kernel.diag(self.points)
        columns = columns_of(kernel, self.points)
        try:
            factor, pivots, _, _ = factorise(columns, diagonal, 0.0, None, sequential_pivots)
        except NumericalError:
            # For a wide kernel, pivots in row order magnify rounding. The largest
            # residuals are none; a kernel that is indefinite is refused again.
            factor, pivots, _, _ = factorise(columns, diagonal, 0.0, None)
        points = take_rows(self.points, pivots)
        corner = np.asfortranarray(np.tril(factor[pivots]))
        return NystroemMap(kernel, points, self.rows[pivots], corner)

    def factor(self, kernel: Kernel, X: Rows) -> Array:
        """The factor Z of `kernel` on the rows of `X`, of shape (n, r) or with fewer columns.

        Parameters
        ----------
        kernel : Kernel
            Any kernel, not only the one for which the landmarks were chosen.
        X : array-like or data frame of shape (n, d)
            One point in each row.
        """
        return np.asarray(self.map(kernel)(check_table(X, "X")))

    def residual_trace(self, kernel: Kernel, X: Rows) -> float:
        """The part of the trace of K(X, X) that the factor leaves out, from 0 to 1.

        Parameters
        ----------
        kernel : Kernel
            The kernel.
        X : array-like or data frame of shape (n, d)
            One point in each row.
        """
        return left_out(float(kernel.diag(X).sum()), float((self.factor(kernel, X) ** 2).sum()))


def left_out(trace: float, kept: float) -> float:
    """The part of a trace that is not kept; zero where it is rounding."""
    return max(0.0, 1.0 - kept / trace) if trace > 0 else 0.0


def choose_landmarks(
    kernel: Kernel,
    X: Rows,
    rank: int,
    method: str = "random",
    n_sample: int | None = None,
    random_state: RandomState = 0,
) -> Landmarks:
    """Choose the rows of `X` through which a kernel is approximated.

    By pivoted incomplete Cholesky of the kernel on a sample of the rows. Random pivots follow the
    bulk of the data, greedy ones its outliers.

    Parameters
    ----------
    kernel : Kernel
        The kernel to be approximated.
    X : array-like or data frame of shape (n, d)
        One point in each row.
    rank : int
        Largest number to choose; fewer if they already determine the kernel on the sample.
    method : {"random", "greedy"}, default="random"
        Draw each with probability proportional to what those before leave out of its diagonal
        entry, or take the largest.
    n_sample : int, optional
        Number of rows to choose among, drawn at random; by default ten times the rank, and at
        least a thousand.
    random_state : int, RandomState or None, default=0
        Draws the sample and the pivots.

    Returns
    -------
    landmarks : Landmarks
        In the order in which they were chosen: the first r are those that rank r would have
        given on the same sample.
    """
    check_kind(kernel, Kernel, "kernel", "kernlearn.kernels.Gaussian()")
    table = X if isinstance(X, Chunked) else check_table(X, "X", sparse=kernel.takes_sparse)
    _check_request(rank, method)
    generator = check_random_state(random_state)
    size = max(_SAMPLE * rank, _SMALLEST_SAMPLE) if n_sample is None else int(n_sample)
    if size < rank:
        raise ValueError(
            f"n_sample must be at least the rank, got {size} rows for a rank of {rank}; leave it "
            "out to choose among ten times as many."
        )
    n = table.shape[0]
    rows: Indices = np.arange(n)
    if size < n:
        rows = np.sort(generator.choice(n, size, replace=False))
    if size < n or isinstance(table, Chunked):
        table = take_rows(table, rows)
    choose = random_pivots(generator) if method == "random" else None
    columns = columns_of(kernel, table)
    _, pivots, _, _ = factorise(columns, kernel.diag(table), 0.0, int(rank), choose)
    if len(pivots) == 0:
        pivots = np.zeros(1, dtype=np.intp)  # a kernel that is zero has a landmark, but no column
    return Landmarks(take_rows(table, pivots), rows[pivots])


def _check_request(rank: object, method: object) -> None:
    if isinstance(rank, bool) or not isinstance(rank, Integral) or rank < 1:
        raise ValueError(
            f"rank must be a positive integer, got {rank!r}; a few hundred landmarks are usual."
        )
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}.")
