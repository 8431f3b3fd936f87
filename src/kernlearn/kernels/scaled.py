"""A kernel times a non-negative number."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.kernels._composite import _Wrapper
from kernlearn.kernels._parameters import non_negative
from kernlearn.kernels._sparse_rows import SparseRows
from kernlearn.kernels.base import Kernel
from kernlearn.typing import Array


class Scaled(_Wrapper):
    r"""A multiple of a kernel, :math:`s \, k(x, z)`; also written ``s * k``.

    Parameters
    ----------
    kernel : Kernel
        The kernel k.
    scale : float, default=1.0
        The factor s, not negative.

    Examples
    --------
    >>> from kernlearn.kernels import Linear
    >>> (0.5 * Linear())([[2.0]])
    array([[2.]])
    """

    passes_arrays = True

    def __init__(self, kernel: Kernel, scale: float = 1.0) -> None:
        self.kernel = kernel
        self.scale = scale

    def _check_parameters(self) -> None:
        super()._check_parameters()
        non_negative(self.scale, "Scaled's scale")

    def sparse_rows(self, X: Any) -> SparseRows | None:
        """The rows, longer or shorter."""
        rows = self.kernel.sparse_rows(X)
        if rows is None:
            return None
        return rows.rescaled(np.full(rows.features.shape[0], np.sqrt(self.scale)))

    def _evaluate(self, X: Any, Y: Any) -> Array:
        return self.scale * self.kernel(X, Y)

    def _diag(self, X: Any) -> Array:
        return self.scale * self.kernel.diag(X)
