"""A method on the rows of a table: sampled if there are too many, tuned, fitted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.pipeline import Pipeline

from kernlearn.methods.method import Method, MethodError, Setting
from kernlearn.methods.tuning import tuned_pipeline

__all__ = ["Learner", "folds_for"]

INNER_FOLDS = 5


def folds_for(task: str, y: Any, n_folds: int, seed: int) -> Any:
    """Shuffled folds, stratified for classes and no more of them than the smallest class has."""
    if task == "regression":
        return KFold(max(2, min(n_folds, len(y))), shuffle=True, random_state=seed)
    smallest = int(np.unique(y, return_counts=True)[1].min())
    return StratifiedKFold(max(2, min(n_folds, smallest)), shuffle=True, random_state=seed)


@dataclass(frozen=True, eq=False)
class Learner:
    """Fits one method.

    Attributes
    ----------
    method : Method
        Which.
    setting : Setting
        For what.
    prepare : callable or None
        Makes the transformer that comes first, not fitted.
    """

    method: Method
    setting: Setting
    prepare: Callable[[], Any] | None

    def fit(self, X: Any, y: Any) -> Pipeline:
        """Fit to typed rows; parameters are chosen by cross-validation within them."""
        self.method.check(self.setting)
        X, y = self.sample(X, y, self.method.max_rows)
        spread = float(np.std(y)) or 1.0 if self.setting.task == "regression" else 1.0
        plan = self.method.plan(replace(self.setting, spread=spread))
        steps = list(plan.steps)
        if self.prepare is not None:
            prepare = self.prepare()
            self._check_columns(prepare, X)
            steps = [("prepare", prepare), *steps]
        if not plan.grid:
            return Pipeline(steps).fit(X, y)
        folds = folds_for(self.setting.task, y, INNER_FOLDS, self.setting.seed)
        return tuned_pipeline(steps, plan.grid, X, y, list(folds.split(X, y)))

    def sample(self, X: Any, y: Any, n_rows: int) -> tuple[Any, Any]:
        """At most so many rows, each class in its share."""
        if len(X) <= n_rows:
            return X, y
        is_classes = self.setting.task == "classification"
        kept, _ = train_test_split(
            np.arange(len(X)),
            train_size=n_rows,
            stratify=y if is_classes else None,
            random_state=self.setting.seed,
        )
        kept = np.sort(kept)
        return X.iloc[kept].reset_index(drop=True), y[kept]

    def _check_columns(self, prepare: Any, X: Any) -> None:
        most = self.method.max_columns
        if X.shape[1] <= most and most >= 100_000:
            return
        n_columns = X.shape[1]
        if n_columns <= most:
            n_columns = prepare.fit(X).transform(X.iloc[:1]).shape[1]
        if n_columns > most:
            raise MethodError(
                f"method {self.method.name} learns a scale for every column and takes at most "
                f"{most}, got {n_columns}; use --method mkl or lssvm, or leave columns out"
            )
