"""The work over rows on a GPU. ``python -m benchmarks.devices --device cuda --data FOLDER``.

It needs no more than the library, array-api-compat and PyTorch. FOLDER holds kin40k.npz and its
like: arrays X, y, and test, with a column of truth values for each published split; without it
those lines are left out. ``--check`` compares what a device finds with what the host finds, on
small problems.
``--device torch:cpu`` is PyTorch on the host, to try both without a GPU; ``--device cpu`` is the
host, for the sets in FOLDER only.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from benchmarks.claims import Row, report, say
from kernlearn import (
    FirstLevelClassifier,
    FirstLevelOptions,
    FirstLevelRegressor,
    LSSVMClassifier,
    LSSVMRegressor,
    MKLClassifier,
    MKLNoveltyDetector,
    MKLOptions,
    MKLRegressor,
)
from kernlearn._device import Place, place_of
from kernlearn.estimators.least_squares.lssvm import LeastSquaresOptions, LeastSquaresSVM
from kernlearn.kernels import Columns, Gaussian, Laplacian, Linear, Polynomial
from kernlearn.solvers.nystroem import rank
from kernlearn.solvers.nystroem.kernel_fit import StageOptions
from kernlearn.speed.timings import best_of

ROWS, COLUMNS, N_KERNELS = 100_000, 2000, 10
# Root mean squared error of the standardised target by a first prototype, after an exact refit and
# through 1000 landmarks.
PROTOTYPE = {
    "kin40k": (0.079, 0.210),
    "protein": (0.541, 0.626),
    "elevators": (0.363, 0.361),
    "pol": (0.081, 0.102),
    "bike": (0.030, 0.042),
    "keggundirected": (0.116, 0.124),
}
MINUTE, QUARTER_OF_AN_HOUR = 60, 900
CHECK_ROWS, CHECK_RANK = 1200, 60
CLOSE = 1e-6
# Where an objective is flat, what minimises it is known to the root of the gap, and the weights of
# kernels that are nearly alike less well; machines without a fold are trained to a thousandth.
CLOSE_OF = {"weights_": 2e-3, "residual_trace_": 1e-5, "intervals": 1e-3, "probabilities": 1e-3}


class Device:
    """A device by its name: how it is asked for, and how a table gets there."""

    def __init__(self, name: str) -> None:
        # PyTorch on the host cannot be asked for: tables that are there are followed.
        self.is_host, self.parameter = name == "cpu", None if name.startswith("torch") else name
        self.place = place_of(self.parameter, None) or (None if self.is_host else Place.named(name))

    def table(self, X: np.ndarray) -> Any:
        """X, moved there where the device cannot be asked for."""
        return X if self.parameter else self.place.put(X)


def small_problem() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((CHECK_ROWS, 4))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(CHECK_ROWS)


def cases(y: np.ndarray) -> Iterator[tuple[str, Any, Any]]:
    """Every machine that learns through landmarks, or in stacks, with its targets."""
    kernels = [
        Gaussian(0.1),
        Gaussian(1.0),
        Linear(),
        0.5 * Polynomial(degree=2) + Columns([0, 2], Gaussian(0.5)),
        Laplacian(0.3),
    ]
    labels, three = y > 0, np.digitize(y, [-0.5, 0.5])
    few = CHECK_RANK
    yield "least squares", MKLRegressor(kernels, quality="least_squares", rank=few, C=1.0), y
    yield "tube", MKLRegressor(kernels, rank=few, C=1.0), y
    yield "bank", MKLRegressor(quality="least_squares", rank=few, random_state=0, C=1.0), y
    for quality in ("least_squares", "squared_soft_margin", "soft_margin"):
        yield f"{quality}, two classes", MKLClassifier(kernels, quality, rank=few), labels
    yield "squares, three classes", MKLClassifier(kernels, "least_squares", rank=few), three
    yield (
        "free signs",
        MKLRegressor(kernels[:3], quality="least_squares", weights="free", rank=few, C=1.0),
        y,
    )
    certified = MKLRegressor(
        kernels, quality="least_squares", rank=few, options=MKLOptions(certify="exact"), C=1.0
    )
    yield "exact bound", certified, y
    yield "novelty", MKLNoveltyDetector(kernels[:3], rank=few), None
    yield "LS-SVM classifier", LSSVMClassifier(rank=few), three
    yield "LS-SVM regressor", LSSVMRegressor(rank=few), y
    yield "LS-SVM of a kernel", LSSVMRegressor(kernels[3], rank=few), y
    yield "LS-SVM in stacks", LSSVMClassifier(rank=None), three
    # Not to the end: a long descent on a flat loss may end elsewhere after another rounding.
    yield "first level, classes", FirstLevelClassifier(rank=few, max_iter=5), labels
    yield "first level, values", FirstLevelRegressor(rank=few, max_iter=5), y
    all_rows = FirstLevelRegressor(rank=few, max_iter=5, options=FirstLevelOptions(refit="exact"))
    yield "first level, all rows", all_rows, y
    yield "LS-SVM of many scales in stacks", LSSVMRegressor("ard", "cv", rank=None, max_iter=5), y
    stacks = FirstLevelClassifier(rank=None, max_iter=5)
    yield "first level, folds in stacks", stacks, labels


def found(model: Any, X: np.ndarray, table: Any, target: Any) -> dict[str, np.ndarray]:
    """What a fit tells."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(table, target)
    names = ("weights_", "objective_", "exact_lower_bound_", "theta_", "lam_", "residual_trace_")
    facts = {name: getattr(model, name) for name in names if hasattr(model, name)}
    facts["predictions"] = model._decision(table)
    if hasattr(model, "loo_predictions_"):
        facts["left out"] = model.loo_predictions_
    if hasattr(model, "predict_proba"):
        facts["probabilities"] = model.predict_proba(X)
    if hasattr(model, "predict_interval"):
        facts["intervals"] = model.predict_interval(X[:50])
    return {name: np.asarray(value, dtype=float) for name, value in facts.items()}


def distance(there: np.ndarray, here: np.ndarray) -> float:
    """The largest difference, relative to the largest number."""
    return float(np.abs(there - here).max(initial=0.0) / np.abs(here).max(initial=1e-300))


def check(device: Device) -> bool:
    """Whether all agree."""
    X, y = small_problem()
    agree = True
    # A GPU selects by more rows and landmarks than the host has time for; here both by as many.
    stages = StageOptions(on_device=StageOptions.on_host, many_scales=sys.maxsize)
    LeastSquaresSVM._options = LeastSquaresOptions(stages=stages)
    for name, model, target in cases(y):
        model.set_params(tol=1e-9)
        here = found(model, X, X, target)
        there = found(model.set_params(device=device.parameter), X, device.table(X), target)
        assert model.device_ == str(device.place), model.device_
        apart = {fact: distance(there[fact], here[fact]) for fact in here}
        off = [fact for fact, away in apart.items() if not away <= CLOSE_OF.get(fact, CLOSE)]
        agree &= not off
        parts = ", ".join(f"{fact} {away:.0e}" for fact, away in apart.items())
        say(f"{name:32} {'DO NOT AGREE' if off else 'agree'}: {parts}")
    return agree


def large_table(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Twenty inputs, three of which matter."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 20))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(n)


def least_squares(device: Device, n: int) -> tuple[MKLRegressor, float, float]:
    """A model, the seconds of its pass over the rows, and of all."""
    X, y = large_table(n)
    gammas = 2.0 ** np.linspace(-5, 3, N_KERNELS) / 20
    kernels = [Gaussian(float(gamma)) for gamma in gammas]
    model = MKLRegressor(
        kernels, quality="least_squares", rank=COLUMNS // N_KERNELS, device=device.parameter, C=1.0
    )
    passes = []
    look = rank.moments_by_fold

    def timed(*arguments: Any) -> Any:
        seconds, found = best_of(1, lambda: look(*arguments))
        passes.append(seconds)
        return found

    rank.moments_by_fold = timed
    try:
        table = device.table(X)
        total, _ = best_of(1, lambda: model.fit(table, y))
    finally:
        rank.moments_by_fold = look
    return model, sum(passes), total


def product_seconds(device: Device, n: int) -> float:
    """The matrix product ZᵀZ alone, of the same shape, where the device has it."""
    Z = device.place.put(np.random.default_rng(0).standard_normal((n, COLUMNS)))

    def product() -> float:
        return float((Z.T @ Z)[0, 0])  # asking for a number waits for it

    return best_of(3, product)[0]


def many_rows(device: Device, n: int) -> list[Row]:
    least_squares(device, n // 5)  # what a library does once, it does here
    few, of_few, seconds_of_few = least_squares(device, n)
    say(f"{n:,} rows: pass {of_few:.2f} s, in all {seconds_of_few:.2f} s")
    product = product_seconds(device, n)
    many, of_many, seconds = least_squares(device, 10 * n)
    shape = f"20, {N_KERNELS} Gaussians, R = {COLUMNS}, least squares to a gap of 1e-6"
    return [
        Row(
            f"{n:,} × {shape}",
            f"pass {of_few:.2f} s, in all {seconds_of_few:.2f} s; the product {product:.3f} s: "
            f"{seconds_of_few / product:.1f} times; gap {few.duality_gap_:.0e}",
            few.duality_gap_ <= 1e-6,
        ),
        Row(
            f"{10 * n:,} × {shape}: under 10 s",
            f"pass {of_many:.2f} s, in all {seconds:.2f} s; {seconds / seconds_of_few:.1f} times; "
            f"gap {many.duality_gap_:.0e}",
            seconds < 10 and many.duality_gap_ <= 1e-6,
        ),
    ]


def regression_set(folder: Path, name: str) -> tuple[np.ndarray, ...]:
    """Training and test rows of the first split, standardised by the former."""
    with np.load(folder / f"{name}.npz") as stored:
        X, y, test = stored["X"].astype(float), stored["y"], stored["test"][:, 0]
    columns = StandardScaler().fit(X[~test])
    X, y = columns.transform(X), (y - y[~test].mean()) / y[~test].std()
    return X[~test], y[~test], X[test], y[test]


def first_level(device: Device, folder: Path, name: str) -> Row:
    X, y, X_test, y_test = regression_set(folder, name)
    model = FirstLevelRegressor(device=device.parameter)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        seconds, _ = best_of(1, lambda: model.fit(device.table(X), y))
    after, found = best_of(1, lambda: model.predict(device.table(X_test)))
    error = float(np.sqrt(np.mean((found - y_test) ** 2)))
    what = f"{model.refit_}, {len(model.support_vectors_)} support vectors, λ {model.lam_:.1e}"
    most = PROTOTYPE[name][device.is_host]
    limit = QUARTER_OF_AN_HOUR if device.is_host else MINUTE
    return Row(
        f"first level on {name}, {len(X):,} × {X.shape[1]}: error at most {most}, in {limit} s",
        f"{error:.4f} in {seconds:.1f} s ({what}, {model.n_evaluations_} evaluations, "
        f"{model.status_.name}); predictions {after:.1f} s",
        round(error, 3) <= most and seconds < limit,
    )


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.devices", description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--data", type=Path, help="folder of the regression sets")
    parser.add_argument(
        "--sets", nargs="*", default=list(PROTOTYPE), help="some of these sets only"
    )
    parser.add_argument("--rows", type=int, default=ROWS, help="rows of the smaller table; 0: none")
    parser.add_argument("--check", action="store_true", help="compare with the host, and end")
    options = parser.parse_args(arguments)
    device = Device(options.device)
    if device.is_host and (options.check or options.rows):
        sys.exit("expected a GPU, or torch:cpu, got the host, with which all is compared: --rows 0")
    if options.check:
        sys.exit(0 if check(device) else 1)
    rows = many_rows(device, options.rows) if options.rows else []
    for name in options.sets if options.data else []:
        rows.append(first_level(device, options.data, name))
        say(f"{rows[-1].claim}\n    {rows[-1].measured}")
    report(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
