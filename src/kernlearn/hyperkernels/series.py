"""Power series with non-negative coefficients: the paper's Table 2, and any other."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernlearn.typing import Array


@dataclass(frozen=True)
class Series:
    r"""A function :math:`g(\xi) = \sum_i c_i \xi^i` with all :math:`c_i \ge 0`.

    Parameters
    ----------
    name : str
        What to call it in messages.
    function : callable
        g, applied to every entry of an array. A function that has a name can be pickled.
    radius : float
        The radius of convergence R.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.hyperkernels import TABLE_2, Series
    >>> sorted(TABLE_2)
    ['arctanh', 'cosh', 'exp', 'log', 'sinh']
    >>> TABLE_2["log"].radius
    1.0
    >>> Series("squared", np.square, np.inf).function(np.array([1.0, 3.0]))
    array([1., 9.])
    """

    name: str
    function: Callable[[Any], Any]
    radius: float

    def largest_value(self) -> float:
        """The √R that the values of a base kernel must stay below."""
        return math.sqrt(self.radius)


def minus_log(xi: Array) -> Array:
    """−ln(1 − ξ), accurate near zero."""
    values: Array = -np.log1p(-xi)
    return values


TABLE_2: dict[str, Series] = {
    "exp": Series("exp", np.exp, math.inf),
    "sinh": Series("sinh", np.sinh, math.inf),
    "cosh": Series("cosh", np.cosh, math.inf),
    "arctanh": Series("arctanh", np.arctanh, 1.0),
    "log": Series("log", minus_log, 1.0),
}
