"""Read many hostile files: ``python -m kernlearn.testing.hostile 10000 SEED``."""

from __future__ import annotations

import sys

from kernlearn.testing.hostile import run

if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    count, seed = [*given, *[2000, 0][len(given) :]]
    failures = run(count, seed)
    for failure in failures:
        print(f"seed {failure.seed}, {failure.case}: {failure.error}\n")
    print(f"{count} hostile files from seed {seed}: {len(failures)} failures")
    sys.exit(bool(failures))
