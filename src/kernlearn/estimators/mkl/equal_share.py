r"""The part of the weight that all sources share equally, whatever is learned.

With :math:`\bar w` the weights that give every source the same share of the total, and every kernel
of a source the same share of that, the weights are

.. math:: w = e \bar w + (1 - e) w', \qquad w' \ge 0, \quad \sum_i w'_i r_i = c,

and w' is learned: e = 0 is the problem of Lanckriet et al., e = 1 leaves nothing to be learned. The
margin drops redundant sources, and prefers sources in which rows are least alike; neither makes for
good predictions. The problem is still one convex program with its certificate
(:func:`kernlearn.families.weights.positive_weights`).

The share is chosen by the loss of held-out rows (:mod:`kernlearn.solvers.engine.exact`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from kernlearn.kernels import Columns, Kernel
from kernlearn.kernels._composite import _Wrapper
from kernlearn.typing import Array


def check_equal_share(value: Any) -> float | str | None:
    """The parameter ``equal_share`` of an estimator."""
    if value is None or (isinstance(value, str) and value == "auto"):
        return value
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not is_number or not 0.0 <= value <= 1.0:
        raise ValueError(
            "expected equal_share to be a number from 0, all weights learned, to 1, all sources "
            f"equal, or 'auto' or None, got {value!r}; leave it out"
        )
    return float(value)


def even_shares(kernels: Sequence[Kernel]) -> Array:
    """The share of every kernel if sources have equal shares, and kernels of one source, too.

    Kernels on the same columns are of one source; any other kernel is a source of its own.

    >>> from kernlearn.kernels import Gaussian, Linear
    >>> even_shares([Columns([0], Gaussian()), Columns([0], Linear()), Columns([1], Linear())])
    array([0.25, 0.25, 0.5 ])
    """
    sources = [_source(kernel, i) for i, kernel in enumerate(kernels)]
    shares = np.array([1.0 / sources.count(source) for source in sources])
    return shares / len(set(sources))


def kernel_name(kernel: Kernel) -> str | None:
    """The name of a kernel, of its columns or of its view; None if it has none.

    >>> from kernlearn.kernels import Linear
    >>> kernel_name(Columns("genes", Linear())), kernel_name(Linear())
    ('genes', None)
    """
    part = kernel
    while isinstance(part, _Wrapper) and getattr(part, "name", None) is None:
        if isinstance(part, Columns) and isinstance(part.columns, str):
            return part.columns
        part = part.kernel
    name = getattr(part, "name", None)
    return name if isinstance(name, str) else None


def _source(kernel: Kernel, number: int) -> Hashable:
    part = kernel
    while isinstance(part, _Wrapper) and not isinstance(part, Columns):
        part = part.kernel
    return str(part.columns) if isinstance(part, Columns) else number
