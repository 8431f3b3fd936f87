"""Kernels on a source that some rows lack: zero there, or completed from the other sources."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import issparse

from kernlearn.kernels._composite import _Combination, _Wrapper, check_part, with_parts
from kernlearn.kernels._sharing import shared
from kernlearn.kernels._sparse_rows import SparseRows
from kernlearn.kernels._validation import check_rows, is_frame, is_missing, take_rows
from kernlearn.kernels.arithmetic import Scaled, Sum
from kernlearn.kernels.base import Kernel
from kernlearn.kernels.columns import Columns
from kernlearn.kernels.features import Features
from kernlearn.kernels.normalized import Centered, Normalized
from kernlearn.numerics.rounding import first_least
from kernlearn.typing import Array, Indices, Mask, Rows, Table

# Most rows of a mean, which then is known well enough; more would take a larger matrix of pairs,
# which stays with the kernel.
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
        """Sparse features, zero where a row is missing."""
        there, rows = _known(X)
        found = self._centred().sparse_rows(rows)
        return None if found is None else found.scattered(X.shape[0], there)

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
    """Mask of the rows of a table that have the source which a kernel reads."""
    return _is_known(source.selected(X) if isinstance(source, Columns) else X)


def _is_known(X: Rows) -> Mask:
    """Mask of the rows that are present."""
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
    """Positions of the rows that have the source, and these rows; X itself if all have it."""

    def found() -> tuple[Indices, Table]:
        there = np.flatnonzero(_is_known(X))
        if len(there) == X.shape[0]:
            return there, X
        return there, take_rows(X, there)

    return shared("known", found, X)


# The reference has a unit diagonal: from "the others determine this source" to "they say nothing".
RIDGES = (1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2)


class Completed(_Wrapper):
    r"""A kernel k on one source; rows that lack it are placed by what they have of others.

    Let v be the training rows that have the source, k centred on them (`WhereKnown`), M a kernel on
    other sources, the reference, and

    .. math::

        b(x) = (M_{vv} + \lambda I)^{-1} M_{v}(x), \qquad
        r(x, z) = M(x, z) - M_{v}(x)^\top (M_{vv} + \lambda I)^{-1} M_{v}(z).

    If x and z have the source, the completed kernel is k(x, z). Else it is

    .. math::

        b(x)^\top k_v(z) \text{ if x lacks it,} \qquad
        b(x)^\top K_{vv}\, b(z) + s \, r(x, z) \text{ if both do,}

    with s the mean of k(x, x) over v. On training rows this is the completion of
    :math:`K_{vv}` of largest determinant relative to :math:`s (M + \lambda I)`
    (`kernlearn.gram.complete_kernel`; Lanckriet et al. 2004, section 7), but for
    :math:`s\lambda` on the diagonal of rows that lack the source.

    Parameters
    ----------
    kernel : Kernel
        The kernel k: `Columns` that choose the source, and a kernel on them.
    reference : Kernel
        The kernel M on other sources; near one on the diagonal, since λ is in its units. It may be
        zero for rows without other sources: they then lie at the mean of the source, where k is
        zero with every row.
    sample : array-like or data frame, optional
        The rows v; the training rows that have the source when not given.
    ridge : float, optional
        λ. When not given, that of six, from 0.001 to 100, which predicts the rows of v best, each
        from the others.
    scale : float, optional
        s; measured when not given.

    Notes
    -----
    The kernel is positive semidefinite on any rows, new ones too. With φ the feature map of k, give
    a row that has the source the point (φ(x), 0), and a row that lacks it the point
    :math:`(\sum_i b_i(x)\, \varphi(v_i), \sqrt s\, \rho(x))`, where ρ is a feature map of r: the
    inner products of these points are the values above. There is such a ρ, since r is a Schur
    complement of the matrix of M on v and any further rows, with λ added to the diagonal of v,
    which is positive semidefinite.

    λ is chosen by leave-one-out in feature space: with :math:`C = M_{vv} + \lambda I`, the squared
    distance of :math:`\varphi(v_i)` to what the other rows say of it is
    :math:`(C^{-1} K_{vv} C^{-1})_{ii} / (C^{-1})_{ii}^2`.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.kernels import Columns, Completed, Linear
    >>> X = np.array([[-2.0, -1.0], [2.0, 1.0], [-1.0, np.nan], [1.0, np.nan]])
    >>> k = Completed(Columns(1, Linear()), Columns(0, Linear()), ridge=1e-6).fitted_to(X)
    >>> k(X[2:], X).round(3)  # the second column is half of the first
    array([[ 0.5 , -0.5 ,  0.25, -0.25],
           [-0.5 ,  0.5 , -0.25,  0.25]])
    """

    takes_things = True

    def __init__(
        self,
        kernel: Kernel,
        reference: Kernel,
        sample: Rows = None,
        ridge: Any = None,
        scale: Any = None,
    ) -> None:
        self.kernel = kernel
        self.reference = reference
        self.sample = sample
        self.ridge = ridge
        self.scale = scale

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_part(self.reference, "Completed")
        if self.ridge is not None and not 0 < self.ridge < np.inf:
            raise ValueError(
                f"Completed needs a positive ridge, got {self.ridge!r}; leave it out to have it "
                "chosen."
            )

    def _fitted(self, X: Table) -> Kernel:
        if self._is_fitted:
            return self
        kernel = with_gaps(self.kernel).fitted_to(X)
        reference = with_gaps(self.reference).fitted_to(X)
        sample = take_rows(X, np.flatnonzero(known_rows(kernel, X)))
        fitted = with_parts(self, kernel=kernel, reference=reference, sample=sample)
        K, M = _within(kernel, sample), _within(reference, sample)
        ridge = RIDGES[first_least(left_out_errors(M, K))] if self.ridge is None else self.ridge
        scale = float(K.diagonal().mean()) if self.scale is None else self.scale
        return with_parts(fitted, ridge=ridge, scale=scale)

    @property
    def _is_fitted(self) -> bool:
        return not (self.sample is None or self.ridge is None or self.scale is None)

    def _evaluate(self, X: Table, Y: Table) -> Array:
        self._check_fitted()
        K = self.kernel(X, Y)
        i, rows = self._lacking(X)
        j, columns = (i, rows) if Y is X else self._lacking(Y)
        if len(i):
            b = self._coefficients(rows)
            K[i] += b @ self.kernel(self.sample, Y)
        if len(j):
            c = self._coefficients(columns)
            K[:, j] += self.kernel(X, self.sample) @ c.T
        if len(i) and len(j):
            rest = self.reference(rows, columns) - b @ self.reference(self.sample, columns)
            K[np.ix_(i, j)] = b @ _within(self.kernel, self.sample) @ c.T + self.scale * rest
        return K

    def _diag(self, X: Table) -> Array:
        self._check_fitted()
        values = self.kernel.diag(X)
        i, rows = self._lacking(X)
        if len(i):
            b = self._coefficients(rows)
            rest = self.reference.diag(rows) - (b * self.reference(rows, self.sample)).sum(axis=1)
            placed = ((b @ _within(self.kernel, self.sample)) * b).sum(axis=1)
            values[i] = placed + self.scale * rest
        # If the other sources determine this one, rounding could leave a negative square.
        return np.maximum(values, 0.0)

    def _check_fitted(self) -> None:
        if not self._is_fitted:
            raise ValueError(
                "Completed must be fitted before it is called, got no sample; call "
                "kernel.fitted_to(X_train) first, as the estimators do."
            )

    def _lacking(self, X: Table) -> tuple[Indices, Table]:
        """Places of the rows that lack the source, and these rows."""
        places = np.flatnonzero(~known_rows(self.kernel, X))
        rows = shared(("lacking", places.tobytes()), lambda: take_rows(X, places), X)
        return places, rows

    def _coefficients(self, rows: Table) -> Array:
        """The b(x) of rows that lack the source, one in each row."""
        ridge, samples = self.ridge, (self.reference, self.sample)

        def factor() -> Any:
            M = _within(*samples)
            return cho_factor(M + ridge * np.eye(len(M)))

        def found() -> Array:
            right = self.reference(self.sample, rows)
            return np.asarray(cho_solve(shared(("factor", ridge), factor, *samples), right).T)

        return shared(("coefficients", ridge), found, *samples, rows)


def _within(kernel: Kernel, sample: Rows) -> Array:
    """The matrix of the sample, computed once in a call or a fit."""
    return shared("within", lambda: kernel(sample), kernel, sample)


def left_out_errors(M: Array, K: Array) -> Array:
    """For every ridge, the mean squared error of rows left out, in the feature space of K."""
    values, vectors = np.linalg.eigh(M)
    rotated = vectors.T @ K @ vectors

    def error(ridge: float) -> float:
        scaled = vectors / (np.maximum(values, 0.0) + ridge)
        precision = (scaled * vectors).sum(axis=1)
        return float((((scaled @ rotated) * scaled).sum(axis=1) / precision**2).mean())

    return np.array([error(ridge) for ridge in RIDGES])


def completed(kernels: Sequence[Kernel], X: Table) -> list[Kernel]:
    """Kernels whose sources, what `Columns` choose, may be missing, each completed from the others.

    The reference of a source is the mean of the other sources' kernels, each centred and normalised
    and zero where a row lacks it, normalised again: whatever a row has of them then counts in full.
    A row that has none of them has a reference of zero. A source that is alone, or a whole row,
    has no others, and is treated as in `with_gaps`. The returned kernels are to be fitted to `X`.
    """
    table = check_rows(X, "X")
    sources: dict[tuple[int, ...], list[Kernel]] = {}

    def collect(source: Kernel) -> Kernel:
        known = with_gaps(source).fitted_to(table)
        if isinstance(known, Columns):
            sources.setdefault(known.positions(table), []).append(known)
        return known

    kernels = [each_source(kernel, collect) for kernel in kernels]
    references = {
        place: _mean_of([bank for other, bank in sources.items() if other != place])
        for place in sources
        if len(sources) > 1
    }

    def complete(source: Kernel) -> Kernel:
        if not isinstance(source, Columns) or not references:
            return source
        return Completed(source, references[source.positions(table)])

    return [each_source(kernel, complete) for kernel in kernels]


def _mean_of(banks: Sequence[Sequence[Kernel]]) -> Kernel:
    """Mean of the banks: all banks count alike, and so do the kernels within each."""
    return Normalized(
        Sum([Scaled(Normalized(part), 1.0 / len(bank)) for bank in banks for part in bank])
    )
