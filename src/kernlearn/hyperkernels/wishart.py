"""The Wishart hyperkernel of Kondor and Jebara (2007)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from kernlearn._device import row_dots
from kernlearn.hyperkernels.base import Hyperkernel
from kernlearn.kernels._parameters import positive
from kernlearn.kernels._validation import is_finite
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array

# The products lose log₁₀ of (the size of their largest term / the determinant) digits: below three
# the entry stays, else it is computed again, by a factorisation that loses half as many.
_SAFE_RATIO = 1e-3
# Numbers held at a time by that second computation.
_MOST_NUMBERS = 2_000_000


class Wishart(Hyperkernel):
    r"""The Wishart hyperkernel, an average over Gaussians of all shapes (Kondor 2007, (12)).

    .. math:: \underline k((x_1, x_1'), (x_2, x_2')) \propto
              \frac{|C|^{r/2}}{|C + S_1 + S_2 + S_*|^{(r+3)/2}}, \qquad
              S_i = \tfrac12 (x_i - x_i')(x_i - x_i')^\top, \quad
              S_* = (\bar x_1 - \bar x_2)(\bar x_1 - \bar x_2)^\top

    It is large for pairs whose differences are small, or parallel to one another and to the long
    axes of C; :math:`\bar x_i` is the mean of a pair. The integral (10) from which it comes is
    over covariances drawn from the inverse Wishart law with parameters C and r.

    The constant is chosen such that a pair of equal points has value 1 with itself: here
    :math:`\underline k = |I + C^{-1}(S_1 + S_2 + S_*)|^{-(r+3)/2}`, which lies between 0 and 1
    for any C. With :math:`C = LL^\top` and
    :math:`U = L^{-1}[(x_1 - x_1')/\sqrt2, (x_2 - x_2')/\sqrt2, \bar x_1 - \bar x_2]` the
    determinant is that of the 3 × 3 matrix :math:`I + U^\top U`, taken in logarithms.

    Parameters
    ----------
    C : float or array-like of shape (n_features, n_features), default=1.0
        A positive definite matrix; a number c stands for cI.
    r : float, optional
        Degrees of freedom, above n_features − 1 as the inverse Wishart law needs them; by default
        n_features. The paper has whole numbers, but (12) holds for any. The larger it is, the
        faster the hyperkernel falls: on a scale of about C/r.

    Examples
    --------
    >>> from kernlearn.hyperkernels import Wishart
    >>> long_first_axis = Wishart([[9.0, 0.0], [0.0, 1.0]], r=2)
    >>> origin, along, across = [[0.0, 0.0]] * 2, [[-1.0, 0.0], [1.0, 0.0]], [[0.0, -1.0], [0.0, 1]]
    >>> long_first_axis([origin, along, across]).round(3)
    array([[1.   , 0.606, 0.064],
           [0.606, 0.399, 0.039],
           [0.064, 0.039, 0.018]])
    """

    def __init__(self, C: ArrayLike = 1.0, r: float | None = None) -> None:
        self.C = C
        self.r = r

    def _check_parameters(self) -> None:
        if self.r is not None:
            positive(self.r, "Wishart's r")
        self._factor()

    def _factor(self) -> Array:
        """√c for a number, the lower Cholesky factor for a matrix."""
        if np.ndim(self.C) == 0:
            c = self.C.item() if isinstance(self.C, np.ndarray) else self.C
            return np.asarray(np.sqrt(positive(c, "Wishart's C")))
        return _cholesky_factor(_square_matrix(self.C))

    def _whitened(self, X: Array, factor: Array) -> Array:
        if factor.ndim == 0:
            return X / factor
        if len(factor) != X.shape[1]:
            raise ValueError(
                "Wishart's C must have one row and one column for each feature, got shape "
                f"{factor.shape} for {counted(X.shape[1], 'feature')}; pass a matrix that fits, or "
                "a number."
            )
        return np.asarray(solve_triangular(factor, X.T, lower=True, check_finite=False).T)

    def _exponent(self, n_features: int) -> float:
        if self.r is not None and self.r <= n_features - 1:
            raise ValueError(
                f"Wishart's r must be above the number of features minus one, got {self.r!r} for "
                f"{counted(n_features, 'feature')}; choose r={n_features} or more, or leave it out."
            )
        return 0.5 * (float(n_features if self.r is None else self.r) + 3.0)

    def _table(self, left: Array, right: Array) -> Array:
        factor = self._factor()
        return _differences_and_means(self._whitened(left, factor), self._whitened(right, factor))

    def _grid_table(self, X: Array, Y: Array) -> Array:
        factor = self._factor()
        left, right = self._whitened(X, factor), self._whitened(Y, factor)
        return _differences_and_means(np.repeat(left, len(Y), axis=0), np.tile(right, (len(X), 1)))

    def _evaluate(self, table: Array, other: Array) -> Array:
        n_features = table.shape[1] // 2
        exponent = self._exponent(n_features)
        parts = (*np.hsplit(table, [n_features]), *np.hsplit(other, [n_features]))
        return np.exp(-exponent * _log_determinants(*parts))

    def _diag(self, table: Array) -> Array:
        n_features = table.shape[1] // 2
        halves = table[:, :n_features]
        # U has the same vector twice, and the means do not differ.
        logarithms = np.log1p(2.0 * np.einsum("ij,ij->i", halves, halves))
        return np.asarray(np.exp(-self._exponent(n_features) * logarithms))


def _differences_and_means(left: Array, right: Array) -> Array:
    """The coordinates of each pair: (x − x')/√2 and the mean, side by side."""
    return np.concatenate([(left - right) / np.sqrt(2.0), 0.5 * left + 0.5 * right], axis=1)


def _square_matrix(C: ArrayLike) -> Array:
    matrix = np.asarray(C)
    is_square = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] and matrix.size > 0
    if not (is_square and matrix.dtype.kind in "iuf" and is_finite(matrix)):
        raise ValueError(
            "Wishart's C must be a positive number or a square matrix of finite numbers, got "
            f"shape {matrix.shape} of type {matrix.dtype}; pass for example np.cov(X.T)."
        )
    values = matrix.astype(np.float64, copy=False)
    gap = float(np.abs(values - values.T).max())
    if gap > 1e-12 * float(np.abs(values).max()):
        raise ValueError(
            f"Wishart's C must be symmetric, got entries that differ by {gap:.3g} from their "
            "mirror images; pass (C + C.T) / 2."
        )
    return values


def _cholesky_factor(C: Array) -> Array:
    try:
        factor: Array = cholesky(C, lower=True, check_finite=False)
        smallest = float(np.diagonal(factor).min()) ** 2
    except LinAlgError:
        smallest = 0.0
    # A singular matrix has a pivot of zero, of which rounding may leave as much as this.
    if smallest <= len(C) * np.finfo(float).eps * float(np.abs(np.diagonal(C)).max()):
        raise ValueError(
            "Wishart's C must be positive definite, got a matrix that is singular or has a "
            "negative eigenvalue; add a small multiple of the identity."
        )
    return factor


def _log_determinants(
    halves: Array, means: Array, other_halves: Array, other_means: Array
) -> Array:
    r"""Return :math:`\log |I + d_p d_p^\top + d_q d_q^\top + (m_p - m_q)(m_p - m_q)^\top|`.

    With :math:`U = [d_p, d_q, m_p - m_q]` it is the 3 × 3 determinant
    :math:`|I + U U^\top| = |I + U^\top U|`, whose six entries come from matrix products of the
    tables. If terms cancel, because the three vectors are long and nearly parallel, it is the
    squared product of the diagonal of R in :math:`QR = [I; U]`, which loses half as many digits.
    """
    # Only differences of means count, and they are the more exact the closer to the origin.
    centre = 0.5 * (means.mean(axis=0) + other_means.mean(axis=0))
    means, other_means = means - centre, other_means - centre
    determinant, largest = _by_products(halves, means, other_halves, other_means)
    # Written so that a NaN, from an overflow, is doubtful too.
    doubtful = ~(determinant >= _SAFE_RATIO * largest)
    values: Array = np.log(determinant, where=~doubtful, out=np.zeros_like(determinant))
    rows, columns = np.nonzero(doubtful)
    step = max(1, _MOST_NUMBERS // (3 * (halves.shape[1] + 3)))
    for start in range(0, len(rows), step):
        p, q = rows[start : start + step], columns[start : start + step]
        U = np.stack([halves[p], other_halves[q], means[p] - other_means[q]], axis=2)
        values[p, q] = _by_factorisation(U)
    return values


def _by_products(
    halves: Array, means: Array, other_halves: Array, other_means: Array
) -> tuple[Array, Array]:
    """The determinants, and bounds of the terms that they are sums of."""
    a = 1.0 + row_dots(halves, halves)[:, None]
    b = 1.0 + row_dots(other_halves, other_halves)[None]
    lengths = row_dots(means, means)[:, None] + row_dots(other_means, other_means)[None]
    c = 1.0 + np.maximum(lengths - 2.0 * means @ other_means.T, 0.0)
    e = halves @ other_halves.T
    f = np.einsum("ij,ij->i", halves, means)[:, None] - halves @ other_means.T
    g = means @ other_halves.T - np.einsum("ij,ij->i", other_halves, other_means)[None]
    determinant = a * b * c + 2.0 * e * f * g - a * g**2 - b * f**2 - c * e**2
    return determinant, a * b * (1.0 + lengths)


def _by_factorisation(U: Array) -> Array:
    """The same logarithms from the vectors themselves, of shape (n, d, 3)."""
    bordered = np.concatenate([np.broadcast_to(np.eye(3), (len(U), 3, 3)), U], axis=1)
    if not np.isfinite(bordered).all():
        return np.full(len(U), np.nan)
    R = np.linalg.qr(bordered, mode="r")
    return np.asarray(2.0 * np.log(np.abs(np.diagonal(R, axis1=1, axis2=2))).sum(axis=1))
