r"""Directions of θ in which some columns count more than others, for kernels with a scale for each.

From equal scales a descent finds nothing if few of many columns matter: with all of them a kernel
predicts no better than the constant, and the criterion has no slope. Three statistics of the
targets separate the columns:

- The slopes of a machine. Along a column that matters a good function changes. With f trained on
  columns stretched by s, the next stretches are

  .. math:: s_r \propto \Bigl( \sum_i w_i \sum_k
            \Bigl( \frac{\partial f_k}{\partial x_r}(x_i) \Bigr)^2 \Bigr)^{1/2},

  w the weights of the rows: the diagonal of the recursive feature machines of Radhakrishnan,
  Beaglehole, Pandit and Belkin (2024). Columns that matter only together are found by it.
- Each column by itself, cut into bins: the leave-one-out loss of the means of bins has a closed
  form, and costs a sort. A column of many ups and downs is found by it among any number of others.
- Each pair of columns, cut into cells, likewise. Two columns that matter as a product, or as a sine
  of one times the other, are found by it, where the slopes of a machine of all columns are mostly
  chance. The slopes of a machine of the columns that were found are their scales.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from kernlearn.families.parametric._squares import mean_squares, middles
from kernlearn.kernels import Matern
from kernlearn.numerics.rounding import first_least, standard_deviation, usual_weight
from kernlearn.quality.ridge_path import RidgePath
from kernlearn.solvers.machine.least_squares import Bordered
from kernlearn.typing import Array, Indices

# Rounds with a λ that predicts best, and with a small one, for a kernel with a diagonal of one. The
# former is better for columns that matter alone; a machine with next to no λ follows its rows, and
# has slopes along columns that matter only together, which grow from round to round.
_ROUNDS, _MORE_ROUNDS, _SMALL = 2, 5, 0.03
_RIDGES, _RIDGE_ROWS = 10.0 ** np.arange(1, -4, -1), 300
# Rows whose machines have slopes: half a second for each direction.
_SLOPE_ROWS = 1500
# Most rows of a machine over which its slopes are squared and averaged.
_PLACES = 400
# Bins of a column, and the rows that one has at least, on average.
_BINS, _PER_BIN = (4, 12, 36, 108), 5
# Bins of each column of a pair; and the rows times pairs times targets that take half a second.
# With more pairs there are fewer rows for each, but not fewer than these.
_PAIR_BINS, _PAIR_WORK, _PAIR_ROWS = (4, 12, 36), 4e6, 300
# Standard deviations, of what chance does to the loss of bins, above which a column counts.
_BEYOND_CHANCE = 3.0
# No column is left out: from where a logarithm has gone no slope leads back.
_LEAST = 1e-3


def column_directions(X: Array, Y: Array, weight: Array) -> list[Array]:
    """At most five θ of a Gaussian kernel, up to a factor; none if all columns look alike.

    >>> import numpy as np
    >>> from kernlearn.solvers.selection.column_starts import column_directions
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> directions = column_directions(X, X[:, :1] ** 2, np.ones(80))
    >>> [int(theta.argmax()) for theta in directions]
    [0, 0, 0]
    """
    if X.shape[1] < 2 or len(X) < 2 * _PER_BIN:
        return []
    spread = mean_squares(X)
    Z = (X - middles(X)) / np.sqrt(spread)
    Z -= Z.mean(axis=0)
    targets = Y - np.average(Y, axis=0, weights=weight)
    largest = float(np.abs(targets).max())
    if not 0.0 < largest < np.inf:
        return []
    targets = targets / largest
    few = np.linspace(0, len(Z) - 1, min(len(Z), _SLOPE_ROWS)).astype(int)
    some = Z[few], targets[few], weight[few]
    everything = np.ones(Z.shape[1])
    gains, bins = _explained_shares(Z, targets, weight)
    found = [
        _from_slopes(*some, everything, _ROUNDS, None),
        _from_slopes(*some, everything, _MORE_ROUNDS, _SMALL),
    ]
    paired = _gain_in_pairs(Z, targets, weight, gains)
    if paired.any():
        found.append(_from_slopes(*some, np.where(paired | (gains > 0.0), 1.0, 0.0), _ROUNDS, None))
    directions = [theta for theta in found if theta is not None]
    if gains.max() > 0.0:
        each = np.where(gains > 0.0, bins**2 / 24.0, 0.0)
        best = np.where(np.arange(len(gains)) == gains.argmax(), each, 0.0)
        directions += [each] if (each > 0.0).sum() == 1 else [each, best]
    return [np.maximum(theta, _LEAST * theta.max()) / spread for theta in directions]


def slope_scales(
    X: Array,
    share: Array,
    scales: Array,
    n_rounds: int,
    train: Callable[[float, Array], Array],
    distance: Callable[[Array], float] | None = None,
) -> Array:
    """Scales of the columns after some rounds: in each, the slopes of a machine on scaled columns.

    The length of the kernel is the root mean squared distance of rows, or another `distance`.
    Slopes are those at evenly spaced rows, a few hundred; the weights of the rows are `share`.
    `train` takes the length of the Matérn kernel of order 3/2 and the scales, and returns
    coefficients of shape (n, k). LinAlgError: no slope.
    """
    places = np.linspace(0, len(X) - 1, min(len(X), _PLACES)).astype(int)
    for _ in range(n_rounds):
        length = (distance or _root_mean_square)(X * scales)
        squares = slopes(X, scales, length, train(length, scales), places) ** 2
        sizes = np.sqrt(np.einsum("n,knr->r", share[places], squares))
        if not 0.0 < sizes.max() < np.inf:
            raise np.linalg.LinAlgError("the machine has no slope")
        scales = sizes / sizes.max()
    return scales


def _root_mean_square(X: Array) -> float:
    return float(np.sqrt(2.0 * (standard_deviation(X) ** 2).sum())) or 1.0


def _from_slopes(
    Z: Array, Y: Array, weight: Array, scales: Array, n_rounds: int, lam: float | None
) -> Array | None:
    """θ after `n_rounds` from `scales`; None where a machine has no slope, or there is none."""

    def train(length: float, scales: Array) -> Array:
        nonlocal lam
        K = Matern(length, 1.5)(Z * scales)
        lam = _best_ridge(K, Y, weight) if lam is None else lam
        factor = Bordered.of(K, lam / weight)
        if factor is None:
            raise np.linalg.LinAlgError("no machine can be trained")
        return factor.solve(Y)[0]

    try:
        scales = slope_scales(Z, weight / weight.sum(), scales, n_rounds, train)
    except np.linalg.LinAlgError:
        return None
    return np.asarray(0.5 * scales**2 / (scales**2 * Z.var(axis=0)).sum())


def _best_ridge(K: Array, Y: Array, weight: Array) -> float:
    """The λ of the least leave-one-out loss, on some of the rows."""
    rows = np.linspace(0, len(K) - 1, min(len(K), _RIDGE_ROWS)).astype(int)
    path = RidgePath.of(K[np.ix_(rows, rows)], Y[rows], weight[rows])
    ridges = usual_weight(weight) * np.array(_RIDGES)
    losses = [weight[rows] @ (path.residuals(lam) ** 2).sum(axis=1) for lam in ridges]
    return float(ridges[first_least(losses)])


def slopes(X: Array, scales: Array, length: float, dual_coef: Array, places: Indices) -> Array:
    r"""Slopes of the machine with these coefficients at some of its rows, of shape (k, n, p).

    For the Matérn kernel of order 3/2 and length ℓ, with u = s∘x and
    :math:`r = \|u - u'\| / \ell`,

    .. math:: k = (1 + \sqrt3 r) e^{-\sqrt3 r}, \qquad
              \frac{\partial k}{\partial u} = -\frac{3}{\ell^2} (u - u') e^{-\sqrt3 r},

    so that all slopes at all rows take one matrix product.
    """
    U = X * scales
    at = U[places]
    decay = 3.0 / length**2 * Matern(length / np.sqrt(3.0), 0.5)(at, U)
    return np.stack(
        [-scales * (at * (decay @ a)[:, None] - decay @ (a[:, None] * U)) for a in dual_coef.T]
    )


def best_cells(X: Array, Y: Array, weight: Array) -> tuple[float, tuple[int, ...]]:
    """The R² of the means of bins of one column, or of cells of two, and the column numbers.

    Every row is predicted without itself. Zero and no columns where chance does as much.
    """
    gains, _ = _explained_shares(X, Y, weight)
    r = int(gains.argmax())
    best = float(gains[r])
    columns: tuple[int, ...] = (r,) if best > 0.0 else ()
    for pair, _, gain in _pair_gains(X, Y, weight):
        if gain > best:
            best, columns = gain, pair
    return best, columns


def _explained_shares(X: Array, Y: Array, weight: Array) -> tuple[Array, Array]:
    """Share of the loss that each column explains alone, zero if within chance; and its bins."""
    n, d = X.shape
    gains, bins = np.zeros(d), np.ones(d)
    constant = _left_out_loss(np.zeros(n, dtype=int), Y, weight)
    for count in [count for count in _BINS if n >= _PER_BIN * count]:
        least = _BEYOND_CHANCE * np.sqrt(2.0 * count) / n
        for r, members in enumerate(_members(X, count)):
            gain = 1.0 - _left_out_loss(members, Y, weight) / constant if constant > 0.0 else 0.0
            if gain > max(least, gains[r]):
                gains[r], bins[r] = gain, count
    return gains, bins


def _gain_in_pairs(X: Array, Y: Array, weight: Array, alone: Array) -> NDArray[np.bool_]:
    """Whether a column and another one explain more than both of them do by themselves."""
    paired = np.zeros(X.shape[1], dtype=bool)
    for pair, least, gain in _pair_gains(X, Y, weight):
        if gain > least + alone[list(pair)].sum():
            paired[list(pair)] = True
    return paired


def _pair_gains(
    X: Array, Y: Array, weight: Array
) -> Iterator[tuple[tuple[int, int], float, float]]:
    """Pairs of columns, the gain by chance and their own; on fewer rows if columns are many."""
    d = X.shape[1]
    n = int(min(len(X), _PAIR_WORK / max(0.5 * d * (d - 1) * Y.shape[1], 1.0)))
    if d < 2 or n < min(len(X), _PAIR_ROWS):
        return
    rows = np.linspace(0, len(X) - 1, n).astype(int)
    X, Y, weight = X[rows], Y[rows], weight[rows]
    constant = _left_out_loss(np.zeros(n, dtype=int), Y, weight)
    if not constant > 0.0:
        return
    for count in [count for count in _PAIR_BINS if n >= _PER_BIN * count**2]:
        least = _BEYOND_CHANCE * np.sqrt(2.0) * count / n
        members = _members(X, count)
        for r, s in combinations(range(d), 2):
            loss = _left_out_loss(count * members[r] + members[s], Y, weight)
            yield (r, s), least, 1.0 - loss / constant


def _members(X: Array, count: int) -> list[NDArray[np.intp]]:
    """The bin of every row, for each column; rows that have the same value are in the same one."""
    cuts = np.quantile(X, np.arange(1, count) / count, axis=0)
    return [np.searchsorted(cut, x, side="right") for cut, x in zip(cuts.T, X.T, strict=True)]


def _left_out_loss(members: NDArray[np.intp], Y: Array, weight: Array) -> float:
    """The leave-one-out loss of the means of bins; a row alone in its bin has that of the rest."""
    loss = 0.0
    total = np.bincount(members, weight)[members]
    without = total - weight
    alone = without <= 1e-12 * total
    for y in Y.T:
        sums = np.bincount(members, weight * y)[members] - weight * y
        rest = (weight @ y - weight * y) / np.maximum(weight.sum() - weight, 1e-300)
        mean = np.where(alone, rest, sums / np.where(alone, 1.0, without))
        loss += float(weight @ (y - mean) ** 2)
    return loss
