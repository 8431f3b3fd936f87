"""Judge hostile problems: ``python -m benchmarks.hostile weights --problems 20000 --jobs 2``."""

from __future__ import annotations

import argparse
import sys
import time

from benchmarks.hostile import files, fits, weights
from benchmarks.hostile.run import judge_many, summary

JUDGES = {"weights": weights.judge_seed, "fits": fits.judge_seed, "files": files.judge_seed}


def main() -> int:
    """Judge the problems of consecutive seeds; the exit status says whether all were true."""
    parser = argparse.ArgumentParser(prog="benchmarks.hostile", description=__doc__)
    parser.add_argument("kind", choices=JUDGES, help="what is made and judged")
    parser.add_argument("--problems", type=int, default=300, help="how many")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    last = options.seed + options.problems - 1
    print(f"{options.kind}: seeds {options.seed} to {last}", flush=True)
    start, verdicts = time.monotonic(), []
    for verdict in judge_many(JUDGES[options.kind], range(options.seed, last + 1), options.jobs):
        verdicts.append(verdict)
        for complaint in verdict.complaints:
            print(f"{verdict.problem}: {verdict.status}, gap {verdict.gap:.2g}: {complaint}")
        if len(verdicts) % 1000 == 0:
            print(f"{len(verdicts)} judged, {time.monotonic() - start:.0f} s", flush=True)
    print(summary(verdicts))
    return int(any(verdict.complaints for verdict in verdicts))


if __name__ == "__main__":
    sys.exit(main())
