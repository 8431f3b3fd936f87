"""Run the tests as other processors would compute.

OpenBLAS has kernels of its own for each type of core, which sum in another order and so round
otherwise. This processor can run several of them. ``make test-processors`` runs

- the suite under every core type whose rounding differs, with one BLAS thread;
- its numerical part under each of them with two threads;
- its numerical part once without the SIMD instructions that NumPy chooses at run time,

and prints a table. ``--foreign`` runs the numerical part under one core type that is not the
machine's own, and ``--types`` names the core types to run.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

# Where a result depends on rounding, by their names in tests/ and in src/kernlearn/. The rest of
# the suite is about commands, files, reports, pictures, tables, papers and data sets.
NUMERICAL = (
    "bound",
    "comparison",
    "estimators",
    "families",
    "functionals",
    "gram",
    "hyperkernels",
    "kernels",
    "learn",
    "methods",
    "numerics",
    "quality",
    "reference",
    "retrieval",
    "rounding",
    "solvers",
)

# What a wheel of NumPy or SciPy may hold. Which of them run here is found by trying.
ARM = (
    "ARMV8 NEOVERSEN1 CORTEXA53 CORTEXA57 THUNDERX THUNDERX2T99 THUNDERX3T110 TSV110 EMAG8180 "
    "FALKOR ARMV8SVE A64FX NEOVERSEV1 NEOVERSEN2 NEOVERSEV2 VORTEXM4"
)
X86 = "PRESCOTT NEHALEM SANDYBRIDGE HASWELL ZEN SKYLAKEX COOPERLAKE SAPPHIRERAPIDS"
CORE_TYPES = {"aarch64": ARM, "arm64": ARM, "x86_64": X86, "AMD64": X86}
# OpenBLAS has the same routines for these two on x86_64, and reports the first name that fits.
REPORTED_NAMES = {"PRESCOTT": "KATMAI"}

# What BLAS is in force, what rounding it has, and what SIMD NumPy chooses at run time. A core type
# whose instructions this processor lacks ends the process.
PROBE = """
import hashlib, json
import numpy as np, scipy.linalg as linalg
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
from threadpoolctl import threadpool_info

rng, bits = np.random.default_rng(0), hashlib.sha256()
for n in (7, 64, 301, 700):
    for dtype in (np.float64, np.float32):
        A, B, v = (rng.normal(size=shape).astype(dtype) for shape in ((n, n), (n, 5), n))
        S = A @ A.T + 2 * n * np.eye(n, dtype=dtype)
        parts = [A @ A, A @ v, v @ A, v @ v, S, A.T @ B, np.linalg.norm(A), linalg.norm(v)]
        if n < 700:
            parts += [linalg.cholesky(S), linalg.eigh(S)[0], linalg.svd(A)[1], linalg.qr(A)[1]]
            parts += [np.linalg.cholesky(S), np.linalg.eigh(S)[0], np.linalg.solve(S, B)]
        for part in parts:
            bits.update(np.ascontiguousarray(part).tobytes())
blas = [found for found in threadpool_info() if found["internal_api"] == "openblas"]
print(json.dumps({
    "cores": sorted({found["architecture"].upper() for found in blas}),
    "threads": sorted({found["num_threads"] for found in blas}),
    "rounding": bits.hexdigest(),
    "simd": [name for name in __cpu_dispatch__ if __cpu_features__.get(name)],
}))
"""


@dataclass(frozen=True)
class Variant:
    """One way to run tests: under which core type, with how many threads, and which tests."""

    core: str
    threads: int = 1
    disabled: tuple[str, ...] = ()
    numerical: bool = True

    def __str__(self) -> str:
        without = f", NumPy without {' '.join(self.disabled)}" if self.disabled else ""
        return f"core type {self.core or 'of the machine'}, threads: {self.threads}{without}"

    @property
    def environment(self) -> dict[str, str]:
        """Variables that ask for it."""
        count = str(self.threads)
        asked = os.environ | {"OMP_NUM_THREADS": count, "OPENBLAS_NUM_THREADS": count}
        for name, value in (
            ("OPENBLAS_CORETYPE", self.core),
            ("NPY_DISABLE_CPU_FEATURES", " ".join(self.disabled)),
        ):
            asked.pop(name, None)
            if value:
                asked[name] = value
        return asked

    @property
    def paths(self) -> list[str]:
        """Folders and files that pytest is given: none for the whole suite."""
        places = ("tests/{}", "tests/test_{}.py", "src/kernlearn/{}", "src/kernlearn/{}.py")
        paths = [place.format(name) for name in NUMERICAL for place in places]
        return [path for path in paths if self.numerical and Path(path).exists()]

    @property
    def reported_cores(self) -> list[str]:
        """Names by which OpenBLAS reports this core type."""
        return [REPORTED_NAMES.get(self.core, self.core)]

    def probe(self) -> dict[str, Any] | None:
        """Report what is in force in a process of this variant; None if it cannot run here."""
        command = [sys.executable, "-c", PROBE]
        ran = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        return json.loads(ran.stdout) if ran.returncode == 0 else None

    def missing(self) -> str:
        """Say why this variant is not in force: OpenBLAS takes another core type silently."""
        found = self.probe()
        if found is None:
            return "this processor cannot run it"
        cores = self.reported_cores if self.core else found["cores"]
        if found["cores"] != cores or found["threads"] not in ([], [self.threads]):
            return f"BLAS runs {found['cores']}, threads: {found['threads']}"
        still = set(self.disabled) & set(found["simd"])
        return f"NumPy still uses {' '.join(sorted(still))}" if still else ""

    def run(self) -> tuple[str, ...]:
        """Run the tests, and return the variant's row of the table."""
        if reason := self.missing():
            raise SystemExit(f"{self}: {reason}")
        processes = max((os.cpu_count() or 1) // self.threads, 1)
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder) / "results.xml"
            command = [sys.executable, "-m", "pytest", "-q", "-m", "not slow", *self.paths]
            command += ["-n", str(processes), "--dist", "worksteal", f"--junitxml={results}"]
            start = time.monotonic()
            ran = subprocess.run(command, env=self.environment)
            seconds = time.monotonic() - start
            passed, failed = _counts(results) if ran.returncode in (0, 1) else (0, -1)
        return (
            self.core or platform.machine(),
            str(self.threads),
            "off" if self.disabled else "on",
            "numerical" if self.numerical else "all",
            str(passed),
            str(failed) if failed >= 0 else f"pytest ended with {ran.returncode}",
            f"{seconds:.0f}",
        )


def _counts(results: Path) -> tuple[int, int]:
    """Count the tests that passed, and those that failed."""
    suite = ElementTree.parse(results).getroot().find("testsuite")
    assert suite is not None
    tests, skipped, failures, errors = (
        int(suite.get(key, 0)) for key in ("tests", "skipped", "failures", "errors")
    )
    return tests - skipped - failures - errors, failures + errors


def core_types() -> Iterator[str]:
    """Yield the machine's own core type, then one of every other rounding that runs here."""
    own = Variant("").probe()
    if own is None:
        raise SystemExit("NumPy, SciPy and threadpoolctl cannot be imported: run `make test` first")
    yield own["cores"][0] if len(own["cores"]) == 1 else ""
    seen = {own["rounding"]}
    for name in CORE_TYPES.get(platform.machine(), "").split():
        found = Variant(name).probe()
        if found is None or found["cores"] != Variant(name).reported_cores:
            continue
        if found["rounding"] not in seen:
            seen.add(found["rounding"])
            yield name


def variants(chosen: list[str] | None) -> list[Variant]:
    """All that ``make test-processors`` runs, or what belongs to these core types."""
    cores = []
    for core in chosen or core_types():
        if reason := Variant(core).missing():
            print(f"{Variant(core)}: {reason}: left out")
        else:
            cores.append(core)
    if not cores:
        raise SystemExit("none of the core types can be run here")
    simd = (Variant(cores[0]).probe() or {})["simd"]
    return [
        *(Variant(core, numerical=False) for core in cores),
        *(Variant(core, threads=2) for core in cores),
        *([Variant(cores[0], disabled=tuple(simd))] if simd else []),
    ]


def foreign() -> list[Variant]:
    """The numerical part under the first core type that rounds otherwise than the machine's own."""
    others = [Variant(core) for core in islice(core_types(), 1, 2)]
    if not others:
        print("no other core type of OpenBLAS runs here: nothing to test")
    return others


def main() -> int:
    """Run what was asked for, print the table, and return 1 if a test failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--foreign", action="store_true", help="one core type, numerical part")
    parser.add_argument("--types", nargs="+", metavar="TYPE", help="of OpenBLAS, such as ARMV8")
    asked = parser.parse_args()
    rows = []
    for variant in foreign() if asked.foreign else variants(asked.types):
        print(f"\n{variant}", flush=True)
        rows.append(variant.run())
    header = ("core type", "threads", "SIMD", "tests", "passed", "failed", "seconds")
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    print()
    for row in (header, *rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))
    return int(any(row[5] != "0" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
