"""Do learned similarities of letters classify splice sites better than equal and unequal letters?

The IDA set splice codes its 60 nucleotides as numbers. This writes them as letters again, learns
from 500 sequences of each random split, and prints the mean test errors with their standard errors,
beside those of rivals. Copies of training sequences are left out of the test.

    python -m benchmarks.sequences DIR [SPLITS]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.base import ClassifierMixin

from kernlearn import FirstLevelClassifier, LSSVMClassifier, MKLClassifier
from kernlearn.datasets import load_ida
from kernlearn.families.parametric import SubstitutionFamily
from kernlearn.kernels import Normalized, Spectrum, Substitution, WeightedDegree

# The letters of the codes 1 to 4: donors then read GT, and acceptors AG, at the junction.
CODES = "AGCT"
FORMS: dict[str, dict[str, int]] = {
    "letters": {},
    "words of two letters": {"word_length": 2},
    "letters, degree 3": {"degree": 3},
}
ROWS = 500


def classifiers() -> Iterator[tuple[str, ClassifierMixin]]:
    """Each with its name."""
    for name, form in FORMS.items():
        near, low_rank = SubstitutionFamily(**form), SubstitutionFamily(**form, prior=None)
        yield f"{name}, identity", LSSVMClassifier(Substitution("ACGT", **form))
        yield f"{name}, learned near the identity", FirstLevelClassifier(near)
        yield f"{name}, learned with the nuclear norm", FirstLevelClassifier(low_rank)
    for kind in (Spectrum, WeightedDegree):
        bank = [Normalized(kind(k)) for k in range(1, 6)]
        yield f"MKL of {kind.__name__}(1) to (5)", MKLClassifier(bank, C="auto")


def main(folder: Path, splits: int) -> None:
    data = load_ida("splice", folder)
    X = np.array(["".join(CODES[int(code) - 1] for code in row) for row in data.X], dtype=object)
    print(f"test error in per cent, {ROWS} rows, {splits} splits\n\n| | error |\n|---|---|")
    for name, model in classifiers():
        errors = []
        for seed in range(splits):
            order = np.random.default_rng(seed).permutation(len(X))
            train = order[:ROWS]
            test = np.array([i for i in order[ROWS:] if X[i] not in set(X[train])])
            model.fit(X[train], data.y[train])
            errors.append(100.0 * float(np.mean(model.predict(X[test]) != data.y[test])))
        error = np.std(errors, ddof=1) / np.sqrt(splits)
        print(f"| {name} | {np.mean(errors):.2f} ± {error:.2f} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 8)
