"""The classifiers that are compared, each with a results file that all exhibits share."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.base import clone

from kernlearn import FirstLevelClassifier, FirstLevelOptions, LSSVMClassifier, MKLClassifier
from kernlearn._device import place_of
from kernlearn.datasets import PartitionedSet
from kernlearn.estimators.least_squares.batch_fit import fit_together
from kernlearn.estimators.least_squares.lssvm import LeastSquaresOptions
from kernlearn.kernels import ARDGaussianRange, GaussianRange
from kernlearn.kernels.ranges import KernelRange
from kernlearn.papers.cawley2014.protocol import count_splits, split_set
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.grid_search import Estimator, fit_quietly, quietly
from kernlearn.papers.runner import results_file, run_batches, run_splits, split_keys
from kernlearn.papers.splits import TrainTestSplit, fingerprint
from kernlearn.typing import Array, Json, JsonValue

HOUR, MINUTE = 3600.0, 60.0


# As in the paper, every row is held out by itself, copies of another row too.
ALONE = LeastSquaresOptions(copies_together=False)


class PaperLSSVM(LSSVMClassifier):
    """An LS-SVM by leave-one-out, folds or Bayes' rule."""

    _options = ALONE


class PaperFirstLevel(FirstLevelClassifier):
    """First-level learning with λ and μ by folds."""

    _options = ALONE


# From equal scales alone, as in section 2.2.
ONE_START = FirstLevelOptions(starts="one")


def _classifiers(kernel: str) -> dict[str, Estimator]:
    name = kernel.lower()
    return {
        f"{kernel}-LOO-LSSVM": PaperLSSVM(name, "loo", starts="one"),
        f"{kernel}-XVAL-LSSVM": PaperLSSVM(name, "cv", starts="one"),
        f"{kernel}-BR-LSSVM": PaperLSSVM(name, "bayes", starts="one"),
        # λ and μ by five-fold cross-validation of the squared loss, section 2.2.
        f"{kernel}-FLKL-LSSVM": PaperFirstLevel(name, lam="cv", mu="cv", cv=5, options=ONE_START),
    }


METHODS = _classifiers("RBF") | _classifiers("ARD")
del METHODS["RBF-BR-LSSVM"]  # which the paper does not run
# Beside the paper's: its own proposal of section 4, and the rivals of section 3.7.
METHODS |= {
    "RBF-EV": LSSVMClassifier("rbf", "evidence", starts="one"),
    "ARD-EV": LSSVMClassifier("ard", "evidence", starts="one"),
    "ARD-FLKL-EV": FirstLevelClassifier(lam="evidence", mu="evidence", options=ONE_START),
    "MKL": MKLClassifier(C="auto"),
    "IKL": MKLClassifier(GaussianRange(), C="auto"),
    "IKL products": MKLClassifier(ARDGaussianRange(), C="auto"),
}


@dataclass(frozen=True)
class MethodResults:
    """Results of `fit_split` for one method and each split, by the name of the set."""

    method: str
    results: dict[str, list[JsonValue]]

    @property
    def errors(self) -> dict[str, list[float]]:
        """Test errors in per cent, one for each split, by set."""
        return {name: [fit["error"] for fit in fits] for name, fits in self.results.items()}

    def thetas(self, name: str) -> Array:
        """Kernel parameters learned on a set, of shape (splits, parameters)."""
        return np.array([fit["theta"] for fit in self.results[name]])

    def note(self) -> str:
        """Say how long the fits took, and how those ended that did not converge."""
        fits = [fit for fits in self.results.values() for fit in fits]
        text = f"{self.method}: {_duration(sum(fit['seconds'] for fit in fits))} of fitting"
        ends = Counter(fit["status"] for fit in fits if not fit["converged"])
        if not ends:
            return f"{text}; all {len(fits)} fits converged."
        others = "; ".join(f"{count} {status}" for status, count in ends.items())
        return f"{text}; of {len(fits)} fits, {others}."


def run_methods(
    methods: Iterable[str],
    sets: Mapping[str, PartitionedSet],
    options: RunOptions,
    names: Iterable[str] | None = None,
) -> dict[str, MethodResults]:
    """Run several methods, one after the other, on all sets or on those named."""
    chosen = list(sets if names is None else names)
    return {method: run_method(method, sets, options, chosen) for method in methods}


def run_method(
    method: str, sets: Mapping[str, PartitionedSet], options: RunOptions, names: Iterable[str]
) -> MethodResults:
    """Fit a method to the splits of some sets, or read the results of an earlier run.

    The results file belongs to all `sets`; on a device the splits of a set are one batch.
    """
    counts = {name: count_splits(name, options) for name in names}
    stem = method.removesuffix("-LSSVM").lower().replace(" ", "-")
    estimator = METHODS[method]
    parameters = {
        name: repr(value) if isinstance(value, KernelRange | FirstLevelOptions) else value
        for name, value in estimator.get_params(deep=False).items()
    }
    settings: Json = {
        "method": {"estimator": type(estimator).__name__, **parameters},
        "data": {
            name: fingerprint(data.X, data.y, data.train, data.test) for name, data in sets.items()
        },
    }
    place = place_of(options.device, None)
    if place is None:
        cell = partial(fit_split, method)
        return MethodResults(
            method,
            run_splits(
                cell, sets, counts, options, name=stem, settings=settings, description=method
            ),
        )
    batches = [
        {f"{name}/{index}": (sets[name], index, options.seed) for index in range(count)}
        for name, count in counts.items()
    ]
    found = run_batches(
        partial(fit_batch, method, device=options.device),
        batches,
        results_file(options, stem, {**settings, "device": str(place)}),
        description=f"{method} on {place.device}",
        quiet=options.quiet,
    )
    keys = split_keys(counts).items()
    return MethodResults(method, {name: [found[key] for key in of_set] for name, of_set in keys})


def fit_split(method: str, data: PartitionedSet, index: int, seed: int) -> Json:
    """Select and fit on the training rows of one split, and count errors on its test rows.

    Returns
    -------
    dict
        ``error`` in per cent, ``theta``, ``lam``, ``mu`` (none where there are no such parameters),
        ``seconds`` of fitting, and how the fit ended: ``converged`` and ``status``.
    """
    split = split_set(data, index, seed)
    start = time.perf_counter()
    model = fit_quietly(clone(METHODS[method]), split.X_train, split.y_train)
    return _described(model, split, time.perf_counter() - start)


def fit_batch(
    method: str, tasks: Sequence[tuple[PartitionedSet, int, int]], device: str | None
) -> Iterator[Json]:
    """Do the same for many splits at once; the seconds of one are its share of those of all."""
    splits = [split_set(data, index, seed) for data, index, seed in tasks]
    start = time.perf_counter()
    models = [clone(METHODS[method]).set_params(device=device) for _ in tasks]
    with quietly():
        fit_together(models, [s.X_train for s in splits], [s.y_train for s in splits])
    seconds = (time.perf_counter() - start) / len(tasks)
    for model, split in zip(models, splits, strict=True):
        yield _described(model, split, seconds)


def _described(model: Estimator, split: TrainTestSplit, seconds: float) -> Json:
    lam, mu = (getattr(model, name, None) for name in ("lam_", "mu_"))
    return {
        "error": 100.0 * float(np.mean(model.predict(split.X_test) != split.y_test)),
        "theta": np.asarray(getattr(model, "theta_", ()), dtype=float).tolist(),
        "lam": None if lam is None else float(lam),
        "mu": None if mu is None else float(mu),
        "seconds": seconds,
        "converged": bool(model.status_.has_converged),
        "status": str(model.status_),
    }


def _duration(seconds: float) -> str:
    if seconds >= 2 * HOUR:
        return f"{seconds / HOUR:.1f} h"
    return f"{seconds / MINUTE:.0f} min" if seconds >= 2 * MINUTE else f"{seconds:.1f} s"
