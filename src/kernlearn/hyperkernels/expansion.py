"""The kernel that a hyperkernel and weighted pairs make."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.hyperkernels._grid import fill_grid
from kernlearn.hyperkernels._validation import check_pairs, check_same_features, check_weights
from kernlearn.hyperkernels.base import Hyperkernel
from kernlearn.kernels import Kernel
from kernlearn.typing import Array


class Expansion(Kernel):
    r"""An expansion in a hyper-RKHS (Ong 2005, (7)), :math:`\sum_p w_p \underline k((x, z), p)`.

    Made by `Hyperkernel.section` and `Hyperkernel.expansion`. Pairs of weight zero are skipped,
    so that a learned kernel costs as much as the pairs it kept.

    Parameters
    ----------
    hyperkernel : Hyperkernel
        The hyperkernel.
    pairs : array-like of shape (n_pairs, 2, n_features)
        The pairs p.
    weights : array-like of shape (n_pairs,)
        A non-negative weight for each.

    Examples
    --------
    >>> from kernlearn.hyperkernels import Harmonic
    >>> pairs = [[[0.0], [0.0]], [[0.0], [1.0]]]
    >>> Harmonic().expansion(pairs, [2.0, 1.0])([[0.0], [0.5]]).round(3)
    array([[2.513, 1.985],
           [1.985, 2.513]])
    """

    def __init__(self, hyperkernel: Hyperkernel, pairs: Any, weights: Any) -> None:
        self.hyperkernel = hyperkernel
        self.pairs = pairs
        self.weights = weights

    def _check_parameters(self) -> None:
        if not isinstance(self.hyperkernel, Hyperkernel):
            raise ValueError(
                f"Expansion must be built from a hyperkernel object, got {self.hyperkernel!r}; "
                "pass for example kernlearn.hyperkernels.Harmonic()."
            )
        self.hyperkernel._check_parameters()
        check_weights(self.weights, len(check_pairs(self.pairs, "pairs")))

    def _evaluate(self, X: Array, Y: Array) -> Array:
        table, weights = self._used(X)
        K: Array = np.zeros((len(X), len(Y)))
        if len(weights):
            fill_grid(K, self.hyperkernel, X, Y, table, weights)
        return K

    def _diag(self, X: Array) -> Array:
        table, weights = self._used(X)
        if len(weights) == 0:
            return np.zeros(len(X))
        return weights @ self.hyperkernel._evaluate(table, self.hyperkernel._table(X, X))

    def _used(self, X: Array) -> tuple[Array, Array]:
        """What the hyperkernel needs of the pairs that have weight, and their weights."""
        pairs, weights = check_pairs(self.pairs, "pairs"), np.asarray(self.weights, dtype=float)
        check_same_features(X.shape[1], pairs.shape[2], "X")
        kept = pairs[weights > 0]
        if len(kept) == 0:
            return kept, weights[:0]
        return self.hyperkernel._table(kept[:, 0], kept[:, 1]), weights[weights > 0]
