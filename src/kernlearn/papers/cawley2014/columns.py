"""One method on the partitions of the sets: a column of a table, kept in a file of its own.

Tables and figures that show the same method read the same file, so nothing is fitted twice.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn import __version__
from kernlearn._device import Place, place_of
from kernlearn.datasets import PartitionedSet
from kernlearn.estimators.least_squares.batch_fit import fit_together
from kernlearn.papers.cawley2014.methods import METHODS
from kernlearn.papers.cawley2014.protocol import count_partitions, divide, fingerprint
from kernlearn.papers.grid_search import fit_quietly, quietly
from kernlearn.papers.paper import Request
from kernlearn.papers.results_file import ResultsFile
from kernlearn.papers.runner import run_batches, run_tasks
from kernlearn.papers.splits import Split

__all__ = ["Column", "fit_partition", "run_column", "run_columns"]

HOUR, MINUTE = 3600.0, 60.0


@dataclass(frozen=True)
class Column:
    """What one method found.

    Attributes
    ----------
    method : str
        Its name in the paper.
    results : dict
        What `fit_partition` returned for each partition, by the name of the set.
    """

    method: str
    results: dict[str, list[dict[str, Any]]]

    @property
    def errors(self) -> dict[str, list[float]]:
        """Test errors in per cent, one for each partition, by set."""
        return {name: [fit["error"] for fit in fits] for name, fits in self.results.items()}

    @property
    def mean_errors(self) -> dict[str, float]:
        """Mean test error in per cent, by set."""
        return {name: float(np.mean(errors)) for name, errors in self.errors.items()}

    def thetas(self, name: str) -> NDArray[np.float64]:
        """Kernel parameters learned on a set, of shape (partitions, parameters)."""
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


def run_columns(
    methods: Iterable[str],
    sets: Mapping[str, PartitionedSet],
    request: Request,
    names: Iterable[str] | None = None,
) -> dict[str, Column]:
    """Run several methods, one after the other; see `run_column`."""
    chosen = list(sets if names is None else names)
    return {method: run_column(method, sets, request, chosen) for method in methods}


def run_column(
    method: str, sets: Mapping[str, PartitionedSet], request: Request, names: Iterable[str]
) -> Column:
    """Fit a method to the partitions of some sets, or read what an earlier run has found.

    Parameters
    ----------
    method : str
        One of ``METHODS``.
    sets : mapping of str to PartitionedSet
        All sets: the file of results belongs to these data.
    request : Request
        What the user asked for.
    names : iterable of str
        The sets to run.

    Returns
    -------
    Column
    """
    counts = {name: count_partitions(name, request) for name in names}
    place = place_of(request.device, None)
    if place is None:
        found = _run_on_host(method, sets, request, counts)
    else:
        found = _run_on_device(method, sets, request, counts, place)
    return Column(
        method,
        {name: [found[f"{name}/{index}"] for index in range(counts[name])] for name in counts},
    )


def _run_on_host(
    method: str, sets: Mapping[str, PartitionedSet], request: Request, counts: Mapping[str, int]
) -> dict[str, Any]:
    # Partition by partition, not set by set: the time left is then that of the average set.
    tasks = {
        f"{name}/{index}": (method, sets[name], index, request.seed)
        for index in range(max(counts.values()))
        for name in counts
        if index < counts[name]
    }
    return run_tasks(
        fit_partition,
        tasks,
        ResultsFile(request.out, METHODS[method].stem, _settings(method, sets, request)),
        jobs=request.jobs,
        cluster=request.cluster,
        description=method,
        quiet=request.quiet,
    )


def _run_on_device(
    method: str,
    sets: Mapping[str, PartitionedSet],
    request: Request,
    counts: Mapping[str, int],
    place: Place,
) -> dict[str, Any]:
    """The partitions of a set are one batch."""
    batches = [
        {f"{name}/{index}": (method, sets[name], index, request.seed) for index in range(count)}
        for name, count in counts.items()
    ]
    settings = {**_settings(method, sets, request), "device": str(place)}
    return run_batches(
        partial(fit_partitions, device=request.device),
        batches,
        ResultsFile(request.out, METHODS[method].stem, settings),
        description=f"{method} on {place.device}",
        quiet=request.quiet,
    )


def fit_partition(method: str, data: PartitionedSet, index: int, seed: int) -> dict[str, Any]:
    """Select and fit on the training part of one partition, and count errors on its test part.

    Returns
    -------
    dict
        ``error`` in per cent, ``theta``, ``lam``, ``mu`` (None where there is no such parameter),
        ``seconds`` of fitting, and how the fit ended: ``converged`` and ``status``.
    """
    split = divide(data, index, seed)
    start = time.perf_counter()
    model = fit_quietly(METHODS[method].make(), split.X_train, split.y_train)
    return _described(model, split, time.perf_counter() - start)


def fit_partitions(
    tasks: Sequence[tuple[str, PartitionedSet, int, int]], device: str | None
) -> Iterator[dict[str, Any]]:
    """Do the same for many partitions at once, each task with the arguments of `fit_partition`.

    The seconds of one are its share of those of all.
    """
    splits = [divide(data, index, seed) for _, data, index, seed in tasks]
    start = time.perf_counter()
    models = [METHODS[method].make().set_params(device=device) for method, *_ in tasks]
    with quietly():
        fit_together(models, [s.X_train for s in splits], [s.y_train for s in splits])
    seconds = (time.perf_counter() - start) / len(tasks)
    for model, split in zip(models, splits, strict=True):
        yield _described(model, split, seconds)


def _described(model: Any, split: Split, seconds: float) -> dict[str, Any]:
    mu = getattr(model, "mu_", None)
    return {
        "error": 100.0 * float(np.mean(model.predict(split.X_test) != split.y_test)),
        "theta": np.asarray(model.theta_, dtype=float).tolist(),
        "lam": float(model.lam_),
        "mu": None if mu is None else float(mu),
        "seconds": seconds,
        "converged": bool(model.status_.has_converged),
        "status": str(model.status_),
    }


def _settings(method: str, sets: Mapping[str, PartitionedSet], request: Request) -> dict[str, Any]:
    """Return everything on which the result of a partition depends."""
    return {
        "method": METHODS[method].settings(),
        "seed": request.seed,
        "version": __version__,
        "data": {name: fingerprint(data) for name, data in sets.items()},
    }


def _duration(seconds: float) -> str:
    if seconds >= 2 * HOUR:
        return f"{seconds / HOUR:.1f} h"
    return f"{seconds / MINUTE:.0f} min" if seconds >= 2 * MINUTE else f"{seconds:.1f} s"
