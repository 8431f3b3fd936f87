"""Held-out predictions of a model, kept for any metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from kernlearn.estimators.held_out.calibration import probabilities
from kernlearn.estimators.held_out.one_against_rest import OneAgainstRest
from kernlearn.estimators.held_out.scoring import HeldOutLabels, HeldOutNumbers
from kernlearn.methods.outcomes import outcome_task, predicted_outcomes
from kernlearn.methods.survival import has_events, risk_and_survival
from kernlearn.tables.outcome_targets import RANKING
from kernlearn.typing import Array, Indices, Json, PandasFrame, Targets

# Coverage of the intervals that are checked on held-out rows.
COVERAGE = 0.9
_BY_ROW = ("y", "predicted", "decision", "proba", "interval", "survival", "unit")


@dataclass(frozen=True, eq=False)
class HeldOutPredictions:
    """Targets of held-out rows, and the predictions of one model.

    Classes are codes, 0 for the first in order: of two classes the second is the positive one, as
    scikit-learn's metrics have it.
    """

    y: Targets
    predicted: Targets
    """Classes by code, numbers, of shape (n, k) for several outcomes, counts, risks or ranks."""
    n_classes: int
    """Zero for all other targets."""
    decision: Array | None = None
    """Decision values, of shape (n,) or (n, n_classes)."""
    proba: Array | None = None
    interval: Array | None = None
    """Ends of intervals that are to hold a share of `COVERAGE`; the last axis has length 2."""
    survival: Array | None = None
    """Probabilities to be free of the event after `times`, of shape (n, k)."""
    times: tuple[float, ...] = ()
    fold: Indices | None = None
    """Number of the model that predicted a row; None if there was one model."""
    unit: Indices | None = None
    """The unit of each row, such as its patient; None if rows are independent."""

    @classmethod
    def of(
        cls,
        model: Pipeline,
        X: PandasFrame,
        y: Targets,
        classes: Targets | None,
        unit: Indices | None = None,
        has_interval: bool = True,
    ) -> HeldOutPredictions:
        """Predict by a fitted pipeline; `classes` are those of the whole table, None for numbers.

        For times to an event, `classes` are the times at which survival is predicted. No metric
        needs intervals, which may take ten times as long as predictions.
        """
        if classes is not None and has_events(y):
            risk, survival = risk_and_survival(model, X, classes)
            times = tuple(classes.tolist())
            return cls(y, risk, 0, survival=survival, times=times, unit=unit)
        if outcome_task(y) is not None:
            coverage = COVERAGE if has_interval else None
            found, interval = predicted_outcomes(model, X, y, coverage)
            return cls(y, found, 0, interval=interval, unit=unit)
        if classes is None:
            predicted = np.asarray(model.predict(X), dtype=float)
            interval = _interval(model, X) if has_interval else None
            return cls(y, predicted, 0, interval=interval, unit=unit)
        known = np.searchsorted(classes, model.classes_)
        decision, proba, predicted = _outputs(model, X)
        return cls(
            np.searchsorted(classes, y),
            np.searchsorted(classes, predicted),
            len(classes),
            _of_all_classes(decision, known, len(classes)),
            _of_all_classes(proba, known, len(classes), 0.0),
            unit=unit,
        )

    @classmethod
    def joined(cls, parts: Sequence[HeldOutPredictions]) -> HeldOutPredictions:
        """Predictions of several folds; an array that one fold lacks is None in the result."""
        if len(parts) == 1:
            return parts[0]
        stacked: Json = {}
        for name in _BY_ROW:
            values = [getattr(part, name) for part in parts]
            stacked[name] = None if any(v is None for v in values) else np.concatenate(values)
        fold = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        if outcome_task(stacked["y"]) == RANKING:  # two models have no common scale of scores
            both = np.column_stack([fold, stacked["y"]["group"]])
            stacked["y"]["group"] = np.unique(both, axis=0, return_inverse=True)[1].reshape(-1)
        return cls(n_classes=parts[0].n_classes, times=parts[0].times, fold=fold, **stacked)

    def by_fold(self) -> list[HeldOutPredictions]:
        """Predictions split by model, since two models have no common scale to rank rows by."""
        if self.fold is None:
            return [self]
        return [self.rows(np.flatnonzero(self.fold == fold)) for fold in np.unique(self.fold)]

    def unit_rows(self) -> list[Indices] | None:
        """The rows of every unit; None if each row is a unit."""
        if self.unit is None:
            return None
        order = np.argsort(self.unit, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(self.unit[order])) + 1)
        return None if len(parts) == len(order) else parts

    def units(self) -> list[Indices]:
        """The rows of every unit; without units, each row is one."""
        return self.unit_rows() or [np.array([row]) for row in range(len(self))]

    def rows(self, places: Indices) -> HeldOutPredictions:
        """Some of the rows, perhaps several times."""
        arrays: Json = {n: v[places] for n, v in vars(self).items() if isinstance(v, np.ndarray)}
        return replace(self, **arrays)

    def of_classes_present(self) -> HeldOutPredictions:
        """Predictions restricted to the classes that have rows; two classes stay as they are."""
        present = np.unique(self.y)
        if self.n_classes <= 2 or not 1 < len(present) < self.n_classes or self.proba is None:
            return self
        proba = self.proba[:, present] + np.finfo(float).tiny
        proba /= proba.sum(axis=1, keepdims=True)
        places = np.searchsorted(present, self.y)
        decision = None
        if len(present) == 2:
            decision = proba[:, 1] - proba[:, 0]
        return HeldOutPredictions(places, proba.argmax(axis=1), len(present), decision, proba)

    def __len__(self) -> int:
        return len(self.y)

    @property
    def estimator(self) -> BaseEstimator:
        """An estimator for scikit-learn's scorers that returns the predictions of row numbers."""
        if self.n_classes == 0:
            return HeldOutNumbers(self.predicted)
        classes = np.arange(self.n_classes)
        return HeldOutLabels(classes, self.predicted, self.decision, self.proba)


def _outputs(model: Pipeline, X: PandasFrame) -> tuple[Array | None, Array | None, Targets]:
    """Decision values, probabilities and labels; None for those that a model lacks."""
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    if isinstance(last, OneAgainstRest):
        # All three follow from the decision values, which take the time.
        values = model.decision_function(X)
        table = values.reshape(len(values), -1)
        sure = not np.isnan(last.calibration_).any()
        proba = probabilities(table, last.calibration_) if sure else None
        return values, proba, last._labels(table)
    if len(getattr(model, "steps", ())) > 1:  # prepared once, not for each of the three
        model, X = last, model[:-1].transform(X)
    decision = model.decision_function(X) if hasattr(model, "decision_function") else None
    proba = model.predict_proba(X) if hasattr(model, "predict_proba") else None
    if isinstance(last, SVC) and decision is not None and decision.ndim == 1:
        # With two classes the labels follow, too: support vectors are evaluated once, not twice.
        return decision, proba, last.classes_[(decision > 0).astype(int)]
    return decision, proba, model.predict(X)


def _of_all_classes(
    values: Array | None, known: Indices, n_classes: int, missing: float | None = None
) -> Array | None:
    """One column for every class of the table, including classes that the model never saw."""
    if values is None:
        return None
    found: Array = np.asarray(values, dtype=float)
    if found.ndim == 1:
        return found if n_classes == 2 else None
    if len(known) == n_classes:
        return found
    full = np.full((len(found), n_classes), found.min() if missing is None else missing)
    full[:, known] = found
    return full


def _interval(model: Pipeline, X: PandasFrame) -> Array | None:
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    if not hasattr(last, "predict_interval"):
        return None
    prepared = model[:-1].transform(X) if len(model.steps) > 1 else X
    ends: Array = np.asarray(last.predict_interval(prepared, COVERAGE), dtype=float)
    return ends if np.isfinite(ends).all() else None
