"""Every method of the registry on one generated table."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sklearn.svm import SVC, SVR

from kernlearn.methods.learner import Learner
from kernlearn.methods.method import Method, Setting
from kernlearn.methods.preparation import preparation
from kernlearn.methods.registry import METHODS
from kernlearn.runtime.memory import noted
from kernlearn.speed.ladder import Climb, Ladder, climb
from kernlearn.speed.problem import generated_table
from kernlearn.speed.stopwatch import Clock, seconds_of

__all__ = ["Trial", "measure", "methods_for", "n_steps"]

UNITS: dict[str, Any] = {"classification": SVC, "regression": SVR}


@dataclass(frozen=True)
class Trial:
    """What is measured.

    Attributes
    ----------
    task : str
        "classification" or "regression".
    rows : tuple of int
        Sizes, increasing.
    columns : int
        Columns of the table.
    time_limit : float
        Seconds that one fit may take.
    seed : int
        Of the table and the methods.
    """

    task: str
    rows: tuple[int, ...]
    columns: int = 10
    time_limit: float = 60.0
    seed: int = 0


def methods_for(task: str) -> list[Method]:
    """The methods of the registry that do the task.

    >>> [method.name for method in methods_for("regression")]
    ['kernel', 'mkl', 'hyperkernel', 'first-level', 'lssvm', 'rbf-svm']
    """
    return [method for method in METHODS.values() if task in method.tasks]


def n_steps(trial: Trial, n_methods: int) -> int:
    """How often `measure` will report progress; the unit takes next to no time, and counts none."""
    return n_methods * sum(_steps(trial, size) for size in trial.rows)


def _steps(trial: Trial, size: int) -> int:
    """Sizes weigh by their square, or the time left would be a guess from the small ones."""
    return max(1, round((size / trial.rows[0]) ** 2))


def measure(
    trial: Trial,
    methods: Sequence[Method],
    advance: Callable[[], Any] = lambda: None,
    clock: Clock = time.perf_counter,
) -> Iterator[Ladder]:
    """Time one SVC or SVR as the unit, then each method, at increasing sizes.

    A method is timed as `kernlearn fit` runs it, its cross-validation included, but given all
    rows: `max_rows` is not applied, since that limit is what such a measurement sets.

    Parameters
    ----------
    trial : Trial
        What is measured.
    methods : sequence of Method
        Which do its task.
    advance : callable
        Called `n_steps` times.
    clock : callable
        Returns the time in seconds; ``time.process_time`` where others use the machine too.

    Yields
    ------
    Ladder
        The unit's, then one for each method, as soon as it is measured.
    """
    X, y, columns = generated_table(trial.rows[-1], trial.columns, trial.task, trial.seed)
    setting = Setting(trial.task, trial.seed)
    prepare = partial(preparation, columns)

    def report(size: int) -> None:
        for _ in range(_steps(trial, size)):
            advance()

    def climbed(
        fit: Callable[..., Any], told: Callable[[int], Any]
    ) -> tuple[Climb, tuple[float, ...]]:
        memory: list[float] = []

        def seconds(size: int) -> float:
            with noted() as asked:
                taken = seconds_of(lambda: fit(X.iloc[:size], y[:size]), clock)
            memory.append(max(asked, default=0.0))
            return taken

        found = climb(seconds, trial.rows, trial.time_limit, told)
        return found, tuple(memory) if any(memory) else ()

    unit = UNITS[trial.task]()
    name = type(unit).__name__
    found, _ = climbed(unit.fit, lambda _: None)
    yield Ladder(name, f"one {name} of scikit-learn, as it comes", *found)
    for method in methods:
        learner = Learner(replace(method, max_rows=len(X)), setting, prepare)
        found, memory = climbed(learner.fit, report)
        yield Ladder(method.name, method.title, *found, method.max_rows, memory)
