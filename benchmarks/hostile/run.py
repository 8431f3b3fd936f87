"""Judge many hostile problems, and tell how they ended."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.hostile.captured_output import captured_output

# Seconds of one core: a problem as small as these that takes longer should say why.
SLOW = 1.0


@dataclass
class Verdict:
    """How one problem ended, and what is wrong with it.

    `problem` says what it is and how to make it again, `kind` which table row it is counted in.
    """

    problem: str
    kind: str
    status: str
    seconds: float
    complaints: list[str] = field(default_factory=list)
    gap: float = np.nan
    remark: str = ""


def attempt(
    call: Callable[[], Any], allowed: tuple[type[Warning], ...] = ()
) -> tuple[Any, list[str], float]:
    """Return the result, or None after an error; what should not have been said; the seconds.

    A ValueError whose message is a sentence may be raised, and warnings of the allowed kinds.
    """
    result, noise = None, []
    start = time.process_time()
    with captured_output() as output, warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            result = call()
        except ValueError as refused:
            if not _is_sentence(str(refused)):
                noise.append(f"an error that is no sentence: {refused}")
        except Exception as broken:  # whatever it is, it is to be reported
            noise.append(f"{type(broken).__name__}: {broken}")
    seconds = time.process_time() - start
    if output.text:
        noise.append(f"printed {output.text[:80]!r}")
    noise += [
        f"{warning.category.__name__}: {warning.message}"
        for warning in heard
        if not issubclass(warning.category, allowed)
    ]
    return result, noise, seconds


def _is_sentence(text: str) -> bool:
    """Expected, got, cure."""
    return ("expected" in text or " must " in text) and "got" in text and ";" in text


def judge_many(
    judge: Callable[[int], Verdict], seeds: Iterable[int], jobs: int = 1
) -> Iterator[Verdict]:
    """Judge the problems of these seeds, in order."""
    if jobs == 1:
        yield from map(judge, seeds)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(judge, seeds, chunksize=20)


def summary(verdicts: Iterable[Verdict]) -> str:
    """Counts by kind and status, the slowest, and how many have complaints."""
    verdicts = list(verdicts)
    statuses = sorted({v.status for v in verdicts})
    counts = Counter((v.kind, v.status) for v in verdicts)
    lines = ["| kind | " + " | ".join(statuses) + " |", "|---" * (len(statuses) + 1) + "|"]
    for kind in sorted({v.kind for v in verdicts}):
        row = " | ".join(str(counts[kind, status]) for status in statuses)
        lines.append(f"| {kind} | {row} |")
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
