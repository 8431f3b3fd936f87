"""Hostile problems for the fits that learn a kernel, judged from their definitions.

Problems are made at random, of sizes from 1e-12 to 1e12, with duplicated and constant points, a
single point of a class, targets far from zero, a huge and a tiny C. Every fit is judged in long
double by plain NumPy that knows nothing of the solvers: linear systems and leave-one-out by
elimination, objectives from their definitions, bounds against feasible points that anyone can find,
"optimal" against the gap, and all of it twice, to the last bit.

``python -m kernlearn.testing.hostile_fits 400 SEED`` judges so many of them.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from kernlearn.estimators.held_out.chance import AtChanceWarning
from kernlearn.testing._hostile_combinations import combination_problem
from kernlearn.testing._hostile_first_level import first_level_problem
from kernlearn.testing._hostile_hyperkernels import hyperkernel_problem
from kernlearn.testing._hostile_landmarks import landmark_problem
from kernlearn.testing._hostile_lssvm import lssvm_problem
from kernlearn.testing._hostile_pairs import pair_problem
from kernlearn.testing._hostile_problem import HostileProblem

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
class Failure:
    """A fit that is not as promised.

    Attributes
    ----------
    kind : str
        Which family of fits.
    seed, number : int
        ``one(kind, seed, number)`` makes the problem again.
    problem, sentence : str
        What was fitted, and what is wrong.
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

    Attributes
    ----------
    seed : int
        Where it started.
    failures : list of Failure
        Broken promises.
    slow : list of Failure
        Fits of few points that took longer than a second; on a busy machine they may be good ones.
    counts : Counter
        How often each family of fits ended how.
    slowest : float
        Seconds of the processor.
    worst_gap : float
        The largest relative gap of a fit that has one.
    """

    seed: int
    failures: list[Failure] = field(default_factory=list)
    slow: list[Failure] = field(default_factory=list)
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
    >>> from kernlearn.testing.hostile_fits import run
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

    def failure(sentence: str) -> Failure:
        return Failure(kind, seed, number, " ".join(str(problem).split()), sentence)

    began = time.process_time()
    model, noise = _fitted(problem)
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
    again, _ = _fitted(problem)
    report.failures += [failure(sentence) for sentence in _differences(model, again)]


def _fitted(problem: HostileProblem) -> tuple[Any, list[str]]:
    """The fitted model, or None; and what was said that should not have been."""
    model, noise = clone(problem.model), []
    with _captured() as output, warnings.catch_warnings(record=True) as heard:
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
    noise += [f"printed {text!r}" for text in output if text]
    noise += [
        f"{warning.category.__name__}: {warning.message}"
        for warning in heard
        if not issubclass(warning.category, ConvergenceWarning | AtChanceWarning)
    ]
    return model, noise


def _is_sentence(text: str) -> bool:
    """Expected, got, cure."""
    return ("expected" in text or " must " in text) and "got" in text and ";" in text


@contextlib.contextmanager
def _captured() -> Iterator[list[str]]:
    """Collect what Python prints, and what compiled code writes past it."""
    output: list[str] = []
    printed = io.StringIO()
    with tempfile.TemporaryFile() as file:
        kept = [os.dup(1), os.dup(2)]
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        try:
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                yield output
        finally:
            for number, old in enumerate(kept, start=1):
                os.dup2(old, number)
                os.close(old)
            file.seek(0)
            output.append(printed.getvalue() + file.read().decode(errors="replace"))


def _differences(one: Any, other: Any) -> list[str]:
    """What a second fit of the same data has not repeated to the last bit."""
    return [
        f"{name} of a second fit is another"
        for name in _REFIT
        if hasattr(one, name)
        and not np.array_equal(getattr(one, name), getattr(other, name, np.nan), equal_nan=True)
    ]


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    count, first = [*given, *[200, 0][len(given) :]]
    judged = run(count, first)
    print(judged)
    sys.exit(bool(judged.failures))
