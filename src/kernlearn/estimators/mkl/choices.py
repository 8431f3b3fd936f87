"""What a combination is chosen by rows held out: its C, and what all sources share equally."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from kernlearn._checks import learns_C
from kernlearn.estimators.held_out.folds import make_folds
from kernlearn.estimators.held_out.refits import N_FOLDS
from kernlearn.estimators.mkl.auto_C import class_losses, mean_loss
from kernlearn.estimators.mkl.equal_share import FIRST, SHARES, check_equal_share, most_equal
from kernlearn.estimators.mkl.low_rank import rows_for_C
from kernlearn.estimators.mkl.problem import CombinationProblem
from kernlearn.families.kernel_pool import is_family
from kernlearn.quality.registry import QUALITIES
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.core.solution import Solution
from kernlearn.solvers.weights.choice_of_C import FACTORS, PATH_TOL, choose_C, middle_of
from kernlearn.typing import Array

# C is chosen on so many rows at most: a path on all of them takes many times a fit at one C.
ROWS_FOR_C = 500


class ChoosesByHeldOutRows:
    """The part of `KernelCombination` that decides what its parameters leave open."""

    kernels: Any
    quality: str
    weights: str
    C: Any
    _seed: int
    equal_share: Any
    equal_share_: float
    loss_by_C_: Array
    # A method of the whole that is used here.
    _warm_start: Any

    def _wanted_share(self) -> float | str:
        """The share of the total that all sources have equally, or "auto"."""
        given = check_equal_share(self.equal_share)
        machine = self.quality in QUALITIES and not learns_C(self.quality, self.C)
        can = machine and self.weights == "positive" and not is_family(self.kernels)
        if given is None:
            return "auto" if can and self.kernels is None and self._n_views() > 1 else 0.0
        if given and not can:
            raise ValueError(
                f"expected equal_share=None, got {given!r}: a share for all sources goes with a "
                "list of kernels, weights='positive' and a machine at a given C or C='auto'; leave "
                "it out"
            )
        return given

    def _note_share(self, share: float) -> None:
        """Keep it where there is such a parameter."""
        if "equal_share" in vars(self) or type(self).equal_share is None:
            self.equal_share_ = share

    def _n_views(self) -> int:
        """How many views X held."""
        return len(getattr(self, "views_", {}))

    def _chooses_C(self) -> bool:
        """Whether C is to be chosen, refused where the quality has none."""
        if not isinstance(self.C, str) or self.C != "auto":
            return False
        uses = QUALITIES[self.quality].uses if self.quality in QUALITIES else ("C",)
        if "C" not in uses:
            raise ValueError(
                f"expected a quality that has a C with C='auto', got {self.quality!r}; leave C out"
            )
        return True

    def _solved(
        self, problem: CombinationProblem, control: Control, sampled: bool = False
    ) -> tuple[float, Solution]:
        """C, chosen along a path where it is to be, and the weights; then what sources share.

        Parameters
        ----------
        problem : CombinationProblem
            What is to be learned.
        control : Control
            When to stop.
        sampled : bool
            Whether the rows are a sample already: C is chosen by all of them then.
        """
        self.__dict__.pop("loss_by_C_", None)  # of an earlier fit
        wanted = self._wanted_share()
        share = FIRST if isinstance(wanted, str) else wanted
        if self._chooses_C():
            C, solution = self._with_chosen_C(problem, control, share, sampled)
        else:
            C, start = problem.settings.C, self._warm_start(problem.family.n_matrices)
            solution = problem.learn(C, start, control, share)
        if isinstance(wanted, str) and control.stopping.stopped is None:
            share, solution = self._shared(problem, C, solution, control)
        self._note_share(share)
        return C, solution

    def _with_chosen_C(
        self, problem: CombinationProblem, control: Control, share: float, sampled: bool
    ) -> tuple[float, Solution]:
        """C, by a sample of the rows where there are many, and the weights of all."""
        few, start = np.arange(len(problem.targets[0])), self._warm_start(problem.family.n_matrices)
        if problem.is_plain and not sampled:
            few = rows_for_C(problem.targets, 1, self._seed, ROWS_FOR_C)
        if len(few) == len(problem.targets[0]) and not problem.is_of_family:
            return self._along_path(problem, control, share, start)
        rough = replace(control, tol=max(control.tol, PATH_TOL))
        path = self._along_path_of_family if problem.is_of_family else self._along_path
        C, near = path(problem.on_rows(few), rough, share, start)
        if sampled:  # C alone was asked for
            return C, near
        start = near.weights if np.isfinite(near.weights).all() else None
        solution = problem.learn(C, start, control, share)
        n_solves = near.n_machine_solves + solution.n_machine_solves
        return C, replace(solution, n_machine_solves=n_solves)

    def _along_path_of_family(
        self, problem: CombinationProblem, control: Control, share: float, start: Array | None
    ) -> tuple[float, Solution]:
        """The same for a family: along the path go the kernels with weight where it begins.

        To look at all kernels for every C would take as many fits.
        """
        middle = FACTORS[middle_of(FACTORS)] * problem.unit_of_C
        first = problem.learn(middle, start, control, share)
        if not np.isfinite(first.weights).all():
            return middle, first
        chosen = np.flatnonzero(first.weights)
        listed = problem.of_kernels(chosen)
        C, near = self._along_path(listed, control, share, first.weights[chosen])
        weights = np.zeros_like(first.weights)
        weights[chosen] = near.weights
        n_solves = first.n_machine_solves + near.n_machine_solves
        return C, replace(near, weights=weights, n_machine_solves=n_solves)

    def _along_path(
        self, problem: CombinationProblem, control: Control, share: float, start: Array | None
    ) -> tuple[float, Solution]:
        """The C of the least held-out loss along a path, and its weights."""
        weight = problem.settings.sample_weight
        choice = choose_C(
            [factor * problem.unit_of_C for factor in FACTORS],
            lambda C, near, control: problem.learn(
                C, start if near is None else near, control, share
            ),
            lambda C, solution: mean_loss(self._losses(problem, C, solution, control), weight),
            control,
        )
        self.loss_by_C_ = choice.losses
        return choice.C, choice.solution

    def _losses(
        self, problem: CombinationProblem, C: float, solution: Solution, control: Control
    ) -> Array:
        """The loss of every row, held out of machines on the learned kernel."""
        machines = problem.machines(C, solution.weights, control.stopping)
        values = machines.held_out_values(self._held_out_folds(problem.targets))
        return self._held_out_losses(values, problem.targets, problem.settings.sample_weight)

    def _shared(
        self,
        problem: CombinationProblem,
        C: float,
        solution: Solution,
        control: Control,
    ) -> tuple[float, Solution]:
        """The share that all sources have equally, by held-out rows, from that of a solution on."""
        found, n_solves = {FIRST: solution}, solution.n_machine_solves
        rough = replace(control, tol=max(control.tol, PATH_TOL))
        for share in SHARES:
            if share != FIRST and control.stopping.stopped is None:
                found[share] = problem.learn(C, solution.weights, rough, share)
                n_solves += found[share].n_machine_solves
        solved = [e for e in SHARES if e in found and np.isfinite(found[e].weights).all()]
        if control.stopping.stopped is not None or not solved:
            return FIRST, solution
        weight = problem.settings.sample_weight
        losses = [self._losses(problem, C, found[e], control) for e in solved]
        share = solved[most_equal(losses, weight)]
        if share != FIRST:
            solution = problem.learn(C, found[share].weights, control, share)
            n_solves += solution.n_machine_solves
        return share, replace(solution, n_machine_solves=n_solves)

    def _held_out_losses(self, values: Array, targets: Sequence[Array], weight: Array) -> Array:
        """What C is chosen by, for every row."""
        return class_losses(values, np.column_stack(targets), weight)

    def _held_out_folds(self, targets: Sequence[Array]) -> list[NDArray[np.intp]]:
        """Folds of the rows that count; the same whenever they are asked for in a fit."""
        n = len(targets[0])
        if n < 2:
            return []  # nothing is left to train with
        rows, stratify = np.arange(n), isinstance(self, ClassifierMixin)
        codes = np.column_stack(targets) @ np.arange(1, len(targets) + 1) if stratify else rows
        cv, seed = min(N_FOLDS, n), self._seed
        return make_folds(cv, rows, codes, rows, stratify=stratify, random_state=seed)
