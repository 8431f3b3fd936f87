r"""Learn how far to stretch every column from the slopes of a machine.

Along a column that matters a good function changes. With f trained on columns stretched by s, the
next stretches are

.. math:: s_r \propto \Bigl( \sum_i w_i \sum_k
          \Bigl( \frac{\partial f_k}{\partial x_r}(x_i) \Bigr)^2 \Bigr)^{1/2},

w the weights of the rows, from equal ones: the diagonal of the recursive feature machines of
Radhakrishnan, Beaglehole, Pandit and Belkin (2024). For the Matérn kernel of order 3/2 and length
ℓ, with u = s∘x and :math:`r = \|u - u'\| / \ell`,

.. math:: k = (1 + \sqrt3 r) e^{-\sqrt3 r}, \qquad
          \frac{\partial k}{\partial u} = -\frac{3}{\ell^2} (u - u') e^{-\sqrt3 r},

so that all slopes at all rows take one matrix product. That is linear in the columns, where
first-level learning is quadratic: it is all that wide tables get.

The more rounds, the fewer columns are left. How many rounds a kernel asks for is its own affair:
one that adds up columns wants more of them than one that multiplies. So there are two views, and
whoever looks keeps the better one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from kernlearn._threads import in_order, n_threads
from kernlearn.estimators.candidates.machine import CentredMatrix
from kernlearn.estimators.candidates.problem import Problem
from kernlearn.estimators.candidates.view import StretchedView, View
from kernlearn.kernels import Kernel, Matern, Stretched

__all__ = ["gradient_views", "slopes"]

Array = NDArray[np.float64]

# Rounds to the first view, and from there to the second.
_ROUNDS = (2, 3)


def gradient_views(problem: Problem, table: str) -> Iterator[StretchedView]:
    """The columns of a table by the slopes along them, learned on these rows, ever fewer of them.

    Raises
    ------
    numpy.linalg.LinAlgError
        If no machine can be trained, or none has a slope.
    """
    rows = np.arange(len(problem))
    parts = [problem, *(problem.rows(np.setdiff1d(rows, fold)) for fold in problem.folds)]
    descents = [_Descent(part, table) for part in parts]
    for n_rounds in _ROUNDS:
        whole, *without = in_order(
            partial(_Descent.go_on, n_rounds=n_rounds),
            descents,
            n_threads(),
            problem.patience.check,
        )
        yield StretchedView(table, whole, tuple(without))


class _Descent:
    """The stretches that some rows have led to."""

    def __init__(self, problem: Problem, table: str) -> None:
        self._problem, self._table = problem, table
        self._scales = np.ones(problem.tables[table].shape[1])
        self._lam: float | None = None

    def go_on(self, n_rounds: int) -> Array:
        """The stretches after so many rounds: of a machine on the stretched columns, its slopes.

        λ is found in the first of them. Kernels are as wide as their columns are far apart, so that
        it is good for the others.
        """
        problem, X = self._problem, self._problem.tables[self._table]
        for number in range(n_rounds):
            length = float(np.sqrt(2.0 * (X * self._scales).var(axis=0).sum())) or 1.0
            kernel = Stretched(Matern(length, 1.5), self._scales)
            if number == 0 or self._lam is None:
                self._lam = self._ridge(kernel)
            K = CentredMatrix.of(kernel(X))
            dual_coef, _ = K.solve(problem.Y, self._lam / problem.weight)
            squares = slopes(X, self._scales, length, dual_coef) ** 2
            sizes = np.sqrt(np.einsum("n,knr->r", problem.loss.share, squares))
            if not 0.0 < sizes.max() < np.inf:
                raise np.linalg.LinAlgError("the machine has no slope")
            self._scales = sizes / sizes.max()
        return self._scales

    def _ridge(self, kernel: Kernel) -> float:
        return View(self._table).judge(lambda X: kernel, self._problem, self._lam).lam


def slopes(X: Array, scales: Array, length: float, dual_coef: Array) -> Array:
    """Slopes at the rows of the machine with these coefficients, of shape (k, n, p)."""
    U = X * scales
    decay = 3.0 / length**2 * Matern(length / np.sqrt(3.0), 0.5)(U)
    return np.stack(
        [-scales * (U * (decay @ a)[:, None] - decay @ (a[:, None] * U)) for a in dual_coef.T]
    )
