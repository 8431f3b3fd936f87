"""A learning task on a table, and its result."""

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
# Methods that learn through landmarks, also from rows on a cluster.
THROUGH_LANDMARKS = ("mkl", "first-level", "lssvm")


@dataclass(frozen=True)
class WorkflowOptions:
    """Options of the workflow that users are not asked for."""

    comparison: ComparisonOptions = COMPARISON
    importance: ImportanceOptions = IMPORTANCE
    scoring: ScoreOptions = SCORING
    methods: tuple[Method, ...] = tuple(METHODS.values())
    """Methods that "auto" compares."""
    baselines: tuple[Method, ...] = BASELINES
    most_sources: int = 10
    """Sources above which none is left out to find its importance: each costs a fit."""
    seconds_without: float = 300.0
    """Seconds for all fits without a source."""
    splits_of_curve: int = 3
    """Splits of a learning curve at most: its fits are several for each split."""
    rows_of_curve: int = 5000
    """Training rows of a learning curve, over all its splits; one split is always used."""
    seconds_of_curve: float = 60.0
    """Estimated seconds for all fits of a learning curve, above which there is none."""


WORKFLOW = WorkflowOptions()


@dataclass(frozen=True, eq=False)
class Task:
    """Rows and targets to learn from, the method, and the way in which models are judged."""

    X: PandasFrame
    y: Targets
    """Targets of the typed rows X."""
    columns: Sequence[Column]
    setting: Setting
    method: str
    """A name of the registry, or "auto"."""
    test_size: float = 0.25
    """Share of rows held out, if `cv` is None."""
    cv: int | None = None
    repeats: int = 1
    """Repetitions of the cross-validation."""
    refit: bool = True
    """Whether the model that is kept is fitted to all rows after rows were held out."""
    views: Mapping[str, Sequence[str]] | None = None
    """Groups of columns."""
    time_limit: float | None = None
    """Seconds for one fit, if the estimator has a time limit."""
    callback: Callable[[Progress], object] | None = None
    """Function to call at every step of a fit with a time limit."""
    device: str | None = None
    """Device of the estimators that have this parameter."""
    n_jobs: int = 1
    """Number of processes that compare methods and fit baselines."""
    client: Client | None = None
    """Client of the Dask cluster, for methods that can learn on one."""
    options: WorkflowOptions = WORKFLOW
    groups: Targets | None = None
    """Group of each row, such as its patient; rows of a group are held out together."""
    times: Array | None = None
    """Time of each row; later rows are held out, and earlier ones learned from."""
    has_curve: bool = False
    """Whether models are fitted to fewer rows too, for a learning curve."""
    costs: Costs | None = None
    """Costs of mistakes, if a threshold is to be chosen by them."""

    @property
    def metric(self) -> Metric:
        """The metric that judges models."""
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
        """The splits of the first repeat, which hold out no row twice."""
        splits = self.splits()
        return splits[: len(splits) // self.repeats]

    @cached_property
    def units(self) -> RowGroups:
        """Units of rows that are held out together: groups, and copies of one row."""
        return RowGroups.of(self.X, self.groups, len(self.y))

    def training_rows(self, rows: Indices) -> tuple[PandasFrame, Targets, Indices | None]:
        """Rows to learn from, their targets, and the units that inner folds hold out together."""
        return self.X.iloc[rows].reset_index(drop=True), self.y[rows], self.units_of(rows)

    def test_rows(self, rows: Indices) -> tuple[PandasFrame, Targets, Indices | None]:
        """Rows to predict, their targets, and the units that they belong to."""
        unit = self.units.known
        if unit is None and self.repeats > 1:
            unit = np.arange(len(self.y))  # a row that is predicted several times is one unit
        table = self.X.iloc[rows].reset_index(drop=True), self.y[rows]
        return *table, None if unit is None else unit[rows]

    def units_of(self, rows: Indices) -> Indices | None:
        """Units that folds within some rows hold out together: groups, or blocks of time."""
        if self.times is not None:
            blocks = time_blocks(self.times[rows])
            return blocks if len(np.unique(blocks)) >= INNER_FOLDS else None
        return None if self.units.known is None else self.units.known[rows]

    def learner(self, name: str) -> Learner:
        """A learner of the method of that name."""
        # Matrices need no columns, so nothing has to be prepared.
        prepare = None if self.setting.kernels else partial(preparation, self.columns, self.views)
        own = {method.name: method for method in self.options.methods}
        method = own.get(name) or find_method(name)
        if (self.time_limit, self.callback, self.device) != (None, None, None):
            method = replace(method, plan=partial(self._plan_with_limits, method))
        client = self.client if name in THROUGH_LANDMARKS else None
        return Learner(method, self.setting, prepare, client, words_of(self.columns))

    def _plan_with_limits(self, method: Method, setting: Setting) -> Plan:
        """The method's plan, its estimators with time limit, callback and device."""
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
        """Learners of the baselines, on all columns as they are, whatever the views.

        Kernel matrices have no columns, and things, such as graphs, are for kernels alone. Free
        text is the exception: logistic regression gets its words. Without other columns the
        simplest guess is the only baseline.
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
    """Seconds of all fits and predictions."""
    held_out: HeldOutPredictions
    n_train: int
    """Rows that the model learned from; with folds, the largest number."""
    n_available: int
    """Rows that were available to learn from; with folds, the largest number."""
    n_tuned: int | None = None
    """Rows on which its parameters were cross-validated, if they were."""
    paired: Paired | None = None
    """Test of the model against this baseline."""


@dataclass(frozen=True, eq=False)
class PipelineFit:
    """A fitted model, its learner and rows, and the comparison that chose the learner.

    The flag `took_over` says whether the fit kept the choices of an earlier one.
    """

    pipeline: Pipeline
    learner: Learner
    rows: Indices
    comparison: MethodComparison | None
    seconds: float
    took_over: bool = False


@dataclass(frozen=True, eq=False)
class LearningResult:
    """The model that is kept, and its evaluation."""

    final: PipelineFit
    judged: list[EvaluatedModel]
    """The model first, then the baselines."""
    tests: Indices
    """The rows that were held out, in the order of the predictions."""
    refitted: bool
    """Whether the model that is kept was fitted to other rows than the one that was judged."""
    columns: list[Importance] | None = None
    views: list[Importance] | None = None
    """Importances of views, as `columns` has those of columns."""
    together: list[Importance] | None = None
    """Importances of correlated columns that are shuffled together."""
    notes: list[str] = field(default_factory=list)
    """Notes on skipped methods, and on fits that ended early."""
    chance: Chance | None = None
    """Test of the model against guessing."""
    curve: Json | None = None
    """The learning curve, if one was asked for."""
