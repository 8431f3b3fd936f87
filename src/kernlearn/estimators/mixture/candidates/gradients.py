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

The more rounds, the fewer columns are left. With the λ that predicts best, a first machine on many
columns may miss two columns that matter only together, and lose them; a machine with next to no λ
follows its rows, noise and all, and has slopes along such columns, which grow from round to round.
Along columns that matter alone the first machine is better. So there are two representations, after
few rounds with a fitting λ and after more with a small one, and the search keeps the better one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.representation import Representation, ScaledColumns
from kernlearn.kernels import Kernel, Matern, Stretched
from kernlearn.numerics.positions import complement
from kernlearn.runtime.threads import map_in_threads, n_threads
from kernlearn.solvers.machine.least_squares import CentredMatrix
from kernlearn.solvers.selection.column_starts import slope_scales
from kernlearn.typing import Array

# Rounds with a fitting λ, and with a small one, for kernels with a diagonal of one.
_ROUNDS, _MORE_ROUNDS = 2, 5
_SMALL = 0.03
# Most rows to choose λ by: with more, the path of all λ would take longer than all else.
_RIDGE_ROWS = 300


def gradient_scales(problem: CandidateProblem, table: str) -> Iterator[ScaledColumns]:
    """The columns of a table by the slopes along them, learned on these rows.

    Raises
    ------
    numpy.linalg.LinAlgError
        If no machine can be trained, or none has a slope.
    """
    parts = [problem, *(problem.rows(complement(len(problem), fold)) for fold in problem.folds)]
    for n_rounds, lam in ((_ROUNDS, None), (_MORE_ROUNDS, _SMALL)):
        descend = partial(_descended, table=table, n_rounds=n_rounds, lam=lam)
        whole, *without = map_in_threads(descend, parts, n_threads(), problem.stopping.check)
        yield ScaledColumns(table, whole, tuple(without))


def _descended(problem: CandidateProblem, table: str, n_rounds: int, lam: float | None) -> Array:
    """The stretches after `n_rounds`: in each, the slopes of a machine on the stretched columns.

    If λ is not given, the first round finds it. Kernels are as wide as their columns are far apart,
    so that this λ suits the other rounds.
    """
    X = problem.tables[table]

    def train(length: float, scales: Array) -> Array:
        nonlocal lam
        kernel = Stretched(Matern(length, 1.5), scales)
        lam = _ridge(problem, table, kernel) if lam is None else lam
        return CentredMatrix.of(kernel(X)).solve(problem.Y, lam / problem.weight)[0]

    return slope_scales(X, problem.loss.share, np.ones(X.shape[1]), n_rounds, train)


def _ridge(problem: CandidateProblem, table: str, kernel: Kernel) -> float:
    """The λ of the least leave-one-out loss, on a sample of the rows."""
    sample = problem.rows(problem.sample(_RIDGE_ROWS, np.random.RandomState(0)))
    return Representation(table).judge(lambda X: kernel, sample, None).lam
