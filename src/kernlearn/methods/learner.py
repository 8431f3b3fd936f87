"""A method on the rows of a table: sampled if there are too many, tuned, fitted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils import compute_sample_weight
from sklearn.utils.validation import has_fit_parameter

from kernlearn._cluster import spread
from kernlearn.methods.class_weights import for_scikit_learn
from kernlearn.methods.errors import MethodError
from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.method import Method, Plan, Setting
from kernlearn.methods.metrics import USUAL
from kernlearn.methods.outcomes import outcome_task
from kernlearn.methods.splits import fold_splits, sampled_rows
from kernlearn.methods.tuning import tuned_pipeline
from kernlearn.numerics.rounding import standard_deviation
from kernlearn.typing import Indices, Json, PandasFrame, Rows, Targets

if TYPE_CHECKING:
    from distributed import Client

INNER_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Learner:
    """Fits one method."""

    method: Method
    setting: Setting
    prepare: Callable[[], ColumnTransformer] | None
    """Makes the transformer that comes first, not fitted."""
    client: Client | None = None
    """Client of the Dask cluster on which methods with landmarks are fitted."""
    words: Sequence[str] = ()
    """Columns of free text, for methods that prepare the table themselves."""

    @property
    def title(self) -> str:
        """The method as a user reads it."""
        return self.method.title_for(self.setting.task)

    def rows(self, y: Targets, n_rows: int | None = None) -> Indices:
        """The rows to learn from: all, or a sample stratified by class."""
        most = self.method.max_rows if n_rows is None else n_rows
        return sampled_rows(y, self.setting.task, most, self.setting.seed)

    def tuned_on(self, n_rows: int) -> int | None:
        """Number of rows for cross-validating parameters; None without parameters to tune."""
        return min(n_rows, self.method.tuning_rows) if self.method.plan(self.setting).grid else None

    def fit(self, X: PandasFrame, y: Targets, units: Indices | None = None) -> Pipeline:
        """Fit to typed rows; parameters are chosen by cross-validation within them.

        `units` number the rows that folds hold out together, by default every row on its own.
        """
        X, y, units, plan = self._planned(X, y, units)
        weights = self._weighted(plan, y) | self._grouped(plan, units)
        steps = list(plan.steps)
        if self.prepare is not None and not self.method.prepares:
            prepare = self.prepare()
            self._check_columns(prepare, X)
            steps = [("prepare", prepare), *steps]
        if not plan.grid:
            if self.client is not None and len(y) > self.setting.options.exact_rows:
                before = Pipeline(steps[:-1])
                table = before.fit_transform(X, y)
                return self._with_last(before.steps, steps[-1], table, y, weights)
            return Pipeline(steps).fit(X, y, **weights)
        some = self.rows(y, self.method.tuning_rows)
        within = None if units is None else units[some]
        folds = fold_splits(y[some], self.setting.task, INNER_FOLDS, self.setting.seed, within)
        numbered = [(some[train], some[test]) for train, test in folds]
        return tuned_pipeline(steps, plan.grid, X, y, numbered, self._score)

    def refit(
        self, model: Pipeline, X: PandasFrame, y: Targets, units: Indices | None = None
    ) -> tuple[Pipeline, bool]:
        """Fit to more rows than a model of this method had, and say whether its choices were kept.

        Fits through landmarks keep them: preparation, kernels, ranks and parameters rest on
        thousands of rows, and only weights and machine are learned anew. Other fits choose anew.
        """
        last = model.steps[-1][1]
        chosen = last._chosen() if hasattr(last, "_chosen") else None
        if chosen is None:
            return self.fit(X, y, units), False
        X, y, units, plan = self._planned(X, y, units)
        weights = self._weighted(plan, y) | self._grouped(plan, units)
        plan.steps[-1][1]._take_over(chosen)
        before = model.steps[:-1]
        table = Pipeline(before).transform(X) if before else X
        return self._with_last(before, plan.steps[-1], table, y, weights), True

    def _planned(
        self, X: PandasFrame, y: Targets, units: Indices | None
    ) -> tuple[PandasFrame, Targets, Indices | None, Plan]:
        """The rows to learn from, their targets and units, and the plan for their number."""
        self.method.check(self.setting)
        kept = self.rows(y)
        if len(kept) < len(y):
            X, y = X.iloc[kept].reset_index(drop=True), y[kept]
            units = None if units is None else units[kept]
        unit = float(standard_deviation(y)) or 1.0 if self.setting.task == "regression" else 1.0
        plan = self.method.plan(replace(self.setting, spread=unit, n_rows=len(y)))
        for _, step in plan.steps:
            if "columns" in step.get_params(deep=False):
                # All other text columns of a typed table are categories, whatever they hold.
                texts = [str(name) for name, dtype in X.dtypes.items() if dtype.kind == "O"]
                kinds = {name: "text" if name in self.words else "category" for name in texts}
                step.set_params(columns=kinds or None)
        return X, y, units, plan

    def _with_last(
        self,
        before: list[tuple[str, BaseEstimator]],
        step: tuple[str, BaseEstimator],
        table: Rows,
        y: Targets,
        weights: Json,
    ) -> Pipeline:
        """The fitted steps, followed by the last step, fitted to the transformed rows `table`.

        The last step is fitted on the cluster, if there is one.
        """
        name, last = step
        table = np.asarray(table, dtype=float)
        options = {key.removeprefix(f"{name}__"): value for key, value in weights.items()}
        last.fit(table if self.client is None else spread(self.client, table), y, **options)
        return Pipeline([*before, (name, last)])

    def _weighted(self, plan: Plan, y: Targets) -> Json:
        """Set class weights in the plan, or return sample weights as parameters of ``fit``."""
        weight = for_scikit_learn(self.setting.class_weight)
        if weight is None or self.method.name == "guess":
            return {}
        for _, step in plan.steps:
            if "class_weight" in step.get_params(deep=False):
                step.set_params(class_weight=weight)
                return {}
        name, last = plan.steps[-1]
        if has_fit_parameter(last, "sample_weight") and not plan.grid:
            return {f"{name}__sample_weight": compute_sample_weight(weight, y)}
        raise MethodError(
            f"method {self.method.name} has no weights of classes; leave --class-weight out, or "
            "choose another --method, such as kernel"
        )

    def _grouped(self, plan: Plan, units: Indices | None) -> Json:
        """Groups as a parameter of ``fit``; scikit-learn's own estimators have no folds."""
        name, last = plan.steps[-1]
        passes_groups = units is not None and has_fit_parameter(last, "groups") and not plan.grid
        return {f"{name}__groups": units} if passes_groups else {}

    def _score(self, model: BaseEstimator, X: PandasFrame, y: Targets) -> float:
        """Score by the metric asked for, or by the model's own if the metric has no value."""
        metric = self.setting.judge if outcome_task(y) is not None else self.setting.metric
        # The usual metrics need ``predict`` alone.
        is_usual = metric is None or metric.name in USUAL
        if metric is not None and not is_usual:
            value = metric.goodness(
                HeldOutPredictions.of(
                    model, X, y, self.setting.classes_or_times, has_interval=False
                )
            )
            if math.isfinite(value):
                return value
        predicted = model.predict(X)
        if self.setting.task == "classification":
            return float(np.mean(predicted == y))
        square = len(y) * float(standard_deviation(y)) ** 2
        return 1.0 - float(np.sum((y - predicted) ** 2)) / square if square > 0 else 0.0

    def _check_columns(self, prepare: ColumnTransformer, X: PandasFrame) -> None:
        most = self.method.max_columns
        if X.shape[1] <= most and most >= 100_000:
            return
        n_columns = X.shape[1]
        if n_columns <= most:
            n_columns = prepare.fit(X).transform(X.iloc[:1]).shape[1]
        if n_columns > most:
            raise MethodError(
                f"method {self.method.name} takes at most {most} columns, as prepared, got "
                f"{n_columns}; use --method kernel, mkl or lssvm, or leave columns out"
            )
