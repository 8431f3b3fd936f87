r"""Learn how far to stretch every column from the slopes of a machine.

Along a column that matters a good function changes. With f trained on columns stretched by s, the
next stretches are

.. math:: s_r \propto \Bigl( \sum_i w_i \sum_k
          \Bigl( \frac{\partial f_k}{\partial x_r}(x_i) \Bigr)^2 \Bigr)^{1/2},

w the weights of the rows, for two rounds from equal ones: the diagonal of the recursive feature
machines of Radhakrishnan, Beaglehole, Pandit and Belkin (2024). For the Matérn kernel of order 3/2
and length ℓ, with u = s∘x and :math:`r = \|u - u'\| / \ell`,

.. math:: k = (1 + \sqrt3 r) e^{-\sqrt3 r}, \qquad
          \frac{\partial k}{\partial u} = -\frac{3}{\ell^2} (u - u') e^{-\sqrt3 r},

so that all slopes at all rows take one matrix product. That is linear in the columns, where
first-level learning is quadratic: it is what wide tables get.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernlearn.estimators.candidates.machine import solve
from kernlearn.estimators.candidates.problem import Problem
from kernlearn.estimators.candidates.view import StretchedView, View
from kernlearn.kernels import Kernel, Matern, Stretched

__all__ = ["gradient_view", "slopes"]

Array = NDArray[np.float64]

_ROUNDS = 2


def gradient_view(problem: Problem, table: str) -> StretchedView:
    """The columns of a table by the slopes along them, learned on these rows.

    Raises
    ------
    numpy.linalg.LinAlgError
        If no machine can be trained, or none has a slope.
    """
    rows = np.arange(len(problem))
    without = []
    for fold in problem.folds:
        problem.patience.check()
        without.append(_stretches(problem.rows(np.setdiff1d(rows, fold)), table))
    return StretchedView(table, _stretches(problem, table), tuple(without))


def _stretches(problem: Problem, table: str) -> Array:
    X = problem.tables[table]
    scales = np.ones(X.shape[1])
    lam: float | None = None
    for _ in range(_ROUNDS):
        length = float(np.sqrt(2.0 * (X * scales).var(axis=0).sum())) or 1.0
        kernel = Stretched(Matern(length, 1.5), scales)
        lam = _ridge(kernel, problem, table, lam)
        dual_coef, _ = solve(kernel(X), problem.Y, lam / problem.weight)
        squares = slopes(X, scales, length, dual_coef) ** 2
        sizes = np.sqrt(np.einsum("n,knr->r", problem.loss.share, squares))
        if not 0.0 < sizes.max() < np.inf:
            raise np.linalg.LinAlgError("the machine has no slope")
        scales = sizes / sizes.max()
    return scales


def _ridge(kernel: Kernel, problem: Problem, table: str, start: float | None) -> float:
    return View(table).judge(lambda X: kernel, problem, start).lam


def slopes(X: Array, scales: Array, length: float, dual_coef: Array) -> Array:
    """Slopes at the rows of the machine with these coefficients, of shape (k, n, p)."""
    U = X * scales
    decay = 3.0 / length**2 * Matern(length / np.sqrt(3.0), 0.5)(U)
    return np.stack(
        [-scales * (U * (decay @ a)[:, None] - decay @ (a[:, None] * U)) for a in dual_coef.T]
    )
