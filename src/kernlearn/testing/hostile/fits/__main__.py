"""Judge many hostile fits: ``python -m kernlearn.testing.hostile.fits 400 SEED``."""

from __future__ import annotations

import argparse
import sys

from kernlearn.testing.hostile.fits import run

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=200)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    given = parser.parse_args()
    report = run(given.count, given.seed)
    print(report)
    sys.exit(bool(report.failures))
