"""How long a fitted KernelClassifier takes to predict, and how large its file is.

    python -m benchmarks.flagship_predict [--models FOLDER] [--compress] [--profile] [TABLE ...]

Five tables of 1000 rows, three classes and 10 to 21 columns. The time is that of the processor in
one thread, for 10,000 rows, for 100 and for one; loss and errors are those of the 10,000 rows.
Fitted models are kept in FOLDER and read from there, so that two states of the library predict with
the same models; decision values are kept beside them, and the largest difference is printed, in
units of the largest value.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits, make_classification, make_friedman1
from sklearn.metrics import log_loss

from benchmarks.claims import say
from kernlearn import KernelClassifier, load, save
from kernlearn.runtime.threads import one_thread

Table = tuple[Any, Any, Any, Any]

TRAIN, TEST = 1000, 10_000


def clouds() -> Table:
    """Clouds of points in ten columns, of which six tell the class."""
    X, y = make_classification(
        TRAIN + TEST, 10, n_informative=6, n_classes=3, flip_y=0.05, random_state=0
    )
    return X[:TRAIN], y[:TRAIN], X[TRAIN:], y[TRAIN:]


def thirds() -> Table:
    """Low, middle and high values of a smooth function of five of ten columns."""
    X, y = make_friedman1(TRAIN + TEST, 10, noise=1.0, random_state=0)
    classes = np.digitize(y, np.quantile(y, (1 / 3, 2 / 3)))
    return X[:TRAIN], classes[:TRAIN], X[TRAIN:], classes[TRAIN:]


def waveforms() -> Table:
    """Mixtures of two of three triangular waves at 21 places, with noise."""
    generator = np.random.RandomState(0)
    n, places = TRAIN + TEST, np.arange(1.0, 22.0)
    waves = np.maximum(6.0 - np.abs(places - np.array([[11.0], [7.0], [15.0]])), 0.0)
    y, share = generator.randint(0, 3, n), generator.uniform(size=(n, 1))
    X = share * waves[y] + (1.0 - share) * waves[(y + 1) % 3] + generator.normal(size=(n, 21))
    return X[:TRAIN], y[:TRAIN], X[TRAIN:], y[TRAIN:]


def images() -> Table:
    """Digits at 4 × 4 pixels, in three groups; test rows are drawn again, with a little noise."""
    generator = np.random.RandomState(0)
    digits = load_digits()
    X = digits.images.reshape(-1, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(-1, 16)
    order = generator.permutation(len(X))
    X, y = X[order], digits.target[order] % 3
    drawn = generator.randint(TRAIN, len(X), TEST)
    new = X[drawn] + generator.normal(scale=0.1, size=(TEST, 16))
    return X[:TRAIN], y[:TRAIN], new, y[drawn]


def messy() -> Table:
    """A data frame with categories, skewed columns and missing cells."""
    generator = np.random.RandomState(0)
    n = TRAIN + TEST
    numbers = generator.normal(size=(n, 8))
    numbers[:, 5:] = np.exp(numbers[:, 5:])
    towns, kinds = generator.randint(0, 8, n), generator.randint(0, 4, n)
    effect = generator.normal(size=8)[towns] + np.where(kinds == 2, numbers[:, 0], numbers[:, 1])
    value = effect + np.log(numbers[:, 5]) * numbers[:, 2] + 0.5 * generator.normal(size=n)
    frame = pd.DataFrame(
        np.where(generator.uniform(size=numbers.shape) < 0.05, np.nan, numbers),
        columns=[f"number {j}" for j in range(8)],
    )
    frame["town"] = np.array([f"town {j}" for j in range(8)])[towns]
    frame["kind"] = np.array(list("abcd"))[kinds]
    frame["other"] = np.array(["yes", "no", None], dtype=object)[generator.randint(0, 3, n)]
    place = np.digitize(value, np.quantile(value, (0.3, 0.7)))
    classes = np.array(["low", "middle", "high"])[place]
    return frame[:TRAIN], classes[:TRAIN], frame[TRAIN:], classes[TRAIN:]


TABLES: dict[str, Callable[[], Table]] = {
    "clouds": clouds,
    "thirds": thirds,
    "waveforms": waveforms,
    "images": images,
    "messy": messy,
}


def fitted(
    name: str, X: Any, y: Any, folder: Path | None, compress: bool
) -> tuple[KernelClassifier, float]:
    """The model of a table, and how long its fit took: nothing where it was kept."""
    path = None if folder is None else folder / f"{name}.kl"
    if path is not None and path.exists():
        return load(path), 0.0
    start = time.process_time()
    model = KernelClassifier(compress=compress).fit(X, y)
    seconds = time.process_time() - start
    if path is not None:
        save(model, path)
    return model, seconds


def seconds_of(work: Callable[[], object], repeats: int) -> float:
    """The least time of the processor."""
    found = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def difference(values: Any, name: str, folder: Path | None) -> float:
    """The largest one to the decision values that were kept; they are written if there are none."""
    if folder is None:
        return 0.0
    path = folder / f"{name}.npy"
    if not path.exists():
        np.save(path, values)
    kept = np.load(path)
    return float(np.abs(values - kept).max() / np.abs(kept).max())


def file_size(model: KernelClassifier) -> int:
    """Bytes of the saved model."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        save(model, path)
        return path.stat().st_size


def peak_megabytes(work: Callable[[], object]) -> float:
    """What a call allocates at once, at most."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def profile(model: KernelClassifier, X: Any) -> None:
    """Print where the time goes."""
    profiler = cProfile.Profile()
    profiler.runcall(model.predict_proba, X)
    pstats.Stats(profiler).sort_stats("tottime").print_stats(18)


def measure(name: str, folder: Path | None, compress: bool, with_profile: bool) -> None:
    """Print the line of a table."""
    X, y, X_new, y_new = TABLES[name]()
    model, seconds = fitted(name, X, y, folder, compress)
    start = time.process_time()
    model.predict_proba(X_new[:1])  # the first call imports, and arranges the members
    first = time.process_time() - start
    many = seconds_of(lambda: model.predict_proba(X_new), 3)
    some = seconds_of(lambda: model.predict_proba(X_new[:100]), 10)
    one = seconds_of(lambda: model.predict_proba(X_new[:1]), 30)
    apart = difference(model.decision_function(X_new[:1000]), name, folder)
    peak = peak_megabytes(lambda: model.predict_proba(X_new))
    loss = log_loss(y_new, model.predict_proba(X_new), labels=model.classes_)
    wrong = np.mean(model.predict(X_new) != y_new)
    say(
        f"| {name} | {seconds:.1f} | {len(model._members.machines)} | {many:.3f} | "
        f"{1e3 * some:.1f} | {1e3 * one:.2f} | {1e3 * first:.0f} | {file_size(model) / 1e3:.0f} | "
        f"{peak:.0f} | {apart:.1e} | {loss:.4f} | {wrong:.4f} |"
    )
    if with_profile:
        profile(model, X_new)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument("--models", type=Path, help="folder in which fitted models are kept")
    parser.add_argument("--compress", action="store_true", help="fit with compress=True")
    parser.add_argument("--profile", action="store_true", help="show where the time goes")
    chosen = parser.parse_args()
    if chosen.models is not None:
        chosen.models.mkdir(parents=True, exist_ok=True)
    say(
        "| table | fit, s | members | 10,000 rows, s | 100 rows, ms | one row, ms | first row, ms "
        f"| file, kB | peak, MB | difference | loss | error |\n{'|---' * 12}|"
    )
    with one_thread():
        for name in chosen.tables or TABLES:
            measure(name, chosen.models, chosen.compress, chosen.profile)


if __name__ == "__main__":
    main()
