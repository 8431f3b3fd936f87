"""Many hostile fits, judged one by one."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from kernlearn.estimators.held_out.chance import AtChanceWarning
from kernlearn.testing.captured_output import captured_output
from kernlearn.testing.hostile.fits.combinations import combination_problem
from kernlearn.testing.hostile.fits.first_level import first_level_problem
from kernlearn.testing.hostile.fits.hyperkernel import hyperkernel_problem
from kernlearn.testing.hostile.fits.landmarks import landmark_problem
from kernlearn.testing.hostile.fits.lssvm import lssvm_problem
from kernlearn.testing.hostile.fits.pairs import pair_problem
from kernlearn.testing.hostile.fits.problem import HostileProblem, Model

MAKERS: dict[str, Callable[[np.random.Generator], HostileProblem]] = {
    "lssvm": lssvm_problem,
    "first_level": first_level_problem,
    "hyperkernel": hyperkernel_problem,
    "pairs": pair_problem,
    "combinations": combination_problem,
    "landmarks": landmark_problem,
}
# A fit of fewer than a hundred points takes no longer, in seconds of the processor.
_SLOW = 1.0
_REFIT = ("dual_coef_", "coef_", "intercept_", "weights_", "theta_", "objective_", "lower_bound_")


@dataclass(frozen=True)
class FitFailure:
    """A fit that is not as promised.

    ``one(kind, seed, number)`` makes the problem again.
    """

    kind: str
    seed: int
    number: int
    problem: str
    sentence: str

    def __str__(self) -> str:
        return f"one({self.kind!r}, {self.seed}, {self.number}): {self.sentence} [{self.problem}]"


@dataclass
class Report:
    """What many problems have shown.

    Fits of few points that took longer than a second are `slow`; on a busy machine they may be
    good ones. `counts` says how often each family of fits ended how, `slowest` is in seconds of the
    processor, and `worst_gap` is the largest relative gap of a fit that has one.
    """

    seed: int
    failures: list[FitFailure] = field(default_factory=list)
    slow: list[FitFailure] = field(default_factory=list)
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    slowest: float = 0.0
    worst_gap: float = 0.0

    def __str__(self) -> str:
        lines = [f"seed {self.seed}: {self.counts.total()} problems, {len(self.failures)} failures"]
        lines += [f"  {kind}, {end}: {count}" for (kind, end), count in sorted(self.counts.items())]
        lines.append(f"  slowest {self.slowest:.2f} s, worst gap {self.worst_gap:.1e}")
        lines += [f"  slow: {late}" for late in self.slow]
        lines += [f"  {failure}" for failure in self.failures]
        return "\n".join(lines)


def run(n: int, seed: int = 0, kinds: tuple[str, ...] = tuple(MAKERS)) -> Report:
    """Fit and judge n hostile problems, the kinds in turn.

    Parameters
    ----------
    n : int
        How many problems.
    seed : int, default=0
        Other seeds make other problems.
    kinds : tuple of str
        Of "lssvm", "first_level", "hyperkernel", "pairs", "combinations" and "landmarks".

    Returns
    -------
    report : Report
        Print it; ``report.failures`` is empty if all promises were kept.

    Examples
    --------
    >>> from kernlearn.testing.hostile.fits import run
    >>> run(2, seed=1, kinds=("lssvm",)).failures
    []
    """
    report = Report(seed)
    for number in range(n):
        _judge(kinds[number % len(kinds)], seed, number, report)
    return report


def one(kind: str, seed: int, number: int) -> HostileProblem:
    """Make one problem again, as a failure names it."""
    return MAKERS[kind](np.random.default_rng([seed, number, list(MAKERS).index(kind)]))


def _judge(kind: str, seed: int, number: int, report: Report) -> None:
    problem = one(kind, seed, number)

    def failure(sentence: str) -> FitFailure:
        return FitFailure(kind, seed, number, " ".join(str(problem).split()), sentence)

    began = time.process_time()
    model, noise = fitted(problem)
    seconds = time.process_time() - began
    report.slowest = max(report.slowest, seconds)
    report.failures += [failure(sentence) for sentence in noise]
    if problem.n_points < 100 and seconds > _SLOW:
        report.slow.append(failure(f"took {seconds:.1f} s"))
    if model is None:
        report.counts[kind, "broken" if noise else "refused"] += 1
        return
    report.counts[kind, model.status_.name] += 1
    report.worst_gap = max(report.worst_gap, getattr(model, "duality_gap_", 0.0))
    # A judge may be beyond its own floats where the problem was; that is no one's fault.
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # One sentence for each kind of failure.
        broken = {sentence.split(":")[0]: sentence for sentence in problem.check(model)}
        report.failures += [failure(sentence) for sentence in broken.values()]
    again, _ = fitted(problem)
    report.failures += [failure(sentence) for sentence in _differences(model, again)]


def fitted(problem: HostileProblem) -> tuple[Model, list[str]]:
    """The fitted model, or None; and what was said that should not have been."""
    model, noise = clone(problem.model), []
    with captured_output() as output, warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            problem.fit(model)
        except ValueError as refused:
            model = None
            if not _is_sentence(str(refused)):
                noise.append(f"an error that is no sentence: {refused}")
        except Exception as broken:  # whatever it is, it is to be reported
            model = None
            noise.append(f"{type(broken).__name__}: {broken}")
    if output.text:
        noise.append(f"printed {output.text!r}")
    noise += [
        f"{warning.category.__name__}: {warning.message}"
        for warning in heard
        if not issubclass(warning.category, ConvergenceWarning | AtChanceWarning)
    ]
    return model, noise


def _is_sentence(text: str) -> bool:
    """Expected, got, cure."""
    return ("expected" in text or " must " in text) and "got" in text and ";" in text


def _differences(one: Model, other: Model) -> list[str]:
    """What a second fit of the same data has not repeated to the last bit."""
    return [
        f"{name} of a second fit is another"
        for name in _REFIT
        if hasattr(one, name)
        and not np.array_equal(getattr(one, name), getattr(other, name, np.nan), equal_nan=True)
    ]
