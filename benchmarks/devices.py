"""The work over rows on a GPU. ``python -m benchmarks.devices --device cuda --data FOLDER``.

It needs no more than the library, array-api-compat and PyTorch. FOLDER holds kin40k.npz and its
like: arrays X, y, and test, with a column of truth values for each published split; without it
those lines are left out. ``--check`` compares what a device finds with what the host finds, on
small problems.
``--device torch:cpu`` is PyTorch on the host, to try both without a GPU.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.timing import say
from kernlearn import (
    FirstLevelClassifier,
    FirstLevelRegressor,
    LSSVMClassifier,
    LSSVMRegressor,
    MKLClassifier,
    MKLNoveltyDetector,
    MKLRegressor,
)
from kernlearn._device import Place
from kernlearn.kernels import Columns, Gaussian, Laplacian, Linear, Polynomial

CHECK_ROWS, CHECK_RANK = 1200, 60
CLOSE = 1e-6
# Where an objective is flat, what minimises it is known to the root of the gap; and machines
# without a fold are trained to a thousandth.
CLOSE_OF = {"weights_": 1e-4, "intervals": 1e-3, "probabilities": 1e-3}


class Device:
    """A device by its name: how it is asked for, and how a table gets there."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.place = Place.named(name if name.startswith("torch") else f"torch:{name}")
        # PyTorch on the host cannot be asked for: tables that are there are followed.
        self.parameter = None if name.startswith("torch") else name

    def table(self, X: np.ndarray) -> Any:
        """X, moved there where the device cannot be asked for."""
        return X if self.parameter else self.place.put(X)


def small_problem() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((CHECK_ROWS, 4))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(CHECK_ROWS)


def cases(y: np.ndarray) -> Iterator[tuple[str, Any, Any]]:
    """Every machine that learns through landmarks, with its targets."""
    kernels = [
        Gaussian(0.1),
        Gaussian(1.0),
        Linear(),
        0.5 * Polynomial(degree=2) + Columns([0, 2], Gaussian(0.5)),
        Laplacian(0.3),
    ]
    labels, three = y > 0, np.digitize(y, [-0.5, 0.5])
    rank = CHECK_RANK
    yield "least squares", MKLRegressor(kernels, quality="least_squares", rank=rank), y
    yield "tube", MKLRegressor(kernels, rank=rank), y
    yield "bank", MKLRegressor(quality="least_squares", rank=rank, random_state=0), y
    for quality in ("least_squares", "squared_soft_margin", "soft_margin"):
        yield f"{quality}, two classes", MKLClassifier(kernels, quality, rank=rank), labels
    yield "squares, three classes", MKLClassifier(kernels, "least_squares", rank=rank), three
    yield (
        "free signs",
        MKLRegressor(kernels[:3], quality="least_squares", weights="free", rank=rank),
        y,
    )
    certified = MKLRegressor(kernels, quality="least_squares", rank=rank, certify="exact")
    yield "exact bound", certified, y
    yield "novelty", MKLNoveltyDetector(kernels[:3], rank=rank), None
    yield "LS-SVM classifier", LSSVMClassifier(rank=rank), three
    yield "LS-SVM regressor", LSSVMRegressor(rank=rank), y
    yield "LS-SVM of a kernel", LSSVMRegressor(kernels[3], rank=rank), y
    # Not to the end: a long descent on a flat loss may end elsewhere after another rounding.
    yield "first level, classes", FirstLevelClassifier(rank=rank, max_iter=5), labels
    yield "first level, values", FirstLevelRegressor(rank=rank, max_iter=5), y


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


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.devices", description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--data", help="folder of the regression sets")
    parser.add_argument("--check", action="store_true", help="compare with the host, and end")
    options = parser.parse_args(arguments)
    device = Device(options.device)
    if options.check:
        sys.exit(0 if check(device) else 1)


if __name__ == "__main__":
    main(sys.argv[1:])
