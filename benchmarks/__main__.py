"""Run the benchmarks and say which claims hold: all of them, or the topics named."""

from __future__ import annotations

import argparse
import platform
from pathlib import Path

from benchmarks import (
    combinations,
    command_line,
    counts,
    dask_rows,
    first_level,
    flagship,
    grades,
    hyperkernels,
    large,
    many_kernels,
    metric,
    outcome_page,
    outcomes,
    preferences,
    small_fits,
    sources,
    survival,
)
from benchmarks.claims import REPEATS, report, say
from benchmarks.kept_fits import write_page
from benchmarks.outcome_tables import run_topic

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


# These take options.
FLAGSHIP = "flagship"
SURVIVAL = "survival"
OUTCOMES = {
    "grades": grades.topic,
    "counts": counts.topic,
    "outcomes": outcomes.topic,
    "preferences": preferences.topic,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    known = (*TOPICS, FLAGSHIP, *OUTCOMES, SURVIVAL)
    parser.add_argument("topics", nargs="*", metavar="topic", help=f"any of {', '.join(known)}")
    parser.add_argument("--data", type=Path, help="folder with ida and uci_reg, for flagship")
    parser.add_argument("--old", help="commit or folder of sources to compare with, for flagship")
    parser.add_argument(
        "--tables", type=Path, help="folder of tables of R, for outcomes of all kinds"
    )
    parser.add_argument("--splits", type=int, default=3, help="splits of each, for these")
    parser.add_argument(
        "--out", type=Path, default=Path("results"), help="folder of their fits and pages"
    )
    given = parser.parse_args()
    names = given.topics or known
    unknown = set(names) - set(known)
    if unknown:
        parser.error(f"expected topics among {', '.join(known)}, got {', '.join(sorted(unknown))}")
    say(f"Python {platform.python_version()}, {platform.machine()}; best of {REPEATS} each")
    rows = []
    for name in names:
        if name == FLAGSHIP:
            rows += flagship.benchmarks(given.data, given.old)
            continue
        if name == SURVIVAL:
            rows += survival.benchmarks(given.out, given.splits)
            continue
        if name in OUTCOMES:
            topic = OUTCOMES[name](given.tables)
            done = run_topic(topic, given.splits, given.out)
            write_page(outcome_page.page(topic, done), given.out, name)
            rows += outcome_page.claims(topic, done)
            continue
        for benchmark in TOPICS[name]:
            rows.append(benchmark())
            say(f"{rows[-1].claim}\n    {rows[-1].measured}")
    report(rows)


if __name__ == "__main__":
    main()
