"""What is to be learned from a table, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from sklearn.pipeline import Pipeline

from kernlearn.estimators.held_out.groups import RowGroups
from kernlearn.estimators.inputs.stopping import set_callback
from kernlearn.methods.chance import Chance
from kernlearn.methods.costs import Costs
from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.importance import IMPORTANCE, Importance, ImportanceOptions
from kernlearn.methods.learner import INNER_FOLDS, Learner
from kernlearn.methods.method import Method, Plan, Setting
from kernlearn.methods.method_comparison import COMPARISON, ComparisonOptions, MethodComparison
from kernlearn.methods.metrics import Metric
from kernlearn.methods.paired import Paired
from kernlearn.methods.preparation import preparation, words_of
from kernlearn.methods.registry import BASELINES, GUESS, LINEAR, METHODS, find_method
from kernlearn.methods.scores import SCORING, Score, ScoreOptions
from kernlearn.methods.splits import Split, fold_splits, holdout_split, time_blocks, time_splits
from kernlearn.runtime.stopping import Progress
from kernlearn.tables import Column, columns_used
from kernlearn.tables.typed import THINGS
from kernlearn.typing import Array, Indices, Json, PandasFrame, Targets

if TYPE_CHECKING:
    from distributed import Client

AUTO = "auto"
# What learns through landmarks, from rows that may lie anywhere.
THROUGH_LANDMARKS = ("mkl", "first-level", "lssvm")


@dataclass(frozen=True)
class WorkflowOptions:
    """What a fit tries, and how long: all that a user is not asked for."""

    comparison: ComparisonOptions = COMPARISON
    importance: ImportanceOptions = IMPORTANCE
    scoring: ScoreOptions = SCORING
    methods: tuple[Method, ...] = tuple(METHODS.values())
    """What "auto" compares."""
    baselines: tuple[Method, ...] = BASELINES
    most_sources: int = 10
    """Of more sources, none is left out to see what it adds: each costs a fit."""
    seconds_without: float = 300.0
    """For all such fits."""
    rows_of_curve: int = 5000
    """The training rows of all splits that a learning curve is drawn from; at least one split."""
    seconds_of_curve: float = 60.0
    """For all fits of a learning curve, by what fits of the model took: beyond it there is none."""


WORKFLOW = WorkflowOptions()


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be learned from which rows, and how it is judged."""

    X: PandasFrame
    y: Targets
    """Targets of the typed rows X."""
    columns: Sequence[Column]
    setting: Setting
    method: str
    """A name of the registry, or "auto"."""
    test_size: float = 0.25
    """Share of rows held out, if `cv`, a number of folds, is None."""
    cv: int | None = None
    repeats: int = 1
    """How often rows are dealt out into folds."""
    refit: bool = True
    """Whether the model that is kept is fitted to all rows after rows were held out."""
    views: Mapping[str, Sequence[str]] | None = None
    """Groups of columns."""
    time_limit: float | None = None
    """Seconds for one fit, where the estimator has such a limit."""
    callback: Callable[[Progress], object] | None = None
    """Hears of every step of such fits."""
    device: str | None = None
    """Where the estimators that have such a parameter work on rows."""
    n_jobs: int = 1
    """How many processes compare methods, and fit baselines, at once."""
    client: Client | None = None
    """Of the cluster on which the model is learned, where it can be."""
    options: WorkflowOptions = WORKFLOW
    groups: Targets | None = None
    """What rows are held out together by, such as their patient."""
    times: Array | None = None
    """By which later rows are held out, and earlier ones learned from."""
    has_curve: bool = False
    """Whether models of fewer rows are fitted, to tell what more rows would bring."""
    costs: Costs | None = None
    """Of mistakes, where a threshold is chosen by them."""

    @property
    def metric(self) -> Metric:
        """What models are judged by."""
        return self.setting.judge

    def splits(self) -> list[Split]:
        """Rows to learn from and rows to judge by; repeated folds one after another."""
        kind, seed = self.setting.task, self.setting.seed
        if self.times is not None:
            return time_splits(self.times, self.test_size, self.cv)
        if self.cv:
            dealt = self.y, kind, self.cv
            seeds = range(seed, seed + self.repeats)
            return [s for each in seeds for s in fold_splits(*dealt, each, self.units.known)]
        return [holdout_split(self.y, kind, self.test_size, seed, self.units.known)]

    def first_splits(self) -> list[Split]:
        """Those that hold out every row once."""
        splits = self.splits()
        return splits[: len(splits) // self.repeats]

    @cached_property
    def units(self) -> RowGroups:
        """The groups, and copies of one row: what is held out together."""
        return RowGroups.of(self.X, self.groups, len(self.y))

    def training_rows(self, rows: Indices) -> tuple[PandasFrame, Targets, Indices | None]:
        """Rows to learn from, their targets, and what folds within them hold out together."""
        return self.X.iloc[rows].reset_index(drop=True), self.y[rows], self.units_of(rows)

    def test_rows(self, rows: Indices) -> tuple[PandasFrame, Targets, Indices | None]:
        """Rows to predict, their targets, and the units that they belong to."""
        unit = self.units.known
        if unit is None and self.repeats > 1:
            unit = np.arange(len(self.y))  # a row that is predicted several times is one
        table = self.X.iloc[rows].reset_index(drop=True), self.y[rows]
        return *table, None if unit is None else unit[rows]

    def units_of(self, rows: Indices) -> Indices | None:
        """What folds within some rows hold out together: units, or consecutive parts of time."""
        if self.times is not None:
            blocks = time_blocks(self.times[rows])
            return blocks if len(np.unique(blocks)) >= INNER_FOLDS else None
        return None if self.units.known is None else self.units.known[rows]

    def learner(self, name: str) -> Learner:
        """Fits the method of that name."""
        # Matrices need no columns, so nothing has to be prepared.
        prepare = None if self.setting.kernels else partial(preparation, self.columns, self.views)
        own = {method.name: method for method in self.options.methods}
        method = own.get(name) or find_method(name)
        if (self.time_limit, self.callback, self.device) != (None, None, None):
            method = replace(method, plan=partial(self._plan_with_limits, method))
        client = self.client if name in THROUGH_LANDMARKS else None
        return Learner(method, self.setting, prepare, client, words_of(self.columns))

    def _plan_with_limits(self, method: Method, setting: Setting) -> Plan:
        """The method's plan, its estimators with the limit, the listener and the device."""
        plan = method.plan(setting)
        for _, step in plan.steps:
            params = step.get_params(deep=False)
            if "time_limit" in params:
                step.set_params(time_limit=self.time_limit)
                set_callback(step, self.callback)
            if "device" in params:
                step.set_params(device=self.device)
        return plan

    def rivals(self) -> list[Learner]:
        """The methods that "auto" compares."""
        named = [m.name for m in self.options.methods if self.setting.task in m.tasks]
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
        for method in [m for m in self.options.baselines if self.setting.task in m.tasks]:
            counts_words = method is LINEAR and bool(words)
            has_columns = bool(readable) or counts_words
            if has_columns and not self.setting.kernels and method.name != self.method:
                prepare = partial(preparation, self.columns, counts_words=counts_words)
                learners.append(Learner(method, setting, prepare))
        return [*learners, Learner(GUESS, setting, partial(preparation, self.columns))]


@dataclass(frozen=True, eq=False)
class EvaluatedModel:
    """A method or a baseline on rows that it had not seen."""

    name: str
    role: str
    """'model' or 'baseline'."""
    method: Method
    score: Score
    seconds: float
    """Of all its fits and predictions."""
    held_out: HeldOutPredictions
    n_learned: int
    """Rows that it learned from; of folds, the largest."""
    n_given: int
    """Rows that were there for it to learn from."""
    n_tuned: int | None = None
    """Rows on which its parameters were cross-validated, if they were."""
    paired: Paired | None = None
    """The model against this baseline."""


@dataclass(frozen=True, eq=False)
class PipelineFit:
    """A fitted model, by which learner, to which rows, and the comparison that chose the learner.

    Whether it took over what an earlier fit had chosen is kept, too.
    """

    pipeline: Pipeline
    learner: Learner
    rows: Indices
    comparison: MethodComparison | None
    seconds: float
    took_over: bool = False


@dataclass(frozen=True, eq=False)
class LearningResult:
    """The model that is kept, and how it was judged."""

    kept: PipelineFit
    judged: list[EvaluatedModel]
    """The model first, then the baselines."""
    tests: Indices
    """The rows that were held out, in the order of the predictions."""
    refitted: bool
    """Whether the model that is kept was fitted to other rows than the one that was judged."""
    columns: list[Importance] | None = None
    views: list[Importance] | None = None
    """What each view adds, as `columns` says what each column adds."""
    together: list[Importance] | None = None
    """What correlated columns add, shuffled together."""
    notes: list[str] = field(default_factory=list)
    """What was skipped, and what ended early."""
    chance: Chance | None = None
    """The model beside guessing."""
    curve: Json | None = None
    """The learning curve, where one was asked for."""
