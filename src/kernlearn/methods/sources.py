"""Importance of each source: the score less that of a model fitted without the source."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.importance import Importance
from kernlearn.methods.learner import Learner
from kernlearn.methods.paired import difference_error
from kernlearn.methods.preparation import preparation
from kernlearn.methods.splits import Split
from kernlearn.methods.task import Task
from kernlearn.runtime.convergence_warnings import interrupts_end_everything


def source_names(task: Task) -> list[str]:
    """Names of the sources to refit without; none if there are too many, or one alone."""
    kernels = task.setting.kernels
    names = list(task.views or ())
    if kernels:
        names = [getattr(k, "name", None) or f"matrix {j}" for j, k in enumerate(kernels, start=1)]
    return names if 1 < len(names) <= task.options.most_sources else []


def without_each(
    task: Task,
    learner: Learner,
    split: Split,
    whole: HeldOutPredictions,
    seconds: float,
    advance: Callable[[], object],
) -> list[Importance] | None:
    """Importance of each source for a learner's predictions of the held-out rows of a split.

    The standard error is that of the difference on the same held-out rows, over draws of rows.
    `seconds` is the time of one fit; the result is None if the fits would take too long.
    """
    (train, test), setting = split, task.setting
    names = source_names(task)
    if seconds * len(names) > task.options.seconds_without:
        for _ in names:
            advance()
        return None
    found = []
    for j, name in enumerate(names):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # not warnings of the model
            with interrupts_end_everything():
                model = _learner_without(task, learner, j).fit(*task.training_rows(train))
        X, y, unit = task.test_rows(test)
        rest = HeldOutPredictions.of(
            model, X, y, setting.classes_or_times, unit, has_interval=False
        )
        lost = task.metric.goodness(whole) - task.metric.goodness(rest)
        error = difference_error(task.metric, whole, rest, setting.seed, task.options.scoring)
        found.append(Importance(name, lost, error, refitted=True))
        advance()
    return found if found and np.isfinite([entry.value for entry in found]).all() else None


def _learner_without(task: Task, learner: Learner, j: int) -> Learner:
    """A learner of the same method on all sources but the j-th."""
    setting = task.setting
    if setting.kernels:
        others = tuple(k for i, k in enumerate(setting.kernels) if i != j)
        return replace(learner, setting=replace(setting, kernels=others))
    assert task.views is not None
    views = {name: v for i, (name, v) in enumerate(task.views.items()) if i != j}
    prepare = partial(preparation, task.columns, views)
    return replace(learner, setting=replace(setting, views=tuple(views)), prepare=prepare)
