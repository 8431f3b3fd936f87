"""The kernels to choose from when the user names none."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.utils import check_random_state

from kernlearn.kernels._distances import rescaled
from kernlearn.kernels._validation import FloatArray, check_numbers
from kernlearn.kernels.base import Kernel
from kernlearn.kernels.gaussian import Gaussian
from kernlearn.kernels.linear import Linear
from kernlearn.kernels.normalized import Normalized
from kernlearn.kernels.polynomial import Polynomial

# Two octaves of width to either side of the median: wide enough for smooth and for local functions.
_FACTORS = (2.0**-4, 2.0**-2, 1.0, 2.0**2, 2.0**4)
# The median of half a million distances is known to a fraction of a per cent.
_MAX_ROWS = 1000


def default_bank(X: Any, random_state: Any = None) -> list[Kernel]:
    r"""Return seven kernels with unit diagonal, at the scale of the data.

    A linear and a quadratic kernel, normalised, and Gaussians with
    :math:`\gamma = 2^p / m^2` for p = −4, −2, 0, 2, 4, where m is the median distance between
    distinct points.

    Parameters
    ----------
    X : array-like or data frame of shape (n, d)
        The data; with more than 1000 rows, m is taken from a random thousand.
    random_state : int, RandomState or None, default=None
        Chooses these rows.

    Returns
    -------
    kernels : list of Kernel
        Two kernels of inner products and five Gaussians, from wide to narrow.

    Examples
    --------
    >>> from kernlearn.kernels import default_bank
    >>> [k.gamma for k in default_bank([[0.0], [2.0]])[2:]]
    [0.015625, 0.0625, 0.25, 1.0, 4.0]
    """
    median = median_distance(check_numbers(X, "X"), random_state)
    gaussians = [Gaussian(_inverse_square(median, factor)) for factor in _FACTORS]
    return [Normalized(Linear()), Normalized(Polynomial(degree=2)), *gaussians]


def median_distance(X: FloatArray, random_state: Any) -> float:
    """Return the median distance between distinct points, or one where there are none.

    Of more than a thousand rows, it is that of a random thousand.
    """
    if len(X) > _MAX_ROWS:
        X = X[check_random_state(random_state).choice(len(X), _MAX_ROWS, replace=False)]
    spread = float((0.5 * X.max(axis=0) - 0.5 * X.min(axis=0)).max())
    if spread == 0.0:
        return 1.0
    # A repeated row counts once, as a row of weight two would. In units of the spread no square
    # overflows or vanishes.
    distances = pdist(rescaled(np.unique(X, axis=0), X, 1.0)[0] / spread)
    return spread * float(np.median(distances[distances > 0]))


def _inverse_square(median: float, factor: float) -> float:
    # Beyond the range of floats the nearest usable gamma takes the place of zero or infinity.
    limits = np.finfo(np.float64)
    with np.errstate(over="ignore", under="ignore"):
        gamma = np.float64(factor) / median / median
    return float(np.clip(gamma, limits.tiny, limits.max))
