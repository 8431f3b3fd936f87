"""Random search: so many trials drawn from distributions, judged by the loss on inner folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, ParameterSampler, StratifiedKFold

from kernlearn.papers.defaults.methods import CLASSES
from kernlearn.papers.grid_search import Estimator
from kernlearn.papers.rivals.scores import log_loss
from kernlearn.typing import Rows

TRIALS, FOLDS = 50, 3


class RandomlyTuned:
    """The best of random settings by log loss or squared error on inner folds, fitted to all rows.

    ``make(**settings)`` returns an estimator, and `space` holds a distribution for each setting.
    The folds are the same for every method, because they depend on the targets only.
    """

    def __init__(
        self, task: str, make: Callable[..., Estimator], space: Mapping[str, Any], trials: int
    ) -> None:
        self.task, self.make, self.space, self.trials = task, make, space, trials

    def fit(self, X: Rows, y: Rows) -> RandomlyTuned:
        """Draw the settings, judge them on the inner folds, and fit the best to all rows."""
        drawn = list(ParameterSampler(self.space, self.trials, random_state=0))
        kind = StratifiedKFold if self.task == CLASSES else KFold
        folds = list(kind(FOLDS, shuffle=True, random_state=0).split(X, y))
        losses = [
            np.mean([self._loss(settings, X, y, train, test) for train, test in folds])
            for settings in drawn
        ]
        self.settings = drawn[int(np.argmin(losses))]
        self.model = self.make(**self.settings).fit(X, y)
        return self

    def _loss(
        self, settings: Mapping[str, Any], X: Rows, y: Rows, train: Rows, test: Rows
    ) -> float:
        model = self.make(**settings).fit(X.iloc[train], y[train])
        if self.task == CLASSES:
            return log_loss(y[test], model.classes_, model.predict_proba(X.iloc[test]))
        return float(np.mean((model.predict(X.iloc[test]) - y[test]) ** 2))

    @property
    def classes_(self) -> Rows:
        """The classes of the training rows."""
        return self.model.classes_

    def predict(self, X: Rows) -> Rows:
        """Predict by the best settings."""
        return self.model.predict(X)

    def predict_proba(self, X: Rows) -> Rows:
        """Probabilities of the classes by the best settings."""
        return self.model.predict_proba(X)
