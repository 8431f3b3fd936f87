"""What is to be learned from a table, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from kernlearn.methods.baselines import BASELINES, GUESS, LINEAR
from kernlearn.methods.contest import MethodComparison
from kernlearn.methods.held_out import HeldOut
from kernlearn.methods.importance import Importance
from kernlearn.methods.learner import Learner
from kernlearn.methods.method import Method, Plan, Setting
from kernlearn.methods.metrics import DEFAULTS, Metric
from kernlearn.methods.paired import Paired
from kernlearn.methods.preparation import preparation, words_of
from kernlearn.methods.registry import METHODS, find_method
from kernlearn.methods.scores import Score
from kernlearn.methods.splits import Split, fold_splits, holdout_split
from kernlearn.runtime.stopping import Progress
from kernlearn.tables import Column, columns_used
from kernlearn.tables.column import THINGS

__all__ = ["AUTO", "THROUGH_LANDMARKS", "Fit", "Judged", "Outcome", "Task"]

AUTO = "auto"
# What learns through landmarks, from rows that may lie anywhere.
THROUGH_LANDMARKS = ("mkl", "first-level", "lssvm")


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
        Task, seed, views, kernels, metric, weights of classes.
    method : str
        A name of the registry, or "auto".
    holdout : float
        Share of rows held out, if `cv` is None.
    cv : int or None
        Number of folds instead.
    refit : bool
        Whether the model that is kept is fitted to all rows after rows were held out.
    views : mapping or None
        Groups of columns.
    time_limit : float or None
        Seconds for one fit, where the estimator has such a limit.
    callback : callable or None
        Hears of every step of such fits.
    device : str or None
        Where the estimators that have such a parameter work on rows.
    n_jobs : int
        How many processes compare methods, and fit baselines, at once.
    client : distributed.Client or None
        Of the cluster on which the model is learned, where it can be.
    """

    X: Any
    y: Any
    columns: Sequence[Column]
    setting: Setting
    method: str
    holdout: float = 0.25
    cv: int | None = None
    refit: bool = True
    views: Mapping[str, Sequence[str]] | None = None
    time_limit: float | None = None
    callback: Callable[[Progress], Any] | None = None
    device: str | None = None
    n_jobs: int = 1
    client: Any = None

    @property
    def metric(self) -> Metric:
        """What models are judged by."""
        return self.setting.metric or Metric(DEFAULTS[self.setting.task])

    def splits(self) -> list[Split]:
        """Rows to learn from and rows to judge by."""
        kind, seed = self.setting.task, self.setting.seed
        if self.cv:
            return fold_splits(self.y, kind, self.cv, seed)
        return [holdout_split(self.y, kind, self.holdout, seed)]

    def learner(self, name: str) -> Learner:
        """Fits the method of that name."""
        # Matrices need no columns, so nothing has to be prepared.
        prepare = None if self.setting.kernels else partial(preparation, self.columns, self.views)
        method = find_method(name)
        if (self.time_limit, self.callback, self.device) != (None, None, None):
            method = replace(method, plan=partial(self._patient_plan, method))
        client = self.client if name in THROUGH_LANDMARKS else None
        return Learner(method, self.setting, prepare, client)

    def _patient_plan(self, method: Method, setting: Setting) -> Plan:
        """The method's plan, its estimators with the limit, the listener and the device."""
        plan = method.plan(setting)
        for _, step in plan.steps:
            params = step.get_params(deep=False)
            if "time_limit" in params:
                step.set_params(time_limit=self.time_limit, callback=self.callback)
            if "device" in params:
                step.set_params(device=self.device)
        return plan

    def rivals(self) -> list[Learner]:
        """The methods that "auto" compares."""
        named = [m.name for m in METHODS.values() if self.setting.task in m.tasks]
        return [self.learner(name) for name in named]

    def baselines(self) -> list[Learner]:
        """What the model is held against; all columns as they are, whatever the views.

        Of kernel matrices there are no columns, and things are for kernels alone, but for free
        text, whose words logistic regression is given, too: it is what one would try with them.
        Without other columns the simplest guess is what is left.
        """
        setting = replace(self.setting, views=(), kernels=())
        readable = set(columns_used(self.columns)) - set(columns_used(self.columns, *THINGS))
        words = words_of(self.columns) if self.setting.task == "classification" else []
        learners = []
        for method in BASELINES:
            counts_words = method is LINEAR and bool(words)
            has_columns = bool(readable) or counts_words
            if has_columns and not self.setting.kernels and method.name != self.method:
                prepare = partial(preparation, self.columns, counts_words=counts_words)
                learners.append(Learner(method, setting, prepare))
        return [*learners, Learner(GUESS, setting, partial(preparation, self.columns))]


@dataclass(frozen=True, eq=False)
class Judged:
    """A method or a baseline on rows that it had not seen.

    Attributes
    ----------
    name : str
        What a user reads.
    role : str
        "model" or "baseline".
    method : Method
        Which.
    score : Score
        By the metric.
    seconds : float
        Of all its fits and predictions.
    said : HeldOut
        What it said of the held-out rows.
    n_learned, n_given : int
        Rows that it learned from, and rows that were there for it; of folds, the largest.
    n_tuned : int or None
        Rows on which its parameters were cross-validated, if they were.
    paired : Paired or None
        The model against this baseline.
    """

    name: str
    role: str
    method: Method
    score: Score
    seconds: float
    said: HeldOut
    n_learned: int
    n_given: int
    n_tuned: int | None = None
    paired: Paired | None = None


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model, by which learner, to which rows, and the contest that chose the learner.

    Whether it took over what an earlier fit had chosen is kept, too.
    """

    pipeline: Any
    learner: Learner
    rows: Any
    contest: MethodComparison | None
    seconds: float
    took_over: bool = False


@dataclass(frozen=True, eq=False)
class Outcome:
    """The model that is kept, and how it was judged.

    Attributes
    ----------
    kept : Fit
        The model in the file.
    judged : list of Judged
        The model first, then the baselines.
    tests : ndarray
        The rows that were held out, in the order of the predictions.
    refitted : bool
        Whether the model that is kept was fitted to other rows than the one that was judged.
    columns, views : list of Importance or None
        What each column and each view adds.
    notes : list of str
        What was skipped, and what ended early.
    """

    kept: Fit
    judged: list[Judged]
    tests: Any
    refitted: bool
    columns: list[Importance] | None = None
    views: list[Importance] | None = None
    notes: list[str] = field(default_factory=list)
