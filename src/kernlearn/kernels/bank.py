"""The kernels to choose from when the user names none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.utils import check_random_state

from kernlearn.kernels._distances import rescaled
from kernlearn.kernels._validation import check_numbers
from kernlearn.kernels.base import Kernel
from kernlearn.kernels.inner_product import Linear, Polynomial
from kernlearn.kernels.normalized import Normalized
from kernlearn.kernels.radial import Gaussian
from kernlearn.runtime.numerical_errors import NumericalError
from kernlearn.typing import Array, Table

# Exponents p of γ = 2ᵖ/m² where there is nothing to be predicted. At the median distance a kernel
# is exp(−2ᵖ), from 0.94 down to 3e-4: beyond, it is all but constant, or all but the identity.
WITHOUT_TARGETS = (-4.0, -2.0, 0.0, 1.5, 3.0)
# The median of half a million distances is known to a fraction of a per cent.
_MAX_ROWS = 1000
# A kernel is nearly constant, or nearly the identity, if 95 % of its entries between different
# points (in units of the diagonal) are within this of one, or of zero. Fewer points prove nothing.
_NEARLY, _FEW = 1e-3, 10


def default_bank(X: Table, random_state: int | np.random.RandomState | None = 0) -> list[Kernel]:
    r"""Return up to seven kernels with unit diagonal, at the scale of the data.

    A linear and a quadratic kernel, normalised, and Gaussians with
    :math:`\gamma = 2^p / m^2` for p = −4, −2, 0, 1.5 and 3, where m is the median distance between
    distinct points. Kernels that are nearly constant or nearly the identity on the data are left
    out. Estimators without kernels choose the bandwidths by their predictions instead.

    Parameters
    ----------
    X : array-like or data frame of shape (n, d)
        The data; with more than 1000 rows, m is taken from a random thousand.
    random_state : int, RandomState or None, default=0
        Chooses these rows.

    Returns
    -------
    kernels : list of Kernel
        Kernels of inner products, then Gaussians from wide to narrow.

    Examples
    --------
    >>> from kernlearn.kernels import default_bank
    >>> [round(k.gamma, 3) for k in default_bank([[0.0], [2.0]])[2:]]
    [0.016, 0.062, 0.25, 0.707, 2.0]
    """
    table = check_numbers(X, "X")
    bank = bank_at(median_distance(table, random_state), WITHOUT_TARGETS)
    return screen_kernels(bank, table[:_MAX_ROWS])[0]


def bank_at(median: float, exponents: Sequence[float]) -> list[Kernel]:
    """Linear, quadratic, and Gaussians with γ = 2ᵖ/m²."""
    gaussians = [Gaussian(_inverse_square(median, 2.0**p)) for p in exponents]
    return [Normalized(Linear()), Normalized(Polynomial(degree=2)), *gaussians]


def screen_kernels(kernels: Sequence[Kernel], X: Array) -> tuple[list[Kernel], list[str]]:
    """Return the kernels that separate points, and a sentence for each of the others.

    If none does, all are kept: on such data nothing better can be said.
    """
    distinct = np.unique(X, axis=0)
    if len(distinct) < _FEW:
        return list(kernels), []
    kept, notes = [], []
    for kernel in kernels:
        fault = _fault(kernel, distinct)
        if fault is None:
            kept.append(kernel)
        else:
            notes.append(f"{kernel} was left out: {fault}")
    return (kept, notes) if kept else (list(kernels), notes)


def _fault(kernel: Kernel, X: Array) -> str | None:
    try:
        entries = kernel(X)[np.triu_indices(len(X), 1)]
    except NumericalError:
        return None  # it overflows; its use raises an error
    low = float(np.quantile(entries, 0.05))
    size = float(np.quantile(np.abs(entries), 0.95))
    if low > 1.0 - _NEARLY:
        return (
            "it is nearly constant on the data, 95 % of its entries between different points are "
            f"above {low:.6f}"
        )
    if size < _NEARLY:
        return (
            "it is nearly the identity on the data, 95 % of its entries between different points "
            f"are below {size:.1e}"
        )
    return None


def median_distance(X: Array, random_state: int | np.random.RandomState | None) -> float:
    """Return the median distance between distinct points, or one where there are none.

    With more than a thousand rows, the median is that of a random thousand.
    """
    if len(X) > _MAX_ROWS:
        X = X[check_random_state(random_state).choice(len(X), _MAX_ROWS, replace=False)]
    spread = float((0.5 * X.max(axis=0) - 0.5 * X.min(axis=0)).max())
    if spread == 0.0:
        return 1.0
    # In units of the spread no square overflows or vanishes.
    distances = pdist(rescaled(X, X, 1.0)[0] / spread)
    if not distances.all():  # a repeated row counts once, as a row of weight two would
        distances = pdist(rescaled(np.unique(X, axis=0), X, 1.0)[0] / spread)
    return spread * float(np.median(distances[distances > 0]))


def _inverse_square(median: float, factor: float) -> float:
    # Beyond the range of floats the nearest usable gamma takes the place of zero or infinity.
    limits = np.finfo(np.float64)
    with np.errstate(over="ignore", under="ignore"):
        gamma = np.float64(factor) / median / median
    return float(np.clip(gamma, limits.tiny, limits.max))
