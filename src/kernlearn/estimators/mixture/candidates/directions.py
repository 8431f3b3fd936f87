r"""Many outcomes: candidates are searched along a few directions, and the best judged on all.

With Q the leading eigenvectors of the covariance of the targets, the squared error of YQ is a part
of that of Y. A search takes as long as that of a few outcomes. Predictions go back by Qᵀ; the rest
orthogonal to the directions is predicted by its mean. Once a candidate is in the mixture, its
machines learn all outcomes, with a ridge that is no smaller.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from kernlearn.estimators.mixture.candidates.choice import CandidateChoice
from kernlearn.estimators.mixture.candidates.family import CandidateFit
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.representation import climbed_ridge
from kernlearn.estimators.mixture.candidates.screening import (
    Screening,
    collect_screening,
    screen_candidates,
    search_again,
)
from kernlearn.estimators.mixture.options import ScreeningOptions
from kernlearn.quality.predictive import LoggedLoss, PredictiveLoss, SquaredLoss
from kernlearn.runtime.numerical_errors import BREAKDOWNS
from kernlearn.solvers.machine.least_squares import CentredMatrix
from kernlearn.typing import Array

# Outcomes that are searched as they are, and directions of more of them.
_FEW_OUTCOMES, _N_DIRECTIONS = 20, 12


@dataclass(frozen=True, eq=False)
class LeadingDirections:
    """Orthonormal directions of the outcomes, around their means."""

    axes: Array  # Q, of shape (m, k)
    centre: Array  # of shape (m,)

    @classmethod
    def of(cls, loss: PredictiveLoss) -> Self | None:
        """Directions for the squared error of many outcomes; None for other losses, or few."""
        m = loss.Y.shape[1]
        if type(loss) not in (SquaredLoss, LoggedLoss) or m <= _FEW_OUTCOMES:
            return None
        centre = np.average(loss.Y, axis=0, weights=loss.weight)
        centred = (loss.Y - centre) * np.sqrt(loss.weight)[:, None]
        _, vectors = np.linalg.eigh(centred.T @ centred)
        return cls(vectors[:, -_N_DIRECTIONS:], centre)

    def reduced(self, problem: CandidateProblem) -> CandidateProblem:
        """The same rows with the targets along the directions."""
        Y = (problem.Y - self.centre) @ self.axes
        return replace(problem, loss=SquaredLoss(Y, problem.weight))

    def expanded(self, one: CandidateFit, loss: PredictiveLoss) -> CandidateFit:
        """A candidate of the reduced problem, with predictions of all outcomes."""
        values = self.centre + one.judged.held_out @ self.axes.T
        judged = replace(one.judged, held_out=values)
        return replace(one, judged=judged, judge=loss, loss=loss.value(values))


def screen_outcomes(
    problem: CandidateProblem,
    choice: CandidateChoice,
    random_state: np.random.RandomState,
    whole: CandidateProblem | None = None,
    *,
    options: ScreeningOptions,
) -> Screening:
    """Search all families by :func:`screen_candidates`, along directions if outcomes are many."""
    directions = LeadingDirections.of(problem.loss)
    if directions is None:
        return screen_candidates(problem, choice, random_state, whole, options)
    large = None if whole is None else directions.reduced(whole)
    reduced_screening = screen_candidates(
        directions.reduced(problem), choice, random_state, large, options
    )
    full = _same_rows(problem, reduced_screening.problem)
    if not reduced_screening.fits:
        return Screening(full, [])
    found = [directions.expanded(one, full.loss) for one in reduced_screening.fits]
    chosen = np.flatnonzero(Screening(full, found).weights(options.shortlist)).tolist()
    shortlist = [reduced_screening.fits[place] for place in chosen]
    for place, one in zip(
        chosen, _with_all_outcomes([found[i] for i in chosen], full), strict=True
    ):
        found[place] = one
    loss = full.loss.other if choice.logarithms else None
    if loss is None or full.stopping.stopped is not None:
        return Screening(full, found)
    # The best candidates on the logarithms of skewed amounts.
    return collect_screening(
        full, _searched_with_other_loss(shortlist, replace(full, loss=loss)), found
    )


def _searched_with_other_loss(
    shortlist: Sequence[CandidateFit], problem: CandidateProblem
) -> Iterator[CandidateFit]:
    """Candidates searched again along directions of another loss, then judged on all outcomes."""
    directions = LeadingDirections.of(problem.loss)
    assert directions is not None  # there are as many outcomes
    for one in search_again(shortlist, directions.reduced(problem)):
        yield from _with_all_outcomes([directions.expanded(one, problem.loss)], problem)


def _with_all_outcomes(
    fits: Sequence[CandidateFit], problem: CandidateProblem
) -> Iterator[CandidateFit]:
    """Candidates with machines of all outcomes; as they are after an end or a breakdown."""
    for one in fits:
        if problem.stopping.stopped is not None:
            yield one
            continue
        try:
            yield _judged_on_all(one, problem)
        except BREAKDOWNS as error:
            problem.notes.append(f"{one.title} was judged by a few directions: {error}")
            yield one


def _judged_on_all(one: CandidateFit, problem: CandidateProblem) -> CandidateFit:
    """Predictions for held-out rows, with the last λ upwards that lowers their loss."""
    found = one.representation.matrices_by_fold(one.family.at(one.place), problem)
    parts = [(*part, CentredMatrix.of(part[2])) for part in found[2]]
    known: dict[float, Array] = {}

    def at(lam: float) -> float:
        values = np.empty_like(problem.Y)
        for rows, others, _, K_out, matrix in parts:
            a, b = matrix.solve(problem.Y[others], lam / problem.weight[others])
            values[rows] = K_out @ a + b
        known[lam] = values
        return one.judge.value(values)

    lam = climbed_ridge(at, one.judged.lam)
    judged = replace(one.judged, lam=lam, held_out=known[lam])
    return replace(one, judged=judged, loss=one.judge.value(known[lam]))


def _same_rows(problem: CandidateProblem, reduced: CandidateProblem) -> CandidateProblem:
    """The problem on the rows of another: a sample of its own after an early end."""
    if len(reduced) == len(problem):
        return problem
    assert reduced.places is not None  # it is a part
    places = reduced.places
    return problem.rows(
        places if problem.places is None else np.searchsorted(problem.places, places)
    )
