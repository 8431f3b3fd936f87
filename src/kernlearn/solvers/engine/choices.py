"""C, and what all sources share equally, by the loss of held-out rows on Gram matrices.

C is chosen along a path (:mod:`kernlearn.solvers.weights.choice_of_C`); for every C the machines
are trained once more without a fold each, at the learned kernel. Of many rows, a sample chooses.
The learned weights have seen the held-out rows, so that losses favour them a little, and losses of
a few hundred rows are uncertain: of several shares, the most equal one counts as best whose loss is
within a standard error of the smallest, both on the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from sklearn.utils import check_random_state

from kernlearn.families.kernel_pool import KernelPool
from kernlearn.numerics.rounding import first_least, is_less
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.core.solution import Solution
from kernlearn.solvers.engine.backend import Solved
from kernlearn.solvers.engine.gram_problem import GramProblem
from kernlearn.solvers.weights.choice_of_C import PATH_TOL, choose_C, middle_of
from kernlearn.typing import Array, Indices


def choose(backend: GramProblem, control: Control) -> Solved[Solution]:
    """C along a path, then the share, as far as the statement leaves them open."""
    statement = backend.statement
    share = statement.choices.first_share if statement.share is None else statement.share
    first = backend.at_share(share)
    if statement.factors_of_C:
        found = _with_chosen_C(first, control)
    else:
        C = statement.settings.C
        solution = first.learn(C, statement.start, control)
        found = Solved(C, share, solution, np.empty((0, 2)))
    if statement.share is None and control.stopping.stopped is None:
        return _with_chosen_share(backend, found, control)
    return found


def _with_chosen_C(backend: GramProblem, control: Control) -> Solved[Solution]:
    """C, by a sample of the rows where there are many, and the weights of all."""
    statement = backend.statement
    few = np.arange(len(statement.targets[0]))
    if backend.is_plain and not backend.sampled:
        few = sample_for_C(statement.targets, 1, statement.seed, statement.choices.rows_for_C)
    of_pool = isinstance(backend.family, KernelPool)
    if len(few) == len(statement.targets[0]) and not of_pool:
        return _along_path(backend, statement.start, control)
    rough = replace(control, tol=max(control.tol, PATH_TOL))
    path = _along_path_of_pool if of_pool else _along_path
    near = path(backend.on_rows(few), statement.start, rough)
    if backend.sampled:  # C alone was asked for
        return near
    weights = near.solution.weights
    solution = backend.learn(near.C, weights if np.isfinite(weights).all() else None, control)
    n_solves = near.solution.n_machine_solves + solution.n_machine_solves
    return replace(near, solution=replace(solution, n_machine_solves=n_solves))


def _along_path(backend: GramProblem, start: Array | None, control: Control) -> Solved[Solution]:
    """The C of the least held-out loss along a path, and its weights."""
    weight = backend.statement.settings.sample_weight
    choice = choose_C(
        backend.Cs,
        lambda C, near, control: backend.learn(C, start if near is None else near, control),
        lambda C, solution: mean_loss(backend.row_losses(C, solution, control), weight),
        control,
    )
    return Solved(choice.C, backend.statement.share or 0.0, choice.solution, choice.losses)


def _along_path_of_pool(
    backend: GramProblem, start: Array | None, control: Control
) -> Solved[Solution]:
    """The same for a pool: along the path go the kernels with weight where it begins.

    To look at all kernels for every C would take as many fits.
    """
    middle = backend.Cs[middle_of(backend.Cs)]
    first = backend.learn(middle, start, control)
    if not np.isfinite(first.weights).all():
        return Solved(middle, 0.0, first, np.empty((0, 2)))
    chosen = np.flatnonzero(first.weights)
    near = _along_path(backend.of_kernels(chosen), first.weights[chosen], control)
    weights = np.zeros_like(first.weights)
    weights[chosen] = near.solution.weights
    n_solves = first.n_machine_solves + near.solution.n_machine_solves
    return replace(
        near, solution=replace(near.solution, weights=weights, n_machine_solves=n_solves)
    )


def _with_chosen_share(
    backend: GramProblem, found: Solved[Solution], control: Control
) -> Solved[Solution]:
    """The share that all sources have equally, from the solution at the first one on."""
    C, solution, options = found.C, found.solution, backend.statement.choices
    first, shares = options.first_share, options.shares
    tried, n_solves = {first: solution}, solution.n_machine_solves
    rough = replace(control, tol=max(control.tol, PATH_TOL))
    for share in shares:
        if share != first and control.stopping.stopped is None:
            tried[share] = backend.at_share(share).learn(C, solution.weights, rough)
            n_solves += tried[share].n_machine_solves
    solved = [share for share in shares if share in tried and _is_known(tried[share])]
    if control.stopping.stopped is not None or not solved:
        return found
    weight = backend.statement.settings.sample_weight
    losses = [backend.row_losses(C, tried[share], control) for share in solved]
    share = solved[most_equal(losses, weight)]
    if share != first:
        solution = backend.at_share(share).learn(C, tried[share].weights, control)
        n_solves += solution.n_machine_solves
    return replace(found, share=share, solution=replace(solution, n_machine_solves=n_solves))


def _is_known(solution: Solution) -> bool:
    return bool(np.isfinite(solution.weights).all())


def mean_loss(losses: Array, sample_weight: Array) -> float:
    """Their mean; rows with NaN are left out."""
    known = ~np.isnan(losses)
    if not known.any():
        return np.nan
    return float(np.average(losses[known], weights=sample_weight[known]))


def sample_for_C(targets: Sequence[Array], n_kernels: int, seed: int, most: int) -> Indices:
    """The rows that choose, each class in its share, sorted.

    At most a gigabyte of Gram matrices is made of them.
    """
    n, size = len(targets[0]), min(most, int(np.sqrt(2**27 / n_kernels)))
    if n <= size:
        return np.arange(n)
    shuffled = check_random_state(seed).permutation(n)
    order = shuffled[np.lexsort([y[shuffled] for y in targets])]
    return np.sort(order[np.linspace(0, n - 1, size).astype(int)])


def most_equal(losses: Sequence[Array], weight: Array) -> int:
    """Which of several, from the most equal on, is as good as the best.

    Parameters
    ----------
    losses : sequence of ndarray of shape (n,)
        Of the held-out rows; rows with NaN do not count.
    weight : ndarray of shape (n,)
        Weights of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> noisy = np.array([0.3, 0.1, 0.4, 0.2])
    >>> most_equal([noisy + 1.0, noisy[::-1] + 0.01, noisy], np.ones(4))
    1
    """
    table = np.array(losses)
    known = ~np.isnan(table).any(axis=0) & (weight > 0)
    if not known.any():
        return 0
    table, share = table[:, known], weight[known] / weight[known].sum()
    means = table @ share
    best = first_least(means)
    for i, row in enumerate(table):
        worse = row - table[best]
        mean = float(share @ worse)
        error = np.sqrt(float(share**2 @ (worse - mean) ** 2))
        if mean <= error or not is_less(means[best], means[i]):
            return i
    return best
