r"""The class that several machines predict, one against the rest, and its probability.

The class with the largest value is a poor answer where one class lies between others, as grades do,
or shells. With two of three classes on the sides of it, what machines of little freedom predict for
the middle one is nearly constant, and never the largest: it is masked. Yet the values of the three
together tell it well. Flexible discriminant analysis (Hastie, Tibshirani and Buja, 1994) takes them
as coordinates of the rows, in which classes have means :math:`\mu_c`, one covariance Σ and shares
:math:`\pi_c`,

.. math::

    g_c(x) = f(x)^\top \Sigma^{-1} \mu_c - \tfrac12 \mu_c^\top \Sigma^{-1} \mu_c + \log \pi_c ,

all found from values for rows held out. The discriminants g are linear in the values f, so that
those of kernel machines are kernel machines again. Values of least-squares machines sum to a
constant, and Σ is singular: a share of its mean variance is added to the diagonal. The share hardly
matters, from a hundredth to a half (twelve tables of three to ten classes).

Probabilities are a softmax of the values with one slope for all,

.. math::

    \min_{a \ge 0} \; -\sum_i s_i \sum_c t_{ic} \log p_{ic}, \qquad
    p_{ic} = \frac{e^{a f_{ic}}}{\sum_d e^{a f_{id}}},

with targets :math:`t_{ic} = ([c = y_i] N + 1/k)/(N + 1)` for k classes and points of weight N: as
if there were one more point of unknown class. Without it, the slope of
separated points would be infinite.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernlearn.numerics.rounding import CONSTANT, without_rounding
from kernlearn.typing import Array

# Part of the mean variance that is added to all.
SHRINKAGE = 0.1
_PARTS = 5


@dataclass(frozen=True, eq=False)
class Discriminants:
    """A linear map of k values to k values.

    The largest value never names the middle one of three classes:

    >>> import numpy as np
    >>> x = np.linspace(-1.0, 1.0, 60)
    >>> classes = np.repeat([0, 1, 2], 20)
    >>> values = np.column_stack([-x, np.full(60, -0.3), x])
    >>> signs = np.where(classes[:, None] == np.arange(3), 1.0, -1.0)
    >>> round(float(np.mean(values.argmax(axis=1) == classes)), 2)
    0.67
    >>> mapped = Discriminants.of(values, signs, np.ones(60))(values)
    >>> float(np.mean(mapped.argmax(axis=1) == classes))
    1.0
    """

    matrix: Array  # Matrix of the linear map, of shape (k, k)
    offset: Array  # Constants of the map, of shape (k,)

    def __call__(self, values: Array) -> Array:
        """The discriminants at values of shape (n, k)."""
        return np.asarray(values @ self.matrix + self.offset)

    @classmethod
    def of(
        cls, values: Array, signs: Array, weight: Array, shrinkage: float = SHRINKAGE
    ) -> Discriminants:
        """Fit to values (n, k) of held-out rows, signs of +1 for a row's own class, and weights."""
        matrices, offsets = _fitted(values, signs, weight[None], shrinkage)
        return cls(matrices[0], offsets[0])


def held_out_discriminants(values: Array, signs: Array, weight: Array) -> Array:
    """The discriminants of every row by the values of other rows alone."""
    part = _parts_of(signs)
    n_parts = int(part.max(initial=0)) + 1
    if n_parts < 2 or not np.isfinite(values).all():
        return held_out_values(values, signs, weight, Discriminants.of)
    weights = np.where(part == np.arange(n_parts)[:, None], 0.0, weight)
    matrices, offsets = _fitted(values, signs, weights)
    found = np.empty_like(values)
    for rows, matrix, offset in zip(
        part == np.arange(n_parts)[:, None], matrices, offsets, strict=True
    ):
        found[rows] = values[rows] @ matrix + offset
    return found


def _fitted(
    values: Array, signs: Array, weights: Array, shrinkage: float = SHRINKAGE
) -> tuple[Array, Array]:
    """The matrices and constants of the map for several weightings (p, n) of the same rows."""
    k, n_fits = values.shape[1], len(weights)
    matrices, offsets = np.tile(np.eye(k), (n_fits, 1, 1)), np.zeros((n_fits, k))
    size = float(np.abs(values).max(initial=0.0))
    if not 0.0 < size < np.inf:
        return matrices, offsets
    f, own = values / size, (signs > 0).astype(float)
    in_class, total = weights @ own, weights.sum(axis=1)
    n_rows = (weights > 0.0).sum(axis=1)
    of_class = weights[:, :, None] * own
    sums = of_class.swapaxes(1, 2) @ f
    overall = weights @ f / total[:, None]
    is_present = in_class > 0  # rows of a small class may all be elsewhere
    counts = np.where(is_present, in_class, 1.0)
    means = np.where(is_present[..., None], sums / counts[..., None], overall[:, None])
    above = (in_class * (np.einsum("pkk->pk", means) - overall)).sum(axis=1)
    apart = f - own @ means
    covariance = (weights[:, :, None] * apart).swapaxes(1, 2) @ apart / total[:, None, None]
    variance = np.einsum("pkk->p", covariance) / k
    # Machines that have learned nothing predict the mean, which is the lower for a class the more
    # of its rows are held out: no more than that must be learned from it. And there may be one
    # value for every class.
    learned = (without_rounding(above, total, n_rows) > 0.0) & (
        without_rounding(np.sqrt(variance), 1.0, n_rows) > 0.0
    )
    if not learned.any():
        return matrices, offsets
    covariance += (shrinkage * variance)[:, None, None] * np.eye(k)
    means, in_class, total = means[learned], in_class[learned], total[learned]
    matrix = np.linalg.solve(covariance[learned], means.swapaxes(1, 2))
    # As if there were one more row of unknown class.
    share = (in_class + 1.0 / k) / (total[:, None] + 1.0)
    offset = np.log(share) - 0.5 * (means.swapaxes(1, 2) * matrix).sum(axis=1)
    # Only differences between classes count.
    matrices[learned] = (matrix - matrix.mean(axis=2, keepdims=True)) / size
    offsets[learned] = offset - offset.mean(axis=1, keepdims=True)
    return matrices, offsets


def _parts_of(signs: Array) -> NDArray[np.intp]:
    """The part of every row; classes have their share of each, whatever the order of the rows."""
    parts = np.empty(len(signs), dtype=np.intp)
    by_class = np.argsort(signs.argmax(axis=1), kind="stable")
    parts[by_class] = np.arange(len(signs)) % min(_PARTS, len(signs))
    return parts


def held_out_values(
    values: Array,
    signs: Array,
    weight: Array,
    link_of: Callable[[Array, Array, Array], Callable[[Array], Array]],
) -> Array:
    """Linked values of each row, by a link fitted to the other rows."""
    found = np.empty_like(values)
    parts = _parts_of(signs)
    for part in range(int(parts.max()) + 1):
        out, others = parts == part, parts != part
        link = link_of(values[others], signs[others], weight[others])
        found[out] = link(values[out])
    return found


# Newton's steps for a slope, and the relative size of the last: the error is its square.
_MAX_STEPS, _TOL = 100, 1e-8


def fit_softmax(
    values: Array, codes: NDArray[np.intp], sample_weight: Array | None = None
) -> float:
    """The slope for held-out decision values (n, k), and the column of each point's class.

    The probabilities are ``softmax(slope * values)``; it is zero if the values are uninformative.

    >>> import numpy as np
    >>> 0 < fit_softmax(np.eye(3)[[0, 0, 1, 1, 2, 0]], np.array([0, 0, 1, 1, 2, 2])) < 10
    True
    """
    n, k = values.shape
    weight = np.ones(n) if sample_weight is None else sample_weight
    total = float(weight.sum())
    target = np.full((n, k), 1.0 / k / (total + 1.0))
    target[np.arange(n), codes] += total / (total + 1.0)
    centred = values - values.max(axis=1, keepdims=True)
    size = float(np.abs(centred).max(initial=0.0))
    # Values that are the same for every class, or would be in another order of their sums.
    if not size > CONSTANT * np.abs(values).max(initial=0.0):
        return 0.0
    centred = centred / size

    aimed = float(weight @ np.einsum("nk,nk->n", target, centred))
    return _softmax_slope(centred, weight, aimed) / size


def _softmax_slope(values: Array, weight: Array, aimed: float) -> float:
    """The slope at which the weighted sum of the softmax means of the values is `aimed`.

    The sum increases with the slope, and no value is above zero. Newton's method, safeguarded by
    a bracket.
    """
    slope, low, high = 0.0, 0.0, np.inf
    ones = np.ones(values.shape[1])
    for _ in range(_MAX_STEPS):
        terms = np.exp(slope * values)  # chances up to a factor; none is above one
        total = terms @ ones
        terms *= values
        means = (terms @ ones) / total
        short = aimed - float(weight @ means)
        if short <= 0.0:
            if slope == 0.0:
                break
            high = slope
        else:
            low = slope
        terms *= values
        growth = float(weight @ ((terms @ ones) / total - means * means))
        step = short / growth if growth > 0.0 else np.inf
        # Far out the sum hardly grows: no more than doubling, and a little.
        ahead = slope + min(step, slope + 4.0)
        if not low <= ahead <= high:
            ahead = 0.5 * (low + high)
        if abs(ahead - slope) <= _TOL * ahead:
            return ahead
        slope = ahead
    return slope
