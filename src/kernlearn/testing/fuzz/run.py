"""Many hostile problems, judged one by one."""

from __future__ import annotations

import contextlib
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from kernlearn.learn import learn_weights
from kernlearn.testing.captured_output import captured_output
from kernlearn.testing.fuzz.judge import Case, complaints
from kernlearn.testing.fuzz.problems import FuzzProblem, make_problem, with_penalty

# Seconds of one core: a fit of so few points that takes longer should say why.
SLOW = 1.0


@dataclass
class Verdict:
    """What became of one problem."""

    problem: str
    seed: int
    quality: str
    weights: str
    status: str
    gap: float
    seconds: float
    complaints: list[str] = field(default_factory=list)
    remark: str = ""


def judge_seed(seed: int) -> Verdict:
    """Make, solve and judge the problem of this seed; every fourth one has a penalty."""
    problem = make_problem(seed)
    return judge_problem(with_penalty(problem) if seed % 4 == 3 else problem, seed)


def judge_problem(problem: FuzzProblem, seed: int = 0) -> Verdict:
    """Solve a problem in silence, and judge what comes back."""
    options = problem.options
    said: list[str] = []
    start = time.process_time()
    with warnings.catch_warnings(), captured_output() as output:
        warnings.simplefilter("error")
        try:
            solution = learn_weights(problem.grams, problem.y, **options)
        except ValueError as error:
            solution = None
            if "expected" not in str(error) and "must" not in str(error):
                said.append(f"not a sentence: {error}")
        except Exception as error:
            solution = None
            said.append(f"{type(error).__name__}: {error}")
    seconds = time.process_time() - start
    if output.text:
        said.append(f"printed {output.text[:80]!r}")
    status, gap = "refused", np.nan
    if solution is not None:
        status, gap = solution.status.name.lower(), solution.gap
        others = []
        if options["weights"] == "free":
            with contextlib.suppress(Exception), warnings.catch_warnings(), captured_output():
                warnings.simplefilter("ignore")
                positive = learn_weights(
                    problem.grams, problem.y, **{**options, "weights": "positive"}
                )
                if positive.dual_coef is not None and options.get("C") != "learn":
                    others.append(positive.weights)
        case = Case(problem.matrices, problem.y, **options, others=others)
        with np.errstate(all="ignore"):
            said += complaints(case, solution, seed)
    remark = "" if solution is None else solution.remark
    given = options["quality"], options["weights"]
    return Verdict(str(problem), seed, *given, status, gap, seconds, said, remark)


def judge_many(seeds: Iterable[int], jobs: int = 1) -> Iterator[Verdict]:
    """Judge the problems of these seeds, in order."""
    if jobs == 1:
        yield from map(judge_seed, seeds)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(judge_seed, seeds, chunksize=20)


def summary(verdicts: Iterable[Verdict]) -> str:
    """Counts by quality and status, the slowest, and every complaint."""
    verdicts = list(verdicts)
    statuses = sorted({v.status for v in verdicts})
    counts = Counter((v.quality, v.status) for v in verdicts)
    lines = ["| quality | " + " | ".join(statuses) + " |", "|---" * (len(statuses) + 1) + "|"]
    for quality in sorted({v.quality for v in verdicts}):
        row = " | ".join(str(counts[quality, status]) for status in statuses)
        lines.append(f"| {quality} | {row} |")
    failed = sum(bool(v.complaints) for v in verdicts)
    slow = [v for v in verdicts if v.seconds > SLOW]
    slowest = max(verdicts, key=lambda v: v.seconds)
    gaps = [v.gap for v in verdicts if v.status == "optimal"]
    late = [v for v in slow if v.status == "optimal"]
    silent = [v for v in late if not v.remark]
    lines += ["", *(f"optimal after {v.seconds:.1f} s: {v.problem}" for v in late)]
    lines += [
        f"{len(verdicts)} problems, {failed} with complaints",
        f"largest gap of an optimum: {max(gaps, default=0.0):.2g}",
        f"over {SLOW:g} s: {len(slow)}, of which {len(late)} optimal, {len(silent)} without "
        "a word of why",
        f"slowest: {slowest.seconds:.2f} s, {slowest.problem}",
    ]
    return "\n".join(lines)
