"""Run the benchmarks and say which claims hold: all of them, or the topics named."""

from __future__ import annotations

import argparse
import platform

from benchmarks import (
    combinations,
    command_line,
    dask_rows,
    first_level,
    hyperkernels,
    large,
    many_kernels,
    metric,
    small_fits,
    sources,
)
from benchmarks.claims import REPEATS, report, say

TOPICS = {
    "combinations": combinations.BENCHMARKS,
    "hyperkernels": hyperkernels.BENCHMARKS,
    "first-level": first_level.BENCHMARKS,
    "metric": metric.BENCHMARKS,
    "sources": sources.BENCHMARKS,
    "large": large.BENCHMARKS,
    "many-kernels": many_kernels.BENCHMARKS,
    "small-fits": small_fits.BENCHMARKS,
    "command-line": command_line.BENCHMARKS,
    "dask": dask_rows.BENCHMARKS,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("topics", nargs="*", metavar="topic", help=f"any of {', '.join(TOPICS)}")
    names = parser.parse_args().topics
    unknown = set(names) - set(TOPICS)
    if unknown:
        parser.error(f"expected topics among {', '.join(TOPICS)}, got {', '.join(sorted(unknown))}")
    say(f"Python {platform.python_version()}, {platform.machine()}; best of {REPEATS} each")
    rows = []
    for name in names or TOPICS:
        for benchmark in TOPICS[name]:
            rows.append(benchmark())
            say(f"{rows[-1].claim}\n    {rows[-1].measured}")
    report(rows)


if __name__ == "__main__":
    main()
