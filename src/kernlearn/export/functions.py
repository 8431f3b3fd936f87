"""Fitted models as functions from rows to predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from sklearn.base import BaseEstimator, is_classifier, is_outlier_detector
from sklearn.utils.validation import check_is_fitted

from kernlearn.bundle import ModelBundle
from kernlearn.estimators.held_out.calibration import BEYOND
from kernlearn.estimators.mixture.count_regression import CountModel
from kernlearn.estimators.mixture.mixture import KernelMixture
from kernlearn.estimators.mixture.survival import KernelSurvival
from kernlearn.export.expression import (
    Node,
    as_float,
    as_int,
    constant,
    exp,
    joined,
    larger,
    largest,
    logistic,
    place_of_largest,
    reshaped,
    smaller,
    softmax,
    take,
    total,
    where,
)
from kernlearn.export.kernels import kernel_values
from kernlearn.export.mixture import mixture_values
from kernlearn.export.refusal import refused
from kernlearn.export.tables import FrameTable, NumberTable, RowTable
from kernlearn.export.transformers import transformed
from kernlearn.kernels._validation import is_frame
from kernlearn.quality.grades import BELOW_HALF
from kernlearn.typing import Array, Indices


@dataclass(frozen=True, eq=False)
class PredictiveFunction:
    """Predictions of a model, as expressions of its inputs."""

    title: str  # of the model
    # "prediction" of a regressor, the expected count of exposure one, or the risk; "label" and
    # "probabilities" of a classifier; "label" and "decision" where there are no probabilities.
    outputs: dict[str, Node]
    widths: dict[str, int]  # of outputs that have columns
    classes: Array | None  # in the order of the probabilities

    @property
    def inputs(self) -> list[Node]:
        """Inputs read from rows, in order of appearance."""
        found: dict[bytes, Node] = {}
        keys: set[bytes] = set()

        def visit(node: Node) -> None:
            if node.key in keys:
                return
            keys.add(node.key)
            if node.op == "input":
                found.setdefault(node.key, node)
            for part in (*node.parts, *node.body):
                visit(part)

        for output in self.outputs.values():
            visit(output)
        return list(found.values())


def predictive_function(model: BaseEstimator) -> PredictiveFunction:
    """The function of a fitted estimator, or of a model file of the command line."""
    if isinstance(model, ModelBundle):
        return _bundle_function(model)
    check_is_fitted(model)
    return _predictions(model, _values(model, None))


def _values(model: BaseEstimator, table: RowTable | None) -> Node:
    """Decision values or standardised numbers, of shape (n, k)."""
    if isinstance(model, KernelMixture):
        return mixture_values(model)
    has_points = hasattr(model, "support_vectors_") or hasattr(model, "landmarks_")
    if not has_points or not all(hasattr(model, name) for name in ("kernel_", "intercept_")):
        raise refused(
            f"{type(model).__name__}",
            "export KernelClassifier, KernelRegressor, or an MKL, LSSVM or FirstLevel estimator",
        )
    rows = _input_rows(model) if table is None else table
    if getattr(model, "rank_", None) is not None and hasattr(model, "landmark_coef_"):
        kernels, points, coefs = model.kernel_.kernels, model.landmarks_, model.landmark_coef_
        used = [i for i, coef in enumerate(coefs) if coef.any()] or [0]
        found = [kernel_values(kernels[i], rows, points[i], coefs[i]) for i in used]
        return reduce(Node.__add__, found) + np.asarray(model.intercept_)
    points, coef = model.support_vectors_, model.dual_coef_.T
    return kernel_values(model.kernel_, rows, points, coef) + np.asarray(model.intercept_)


def _input_rows(model: BaseEstimator) -> RowTable:
    """The rows of an estimator of kernels: an array, a data frame, or views side by side."""
    known = [model.support_vectors_] if hasattr(model, "support_vectors_") else model.landmarks_
    points = next((each for each in known if each is not None), None)
    views: Mapping[str, slice] = vars(model).get("views_", {})
    if views:
        return _views_side_by_side(model, views)
    if is_frame(points):
        return FrameTable.from_input([str(name) for name in points.columns])
    if points is None and hasattr(model, "n_features_in_"):  # features alone, without landmarks
        points = np.empty((0, model.n_features_in_))
    if (
        points is None
        or getattr(points, "ndim", 0) != 2
        or getattr(points, "dtype", np.dtype(object)).kind == "O"
    ):
        raise refused(
            f"{type(model).__name__} on rows that are no table",
            "save the model by kernlearn.save",
        )
    if hasattr(model, "feature_names_in_"):
        return FrameTable.from_input([str(name) for name in model.feature_names_in_])
    return NumberTable.from_input("X", points.shape[1])


def _views_side_by_side(model: BaseEstimator, views: Mapping[str, slice]) -> RowTable:
    columns = vars(model).get("_view_columns", {})
    if all(columns.get(name) is not None for name in views):
        tables = [FrameTable.from_input([str(c) for c in columns[name]], name) for name in views]
        names = [each for table in tables for each in table.names]
        places = [each for table in tables for each in table.places]
        return FrameTable(names, places, [None] * len(names))
    parts = [
        NumberTable.from_input(name, place.stop - place.start, (name,)).node
        for name, place in views.items()
    ]
    return NumberTable(joined(parts, 1), max(place.stop for place in views.values()))


def _predictions(model: BaseEstimator, values: Node) -> PredictiveFunction:
    """Values read as classes, as novelties or as numbers."""
    if is_classifier(model):
        return _classes(model, values)
    title = type(model).__name__
    if is_outlier_detector(model):
        decision = reshaped(values, -1)
        labels = np.array([1, -1])
        outputs = {"label": take(constant(labels), as_int(-decision > 0.0)), "decision": decision}
        return PredictiveFunction(title, outputs, {}, labels[::-1])
    number, n_targets = _numbers(model, values)
    if getattr(model, "_flat", True):
        return PredictiveFunction(title, {"prediction": reshaped(number, -1)}, {}, None)
    return PredictiveFunction(title, {"prediction": number}, {"prediction": n_targets}, None)


def _numbers(model: BaseEstimator, values: Node) -> tuple[Node, int]:
    """Predictions that `predict` makes of values, and the number of targets."""
    if not isinstance(model, KernelMixture):
        return values, len(np.atleast_1d(getattr(model, "intercept_", 0.0)))
    counts: CountModel | None = getattr(model, "_counts", None)
    if counts is not None:
        return exp(values + counts.centre), 1
    if model._centre is None:  # log hazards
        return values, 1
    numbers, n_targets = _in_units(values, model._spread, model._centre), len(model._centre)
    if isinstance(model, KernelSurvival):
        return total(numbers, 1, keep=True) * (-1.0 / n_targets), 1
    return numbers, n_targets


def _in_units(values: Node, spread: Array, centre: Array) -> Node:
    """Standardised targets in their units.

    Runtimes of ONNX leave out the addition of a number that is zero in single precision. The centre
    is therefore added before the spread multiplies it; a constant target has no spread.
    """
    varies = spread > 0
    found = (values + np.where(varies, centre / np.where(varies, spread, 1.0), 0.0)) * spread
    return found if varies.all() else found + np.where(varies, 0.0, centre)


def _classes(model: BaseEstimator, values: Node) -> PredictiveFunction:
    """Values read as classes."""
    title = type(model).__name__
    classes = np.asarray(model.classes_)
    if getattr(model, "_has_labels", False):
        raise ValueError(
            f"expected a {title} of one label a row to export, got one of {len(classes)} labels; "
            "fit one model to each label, and export these"
        )
    n_machines = 1 if len(classes) == 2 else len(classes)
    is_one = n_machines == 1
    place = as_int(reshaped(values, -1) > 0.0) if is_one else place_of_largest(values, 1)
    label = take(constant(classes), place)
    calibration = getattr(model, "calibration_", np.array([np.nan]))
    if np.isnan(calibration).any():
        outputs = {"label": label, "decision": values}
        return PredictiveFunction(title, outputs, {"decision": n_machines}, classes)
    limit = float(getattr(model, "_most_certain", np.inf))
    chances = _probabilities(values, calibration, limit, n_machines)
    order: Indices | None = getattr(model, "_order", None)
    if order is not None and calibration[0] > 0.0:
        label = take(constant(classes[order]), _place_of_median(chances, order))
    outputs = {"label": label, "probabilities": chances}
    return PredictiveFunction(title, outputs, {"probabilities": len(classes)}, classes)


def _place_of_median(chances: Node, order: Indices) -> Node:
    """Index of the median grade, as in :func:`kernlearn.quality.grades.middle_grades`."""
    ranks = np.argsort(order)
    is_below = (ranks[:, None] <= np.arange(len(order) - 1)).astype(float)
    return as_int(total(as_float(-(chances @ is_below) > -BELOW_HALF), 1))


def _probabilities(values: Node, calibration: Array, limit: float, n_machines: int) -> Node:
    """Probabilities as in :func:`kernlearn.estimators.held_out.calibration.probabilities`."""
    slope, offset = map(float, calibration)
    if n_machines > 1:
        shifted = (values - largest(values, 1, keep=True)) * slope
        return softmax(larger(shifted, -limit) if np.isfinite(limit) else shifted)
    odds = values * slope + offset
    if np.isfinite(limit):
        odds = smaller(larger(odds, -limit), limit)
    p = logistic(odds)
    p = where(values > 0.0, larger(p, 0.5 + BEYOND), smaller(p, 0.5 - BEYOND))
    return joined([p * -1.0 + 1.0, p], 1)


def _bundle_function(bundle: ModelBundle) -> PredictiveFunction:
    """A model file of the command line: typed columns in, labels by the threshold of costs."""
    *before, (_, last) = bundle.pipeline.steps
    table: RowTable | None = None
    if before:
        table = FrameTable.from_input([str(name) for name in bundle.sample_X.columns])
        for _, step in before:
            table = transformed(step, table)
    check_is_fitted(last)
    function = _predictions(last, _values(last, table))
    threshold = bundle.facts.get("threshold")
    if not threshold:
        return function
    positive = take(function.outputs["probabilities"], np.array([1]), axis=1)
    is_below = reshaped(positive, -1) * -1.0 + float(threshold["value"]) > 0.0
    assert function.classes is not None
    label = take(constant(function.classes[::-1]), as_int(is_below))
    return replace(function, outputs={**function.outputs, "label": label})
