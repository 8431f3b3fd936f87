r"""Several outcomes, related by an output kernel: each helps to predict the related ones.

Candidates are compared as machines that share kernels and λ. The kernel over the outcomes,
B = (1 − ρ) I + ρ S (:mod:`kernlearn.solvers.weights.output_kernel`), is learned for the best of
them, for a few ρ and multiples of λ; on many rows, on a sample. Every fold is predicted with the B
that was learned without it. B takes the place of the identity if that lowers the held-out loss by
more than a standard error. All members of the mixture then have it, each beside its own kernel and
λ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import solve

from kernlearn.estimators.held_out.standard_errors import clustered_error
from kernlearn.estimators.mixture.candidates.family import CandidateFit
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.representation import FoldMatrices
from kernlearn.estimators.mixture.candidates.screening import Screening
from kernlearn.quality.predictive import PredictiveLoss, SquaredLoss
from kernlearn.quality.ridge_path import RidgePath
from kernlearn.runtime.numerical_errors import BREAKDOWNS
from kernlearn.solvers.machine.least_squares import solve_separable, solve_separable_along
from kernlearn.solvers.weights.output_kernel import (
    OutputKernel,
    learn_output_kernel,
    output_certificate,
)
from kernlearn.typing import Array

# ρ, and multiples of λ, that are tried.
_SHARES, _MULTIPLES = (0.5, 0.9), (0.5, 1.0, 2.0)
# Fewer rows do not determine relations; with more, every outcome is learned well by itself.
_FEWEST_ROWS, _MOST_ROWS = 10, 2000
# Rows of the sample that B is learned from, and duality gaps: of a fold, and of all rows.
_SAMPLE_ROWS = 600
_TOL, _LAST_TOL = 1e-3, 1e-6
# With more outcomes B has so many entries that a smaller gap takes longer than all candidates.
_FEW_OUTCOMES, _TOL_OF_MANY = 20, 1e-3


@dataclass(frozen=True, eq=False)
class OutputKernelChoice:
    """The choice of an output kernel by held-out loss."""

    outputs: OutputKernel  # by all rows
    without: Sequence[Array]  # the matrices by all rows but those of each fold
    multiple: float  # of λ

    def applied(self, one: CandidateFit, problem: CandidateProblem) -> CandidateFit:
        """A candidate beside the output kernel, with its predictions for held-out rows."""
        lam = self.multiple * one.judged.lam
        parts = _matrices(one, problem)
        values = predicted_folds(parts, paths_of(parts, one.judge), one.judge, lam, self.without)
        judged = replace(one.judged, lam=lam, held_out=values)
        return replace(one, judged=judged, loss=one.judge.value(values))


def relate_outcomes(
    screening: Screening, n_rows: int, max_members: int, min_weight: float
) -> Screening:
    """The same screening, its members beside a kernel over the outcomes if that predicts better.

    The mixture is to be trained on `n_rows`.
    """
    problem = screening.problem
    is_known = isinstance(problem.loss, SquaredLoss) and problem.Y.shape[1] > 1
    if not is_known or not _FEWEST_ROWS <= n_rows <= _MOST_ROWS or len(problem.folds) < 2:
        return screening
    if problem.stopping.stopped is not None or not screening.fits:
        return screening
    weights = screening.weights(max_members, min_weight)
    if not all(isinstance(screening.fits[i].judge, SquaredLoss) for i in np.flatnonzero(weights)):
        return screening
    try:
        choice = chosen_output_kernel(screening.fits[int(np.argmax(weights))], problem)
        if choice is None:
            return screening
        found = [
            choice.applied(one, problem) if weight else one
            for one, weight in zip(screening.fits, weights, strict=True)
        ]
    except BREAKDOWNS as error:
        problem.notes.append(f"outcomes are learned one by one: {error}")
        return screening
    return Screening(problem, found, choice.outputs)


def chosen_output_kernel(one: CandidateFit, problem: CandidateProblem) -> OutputKernelChoice | None:
    """The B of the least held-out loss beside a candidate's kernel; None for the identity."""
    rows = problem.sample(_SAMPLE_ROWS, np.random.RandomState(0))
    sample = problem.rows(rows)
    if len(sample.folds) != len(problem.folds):
        return None
    loss = replace(one.judge, Y=one.judge.Y[rows], weight=one.judge.weight[rows])
    parts, lam = _matrices(one, sample), one.judged.lam
    paths = paths_of(parts, loss)
    identity = [np.eye(loss.Y.shape[1])] * len(parts)
    usual = loss.rows(predicted_folds(parts, paths, loss, lam, identity))
    codes = np.arange(len(sample)) if sample.groups is None else sample.groups
    units = [np.flatnonzero(codes == code) for code in np.unique(codes)]
    best, least = None, float(loss.share @ usual)
    for share in _SHARES:
        without = [learn_output_kernel(path, lam, share, _TOL, grows=False) for path in paths]
        for multiple in _MULTIPLES:
            values = predicted_folds(parts, paths, loss, multiple * lam, without)
            gained = (usual - loss.rows(values)) * loss.share * len(usual)
            if usual @ loss.share - gained.mean() < least and gained.mean() > clustered_error(
                gained, units
            ):
                best = (share, without, multiple)
                least = float(usual @ loss.share - gained.mean())
    if best is None:
        return None
    share, without, multiple = best
    kernel = one.judged.kernel(sample.tables[one.representation.table])
    outputs = _certified(kernel, loss.Y, loss.weight, lam, share)
    return OutputKernelChoice(outputs, without, multiple)


def _certified(K: Array, Y: Array, weight: Array, lam: float, share: float) -> OutputKernel:
    """B of some rows, with the duality gap that a machine of it shows."""
    tol = _LAST_TOL if Y.shape[1] <= _FEW_OUTCOMES else _TOL_OF_MANY
    B = learn_output_kernel(RidgePath.of(K, Y, weight), lam, share, tol)
    coef, intercept = solve_separable(K, Y, lam, weight, B)
    dual = np.asarray(solve(B, coef.T, assume_a="pos")).T
    certificate = output_certificate(K, Y, lam / weight, share, B, dual, intercept)
    return OutputKernel(B, share, certificate.gap)


def paths_of(parts: Sequence[FoldMatrices], loss: PredictiveLoss) -> list[RidgePath]:
    """The decomposed matrices without each fold."""
    return [RidgePath.of(K, loss.Y[others], loss.weight[others]) for _, others, K, _ in parts]


def predicted_folds(
    parts: Sequence[FoldMatrices],
    paths: Sequence[RidgePath],
    loss: PredictiveLoss,
    lam: float,
    outputs: Sequence[Array],
) -> Array:
    """Predictions for the rows of every fold, by a machine of the others and the B of the fold."""
    values = np.empty_like(loss.Y)
    for (rows, others, K, K_out), path, B in zip(parts, paths, outputs, strict=True):
        coef, intercept = solve_separable_along(path, K, loss.Y[others], lam, B)
        values[rows] = K_out @ coef + intercept
    return values


def _matrices(one: CandidateFit, problem: CandidateProblem) -> list[FoldMatrices]:
    return one.representation.matrices_by_fold(one.family.at(one.place), problem)[2]
