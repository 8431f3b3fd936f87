"""Does a criterion that is minimised further choose better kernels?

Cawley and Talbot (2014) show that ARD kernels over-fit the criterion by which they are selected.
How much of that one sees depends on where the descent stops. This selects an ARD kernel by leaving
one out, with at most so many steps in each descent, on the first partitions of some of the paper's
sets, and prints the test error in per cent and, in brackets, the leave-one-out loss.

    python -m benchmarks.early_stopping DIR [PARTITIONS]
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from kernlearn import LSSVMClassifier
from kernlearn.datasets import PartitionedSet
from kernlearn.papers.cawley2014.protocol import load_sets, split_set
from kernlearn.papers.cawley2014.published import ERRORS

SETS = ("twonorm", "ringnorm", "waveform", "heart", "german")
STEPS = (1, 2, 5, 10, 20, 50, 200)


def measure(data: PartitionedSet, partitions: int) -> np.ndarray:
    """Return mean test errors and leave-one-out losses, of shape (steps, 2)."""
    found = np.zeros((len(STEPS), 2))
    for index in range(partitions):
        split = split_set(data, index, 0)
        for row, steps in enumerate(STEPS):
            model = LSSVMClassifier("ard", selection="loo", max_iter=steps)
            with warnings.catch_warnings():
                # To be stopped early is the experiment.
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(split.X_train, split.y_train)
            wrong = model.predict(split.X_test) != split.y_test
            found[row] += [100.0 * wrong.mean() / partitions, model.loo_loss_ / partitions]
    return found


def main(folder: Path, partitions: int) -> None:
    print(f"ARD-LOO, test error in per cent (leave-one-out loss), first {partitions} partitions\n")
    heads = " | ".join(f"{steps} step{'s' * (steps > 1)}" for steps in STEPS)
    print(f"| data | paper | {heads} |\n|---|---|{'---|' * len(STEPS)}")
    sets = load_sets(folder)
    for name in SETS:
        found = measure(sets[name], partitions)
        cells = " | ".join(f"{error:.1f} ({loss:.3f})" for error, loss in found)
        print(f"| {name} | {ERRORS['ARD-LOO-LSSVM'][name][0]:.1f} | {cells} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5)
