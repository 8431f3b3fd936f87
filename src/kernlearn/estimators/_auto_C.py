r"""C by what it predicts for rows held out, along one warm-started path.

The weights are learned from all rows for every C, from the last one's solution; then the machines
are trained once more without a fold each, at that kernel
(:mod:`kernlearn.estimators._refits`). All of it uses one stack of Gram matrices.

For targets that are numbers the loss is the squared error. For classes it is the cross-entropy of
a softmax of the decision values with the best slope, and no offset
(:mod:`kernlearn.estimators._softmax`): as smooth as a likelihood, free of the scale of the values,
and yet large where their signs are wrong. Errors in a few hundred rows are too coarse to tell
values of C apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from kernlearn._patience import Patience
from kernlearn.estimators._softmax import fit_softmax
from kernlearn.solvers.solution import Solution

Array = NDArray[np.float64]

# In units of one over the kernel's mean diagonal: from mostly bounded to mostly free coefficients.
FACTORS = (0.1, 0.5, 2.0, 10.0, 50.0, 250.0)
# Relative duality gap along the path; only the last solution has to be exact.
PATH_TOL = 1e-3


@dataclass(frozen=True, eq=False)
class Choice:
    """The C that was chosen, its solution, and what the others would have cost.

    Attributes
    ----------
    C : float
        The C of the smallest loss; the smallest of several.
    solution : Solution
        Learned with it.
    losses : ndarray of shape (n_tried, 2)
        Every C and its loss on rows held out.
    n_solves : int
        Machines solved along the path.
    """

    C: float
    solution: Solution
    losses: Array
    n_solves: int


def choose_C(
    Cs: Sequence[float],
    learn: Callable[[float, Array | None], Solution],
    loss: Callable[[float, Solution], float],
    patience: Patience,
) -> Choice:
    """Learn with every C, from the last one's weights, and keep the best.

    Parameters
    ----------
    Cs : sequence of float
        In increasing order: the machines are then easiest first.
    learn : callable
        ``learn(C, start)``.
    loss : callable
        ``loss(C, solution)`` on rows held out, NaN where there is none.
    patience : Patience
        Once it has ended, no further C is tried.
    """
    tried: list[tuple[float, Solution, float]] = []
    n_solves, start = 0, None
    for C in Cs:
        solution = learn(C, start)
        n_solves += solution.n_machine_solves
        if np.isfinite(solution.weights).all():
            tried.append((C, solution, loss(C, solution)))
            start = solution.weights
        if patience.stopped is not None:
            break
    if not tried:
        return Choice(C, solution, np.empty((0, 2)), n_solves)
    losses = np.array([(C, value) for C, _, value in tried])
    best = int(np.where(np.isnan(losses[:, 1]), np.inf, losses[:, 1]).argmin())
    return Choice(tried[best][0], tried[best][1], losses, n_solves)


def squared_loss(values: Array, target: Array, sample_weight: Array) -> float:
    """Mean squared error of held-out values of shape (n, 1); rows with NaN are left out."""
    known = ~np.isnan(values[:, 0])
    if not known.any():
        return np.nan
    squares = (values[known, 0] - target[known]) ** 2
    return float(np.average(squares, weights=sample_weight[known]))


def class_loss(values: Array, signs: Array, sample_weight: Array) -> float:
    """Cross-entropy of held-out values of shape (n, k) at the best slope; NaN are left out."""
    known = ~np.isnan(values).any(axis=1)
    if not known.any():
        return np.nan
    values, signs, weight = values[known], signs[known], sample_weight[known]
    if values.shape[1] == 1:
        # One machine speaks for the second class: softmax(0, af) is the sigmoid of af.
        values = np.hstack([np.zeros_like(values), values])
        signs = np.hstack([-signs, signs])
    codes = signs.argmax(axis=1)
    logs = log_softmax(fit_softmax(values, codes, weight) * values, axis=1)
    return float(-np.average(logs[np.arange(len(codes)), codes], weights=weight))
