"""Gram matrices on one scale, by their trace."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.gram._validation import check_square
from kernlearn.typing import Array


def scale_to_trace(K: ArrayLike, trace: float | None = None) -> Array:
    r"""Return the multiple of `K` with a given trace, :math:`\frac{c}{\operatorname{tr} K} K`.

    Parameters
    ----------
    K : array-like of shape (n, n)
        A Gram matrix, not all zero; not modified.
    trace : float, optional
        The trace c; n when not given, as for a matrix with unit diagonal.

    Returns
    -------
    K : ndarray of shape (n, n)
        A new array.

    Examples
    --------
    >>> from kernlearn.gram import scale_to_trace
    >>> scale_to_trace([[3.0, 1.0], [1.0, 1.0]])
    array([[1.5, 0.5],
           [0.5, 0.5]])
    """
    matrix = check_square(K, "Gram matrix")
    target = float(len(matrix)) if trace is None else float(trace)
    if not (np.isfinite(target) and target > 0):
        raise ValueError(
            f"trace must be a positive finite number, got {trace!r}; choose a value above zero."
        )
    # The mean, taken as a sum of small terms, does not overflow where the trace would.
    mean = float((np.diagonal(matrix) / len(matrix)).sum())
    if mean <= 0:
        raise ValueError(
            f"Gram matrix must have a positive trace, got {mean * len(matrix):.3g}; leave out a "
            "kernel that is zero on all points."
        )
    return matrix / mean * (target / len(matrix))
