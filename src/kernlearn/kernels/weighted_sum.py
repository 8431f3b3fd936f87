"""A combination of kernels with learned weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kernlearn._device import beside
from kernlearn.kernels._composite import _Combination
from kernlearn.kernels._validation import check_real
from kernlearn.kernels.base import Kernel
from kernlearn.typing import Array, Table


class WeightedSum(_Combination):
    r"""The combination :math:`k(x, z) = \sum_i w_i k_i(x, z)`; kernels of weight zero are skipped.

    A negative weight is allowed, as free-sign learning gives them. The result is then positive
    semidefinite on the points where that was imposed, which need not be all points.

    Parameters
    ----------
    kernels : list of Kernel
        The kernels, at least one.
    weights : array-like of shape (m,)
        One finite weight for each.

    Examples
    --------
    >>> from kernlearn.kernels import Gaussian, Linear, WeightedSum
    >>> WeightedSum([Linear(), Gaussian()], [0.5, 2.0])([[1.0], [2.0]]).round(3)
    array([[2.5  , 1.736],
           [1.736, 4.   ]])
    """

    passes_arrays = True

    def __init__(self, kernels: Sequence[Kernel], weights: Sequence[float] | Array) -> None:
        self.kernels = kernels
        self.weights = weights

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_real(self.weights, "The weights of WeightedSum")
        weights = np.asarray(self.weights, dtype=float)
        if weights.shape != (len(self.kernels),) or not np.isfinite(weights).all():
            raise ValueError(
                f"WeightedSum must be given one finite weight for each of its {len(self.kernels)} "
                f"kernels, got {self.weights!r}; pass a list of that many numbers."
            )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, with those of the parts when `deep`."""
        return {**super().get_params(deep), "weights": self.weights}

    def _evaluate(self, X: Table, Y: Table) -> Array:
        total: Array = beside(np.zeros((X.shape[0], Y.shape[0])), X)
        for kernel, weight in zip(self.kernels, self.weights, strict=True):
            if weight != 0:
                # ``Y is X`` is what tells a part that the matrix is square.
                total += float(weight) * kernel(X, Y)
        return total

    def _diag(self, X: Table) -> Array:
        total: Array = np.zeros(X.shape[0])
        for kernel, weight in zip(self.kernels, self.weights, strict=True):
            if weight != 0:
                total += weight * kernel.diag(X)
        return total
