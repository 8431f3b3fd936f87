"""The global alignment kernel on time series."""

from __future__ import annotations

import numpy as np

from kernlearn.kernels._parameters import positive, positive_integer
from kernlearn.kernels._validation import check_numbers
from kernlearn.kernels.base import _UnitDiagonal
from kernlearn.kernels.structured_inputs import _ParsedInputs
from kernlearn.typing import Array, Indices, Things

# Cells of the tables that are filled together.
_BLOCK = 1_000_000


class GlobalAlignment(_UnitDiagonal, _ParsedInputs):
    r"""The global alignment kernel on time series of any lengths, with unit diagonal.

    The sum over all alignments π of two series, each step of which moves on in one series or in
    both, of the products of a local similarity (Cuturi, 2011):

    .. math::

        K(x, z) = \sum_{\pi} \prod_i \kappa(x_{\pi_1(i)}, z_{\pi_2(i)}), \qquad
        \kappa = \frac{\omega g}{2 - \omega g}, \quad g = e^{-\|x_a - z_b\|^2 / 2\sigma^2}.

    :math:`\kappa/(1 + \kappa) = \omega g/2` is positive semidefinite, and so is K. Its values range
    over hundreds of orders of magnitude: :math:`K(x, z)/\sqrt{K(x, x) K(z, z)}` is returned,
    computed in logarithms.

    Parameters
    ----------
    sigma : float, default=1.0
        The width σ of the local similarity, above zero: about the median distance between steps of
        the series times the root of their median length.
    band : int, optional
        T: times a and b are compared only if :math:`|a - b| < T`, with
        :math:`\omega = 1 - |a - b|/T`; series whose lengths differ by T or more have similarity
        zero. All times are compared, with ω = 1, when not given.

    Notes
    -----
    A series is a sequence of numbers, or an array of shape (length, d). Every pair takes as many
    steps as the product of its lengths.

    Examples
    --------
    >>> from kernlearn.kernels import GlobalAlignment
    >>> GlobalAlignment(sigma=1.0)([[0.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [5.0]]).round(3)
    array([[1.   , 0.745, 0.   ],
           [0.745, 1.   , 0.   ],
           [0.   , 0.   , 1.   ]])
    """

    def __init__(self, sigma: float = 1.0, band: int | None = None) -> None:
        self.sigma = sigma
        self.band = band

    def _check_parameters(self) -> None:
        positive(self.sigma, "GlobalAlignment's sigma")
        if self.band is not None:
            positive_integer(self.band, "GlobalAlignment's band")

    def _read(self, thing: object, where: str) -> Array:
        if thing is None or isinstance(thing, str | bytes | dict):
            raise ValueError(
                f"A time series must be a sequence of numbers, got {thing!r} in {where}; drop such "
                "rows."
            )
        steps = np.atleast_1d(np.asarray(thing))  # a single number is a series of one step
        return check_numbers(steps[:, None] if steps.ndim == 1 else steps, where)

    def _evaluate(self, X: Things, Y: Things) -> Array:
        widths = sorted({series.shape[1] for series in (*X, *Y)})
        if len(widths) > 1:
            raise ValueError(
                f"Time series must have the same number of columns, got {widths[0]} and "
                f"{widths[-1]}; give every step the same measurements."
            )
        own_X = self._self_similarities(X)
        own_Y = own_X if Y is X else self._self_similarities(Y)
        logs = np.empty((len(X), len(Y)))
        if Y is X:
            i, j = np.triu_indices(len(X), 1)
            logs[i, j] = logs[j, i] = self._logs(X, X, i, j)
            np.fill_diagonal(logs, own_X)
        else:
            i, j = map(np.ravel, np.indices(logs.shape))
            logs[i, j] = self._logs(X, Y, i, j)
        return np.exp(logs - 0.5 * np.add.outer(own_X, own_Y))

    def _self_similarities(self, X: Things) -> Array:
        rows = np.arange(len(X))
        return self._logs(X, X, rows, rows)

    def _logs(self, X: Things, Y: Things, i: Indices, j: Indices) -> Array:
        """Return log K for the pairs of x_i and z_j."""
        x, n = _padded(X)
        z, m = _padded(Y)
        step = max(1, _BLOCK // (x.shape[1] * z.shape[1]))
        logs = np.empty(len(i))
        for start in range(0, len(i), step):
            rows, columns = i[start : start + step], j[start : start + step]
            local = self._log_similarity(x[rows], z[columns])
            logs[start : start + step] = _log_sums(local, n[rows], m[columns])
        return logs

    def _log_similarity(self, x: Array, z: Array) -> Array:
        """Return log κ between all times of the two series of each pair."""
        log_g = np.zeros((len(x), x.shape[1], z.shape[1]))
        for column in range(x.shape[2]):
            apart = x[:, :, None, column] - z[:, None, :, column]
            log_g -= 0.5 * (apart / self.sigma) ** 2
        if self.band is not None:
            times = np.abs(np.subtract.outer(np.arange(x.shape[1]), np.arange(z.shape[1])))
            with np.errstate(divide="ignore"):
                log_g += np.log(np.maximum(1.0 - times / self.band, 0.0))
        return log_g - np.log(2.0 - np.exp(log_g))


def _log_sums(local: Array, n: Indices, m: Indices) -> Array:
    """Fill M(a, b) = κ(a, b) (M(a−1, b−1) + M(a−1, b) + M(a, b−1)); return log M(n, m).

    Diagonal by diagonal, for all pairs at once; what lies beyond the end of a series does no harm,
    since nothing leads back.
    """
    n_pairs, longest_n, longest_m = local.shape
    # last[:, a] is log M(a, s − a) on the diagonal s, first row and column included.
    before = np.full((n_pairs, longest_n + 1), -np.inf)
    last = before.copy()
    before[:, 0] = 0.0
    results = np.empty(n_pairs)
    for s in range(2, longest_n + longest_m + 1):
        a = np.arange(max(1, s - longest_m), min(longest_n, s - 1) + 1)
        ways = np.logaddexp(np.logaddexp(before[:, a - 1], last[:, a - 1]), last[:, a])
        now = np.full_like(last, -np.inf)
        now[:, a] = local[:, a - 1, s - a - 1] + ways
        done = np.flatnonzero(n + m == s)
        results[done] = now[done, n[done]]
        before, last = last, now
    return results


def _padded(series: Things) -> tuple[Array, Indices]:
    """Return all series in one array, with zeros behind their ends, and their lengths."""
    lengths = np.array([len(steps) for steps in series])
    table = np.zeros((len(series), lengths.max(), series[0].shape[1]))
    for row, steps in zip(table, series, strict=True):
        row[: len(steps)] = steps
    return table, lengths
