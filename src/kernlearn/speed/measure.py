"""Every method of the registry on one generated table."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC, SVR

from kernlearn.methods.learner import Learner
from kernlearn.methods.method import Method, Setting
from kernlearn.methods.preparation import preparation
from kernlearn.methods.registry import METHODS
from kernlearn.runtime.memory import recorded_requirements
from kernlearn.runtime.optional import load_pandas
from kernlearn.speed.timings import Clock, MethodTimings, Trial, seconds_of, time_increasing
from kernlearn.tables import Column

if TYPE_CHECKING:
    import pandas as pd

NOISE = 0.5
UNITS: dict[str, Callable[[], Any]] = {"classification": SVC, "regression": SVR}


def methods_for(task: str) -> list[Method]:
    """The methods of the registry that do the task.

    >>> [method.name for method in methods_for("regression")]
    ['kernel', 'mkl', 'hyperkernel', 'first-level', 'lssvm', 'rbf-svm']
    """
    return [method for method in METHODS.values() if task in method.tasks]


def n_steps(trial: Trial, n_methods: int) -> int:
    """Number of progress reports of `measure`; the unit takes next to no time, and counts none."""
    return n_methods * sum(_steps(trial, size) for size in trial.rows)


def _steps(trial: Trial, size: int) -> int:
    """Sizes weigh by their square, or the time left would be a guess from the small ones."""
    return max(1, round((size / trial.rows[0]) ** 2))


def measure(
    trial: Trial,
    methods: Sequence[Method],
    advance: Callable[[], Any] = lambda: None,
    clock: Clock = time.perf_counter,
) -> Iterator[MethodTimings]:
    """Time one SVC or SVR as the unit, then each method, at increasing sizes.

    A method is timed as `kernlearn fit` runs it, its cross-validation included, but given all
    rows: `max_rows` is not applied, since that limit is what such a measurement sets. `advance`
    is called `n_steps` times; the clock may be ``time.process_time`` on a busy machine.
    """
    X, y, columns = generated_table(trial.rows[-1], trial.columns, trial.task, trial.seed)
    setting = Setting(trial.task, trial.seed)
    prepare = partial(preparation, columns)

    def report(size: int) -> None:
        for _ in range(_steps(trial, size)):
            advance()

    def timed(
        name: str,
        title: str,
        fit: Callable[..., Any],
        report: Callable[[int], Any],
        max_rows: int | None = None,
    ) -> MethodTimings:
        memory: list[float] = []

        def seconds(size: int) -> float:
            with recorded_requirements() as required:
                taken = seconds_of(lambda: fit(X.iloc[:size], y[:size]), clock)
            memory.append(max(required, default=0.0))
            return taken

        found = time_increasing(seconds, trial.rows, trial.time_limit, report)
        largest = tuple(memory) if any(memory) else ()
        return MethodTimings(name, title, *found, max_rows, largest)

    unit = UNITS[trial.task]()
    name = type(unit).__name__
    yield timed(name, f"one {name} of scikit-learn, as it comes", unit.fit, lambda _: None)
    for method in methods:
        learner = Learner(replace(method, max_rows=len(X)), setting, prepare)
        yield timed(method.name, method.title, learner.fit, report, method.max_rows)


def generated_table(
    n_rows: int, n_columns: int, task: str, seed: int
) -> tuple[pd.DataFrame, NDArray[Any], list[Column]]:
    r"""A table with something to learn and enough noise that it is not easy.

    .. math:: f(x) = \sin 2 x_1 + \sum_{j > 1} x_j / j, \quad y = f(x) / \sigma + \varepsilon / 2

    with normal :math:`x` and :math:`\varepsilon`, and :math:`\sigma` the standard deviation of
    :math:`f` over the rows. For classification, the two sides of the median of :math:`y`.

    The third result says what the columns are.
    """
    pd = load_pandas("timing the methods")
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    signal = np.sin(2.0 * X[:, 0]) + X[:, 1:] @ (1.0 / np.arange(2.0, n_columns + 1.0))
    y = signal / signal.std() + NOISE * rng.normal(size=n_rows)
    names = [f"x{j}" for j in range(1, n_columns + 1)]
    target = y if task == "regression" else np.where(y > np.median(y), "above", "below")
    return pd.DataFrame(X, columns=names), target, [Column(name, "number", "") for name in names]
