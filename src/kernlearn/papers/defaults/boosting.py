"""Gradient boosting of other packages at its defaults, on one thread, with its own categories."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernlearn.runtime.optional import load_pandas
from kernlearn.typing import Rows


@dataclass
class BoostingPackage:
    """LightGBM, XGBoost or CatBoost, fitted to a data frame with text and missing cells.

    `module` is the name of the package, `model` the name of its estimator, and `settings` what the
    estimator is made with. CatBoost takes categories as text, the others as pandas' categories of
    the training rows.
    """

    module: str
    model: str
    is_classifier: bool
    settings: dict[str, Any]

    def fit(self, X: Rows, y: Rows) -> BoostingPackage:
        """Fit the estimator to numbers, or to the numbers of the classes."""
        target = np.asarray(y)
        if self.is_classifier:
            self.classes, target = np.unique(target, return_inverse=True)
        texts = X.select_dtypes(exclude="number").columns
        self.levels = {name: X[name].astype(str).where(X[name].notna()) for name in texts}
        self.levels = {name: sorted(set(text.dropna())) for name, text in self.levels.items()}
        settings = dict(self.settings)
        if self.module == "catboost":
            settings["cat_features"] = [X.columns.get_loc(name) for name in texts]
        self.machine = getattr(importlib.import_module(self.module), self.model)(**settings)
        self.machine.fit(self._columns(X), target)
        return self

    def predict(self, X: Rows) -> Rows:
        """Numbers, or classes by their numbers."""
        found = np.asarray(self.machine.predict(self._columns(X))).ravel()
        return self.classes[found.astype(int)] if self.is_classifier else found

    def predict_proba(self, X: Rows) -> Rows:
        """Probabilities of the classes, in their order."""
        return np.asarray(self.machine.predict_proba(self._columns(X)))

    @property
    def classes_(self) -> Rows:
        """The classes of the training rows."""
        return self.classes

    def _columns(self, X: Rows) -> Rows:
        """The table with names that every package takes, and its text as categories."""
        pd = load_pandas("comparing methods")
        columns = {}
        for j, name in enumerate(X.columns):
            column = X[name]
            if name in self.levels:
                column = column.astype(str).where(column.notna())
                if self.module == "catboost":
                    column = column.fillna("missing")
                else:
                    column = pd.Categorical(column, self.levels[name])
            columns[f"x{j}"] = column
        return pd.DataFrame(columns, index=X.index)
