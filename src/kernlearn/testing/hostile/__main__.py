"""Read many hostile files: ``python -m kernlearn.testing.hostile 10000 SEED``."""

from __future__ import annotations

import argparse
import sys

from kernlearn.testing.hostile import run

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=2000)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    given = parser.parse_args()
    failures = run(given.count, given.seed)
    for failure in failures:
        print(f"seed {failure.seed}, {failure.case}: {failure.error}\n")
    print(f"{given.count} hostile files from seed {given.seed}: {len(failures)} failures")
    sys.exit(bool(failures))
