"""Kernels times coefficients, of which the function of a mixture is the sum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from kernlearn.kernels import (
    Columns,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Scaled,
    Stretched,
    Sum,
    WeightedSum,
)
from kernlearn.typing import Array, Indices

# Columns in which all rows are equal change none of these. Classes that derive from them may.
_BLIND_TO_CONSTANTS = (Gaussian, Laplacian, Matern, Linear)


@dataclass(frozen=True, eq=False)
class Term:
    r"""The function :math:`\sum_i k(s \circ x,\, s \circ z_i) \, c_i` of the rows of a table."""

    table: str  # which prepared table
    kernel: Kernel  # k
    points: Array  # z, of shape (m, p)
    coef: Array  # c, of shape (m, q): one column for each output
    scales: Array | None = None  # s, of shape (p,); None where all are one

    def parts(self) -> Iterator[Term]:
        """The terms of which it is the sum: sums, multiples and views of kernels are taken apart.

        >>> import numpy as np
        >>> from kernlearn.kernels import Gaussian, Linear
        >>> k = Linear() + 0.5 * Gaussian()
        >>> [(one.kernel, one.coef.item()) for one in Term("", k, np.eye(1), np.eye(1)).parts()]
        [(Linear(), 1.0), (Gaussian(), 0.5)]
        """
        kernel = self.kernel
        kind = type(kernel)
        if kind in (WeightedSum, Sum):
            weights = np.asarray(getattr(kernel, "weights", np.ones(len(kernel.kernels))), float)
            for part, weight in zip(kernel.kernels, weights, strict=True):
                if weight:
                    yield from replace(self, kernel=part, coef=weight * self.coef).parts()
        elif kind is Scaled:
            yield from replace(self, kernel=kernel.kernel, coef=kernel.scale * self.coef).parts()
        elif kind is Stretched and self._keeps_constants(kernel.kernel):
            yield from self._scaled(kernel.kernel, np.asarray(kernel.scales, float))
        elif kind is Columns and self._keeps_constants(kernel.kernel):
            seen = np.zeros(self.points.shape[1])
            seen[list(kernel.positions(self.points))] = 1.0
            yield from self._scaled(kernel.kernel, seen)
        else:
            yield self

    @property
    def used(self) -> Indices:
        """The columns that count; the first one, of which the scale is zero, if none does."""
        if self.scales is None:
            return np.arange(self.points.shape[1])
        used = np.flatnonzero(self.scales)
        return used if len(used) else np.arange(1)

    def rows(self, X: Array) -> Array:
        """The kernel's columns of rows, scaled."""
        if self.scales is None:
            return X
        used = self.used
        return np.asarray(X[:, used] * self.scales[used])

    def shares_points_with(self, other: Term) -> bool:
        """Whether another term has the same points and the same columns."""
        if self.scales is None or other.scales is None:
            same_scales = self.scales is other.scales
        else:
            same_scales = np.array_equal(self.scales, other.scales)
        return same_scales and np.array_equal(self.points, other.points)

    def _keeps_constants(self, kernel: Kernel) -> bool:
        return type(kernel) in _BLIND_TO_CONSTANTS

    def _scaled(self, kernel: Kernel, scales: Array) -> Iterator[Term]:
        both = scales if self.scales is None else self.scales * scales
        yield from replace(self, kernel=kernel, scales=both).parts()
