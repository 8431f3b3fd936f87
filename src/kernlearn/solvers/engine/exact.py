"""The backend of Gram matrices, and C and what all sources share equally by their held-out loss.

C is chosen along a path (:mod:`kernlearn.solvers.weights.choice_of_C`); for every C the machines
are trained once more without a fold each, at the learned kernel. With many rows, C is chosen on a
sample. Held-out losses are slightly optimistic, because the weights were learned from all rows, and
uncertain with a few hundred rows. Among several shares, the most equal one is chosen whose loss is
within one standard error of the smallest, both on the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from sklearn.utils import check_random_state

from kernlearn.families.kernel_pool import KernelPool
from kernlearn.families.matrices import GramStack
from kernlearn.families.weights import even_weights
from kernlearn.numerics.rounding import first_least, is_less
from kernlearn.quality.registry import CRITERIA, QUALITIES
from kernlearn.quality.rows_left_out import values_left_out
from kernlearn.runtime.status import Status
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.core.solution import Solution, without_function
from kernlearn.solvers.engine.backend import Solved
from kernlearn.solvers.engine.gram_problem import GramProblem
from kernlearn.solvers.engine.refits import HeldOutValues
from kernlearn.solvers.nystroem.rank import with_every_fold
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
        found = _with_chosen_share(backend, found, control)
    if statement.open_penalty is not None:
        found = _with_chosen_strength(backend.at_share(found.share), found, control)
    return found


def _with_chosen_C(backend: GramProblem, control: Control) -> Solved[Solution]:
    """C, by a sample of the rows where there are many, and the weights of all."""
    statement = backend.statement
    few = np.arange(len(statement.targets[0]))
    if backend.is_plain and not backend.sampled:
        most = statement.choices.rows_for_C
        few = sample_for_C(statement.targets, 1, statement.seed, most, statement.fold)
    of_pool = isinstance(backend.family, KernelPool)
    if len(few) == len(statement.targets[0]) and not of_pool:
        return _along_path(backend, statement.start, control)
    rough = replace(control, tol=max(control.tol, PATH_TOL))
    path = _along_path_of_pool if of_pool else _along_path
    near = path(backend.on_rows(few), statement.start, rough)
    if backend.sampled:  # only C has to be chosen
        return near
    start = near.solution.weights if _is_known(near.solution) else None
    solution = backend.learn(near.C, start, control)
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
    if not _is_known(first):
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


def _with_chosen_strength(
    backend: GramProblem, found: Solved[Solution], control: Control
) -> Solved[Solution]:
    """The strength of the penalty with the smallest held-out loss, from no penalty on."""
    penalty, options = backend.statement.open_penalty, backend.statement.choices
    assert penalty is not None
    if not _is_known(found.solution):
        return found
    C, weights, n_solves = found.C, found.solution.weights, found.solution.n_machine_solves
    at_one = backend.at_penalty(penalty.with_strength(1.0)).penalty(C)
    assert at_one is not None
    even = even_weights(backend.weight_set.normaliser, backend.weight_set.total)[: len(weights)]
    # At the prior itself a penalty is zero; somewhere it is not.
    size = max(abs(at_one.value(weights)), abs(at_one.value(even)))
    unit = abs(found.solution.objective) / size if size > 0 else 1.0
    rough = replace(control, tol=max(control.tol, PATH_TOL))
    sample_weight = backend.statement.settings.sample_weight
    losses: list[tuple[float, float]] = []
    starts = {}
    for factor in options.strengths:
        if control.stopping.stopped is not None:
            break
        strength = factor * (unit or 1.0)
        tried = backend.at_penalty(penalty.with_strength(strength)).learn(C, weights, rough)
        n_solves += tried.n_machine_solves
        if _is_known(tried):
            weights = starts[strength] = tried.weights
            loss = mean_loss(backend.row_losses(C, tried, control), sample_weight)
            losses.append((strength, loss))
    known = [(loss, strength) for strength, loss in losses if np.isfinite(loss)]
    strength = min(known)[1] if known else unit or 1.0
    last = backend.at_penalty(penalty.with_strength(strength))
    solution = last.learn(C, starts.get(strength, weights), control)
    n_solves += solution.n_machine_solves
    return replace(
        found,
        solution=replace(solution, n_machine_solves=n_solves),
        loss_by_strength=np.array(losses).reshape(-1, 2),
        strength=strength,
    )


def _is_known(solution: Solution) -> bool:
    return bool(np.isfinite(solution.weights).all())


def mean_loss(losses: Array, sample_weight: Array) -> float:
    """The weighted mean of the losses; rows with NaN are left out."""
    known = ~np.isnan(losses)
    if not known.any():
        return np.nan
    return float(np.average(losses[known], weights=sample_weight[known]))


def sample_for_C(
    targets: Sequence[Array], n_kernels: int, seed: int, max_rows: int, fold: Indices | None = None
) -> Indices:
    """The rows that choose, each class in its share and every fold with a row, sorted.

    At most a gigabyte of Gram matrices is made of them.
    """
    n, size = len(targets[0]), min(max_rows, int(np.sqrt(2**27 / n_kernels)))
    if n <= size:
        return np.arange(n)
    shuffled = check_random_state(seed).permutation(n)
    order = shuffled[np.lexsort([y[shuffled] for y in targets])]
    chosen = np.sort(order[np.linspace(0, n - 1, size).astype(int)])
    return chosen if fold is None else with_every_fold(chosen, fold)


def most_equal(losses: Sequence[Array], weight: Array) -> int:
    """Index of the first of several losses, most equal first, that is as good as the best.

    Rows with NaN do not count.

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


@dataclass(frozen=True, eq=False, kw_only=True)
class CriterionSolution(Solution):
    """A kernel learned without a machine, and the soft margin machine trained with it."""

    machine_gap: float


class ExactBackend(GramProblem):
    """The backend of Gram matrices, in which nothing is approximated."""

    def solve(self, control: Control) -> Solved[Solution]:
        """Choose C and what sources share, where these are open, and learn the weights."""
        return choose(self, control)

    def certify(self, solved: Solved[Solution], control: Control) -> Solution:
        """The certificate of the search, which is that of what is returned.

        A criterion trains no machine: it gets a soft margin, on the kernel that was learned.
        """
        solution = solved.solution
        if solution.status is Status.TRIVIAL:
            solution = without_function(solution)
        if self.statement.quality not in CRITERIA or solution.status is Status.NO_SOLUTION:
            return solution
        alone = replace(
            self.statement,
            quality="soft_margin",
            constraint="sum",
            total=1.0,
            free_sign=False,
            penalty=lambda C: None,
            constraints=(),
        )
        kernel = GramStack(self.family.combine(solution.weights)[None])
        machine = GramProblem(alone, kernel).learn(solved.C, None, control)
        known = {each.name: getattr(solution, each.name) for each in fields(Solution) if each.init}
        known |= {
            "dual_coef": machine.dual_coef,
            "intercept": machine.intercept,
            "n_machine_solves": solution.n_machine_solves + machine.n_machine_solves,
        }
        if solution.status.is_optimal:
            known["status"] = machine.status
        gap = machine.gap if solution.status.is_optimal else solution.gap
        return CriterionSolution(**known, machine_gap=gap)

    def hold_out(self, C: float, solution: Solution, control: Control) -> HeldOutValues:
        """Values of rows left out in closed form, or machines that miss a fold each."""
        assert self.statement.hold_out is not None
        C = C if solution.learned_C is None else solution.learned_C
        (quality, settings), targets = self.machine_at(C), self.statement.targets
        K = self.family.combine(solution.weights)
        # The estimates of several machines are compared with each other, where refits did better.
        estimates = not self.statement.hold_out.machines and len(targets) == 1
        estimates = estimates and not self.statement.grouped
        if estimates and quality != "least_squares":
            machine = QUALITIES[quality].build(targets[0], settings)
            a = np.atleast_2d(np.asarray(solution.dual_coef))[0]
            b = float(np.atleast_1d(np.asarray(solution.intercept))[0])
            with threads_for(len(K)):
                left = values_left_out(machine, K, a, K @ a + b)
            if left is not None and np.isfinite(left).all():
                return HeldOutValues(np.arange(len(K)), left[:, None])
        return self.refits(C, K, control)

    def loss_by_rank(self, C: float, solution: Solution) -> None:
        """Nothing is approximated."""

    def exact_bound(self, C: float, solution: Solution) -> float:
        """The bound itself."""
        return solution.lower_bound

    def transduce(self, solution: Solution) -> Array:
        """Decision values (l, k) of the further rows."""
        n = len(self.statement.targets[0])
        mixed = self.family.combine(solution.weights, labelled_only=False)[n:, :n]
        coefs = np.atleast_2d(np.asarray(solution.dual_coef))
        return np.asarray(mixed @ coefs.T + np.atleast_1d(np.asarray(solution.intercept)))
