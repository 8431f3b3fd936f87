"""Squared differences (x_ir − x_jr)², summed with weights by matrix products.

`middles`, `centred`, `centred_pair`, `weighted_sums`, `products`, `weighted_pairs` and
`product_forms` take stacks of tables too: axes before those of a table are carried along.
"""

from __future__ import annotations

import numpy as np

from kernlearn._device import (
    beside,
    column_dots,
    matrix_transpose,
    namespace,
    take_columns,
    to_host,
)
from kernlearn.typing import Array

PAIRS_TOGETHER = 512
# θ_r times a squared difference from which on a Gaussian kernel is zero in double precision, and
# times that of the ends of a column from which on differences lose digits.
_ZERO, _WIDE = 800.0, 1e4
# Standard deviations from the median beyond which a cell is an outlier.
_FAR = 5.0
# Shares of all cells on each side of the median, and the standard deviations that they reach to.
_RANGES = ((0.25, 0.6744898), (0.4, 1.2815516), (0.475, 1.959964))


def middles(X: Array) -> Array:
    """Half way between the least and the largest entry of every column, as a row."""
    # Halves first: the sum of two large entries could overflow.
    xp = namespace(X)
    low, high = xp.min(X, axis=-2, keepdims=True), xp.max(X, axis=-2, keepdims=True)
    middle: Array = 0.5 * low + 0.5 * high
    return middle


def centred(X: Array) -> Array:
    """The columns around their middles: the same differences, with less cancellation."""
    return X - middles(X)


def centred_pair(X: Array, Y: Array | None, theta: Array) -> tuple[Array, Array]:
    r"""The rows of both tables around the middles of X, without gaps that no kernel crosses.

    If :math:`\theta_r (x_{ir} - x_{jr})^2` is beyond the range of the exponential function,
    :math:`k_{ij}` is zero, and so is its derivative, however far apart the rows are. A wider gap
    between neighbouring entries of a column is made that wide: sums over all pairs stay the same,
    and a row far out takes no digits from the others.
    """
    middle = middles(X)
    rows = X - middle
    columns = rows if Y is None else Y - middle
    xp = namespace(X)
    reach, scales = to_host(xp.max(xp.abs(rows), axis=-2)), to_host(theta)
    if not (scales * reach**2 > _WIDE).any():
        return rows, columns
    table = to_host(X if Y is None else xp.concat([X, Y], axis=-2))
    with np.errstate(divide="ignore"):
        widest = np.sqrt(_ZERO / scales)[..., None, :]
    order = np.argsort(table, axis=-2, kind="stable")
    ordered = np.take_along_axis(table, order, axis=-2)
    steps = np.diff(ordered, axis=-2, prepend=ordered[..., :1, :])
    excess = np.cumsum(np.maximum(steps - widest, 0.0), axis=-2)
    half = table.shape[-2] // 2  # entries near the median stay, and keep their digits
    ordered -= excess - excess[..., half : half + 1, :]
    near = np.empty_like(table)
    np.put_along_axis(near, order, ordered, axis=-2)
    near = beside(centred(near), X)
    n = X.shape[-2]
    return near[..., :n, :], near if Y is None else near[..., n:, :]


def mean_squares(X: Array) -> Array:
    """The variance of every column without what lies far out, one for columns that are constant.

    Cells beyond five spreads from the median count as if they were there: a few rows far out would
    else set the unit of all others. The spread is the range between two quantiles, in which it is
    the standard deviation of a normal distribution: the first that is no point.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = np.min(X, axis=0), np.max(X, axis=0)
        middle = np.median(X, axis=0)
        reach = np.full(X.shape[1], np.inf)
        for share, deviations in _RANGES:
            ends = np.quantile(X, [0.5 - share, 0.5 + share], axis=0)
            found = _FAR * (ends[1] - ends[0]) / (2.0 * deviations)
            reach = np.where(np.isinf(reach) & (found > 0), found, reach)
        far = (high - middle > reach) | (middle - low > reach)
        near = np.clip(X, middle - reach, middle + reach) if far.any() else X
        spread = np.var(near, axis=0)
        # Not by the variance: the mean of many equal entries differs from them.
        constant = np.ptp(X, axis=0) <= 1e-14 * np.abs(X).max(axis=0)
    return np.where(constant, 1.0, np.clip(spread, 1e-300, 1e300))


def weighted_sums(X: Array, Y: Array, M: Array) -> Array:
    r"""All of :math:`\sum_{ij} M_{ij} (x_{ir} - y_{jr})^2`; both are centred alike."""
    xp = namespace(M)
    rows, columns = xp.sum(M, axis=-1)[..., None, :], xp.sum(M, axis=-2)[..., None, :]
    sums: Array = (rows @ (X * X) + columns @ (Y * Y))[..., 0, :]
    sums -= 2.0 * column_dots(X, M @ Y)
    return sums


def products(X: Array, Y: Array, K: Array, v: Array) -> Array:
    r"""All of :math:`\sum_j K_{ij} (x_{ir} - y_{jr})^2 v_j`, of shape (n, d); both are centred."""
    d = X.shape[-1]
    v = v[..., None]
    weighted = v * Y
    sums: Array = K @ namespace(X).concat([weighted, weighted * Y, v], axis=-1)
    return X * (X * sums[..., -1:] - 2.0 * sums[..., :d]) + sums[..., d : 2 * d]


def weighted_pairs(X: Array, M: Array) -> Array:
    r"""All of :math:`\sum_{ij} M_{ij} (x_{ir}-x_{jr})^2 (x_{is}-x_{js})^2`; `X` is centred.

    Multiplied out, with squares :math:`q = x^2` and m the row sums plus the column sums of M:
    :math:`q_r^T \mathrm{diag}(m) q_s + q_r^T (M + M^T) q_s - 2 q_r^T (x_s \circ (M + M^T) x_s)
    - 2 q_s^T (x_r \circ (M + M^T) x_r) + 4 (x_r \circ x_s)^T M (x_r \circ x_s)`.
    """
    d, xp = X.shape[-1], namespace(X)
    square = X * X
    image = M @ xp.concat([X, square], axis=-1)
    across = matrix_transpose(square)
    between = across @ image[..., d:]
    mixed = across @ (X * (image[..., :d] + matrix_transpose(M) @ X))
    totals = xp.sum(M, axis=-2) + xp.sum(M, axis=-1)
    pairs: Array = (across * totals[..., None, :]) @ square
    pairs += between + matrix_transpose(between) - 2.0 * (mixed + matrix_transpose(mixed))
    pairs += 4.0 * product_forms(X, M)
    return pairs


def product_forms(X: Array, M: Array) -> Array:
    r"""All of :math:`(x_r \circ x_s)^T M (x_r \circ x_s)`, of shape (d, d)."""
    d, xp = X.shape[-1], namespace(X)
    first, second = np.triu_indices(d)
    parts = []
    # Few wide products are faster than many narrow ones; the width bounds the memory.
    for start in range(0, len(first), PAIRS_TOGETHER):
        some = slice(start, start + PAIRS_TOGETHER)
        both = take_columns(X, first[some]) * take_columns(X, second[some])
        parts.append(column_dots(both, M @ both))
    place = np.empty((d, d), dtype=np.intp)
    place[first, second] = place[second, first] = np.arange(len(first))
    flat = take_columns(xp.concat(parts, axis=-1), place.ravel())
    forms: Array = xp.reshape(flat, (*X.shape[:-2], d, d))
    return forms
