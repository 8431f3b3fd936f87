"""What is to be learned from a table, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from kernlearn._patience import Progress
from kernlearn.methods.contest import Contest
from kernlearn.methods.learner import Learner
from kernlearn.methods.method import Method, Plan, Setting
from kernlearn.methods.preparation import preparation
from kernlearn.methods.registry import METHODS, find_method
from kernlearn.methods.scores import Score
from kernlearn.methods.tuned_svm import TUNED_SVM
from kernlearn.tables import Column

__all__ = ["AUTO", "Fit", "Judged", "Outcome", "Task"]

AUTO = "auto"


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be learned from which rows, and how it is judged.

    Attributes
    ----------
    X, y : DataFrame and ndarray
        Typed rows and their targets.
    columns : sequence of Column
        What the columns are.
    setting : Setting
        Task, seed, views, kernels.
    method : str
        A name of the registry, or "auto".
    holdout : float
        Share of rows held out, if `cv` is None.
    cv : int or None
        Number of folds instead.
    views : mapping or None
        Groups of columns.
    time_limit : float or None
        Seconds for one fit, where the estimator has such a limit.
    callback : callable or None
        Hears of every step of such fits.
    """

    X: Any
    y: Any
    columns: Sequence[Column]
    setting: Setting
    method: str
    holdout: float = 0.25
    cv: int | None = None
    views: Mapping[str, Sequence[str]] | None = None
    time_limit: float | None = None
    callback: Callable[[Progress], Any] | None = None

    def learner(self, name: str) -> Learner:
        """Fits the method of that name."""
        if name == TUNED_SVM.name:
            # The baseline knows nothing of views: it has all columns as they are.
            return Learner(
                TUNED_SVM, replace(self.setting, views=()), partial(preparation, self.columns)
            )
        # Matrices need no columns, so nothing has to be prepared.
        prepare = None if self.setting.kernels else partial(preparation, self.columns, self.views)
        method = find_method(name)
        if self.time_limit is not None or self.callback is not None:
            method = replace(method, plan=partial(self._patient_plan, method))
        return Learner(method, self.setting, prepare)

    def _patient_plan(self, method: Method, setting: Setting) -> Plan:
        """The method's plan, its estimators with the limit and the listener."""
        plan = method.plan(setting)
        for _, step in plan.steps:
            if "time_limit" in step.get_params(deep=False):
                step.set_params(time_limit=self.time_limit, callback=self.callback)
        return plan

    def rivals(self) -> list[Learner]:
        """The methods that "auto" compares."""
        named = [m.name for m in METHODS.values() if self.setting.task in m.tasks]
        return [self.learner(name) for name in named]


@dataclass(frozen=True, eq=False)
class Judged:
    """A method or a baseline with its score on rows that it had not seen."""

    name: str
    role: str
    score: Score
    seconds: float


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model, by which learner, to which rows, and the contest that chose the learner."""

    pipeline: Any
    learner: Learner
    rows: Any
    contest: Contest | None
    seconds: float


@dataclass(frozen=True, eq=False)
class Outcome:
    """The model that is kept, and how it was judged."""

    kept: Fit
    judged: list[Judged]
    evaluation: str
    n_held_out: int
    notes: list[str] = field(default_factory=list)
