"""Hostile problems for the fits that learn a kernel, judged from their definitions.

Problems are made at random, of sizes from 1e-12 to 1e12, with duplicated and constant points, a
single point of a class, targets far from zero, a huge and a tiny C. Every fit is judged in long
double by plain NumPy that shares no code with the solvers: linear systems and leave-one-out by
elimination, objectives from their definitions, bounds against feasible points that anyone can find,
"optimal" against the gap, and all of it twice, to the last bit.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from benchmarks.hostile.fits.combinations import combination_problem
from benchmarks.hostile.fits.first_level import first_level_problem
from benchmarks.hostile.fits.hyperkernel import hyperkernel_problem
from benchmarks.hostile.fits.landmarks import landmark_problem, robust_landmark_problem
from benchmarks.hostile.fits.lssvm import lssvm_problem
from benchmarks.hostile.fits.outcomes import cox_problem, mixture_problem, ranking_problem
from benchmarks.hostile.fits.pairs import pair_problem
from benchmarks.hostile.fits.problem import HostileProblem, Model
from benchmarks.hostile.run import Verdict, attempt
from kernlearn.estimators.held_out.chance import AtChanceWarning

MAKERS: dict[str, Callable[[np.random.Generator], HostileProblem]] = {
    "lssvm": lssvm_problem,
    "first_level": first_level_problem,
    "hyperkernel": hyperkernel_problem,
    "pairs": pair_problem,
    "combinations": combination_problem,
    "landmarks": landmark_problem,
    "cox": cox_problem,
    "ranking": ranking_problem,
    "mixture": mixture_problem,
    "robust": robust_landmark_problem,
}
# From this number on problems are of the kinds that were added later, so that those before stay.
FURTHER, FIRST_KINDS = 1_000_000, 6
_REFIT = ("dual_coef_", "coef_", "intercept_", "weights_", "theta_", "objective_", "lower_bound_")


def one(kind: str, seed: int, number: int) -> HostileProblem:
    """Make one problem again, as a verdict names it."""
    return MAKERS[kind](np.random.default_rng([seed, number, list(MAKERS).index(kind)]))


def judge_seed(number: int) -> Verdict:
    """Fit and judge the problem of this number, the kinds in turn."""
    kinds = list(MAKERS)[FIRST_KINDS:] if number >= FURTHER else list(MAKERS)[:FIRST_KINDS]
    return judge_fit(kinds[number % len(kinds)], 0, number)


def judge_fit(kind: str, seed: int, number: int) -> Verdict:
    """Fit and judge one problem."""
    problem = one(kind, seed, number)
    words = f"one({kind!r}, {seed}, {number}): {' '.join(str(problem).split())}"
    model, said, seconds = fitted(problem)
    verdict = Verdict(words, kind, "broken" if said else "refused", seconds, said)
    if model is None:
        return verdict
    verdict.status = model.status_.name.lower()
    verdict.gap = getattr(model, "duality_gap_", np.nan)
    # A judge may be beyond its own floats where the problem was; that is no one's fault.
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # One sentence for each kind of failure.
        broken = {sentence.split(":")[0]: sentence for sentence in problem.check(model)}
    verdict.complaints += [*broken.values(), *_differences(model, fitted(problem)[0])]
    return verdict


def fitted(problem: HostileProblem) -> tuple[Model, list[str], float]:
    """The fitted model, or None; what was said that should not have been; and the seconds."""
    model = clone(problem.model)
    return attempt(lambda: problem.fit(model), (ConvergenceWarning, AtChanceWarning))


def _differences(one: Model, other: Model) -> list[str]:
    """What a second fit of the same data has not repeated to the last bit."""
    return [
        f"{name} of a second fit is another"
        for name in _REFIT
        if getattr(one, name, None) is not None
        and not np.array_equal(getattr(one, name), getattr(other, name, np.nan), equal_nan=True)
    ]
