"""Least-squares machines of several ridges on one kernel matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn.solvers.machine.bordered import Bordered
from kernlearn.typing import Array

# Ridges below these shares of the mean diagonal are lost in rounding; the next one is tried where
# a factorisation breaks down.
_LEAST_RIDGES = (1e-12, 1e-10, 1e-8, 1e-6)


@dataclass(frozen=True, eq=False)
class CentredMatrix:
    """A kernel matrix less its means.

    Since 1ᵀα = 0, the kernel may be centred first: a wide one, which is nearly constant, would
    otherwise lose the digits that matter.

    Attributes
    ----------
    values : ndarray of shape (n, n)
        The centred matrix.
    means : ndarray of shape (n,)
        The column means of the kernel matrix.
    size : float
        The mean absolute diagonal entry of the kernel matrix.
    """

    values: Array
    means: Array
    size: float

    @classmethod
    def of(cls, K: Array) -> CentredMatrix:
        """Of a symmetric matrix."""
        means = K.mean(axis=0)
        centred = K - means
        centred -= (means - means.mean())[:, None]
        return cls(centred, means, float(np.abs(K.diagonal()).mean()))

    def solve(self, Y: Array, ridge: Array) -> tuple[Array, Array]:
        """α and b of equation (3), with a ridge as large as rounding asks for.

        Raises
        ------
        numpy.linalg.LinAlgError
            If no ridge will do.
        """
        for least in _LEAST_RIDGES:
            factor = Bordered.of(self.values, np.maximum(ridge, least * self.size))
            if factor is not None:
                a, b = factor.solve(Y)
                return a, b - self.means @ a
        raise np.linalg.LinAlgError("the kernel matrix is not positive semidefinite")
