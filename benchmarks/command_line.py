"""What `kernlearn fit` takes, on generated tables.

``python -m benchmarks command-line``. The command runs in a process of its own, with its imports,
as a user has it; beside its seconds stand those of the processor, for a machine with other work.
``python -m benchmarks.command_line flights.parquet`` does so with a large table of the user's.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.svm import SVC

from benchmarks.claims import Row, report
from kernlearn.methods.learner import Learner
from kernlearn.methods.method import Setting
from kernlearn.methods.preparation import preparation
from kernlearn.methods.registry import find_method
from kernlearn.speed.timings import best_of
from kernlearn.tables.typed import Column

COLUMNS = 10


def table(n: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Two classes in ten columns, six of them informative, 5 % of labels flipped."""
    X, y = make_classification(
        n,
        COLUMNS,
        n_informative=6,
        n_redundant=2,
        n_clusters_per_class=3,
        flip_y=0.05,
        random_state=0,
    )
    named = pd.DataFrame(X, columns=[f"x{j}" for j in range(COLUMNS)])
    return named, np.where(y > 0, "yes", "no")


def command(*arguments: str) -> tuple[float, float, str]:
    """Seconds of a command, by the clock and of the processors, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    code = "import sys; from kernlearn.cli import main; sys.argv[0] = 'kernlearn'; main()"
    called = [sys.executable, "-c", code, *arguments]
    printed = subprocess.run(called, check=True, stdout=subprocess.PIPE, text=True).stdout
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, processor, printed


def auto_on_a_small_table() -> Row:
    X, y = table(400)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        X.assign(y=y).to_csv(path, index=False)
        seconds, processor, _ = command(
            "fit", str(path), "--target", "y", "--method", "auto", "--quiet"
        )
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return Row(
        "`kernlearn fit --method auto`, 400 rows and 10 columns: under 10 s on two cores",
        f"{seconds:.1f} s by the clock, {processor:.1f} s of {cores} processors",
        seconds < 10.0,
    )


def mkl_against_svc() -> Row:
    X, y = table(1000)
    columns = [Column(name, "number", "") for name in X.columns]
    setting = Setting("classification", seed=0, classes=np.unique(y))
    learner = Learner(find_method("mkl"), setting, lambda: preparation(columns))
    seconds, model = best_of(3, lambda: learner.fit(X, y))
    estimator = model.steps[-1][1]
    K = estimator.kernel_(model[:-1].transform(X))
    svc = best_of(9, lambda: SVC(kernel="precomputed", C=estimator.C_).fit(K, y))[0]
    return Row(
        "`--method mkl`, 1000 rows, bank, C and probabilities included: at most 60 SVC fits with "
        "the learned kernel and C",
        f"{seconds:.2f} s against {svc * 1e3:.1f} ms: {seconds / svc:.0f} fits; C = "
        f"{estimator.C_:.3g} of {len(estimator.loss_by_C_)} tried",
        seconds <= 60 * svc,
    )


def auto_on_a_large_table(path: str, target: str = "late") -> Row:
    options = ("--target", target, "--method", "auto", "--memory", "4GB", "--json")
    seconds, processor, printed = command("fit", path, *options)
    facts = json.loads(printed)
    errors = {entry["name"]: 1.0 - entry["score"] for entry in facts["scores"]}
    model, boosting = next(iter(errors.values())), errors["gradient boosting"]
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    return Row(
        f"`kernlearn fit {Path(path).name} --method auto --memory 4GB`: under 10 minutes on two "
        "cores, under 4 GiB, an error of boosting's plus half a point at most",
        f"{facts['method']}, {seconds:.0f} s by the clock, {processor:.0f} s of the processors, "
        f"largest process {peak:.1f} GiB; " + ", ".join(f"{n} {e:.2%}" for n, e in errors.items()),
        seconds < 600 and peak < 4.0 and model <= boosting + 0.005,
    )


BENCHMARKS = (auto_on_a_small_table, mkl_against_svc)

if __name__ == "__main__":
    report([auto_on_a_large_table(*sys.argv[1:])])
