"""What `kernlearn fit` takes, on generated tables.

``python -m benchmarks command-line``. The command runs in a process of its own, with its imports,
as a user has it; beside its seconds stand those of the processor, for a machine with other work.
"""

from __future__ import annotations

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

from benchmarks.timing import Row, best_of
from kernlearn.methods.learner import Learner
from kernlearn.methods.method import Setting
from kernlearn.methods.preparation import preparation
from kernlearn.methods.registry import find_method
from kernlearn.tables.column import Column

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


def command(*arguments: str) -> tuple[float, float]:
    """Seconds of a command, by the clock and of the processors."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    code = "import sys; from kernlearn.cli import main; sys.argv[0] = 'kernlearn'; main()"
    subprocess.run([sys.executable, "-c", code, *arguments], check=True)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, processor


def auto_on_a_small_table() -> Row:
    X, y = table(400)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        X.assign(y=y).to_csv(path, index=False)
        seconds, processor = command(
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


BENCHMARKS = (auto_on_a_small_table, mkl_against_svc)
