"""The subject of the report: the parts of the bundle."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from kernlearn.bundle import ModelBundle
from kernlearn.inspection._text import plain
from kernlearn.methods.preparation import prepared_name
from kernlearn.report._facts import Facts
from kernlearn.tables.outcome_targets import OUTCOME_TASKS
from kernlearn.typing import Array, PandasFrame, Table, Targets

# More points than these make a picture slower, not clearer.
MOST_POINTS = 300
LONGEST_NAME = 32
NUMBERS = ("regression", "survival", *OUTCOME_TASKS)


@dataclass(frozen=True, eq=False)
class Subject:
    """A bundle as the sections and pictures need it."""

    facts: Facts
    estimator: BaseEstimator
    """The step of the pipeline that learned the kernel."""
    step: BaseEstimator
    """The estimator as it stands in the pipeline, perhaps inside another."""
    points: PandasFrame
    """The sample as that step sees it, perhaps an array; None without one."""
    target: Targets | None
    """Classes as text, or numbers."""
    gram: Array | None
    """The learned kernel on the points."""
    names: list[str]
    """The columns of `points`, fit for an axis."""
    pictures: Collection[str] | None
    """Names of the pictures to draw where they apply; None for all."""
    model: BaseEstimator
    """The whole pipeline, from rows as they come."""
    rows: PandasFrame
    """The sample as it comes; None without one."""

    @property
    def is_regression(self) -> bool:
        """Whether the target is a number, or a time."""
        return self.facts.text("task") in NUMBERS


def read_subject(bundle: ModelBundle, pictures: Collection[str] | None) -> Subject:
    """Take a bundle apart; parts that it lacks are None."""
    facts = Facts(bundle.facts)
    position, step = _learning_step(bundle.pipeline)
    estimator = _unwrapped(step)
    X, target = _sample(bundle, facts.text("task") in NUMBERS)
    points, gram = None, None
    if X is not None:
        before = bundle.pipeline[:position] if position else None
        points = X if before is None else before.transform(X)
        kernel = getattr(estimator, "kernel_", None)
        gram = None if kernel is None else np.asarray(kernel(points))
    names = _names(bundle.pipeline, position, estimator, points)
    scale_names = [entry.text("name") for entry in facts.parts("scale_shares")]
    names = scale_names if len(scale_names) == len(names) else names  # in the user's names
    shown = [plain(name, LONGEST_NAME) for name in names]
    parts = facts, estimator, step, points, target, gram, shown, pictures
    return Subject(*parts, bundle.pipeline, X)


def _learning_step(pipeline: BaseEstimator) -> tuple[int, BaseEstimator]:
    """The last step that has a learned kernel, else the last step, and its place."""
    if not isinstance(pipeline, Pipeline):
        return 0, pipeline
    steps = [step for _, step in pipeline.steps]
    with_kernel = [i for i, step in enumerate(steps) if hasattr(_unwrapped(step), "kernel_")]
    position = with_kernel[-1] if with_kernel else len(steps) - 1
    return position, steps[position]


def _unwrapped(step: BaseEstimator) -> BaseEstimator:
    """The regressor inside a TransformedTargetRegressor, the best of a search."""
    return getattr(step, "regressor_", getattr(step, "best_estimator_", step))


def _sample(bundle: ModelBundle, is_regression: bool) -> tuple[Table | None, Targets | None]:
    X, y = bundle.sample_X, bundle.sample_y
    if X is None or len(X) == 0:
        return None, None
    rows = np.arange(len(X))
    if len(X) > MOST_POINTS:
        rows = np.linspace(0, len(X) - 1, MOST_POINTS).round().astype(int)
    X = X.iloc[rows] if hasattr(X, "iloc") else np.asarray(X)[rows]
    if y is None:
        return X, None
    values = np.asarray(y)[rows]
    if is_regression:
        return X, values.astype(float)
    return X, np.array([str(value) for value in values])


def _names(
    pipeline: Pipeline, position: int, estimator: BaseEstimator, points: Table | None
) -> list[str]:
    """The columns of the learning step, by number if they have no names."""
    columns = getattr(points, "columns", None)
    if columns is not None:
        return list(columns)
    n = np.shape(points)[1] if points is not None else getattr(estimator, "n_features_in_", 0)
    names = list(getattr(estimator, "feature_names_in_", []))
    if position and not names:
        try:
            names = [prepared_name(str(n)) for n in pipeline[:position].get_feature_names_out()]
        except (AttributeError, ValueError):  # a step without names
            names = []
    return names if len(names) == n else [f"column {j + 1}" for j in range(n)]
