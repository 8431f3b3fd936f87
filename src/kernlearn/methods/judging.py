"""Held-out predictions of models, split by split."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from kernlearn.estimators.held_out.correlated_columns import correlated_columns
from kernlearn.methods.errors import MethodError
from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.importance import (
    Importance,
    ShuffledPredictions,
    importances,
    shuffled_predictions,
)
from kernlearn.methods.learner import Learner
from kernlearn.methods.splits import Split
from kernlearn.methods.task import Task
from kernlearn.runtime.convergence_warnings import interrupts_end_everything
from kernlearn.runtime.processes import run_in_processes
from kernlearn.tables import columns_used
from kernlearn.typing import Indices

Advance = Callable[[], object]


@dataclass(eq=False)
class Contestant:
    """Held-out predictions of a model or a baseline, split by split, or the reason for none."""

    learner: Learner
    parts: list[HeldOutPredictions] = field(default_factory=list)
    n_train: list[int] = field(default_factory=list)
    seconds: float = 0.0
    note: str = ""
    shuffled: list[ShuffledPredictions] = field(default_factory=list)
    """Shuffled predictions of the first splits, which hold out every row once."""

    def add_split(self, pipeline: Pipeline, task: Task, split: Split, seconds: float) -> None:
        """Keep the predictions of a fitted pipeline for the rows of a split."""
        start = time.perf_counter()
        X, y, unit = task.test_rows(split[1])
        self.parts.append(
            HeldOutPredictions.of(pipeline, X, y, task.setting.classes_or_times, unit)
        )
        self.n_train.append(len(self.learner.rows(task.y[split[0]])))
        self.seconds += seconds + time.perf_counter() - start

    def add(self, other: Contestant) -> None:
        """Add the predictions of further splits."""
        self.parts += other.parts
        self.n_train += other.n_train
        self.shuffled += other.shuffled
        self.seconds += other.seconds

    def shuffle(self, pipeline: Pipeline, task: Task, test: Indices) -> None:
        """Keep predictions of the same rows with shuffled columns, unless there are too many."""
        groups = shuffled_groups(task)
        n_rows = sum(len(rows) for _, rows in task.first_splits())
        sizes = task.options.importance.sizes(n_rows, len(groups))
        if sizes is None:
            return
        seed, n_kept = task.setting.seed, -(-sizes[0] * len(test) // n_rows)
        kept = np.sort(np.random.default_rng(seed).permutation(test)[:n_kept])
        X, y, unit = task.test_rows(kept)
        how = (
            task.setting.classes_or_times,
            seed,
            sizes[1],
            unit,
            task.options.importance.rows_together,
        )
        self.shuffled.append(shuffled_predictions(pipeline, X, y, list(groups.values()), *how))


def shuffled_groups(task: Task) -> Mapping[tuple[str, str], list[str]]:
    """Columns that are shuffled together, by kind and name."""
    if task.setting.kernels:
        return {}
    names = list(task.X.columns)
    views = {view: [c for c in v if c in names] for view, v in (task.views or {}).items()}
    used = [c for v in views.values() for c in v] if views else names
    plain = set(columns_used(task.columns, "number", "date", "category"))
    known = [name for name in used if name in plain]
    sets = correlated_columns([task.X[name].to_numpy() for name in known])
    together = [[known[place] for place in each] for each in sets]
    return {
        **{("columns", name): [name] for name in used},
        **{("together", " + ".join(each)): each for each in together},
        **{("views", view): columns for view, columns in views.items()},
    }


def shuffled_importances(task: Task, model: Contestant, kind: str) -> list[Importance] | None:
    """Importances of columns, correlated columns or views; None if there are none."""
    groups = shuffled_groups(task)
    if not model.shuffled or not any(of == kind for of, _ in groups):
        return None
    places = [place for place, (of, _) in enumerate(groups) if of == kind]
    chosen = {name: columns for (of, name), columns in groups.items() if of == kind}
    splits = [
        ShuffledPredictions(split.before, [split.after[place] for place in places])
        for split in model.shuffled
    ]
    return importances(chosen, splits, task.metric)


# The fields of a contestant but its learner, which holds functions and cannot be pickled.
_Parts = tuple[list[HeldOutPredictions], list[int], float, str, list[ShuffledPredictions]]
_SplitResult = tuple[_Parts, list[Warning]]


def judged_in_folds(
    task: Task, learner: Learner, splits: Sequence[Split], advance: Advance
) -> Contestant:
    """The model in every split, by several processes; shuffled in the first splits alone."""
    first = len(task.first_splits())

    def judged(place: int) -> _SplitResult:
        contestant = Contestant(learner)
        with collect_fit_warnings() as notes, interrupts_end_everything():
            start = time.perf_counter()
            pipeline = learner.fit(*task.training_rows(splits[place][0]))
        contestant.add_split(pipeline, task, splits[place], time.perf_counter() - start)
        if place < first:
            contestant.shuffle(pipeline, task, splits[place][1])
        return (
            contestant.parts,
            contestant.n_train,
            contestant.seconds,
            contestant.note,
            contestant.shuffled,
        ), notes

    def judged_within_memory(place: int) -> _SplitResult | None:
        try:
            return judged(place)
        except MemoryError:  # the limit of a process, or of the machine
            return None

    tasks = [partial(judged_within_memory, place) for place in range(len(splits))]
    parts = run_in_processes(tasks, task.n_jobs, advance)
    model = Contestant(learner)
    for place, part in enumerate(parts):
        contestant, notes = judged(place) if part is None else part
        for note in notes:
            warnings.warn(note, stacklevel=2)
        model.add(Contestant(learner, *contestant))
    return model


@contextmanager
def collect_fit_warnings() -> Iterator[list[Warning]]:
    """Collect warnings of fits that did not converge, to give them later and in order."""
    notes: list[Warning] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ConvergenceWarning)
        yield notes
    notes += [warning.message for warning in caught if isinstance(warning.message, Warning)]


def baseline_predictions(task: Task, splits: list[Split], advance: Advance) -> list[Contestant]:
    """The baselines, side by side."""
    learners = task.baselines()
    tasks = [partial(baseline_prediction, task, learner, splits) for learner in learners]
    parts = run_in_processes(tasks, task.n_jobs, lambda: [advance() for _ in splits])
    return [Contestant(learner, *part) for learner, part in zip(learners, parts, strict=True)]


def baseline_prediction(
    task: Task, learner: Learner, splits: list[Split]
) -> tuple[list[HeldOutPredictions], list[int], float, str]:
    """A baseline on the same rows; the note says why it was skipped."""
    contestant = Contestant(learner)
    for split in splits:
        start = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # not warnings of the model
                fitted = learner.fit(*task.training_rows(split[0]))
        except (MethodError, MemoryError) as error:
            contestant.note = f"{learner.title} was skipped: {error}"
            break
        contestant.add_split(fitted, task, split, time.perf_counter() - start)
    return contestant.parts, contestant.n_train, contestant.seconds, contestant.note
