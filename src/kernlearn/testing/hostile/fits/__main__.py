"""Judge many hostile fits: ``python -m kernlearn.testing.hostile.fits 400 SEED``."""

from __future__ import annotations

import sys

from kernlearn.testing.hostile.fits import run

if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    count, first = [*given, *[200, 0][len(given) :]]
    report = run(count, first)
    print(report)
    sys.exit(bool(report.failures))
