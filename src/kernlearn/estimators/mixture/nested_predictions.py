r"""Predictions for held-out rows by mixtures whose every choice was made without them.

Widths and ridges of the candidates are chosen with all rows, so that their predictions for held-out
rows are optimistic: the fewer the rows, the more. With few rows the choices are made once more
without each fold, among kernels that learn nothing but λ and a width: a kernel matrix of all rows
holds those of all folds, and one eigendecomposition of a part serves all λ. Width and λ have the
least leave-one-out squared error, and the mixture is that of leave-one-out predictions. For more
labels only the kernels that do best on all rows are tried, and the usual predictions are kept if
they are right clearly more often, since only other candidates may learn the labels. For some
hundred labels the choices are made again only if the usual predictions are not clearly better than
the majority: a small optimism then decides whether anything was learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kernlearn.estimators.mixture.candidates.choice import CandidateChoice
from kernlearn.estimators.mixture.candidates.directions import screen_outcomes
from kernlearn.estimators.mixture.candidates.family import CandidateFit, KernelFamily
from kernlearn.estimators.mixture.candidates.outcomes import relate_outcomes
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.representation import (
    JudgedKernel,
    Representation,
    mean_variance,
)
from kernlearn.estimators.mixture.candidates.screening import Screening
from kernlearn.estimators.mixture.candidates.training import TrainingRows
from kernlearn.estimators.mixture.effort import EFFORTS, choice_at
from kernlearn.estimators.mixture.members import Members
from kernlearn.estimators.mixture.options import MixtureOptions
from kernlearn.kernels import Kernel
from kernlearn.numerics.positions import complement
from kernlearn.numerics.rounding import first_least, is_less
from kernlearn.quality.predictive import PredictiveLoss
from kernlearn.quality.ridge_path import RidgePath
from kernlearn.runtime.numerical_errors import BREAKDOWNS
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.typing import Array, Indices

# λ in units of the mean variance of a kernel, and factors that refine the best one.
_RIDGES, _FINER = np.logspace(-7.0, 1.0, 9), np.sqrt([1.0, 0.1, 10.0])


# Kernels that are tried with more rows than are always nested.
_LADDERS = 4
# Standard errors by which the usual predictions have to be better: with two, labels at random had
# a score above the majority's in one of eight fits.
_ERRORS = 3.0


def held_out_predictions(
    screening: Screening,
    choice: CandidateChoice,
    max_members: int,
    min_weight: float,
    options: MixtureOptions,
) -> tuple[Array, Array]:
    """The usual predictions for held-out rows, then those that no choice has seen: (n, k) each.

    With many rows, or without time, both are the usual ones.
    """
    problem = screening.problem
    usual, n = screening.held_out(max_members, min_weight), len(problem)
    if n > _most_rows(usual, problem, options) or problem.stopping.stopped is not None:
        return usual, usual
    ladders = ladders_of(problem, choice)
    if n > options.nested_rows:
        ladders = _best(ladders, screening.fits)
        if not ladders:
            return usual, usual
    if ladders:
        nested = nested_predictions(problem, ladders, max_members, min_weight, choice.logarithms)
    else:
        nested = nested_searches(problem, choice, max_members, min_weight, options)
    if nested is None or (n > options.nested_rows and _is_clearly_better(usual, nested, problem)):
        return usual, usual
    return usual, nested


def _most_rows(usual: Array, problem: CandidateProblem, options: MixtureOptions) -> int:
    """The most rows for which choices are made without each fold."""
    if not problem.loss.is_of_labels:
        return options.nested_rows
    constant = np.broadcast_to(problem.loss.share @ problem.Y, usual.shape)
    is_clear = _is_clearly_better(usual, constant, problem)
    return options.nested_labels if is_clear else options.nested_unclear_labels


def _best(ladders: Sequence[Ladder], fits: Sequence[CandidateFit]) -> list[Ladder]:
    """Ladders whose candidates have the least loss; the first of all if none was a candidate."""
    losses = {(one.family.name, one.representation.table): one.loss for one in fits}
    known = [one for one in ladders if (one.family.name, one.table) in losses] or ladders
    return sorted(known, key=lambda one: losses.get((one.family.name, one.table), 0.0))[:_LADDERS]


def _is_clearly_better(usual: Array, others: Array, problem: CandidateProblem) -> bool:
    """Whether the usual predictions make fewer errors, by three times the standard error."""
    loss = problem.loss.of_linked
    wrong, usually = (np.asarray(loss.wrong(values), dtype=float) for values in (others, usual))
    apart = loss.share * (wrong - usually)
    if problem.groups is not None:
        apart = np.bincount(problem.groups, apart)
    return bool(apart.sum() > _ERRORS * np.linalg.norm(apart))


def ladders_of(problem: CandidateProblem, choice: CandidateChoice) -> list[Ladder]:
    """Ladders of all families that learn nothing but a width, on every table that suits."""
    return [
        Ladder(family, table, problem)
        for table in problem.tables
        for family in choice.families
        if family.learn is None and not family.has_margin and family.suits(problem, table)
    ]


def nested_predictions(
    problem: CandidateProblem,
    ladders: Sequence[Ladder],
    max_members: int,
    min_weight: float,
    logarithms: bool = False,
) -> Array | None:
    """Predictions for every row, of shape (n, k); None if there is no time for them.

    `logarithms` of skewed amounts are learned, too.
    """
    if len(problem.folds) < 3:  # without one of them, nothing could be held out
        return None
    has_other = logarithms or problem.loss.is_of_labels
    values = np.zeros_like(problem.Y)
    for fold in problem.folds:
        if not problem.stopping.seconds_left > 0.0:
            return None
        others = complement(len(problem), fold)
        part = problem.rows(others)
        losses = [part.loss, part.loss.other if has_other else None]
        found = [
            best
            for loss in losses
            if loss is not None
            for ladder in ladders
            if (best := ladder.best(others, part, loss)) is not None
        ]
        if not found:
            return None
        screening = Screening(part, [one.fit for one in found])
        weights = screening.weights(max_members, min_weight)
        factors = screening.factors(weights)
        for i in np.flatnonzero(weights):
            values[fold] += factors[i] * found[i].predict(fold, others)
    return values


@dataclass(frozen=True, eq=False)
class Ladder:
    """The kernels of a family on a table, each with its matrix on all rows."""

    family: KernelFamily
    table: str
    problem: CandidateProblem
    computed: dict[int, tuple[Kernel, Array]] = field(default_factory=dict)

    def at(self, rung: int) -> tuple[Kernel, Array]:
        """The kernel of a rung and its matrix."""
        if rung not in self.computed:
            X = self.problem.tables[self.table]
            kernel = self.family.at(rung)(X)
            self.computed[rung] = kernel, kernel(X)
        return self.computed[rung]

    def best(self, rows: Indices, part: CandidateProblem, loss: PredictiveLoss) -> LadderFit | None:
        """The width and λ of the least squared error, from the middle; None for a breakdown."""
        tried: dict[int, LadderFit] = {}

        def at(rung: int) -> float:
            if not 0 <= rung < len(self.family.ladder):
                return np.inf
            if rung not in tried:
                tried[rung] = self._fitted(rung, rows, part, loss)
            return tried[rung].error

        try:
            place = len(self.family.ladder) // 2
            here = at(place)
            step = -1 if is_less(at(place - 1), here) else 1
            while is_less(at(place + step), at(place)):
                place += step
        except BREAKDOWNS:
            if not tried:
                return None
        return list(tried.values())[first_least(one.error for one in tried.values())]

    def _fitted(
        self, rung: int, rows: Indices, part: CandidateProblem, loss: PredictiveLoss
    ) -> LadderFit:
        kernel, whole = self.at(rung)
        K = whole[np.ix_(rows, rows)]
        path, unit = RidgePath.of(K, loss.Y, loss.weight), mean_variance(K)
        _, middle = _least_squares(path, _RIDGES * unit, part, loss)
        error, lam = _least_squares(path, _FINER * middle, part, loss)
        judged = JudgedKernel(kernel, lam, loss.Y - path.residuals(lam, part.blocks))
        representation = Representation(self.table)
        fit = CandidateFit(self.family, representation, rung, judged, loss, error)
        return LadderFit(fit, error, path, whole)


def _least_squares(
    path: RidgePath, lams: Array, part: CandidateProblem, loss: PredictiveLoss
) -> tuple[float, float]:
    """The least mean squared leave-one-out error at some λ, and that λ."""
    squares = (path.residuals_at(lams, part.blocks) ** 2).sum(axis=2)
    errors = squares @ loss.share
    best = first_least(errors)
    return float(errors[best]), float(lams[best])


@dataclass(frozen=True, eq=False)
class LadderFit:
    """A candidate on some rows, with the matrices to predict other rows."""

    fit: CandidateFit
    error: float  # the mean squared leave-one-out error
    path: RidgePath
    whole: Array  # the kernel matrix of all rows

    def predict(self, rows: Indices, train: Indices) -> Array:
        """Predictions for rows by the machine that was trained on others, after the link."""
        judged, loss = self.fit.judged, self.fit.judge
        coef = self.path.coefficients(np.full(loss.Y.shape[1], judged.lam))
        fitted = self.whole[np.ix_(train, train)] @ coef
        intercept = np.average(loss.Y - fitted, axis=0, weights=loss.weight)
        values = self.whole[np.ix_(rows, train)] @ coef + intercept
        link = loss.link(judged.held_out)
        return np.asarray(values if link is None else link(values))


def nested_searches(
    problem: CandidateProblem,
    choice: CandidateChoice,
    max_members: int,
    min_weight: float,
    options: MixtureOptions,
) -> Array | None:
    """Predictions by candidates that learn more than a width, searched without each fold."""
    if len(problem.folds) < 3:
        return None
    choice = choice_at(choice, EFFORTS["fast"])
    values = np.empty_like(problem.Y)
    for fold in problem.folds:
        # These candidates are not reported, but their time counts.
        left = problem.stopping.seconds_left
        silent = StoppingControl(time_limit=None if np.isinf(left) else left)
        part = replace(problem.rows(complement(len(problem), fold)), stopping=silent, notes=[])
        random_state = np.random.RandomState(0)
        screening = screen_outcomes(part, choice, random_state, options=options.screening)
        if silent.stopped is not None or not screening.fits:
            return None
        screening = relate_outcomes(screening, len(part), max_members, min_weight)
        training = TrainingRows(part.tables, part.Y, part.weight, part, None)
        weights = screening.weights(max_members, min_weight)
        members = Members.trained(screening, weights, part.Y, training, options, random_state)
        held_out = {name: table[fold] for name, table in problem.tables.items()}
        values[fold] = members.predict(held_out)
    return values
