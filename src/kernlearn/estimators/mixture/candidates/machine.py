r"""A trained least-squares machine, a member of a mixture.

On up to a few thousand rows it is equation (3) of Cawley and Talbot (2014), exactly. On more rows
the kernel is seen through landmarks S, :math:`Z = K(X, S) L^{-\top}` with
:math:`K(S, S) = L L^\top`, and what is solved is ridge regression on Z with an intercept,

.. math:: (\tilde Z^\top W \tilde Z + \lambda I)\, u = \tilde Z^\top W \tilde y, \qquad
          f(x) = k_S(x)^\top L^{-\top} u + b ,

W the weights of the rows and tildes for what is centred by them. Rows are looked at block by block,
so that memory is that of the landmarks' matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.linalg.blas import dsyrk, dtrmm

from kernlearn.estimators.mixture.candidates.margin import solve_margin
from kernlearn.kernels import Kernel
from kernlearn.quality.logarithms import Exponentials
from kernlearn.quality.predictive import Link
from kernlearn.solvers.machine.bordered import Bordered
from kernlearn.typing import Array

__all__ = ["CentredMatrix", "Machine", "Training"]


# Up to so many rows a machine is trained on the whole matrix; beyond, through so many landmarks.
EXACT_ROWS = 6000
_LANDMARKS = 2000
# With more rows than these, their number times the square of the landmarks' is what it is here.
_ROWS_FOR_ALL = 50_000
# Ridges below these shares of the mean diagonal drown in rounding; the next is tried where a
# factorisation breaks down.
_LEAST_RIDGES = (1e-12, 1e-10, 1e-8, 1e-6)
_ROWS_TOGETHER = 1000
# Features of landmarks may be made anew for every block: with more rows that takes half the time.
_ROWS_WITH_LANDMARKS = 4000


@dataclass(frozen=True, eq=False)
class Training:
    """All rows of one prepared table, with targets and weights.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        Rows.
    Y : ndarray of shape (n, k)
        Targets.
    weight : ndarray of shape (n,)
        Positive weights.
    """

    X: Array
    Y: Array
    weight: Array


@dataclass(frozen=True, eq=False)
class Machine:
    """Kernel values with some rows, times coefficients, plus an intercept.

    Attributes
    ----------
    table : str
        The prepared table that it reads.
    kernel : Kernel
        Its kernel.
    lam : float
        λ.
    rows : ndarray of shape (m, p)
        Training rows, or landmarks.
    dual_coef : ndarray of shape (m, k)
        Their coefficients.
    intercept : ndarray of shape (k,)
        b.
    is_exact : bool
        Whether it was trained on the whole matrix.
    has_margin : bool
        Whether it has a soft margin; else it is one of least squares.
    link : Link or None
        What its values go through, if they are numbers or of several classes.
    """

    table: str
    kernel: Kernel
    lam: float
    rows: Array
    dual_coef: Array
    intercept: Array
    is_exact: bool
    has_margin: bool = False
    link: Link | None = None

    @classmethod
    def trained(
        cls,
        table: str,
        kernel: Kernel,
        lam: float,
        training: Training,
        random_state: Any,
        has_margin: bool = False,
        n_landmarks: int | None = None,
    ) -> Machine:
        """Trained on all rows; `random_state` draws landmarks where there are too many."""
        X, Y, weight = training.X, training.Y, training.weight
        if has_margin:
            dual_coef, intercept = solve_margin(kernel(X), Y, lam, weight)
            used = np.flatnonzero(dual_coef.any(axis=1))
            if len(used) == 0:  # rows of one class need none, but kernels take one at least
                used = np.arange(1)
            return cls(table, kernel, lam, X[used], dual_coef[used], intercept, True, True)
        if len(X) <= EXACT_ROWS:
            offset = np.average(Y, axis=0, weights=weight)
            K = CentredMatrix.of(kernel(X))
            dual_coef, intercept = K.solve(Y - offset, lam / weight)
            return cls(table, kernel, lam, X, dual_coef, intercept + offset, True)
        size = _n_landmarks(len(X)) if n_landmarks is None else n_landmarks
        rows = X[np.sort(random_state.choice(len(X), size, replace=False))]
        dual_coef, intercept = _through_landmarks(kernel, lam, training, rows)
        return cls(table, kernel, lam, rows, dual_coef, intercept, False)

    def predict(self, table: Array) -> Array:
        """Values of shape (n, k), after the link."""
        values = self.values(table)
        return values if self.link is None else self.link(values)

    def learned(self, Y: Array) -> Array:
        """What it learns of targets."""
        return self.link.logarithms(Y) if isinstance(self.link, Exponentials) else Y

    def values(self, table: Array) -> Array:
        """Those before it."""
        values_of = self._values_of()
        return np.vstack([values_of(block) for block in _blocks(table)]) + self.intercept

    def _values_of(self) -> Callable[[Array], Array]:
        """How rows have values, through features rather than training rows where there are such."""
        features = self.kernel.sparse_rows(self.rows)
        if features is None:
            return lambda X: self.kernel(X, self.rows) @ self.dual_coef
        coef = features.transposed_times(self.dual_coef)

        def of_features(X: Array) -> Array:
            rows = self.kernel.sparse_rows(X)
            assert rows is not None  # the kernel had them before
            return rows.times(coef)

        return of_features


def _n_landmarks(n_rows: int) -> int:
    """As many as may be for rows of which products with so many take as long as for 50,000.

    >>> _n_landmarks(20_000), _n_landmarks(200_000), _n_landmarks(1_000_000)
    (2000, 1000, 447)
    """
    return min(_LANDMARKS, int(_LANDMARKS * np.sqrt(_ROWS_FOR_ALL / n_rows)))


@dataclass(frozen=True, eq=False)
class CentredMatrix:
    """A kernel matrix less its means, for machines of several ridges.

    Since 1ᵀα = 0, the kernel may be centred first: a wide one, which is nearly constant, would
    otherwise lose the digits that matter.

    Attributes
    ----------
    values : ndarray of shape (n, n)
        The centred matrix.
    means : ndarray of shape (n,)
        The means of the columns of the other.
    size : float
        The mean size of its diagonal.
    """

    values: Array
    means: Array
    size: float

    @classmethod
    def of(cls, K: Array) -> CentredMatrix:
        """Of a symmetric matrix."""
        means = K.mean(axis=0)
        centred = K - means
        centred -= (means - means.mean())[:, None]
        return cls(centred, means, float(np.abs(K.diagonal()).mean()))

    def solve(self, Y: Array, ridge: Array) -> tuple[Array, Array]:
        """α and b of equation (3), with a ridge as large as rounding asks for.

        Raises
        ------
        numpy.linalg.LinAlgError
            If no ridge will do.
        """
        for least in _LEAST_RIDGES:
            factor = Bordered.of(self.values, np.maximum(ridge, least * self.size))
            if factor is not None:
                a, b = factor.solve(Y)
                return a, b - self.means @ a
        raise np.linalg.LinAlgError("the kernel matrix is not positive semidefinite")


def _through_landmarks(
    kernel: Kernel, lam: float, training: Training, rows: Array
) -> tuple[Array, Array]:
    """Coefficients of the landmarks and the intercept."""
    corner = _corner(kernel(rows))
    # Times the inverse rather than by a solve for each block: a third of the time (measured).
    inverse = solve_triangular(corner, np.eye(len(corner)), lower=True, check_finite=False)
    m, k = len(rows), training.Y.shape[1]
    G, c, sums = np.zeros((m, m), order="F"), np.zeros((m, k)), np.zeros(m)
    parts = (training.X, training.Y, training.weight)
    blocks = zip(*(_blocks(part, _ROWS_WITH_LANDMARKS) for part in parts), strict=True)
    for X, Y, weight in blocks:
        Z = dtrmm(1.0, inverse, kernel(rows, X), lower=1)
        c += Z @ (weight[:, None] * Y)
        sums += Z @ weight
        Z *= np.sqrt(weight)
        G = dsyrk(1.0, Z, beta=1.0, c=G, lower=1, overwrite_c=1)  # the lower triangle
    total = float(training.weight.sum())
    mean = training.weight @ training.Y / total
    G = dsyrk(-1.0 / total, sums[:, None], beta=1.0, c=G, lower=1, overwrite_c=1)
    c -= np.outer(sums, mean)
    G[np.diag_indices(m)] += lam
    u = cho_solve(cho_factor(G, lower=True, overwrite_a=True, check_finite=False), c)
    dual_coef = solve_triangular(corner, u, lower=True, trans="T", check_finite=False)
    return dual_coef, mean - sums @ u / total


def _corner(K: Array) -> Array:
    """The Cholesky factor of the landmarks' matrix, with a ridge that rounding asks for."""
    mean = float(K.diagonal().mean())
    for least in _LEAST_RIDGES:
        A = K.copy()
        A[np.diag_indices_from(A)] += least * mean
        try:
            return np.asarray(np.linalg.cholesky(A), dtype=float)
        except np.linalg.LinAlgError:
            continue
    raise np.linalg.LinAlgError("the kernel matrix is not positive semidefinite")


def _blocks(table: Array, size: int = _ROWS_TOGETHER) -> Iterator[Array]:
    for start in range(0, len(table), size):
        yield table[start : start + size]
