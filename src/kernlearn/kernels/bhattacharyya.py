"""The Bhattacharyya affinity between Gaussians that sets of vectors define."""

from __future__ import annotations

import numpy as np

from kernlearn.kernels._parameters import positive
from kernlearn.kernels._validation import check_numbers
from kernlearn.kernels.base import _UnitDiagonal
from kernlearn.kernels.structured_inputs import _ParsedInputs
from kernlearn.typing import Array, Things

# Entries of the matrices whose determinants are taken together.
_BLOCK = 4_000_000


class Bhattacharyya(_UnitDiagonal, _ParsedInputs):
    r"""The affinity of sets of vectors by their scatter, with unit diagonal.

    Kondor and Jebara (2007, section 4.1) find it in the section of the Wishart hyperkernel:

    .. math::

        Q_c(A, B) = \frac{|cI + 2A|^{1/4}\, |cI + 2B|^{1/4}}{|cI + A + B|^{1/2}}, \qquad
        A = \frac{1}{|X|}\sum_{x \in X} x x^\top,

    the overlap integral of two Gaussians around zero with the inverse covariances cI + 2A and
    cI + 2B: posteriors of a covariance after the vectors of each set. It is a kernel k of the
    family F in ``min over k in F of Q(k) + λΩ(k)``.

    Parameters
    ----------
    c : float, default=1.0
        The prior's inverse variance, above zero; about the squared length of a vector.

    Notes
    -----
    A set is an array of shape (members, d), or one vector of d numbers. Vectors are not centred:
    take a mean off them where it means nothing. Every pair takes a determinant of size d.

    Examples
    --------
    >>> from kernlearn.kernels import Bhattacharyya
    >>> Bhattacharyya(c=1.0)([[[1.0, 0.0]], [[0.0, 1.0]], [[-1.0, 0.0]]]).round(3)
    array([[1.   , 0.866, 1.   ],
           [0.866, 1.   , 0.866],
           [1.   , 0.866, 1.   ]])
    """

    def __init__(self, c: float = 1.0) -> None:
        self.c = c

    def _check_parameters(self) -> None:
        positive(self.c, "Bhattacharyya's c")

    def _read(self, thing: object, where: str) -> Array:
        if thing is None or isinstance(thing, str | bytes | dict):
            raise ValueError(
                f"A set of vectors must be an array with rows, got {thing!r} in {where}; drop such "
                "rows."
            )
        vectors = check_numbers(np.atleast_2d(np.asarray(thing)), where)
        return np.asarray(vectors.T @ vectors / len(vectors))

    def _evaluate(self, X: Things, Y: Things) -> Array:
        sizes = sorted({len(scatter) for scatter in (*X, *Y)})
        if len(sizes) > 1:
            raise ValueError(
                f"Vectors must have the same number of entries, got {sizes[0]} and {sizes[-1]}; "
                "give all sets the same measurements."
            )
        A = np.stack(list(X))
        B = A if Y is X else np.stack(list(Y))
        own_A = self._log_det(2.0 * A)
        own_B = own_A if Y is X else self._log_det(2.0 * B)
        logs = np.empty((len(A), len(B)))
        step = max(1, _BLOCK // B[0].size)
        for i, scatter in enumerate(A):
            for start in range(i if Y is X else 0, len(B), step):
                block = slice(start, start + step)
                logs[i, block] = self._log_det(scatter + B[block])
        if Y is X:
            logs = np.triu(logs) + np.triu(logs, 1).T
        K = np.exp(0.25 * np.add.outer(own_A, own_B) - 0.5 * logs)
        if Y is X:
            np.fill_diagonal(K, 1.0)
        return np.asarray(K)

    def _log_det(self, scatter: Array) -> Array:
        """Log determinants of cI plus each matrix of a stack."""
        identity = self.c * np.eye(scatter.shape[-1])
        return np.asarray(np.linalg.slogdet(scatter + identity)[1])
