"""Fits of a few milliseconds, against those of an earlier state of the library.

    python -m benchmarks.small_fits [--against COMMIT_OR_SRC] [--repeats N]

Two processes do the same fits in turns, so that what else the machine does meets both alike.
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from benchmarks.claims import Row, say

ROOT = Path(__file__).parent.parent
BEFORE = "16dfc38"  # before certificates were held against long double
REPEATS, SEEDS = 15, 4
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

Fit = Callable[[], Any]


def three_kernels(n: int, seed: int, weights: str = "positive") -> Fit:
    from benchmarks.problems import FEATURES, data
    from kernlearn import learn_weights
    from kernlearn.gram import gram_stack
    from kernlearn.kernels import Gaussian, Linear, Normalized, Polynomial

    X, y = data(n, seed)
    kernels = [Normalized(Polynomial(2)), Gaussian(1.0 / FEATURES), Normalized(Linear())]
    grams = gram_stack(kernels, X)
    return lambda: learn_weights(grams, y, weights=weights).objective


def hyperkernel(n: int, seed: int) -> Fit:
    from benchmarks.problems import radar_like
    from kernlearn import HyperkernelClassifier

    X, y = radar_like(n, seed)
    return lambda: HyperkernelClassifier(random_state=0).fit(X, y).objective_


def conic_pairs(n: int, seed: int) -> Fit:
    from benchmarks.problems import patches
    from kernlearn import HyperkernelMetric

    X, y = (part[n * seed :] for part in patches(n * (seed + 1)))
    return lambda: HyperkernelMetric(combination="conic", random_state=0).fit(X, y).objective_


def two_kernels(n: int, seed: int) -> Fit:
    from benchmarks.problems import FEATURES, data
    from kernlearn import MKLClassifier
    from kernlearn.kernels import Gaussian, Linear

    X, y = data(n, seed)
    kernels = [Linear(), Gaussian(1.0 / FEATURES)]
    return lambda: MKLClassifier(kernels).fit(X, y).objective_


FITS: dict[str, Callable[[int], Fit]] = {
    "learn_weights, 3 kernels, 60 points": lambda seed: three_kernels(60, seed),
    "learn_weights, 3 kernels, 400 points": lambda seed: three_kernels(400, seed),
    "learn_weights, free signs, 60 points": lambda seed: three_kernels(60, seed, "free"),
    "HyperkernelClassifier, 50 rows": lambda seed: hyperkernel(50, seed),
    "HyperkernelMetric, conic, 20 points": lambda seed: conic_pairs(20, seed),
    "MKLClassifier, 2 kernels, 60 rows": lambda seed: two_kernels(60, seed),
}


def work(questions: IO[str], answers: IO[str]) -> None:
    """Answer each name of a fit with the processor's seconds per seed, and the objectives."""
    warnings.simplefilter("ignore")  # of fits that are no better than guessing
    known: dict[str, list[Fit]] = {}
    for line in questions:
        name = line.strip()
        if name not in known:
            known[name] = [FITS[name](seed) for seed in range(SEEDS)]
            for fit in known[name]:  # first fits import, and fill caches
                fit()
        seconds, objectives = [], []
        for fit in known[name]:
            start = time.process_time()
            objectives.append(fit())
            seconds.append(time.process_time() - start)
        print(*seconds, *objectives, file=answers, flush=True)


class Worker:
    """A process that fits with the library in a folder, as a module answers."""

    def __init__(self, source: Path, module: str, *arguments: str) -> None:
        path = os.pathsep.join([str(source), str(ROOT)])
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, "--work", *arguments],
            env=os.environ | ONE_THREAD | {"PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def fit(self, name: str) -> list[float]:
        """Seconds and objectives, one of each per seed."""
        questions, answers = self._process.stdin, self._process.stdout
        assert questions is not None
        assert answers is not None
        print(name, file=questions, flush=True)
        answer = answers.readline()
        if not answer:
            raise RuntimeError(f"expected {name} to be fitted, got no answer; see above")
        return [float(word) for word in answer.split()]

    def end(self) -> None:
        """Let it go."""
        self._process.communicate()


@contextmanager
def workers(sources: Sequence[Path], module: str, *arguments: str) -> Iterator[list[Worker]]:
    """A process for each state of the library, ended at the end."""
    started = [Worker(source, module, *arguments) for source in sources]
    try:
        yield started
    finally:
        for worker in started:
            worker.end()


@dataclass(frozen=True)
class Measured:
    """One kind of fit: mean seconds over the seeds, each the best of many, today's last."""

    name: str
    seconds: list[float]
    apart: float

    @property
    def ratio(self) -> float:
        """Today's part of the time before."""
        return self.seconds[-1] / self.seconds[0]

    def __str__(self) -> str:
        figures = " → ".join(f"{1e3 * s:.2f}" for s in self.seconds)
        if len(self.seconds) == 1:
            return f"| {self.name} | {figures} | | |"
        return f"| {self.name} | {figures} | {self.ratio:.2f} | {self.apart:.1e} |"


def measure(sources: Sequence[Path], repeats: int, names: Sequence[str]) -> Iterator[Measured]:
    """Every fit in turns by every state of the library."""
    with workers(sources, "benchmarks.small_fits") as processes:
        for name in names:
            rounds = [[worker.fit(name) for worker in processes] for _ in range(repeats)]
            # Per state and seed the best of all rounds: others had other work in them.
            best = [
                [min(turn[place][seed] for turn in rounds) for seed in range(SEEDS)]
                for place in range(len(processes))
            ]
            objectives = [answer[SEEDS:] for answer in rounds[-1]]
            apart = max(
                abs(a - b) / abs(b) for a, b in zip(objectives[-1], objectives[0], strict=True)
            )
            yield Measured(name, [sum(times) / SEEDS for times in best], apart)


@contextmanager
def state(against: str) -> Iterator[Path | None]:
    """The sources of a folder or a commit; None where git does not know it."""
    if Path(against).is_dir():
        yield Path(against).resolve()
        return
    with tempfile.TemporaryDirectory() as folder:
        try:
            packed = subprocess.run(
                ["git", "archive", against, "src"], cwd=ROOT, capture_output=True, check=True
            ).stdout
        except (OSError, subprocess.CalledProcessError):
            yield None
            return
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        yield Path(folder) / "src"


def table(against: str, repeats: int, names: Sequence[str]) -> list[Measured]:
    """Measure and print, with ratios where there is something to compare with."""
    with state(against) as before:
        today = ROOT / "src"
        if before is None:
            say(f"no commit {against} here, as in a shallow clone: today's figures alone")
        say("| fit | milliseconds of the processor | ratio | objectives apart |\n|---|---|---|---|")
        found = []
        for measured in measure([today] if before is None else [before, today], repeats, names):
            say(str(measured))
            found.append(measured)
    return found


def against_before() -> Row:
    found = table(BEFORE, REPEATS, list(FITS))
    claim = f"six small fits: each in less time of the processor than at commit {BEFORE}"
    if any(len(measured.seconds) == 1 for measured in found):
        figures = ", ".join(f"{1e3 * measured.seconds[0]:.1f}" for measured in found)
        return Row(claim, f"{figures} ms; nothing to compare them with", True)
    ratios = ", ".join(f"{measured.ratio:.2f}" for measured in found)
    return Row(claim, f"ratios {ratios}", all(measured.ratio < 1.0 for measured in found))


BENCHMARKS = (against_before,)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", default=BEFORE, help="a commit, or a folder of sources")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--only", default="", help="fits whose name has this in it")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(sys.stdin, sys.stdout)
    else:
        table(given.against, given.repeats, [name for name in FITS if given.only in name])


if __name__ == "__main__":
    main()
