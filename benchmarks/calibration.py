"""Are probabilities right as often as they say?

Every classifier, and `CalibratedClassifierCV` around scikit-learn's `SVC`, is fitted to the
training rows of the larger IDA sets (at most 400 of them), standardised; printed are the expected
calibration error of `predict_proba` on the test rows (15 bins of equal width), the log loss, the
error, and the seconds of the processor for the fit, all means over partitions. The seconds of the
plain `SVC` tell what `CalibratedClassifierCV` adds.

    python -m benchmarks.calibration DIR [PARTITIONS] [SET ...]
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import kernlearn as kl
from kernlearn.datasets.ida import load_ida
from kernlearn.speed.timings import best_of

SETS = ("banana", "ringnorm", "twonorm", "waveform", "image", "splice", "german", "diabetis")
MODELS = {
    "SVC": SVC(),
    "CalibratedClassifierCV(SVC())": CalibratedClassifierCV(SVC()),
    "MKLClassifier": kl.MKLClassifier(),
    "KernelClassifier": kl.KernelClassifier(),
    "LSSVMClassifier": kl.LSSVMClassifier(),
    "HyperkernelClassifier": kl.HyperkernelClassifier(n_pairs=5000, max_pivots=60, random_state=0),
    "FirstLevelClassifier": kl.FirstLevelClassifier(),
}
BINS = 15
MOST_ROWS = 400  # first-level learning of 60 columns takes a minute for more


def calibration_error(positive: np.ndarray, p: np.ndarray) -> float:
    """Return the mean distance of share and probability over bins, weighted by their rows."""
    place = np.minimum((BINS * p).astype(int), BINS - 1)
    return float(np.abs(np.bincount(place, p - positive, minlength=BINS)).sum() / len(p))


def measured(name: str, model: object, folder: Path, partitions: int) -> np.ndarray:
    """Return calibration error, log loss, error and seconds, means over partitions."""
    data, found = load_ida(name, folder), []
    for train, test in list(zip(data.train, data.test, strict=True))[:partitions]:
        rows = train[:MOST_ROWS]
        scaler = StandardScaler().fit(data.X[rows])
        fit = partial(clone(model).fit, scaler.transform(data.X[rows]), data.y[rows])
        seconds, fitted = best_of(1, fit, process_time)
        X, positive = scaler.transform(data.X[test]), data.y[test] > 0
        error = np.mean((fitted.predict(X) > 0) != positive)
        if not hasattr(fitted, "predict_proba"):
            found.append([np.nan, np.nan, error, seconds])
            continue
        p = fitted.predict_proba(X)[:, 1]
        found.append([calibration_error(positive, p), log_loss(positive, p), error, seconds])
    return np.mean(found, axis=0)


def main(folder: Path, partitions: int, names: list[str]) -> None:
    print("calibration error % / log loss / error % / seconds\n")
    print(f"| | {' | '.join(names)} | mean |\n|{'---|' * (len(names) + 2)}")
    pairs = [(name, model) for model in MODELS.values() for name in names]
    found = Parallel(n_jobs=-1)(
        delayed(measured)(name, model, folder, partitions) for name, model in pairs
    )
    for title, rows in zip(MODELS, np.reshape(found, (len(MODELS), len(names), -1)), strict=True):
        cells = [
            f"{100 * e:.1f} / {loss:.3f} / {100 * wrong:.1f} / {seconds:.2f}"
            for e, loss, wrong, seconds in [*rows, rows.mean(axis=0)]
        ]
        print(f"| {title} | {' | '.join(cells)} |")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    main(
        Path(arguments[0]),
        int(arguments[1]) if len(arguments) > 1 else 5,
        arguments[2:] or list(SETS),
    )
