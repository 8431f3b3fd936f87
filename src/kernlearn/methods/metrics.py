"""Metrics of models: scikit-learn's scorers, on predictions that were kept."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.metrics import get_scorer, get_scorer_names

from kernlearn.methods.errors import MethodError
from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.outcomes import (
    DEVIANCE,
    EXPLAINED,
    FIRST,
    LEAST_R2,
    MEAN_R2,
    NDCG,
    OUTCOME_METRICS,
    PAIRS,
    check_outcome_metric,
    default_metric,
    outcome_row_values,
    outcome_score,
    outcome_task,
)
from kernlearn.methods.survival import (
    BRIER,
    CONCORDANCE,
    SURVIVAL_METRICS,
    UNO,
    integrated_brier,
    survival_score,
)
from kernlearn.numerics.rounding import standard_deviation
from kernlearn.quality.kappa import weighted_kappa_of
from kernlearn.survival import survival_outcome
from kernlearn.tables.survival_target import SURVIVAL
from kernlearn.typing import Array, Mask, Targets

DEFAULTS = {
    "classification": "accuracy",
    "regression": "r2",
    "survival": CONCORDANCE,
    **{task: names[0] for task, names in OUTCOME_METRICS.items()},
}
# Metrics that need ``predict`` alone.
USUAL = ("accuracy", "r2", CONCORDANCE)
TITLES = {
    "r2": "R²",
    "roc_auc": "ROC AUC",
    "roc_auc_ovr": "ROC AUC",
    "neg_root_mean_squared_error": "RMSE",
    "neg_mean_absolute_error": "MAE",
    "quadratic_weighted_kappa": "weighted kappa",
    UNO: "Uno's concordance",
    BRIER: "integrated Brier score",
    DEVIANCE: "Poisson deviance",
    EXPLAINED: "D²",
    MEAN_R2: "mean R²",
    LEAST_R2: "least R²",
    NDCG: "NDCG",
    PAIRS: "share of pairs in order",
    FIRST: "share of groups whose first row is best",
}
NEGATIVE = "neg_"
LOG_LOSS = "neg_log_loss"
# A metric of ordered grades, which is no scorer of scikit-learn.
KAPPA = "quadratic_weighted_kappa"
# Metrics between 0 and 1.
SHARES = (
    "accuracy",
    "balanced_accuracy",
    "roc_auc",
    "average_precision",
    "f1",
    "precision",
    "recall",
    "jaccard",
    "top_k",
    CONCORDANCE,
    UNO,
    NDCG,
    PAIRS,
    FIRST,
)
# Metrics of the order of rows, which is undefined between rows of different models.
RANKING = ("roc_auc", "average_precision", CONCORDANCE, UNO)
# Metrics of the second of two classes alone.
OF_ONE_CLASS = ("f1", "precision", "recall", "jaccard", "average_precision")


@dataclass(frozen=True)
class Metric:
    """A metric by the name of a scorer of scikit-learn."""

    name: str
    ranks: tuple[int, ...] = ()
    """Ranks of the classes, by code; given only for grades."""

    @cached_property
    def scorer(self) -> Any:
        """The scorer of scikit-learn."""
        return get_scorer(self.name)

    @property
    def greater_is_better(self) -> bool:
        """Whether greater values are better, unlike for errors."""
        return not self.name.startswith(NEGATIVE)

    @property
    def ends(self) -> tuple[float, float]:
        """The range of the metric.

        >>> Metric("roc_auc").ends, Metric("r2").ends, Metric("neg_log_loss").ends
        ((0.0, 1.0), (-inf, 1.0), (0.0, inf))
        """
        if not self.greater_is_better:
            return 0.0, math.inf
        if self.name in ("r2", "explained_variance", EXPLAINED, MEAN_R2, LEAST_R2):
            return -math.inf, 1.0
        if self.name == KAPPA:
            return -1.0, 1.0
        is_share = self.name.startswith(SHARES)
        return (0.0, 1.0) if is_share else (-math.inf, math.inf)

    @property
    def title(self) -> str:
        """The name in reports: errors as they are, without scikit-learn's minus.

        >>> Metric("neg_median_absolute_error").title, Metric("r2").title
        ('median absolute error', 'R²')
        """
        words = self.name.removeprefix(NEGATIVE).replace("_", " ")
        return TITLES.get(self.name, words)

    def value(self, held_out: HeldOutPredictions) -> float | None:
        """The metric on rows; None if the rows or the predictions give no value.

        Rows are ranked within folds, and the mean is over those folds that have both kinds of rows.
        """
        if not self.name.startswith(RANKING):
            return self._of_one(held_out)
        found = [(self._of_one(part), len(part)) for part in held_out.by_fold()]
        known = [(value, n) for value, n in found if value is not None]
        if not known:
            return None
        values, sizes = zip(*known, strict=True)
        return float(np.average(values, weights=sizes))

    def _of_one(self, held_out: HeldOutPredictions) -> float | None:
        if outcome_task(held_out.y) is not None:
            value = (
                outcome_score(self.name, held_out.y, held_out.predicted) if len(held_out) else None
            )
            return value if value is not None and math.isfinite(value) else None
        # The scorers' values in a fiftieth of their time, also if rows lack some classes.
        rows = self.row_values(held_out) if self.name != "r2" and len(held_out) else None
        if rows is not None:
            mean = abs(float(rows.mean()))
            return mean if math.isfinite(mean) else None
        if self.name == KAPPA:
            kappa = weighted_kappa_of(
                *(np.array(self.ranks)[c] for c in (held_out.y, held_out.predicted))
            )
            return kappa if math.isfinite(kappa) else None
        if held_out.survival is not None:
            return self._of_times(held_out, held_out.survival)
        if self.name == "roc_auc" and held_out.n_classes == 2:
            return _area_of_two(held_out)
        if self.name == "roc_auc_ovr":
            return _mean_area(held_out.of_classes_present())
        if self.name == "balanced_accuracy" and held_out.n_classes:
            return _mean_recall(held_out)
        for some in (held_out, held_out.of_classes_present()):
            try:
                return self.computed(some)
            except AttributeError:  # a model without probabilities or decision values
                return None
            except ValueError:  # some metrics want a row of every class
                continue
        return None

    def _of_times(self, held_out: HeldOutPredictions, survival: Array) -> float | None:
        if len(held_out) == 0 or self.name not in SURVIVAL_METRICS:
            return None
        times = np.array(held_out.times)
        return survival_score(self.name, held_out.y, held_out.predicted, survival, times)

    def remarks(self, held_out: HeldOutPredictions, labels: Sequence[str]) -> list[str]:
        """Remarks on the metric: the class that it judges, or why it has no value."""
        if self.value(held_out) is None:
            return [f"there is no {self.title}: {self._missing_value_reason(held_out)}"]
        if self.name in OF_ONE_CLASS:
            return [f"{self.title} is that of the class {labels[1]!r}, the second in order"]
        return []

    def _missing_value_reason(self, held_out: HeldOutPredictions) -> str:
        if self._of_one(held_out) is not None:
            return "no fold has rows of both classes; ask for fewer folds, or for another --metric"
        if held_out.n_classes and held_out.proba is None:
            return (
                "it asks for probabilities or decision values, which this method does not have; "
                "choose another method, or another --metric"
            )
        return "these rows are too few, or of one kind; hold out more, or choose another --metric"

    def computed(self, held_out: HeldOutPredictions) -> float | None:
        """The metric as scikit-learn computes it, errors and all; None for NaN."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = float(self.scorer(held_out.estimator, np.arange(len(held_out)), held_out.y))
        if not math.isfinite(value):
            return None
        return value if self.greater_is_better else -value

    def row_values(self, held_out: HeldOutPredictions) -> Array | None:
        """Contribution of each row to a score that is a mean over rows; None for other metrics.

        More is better. R² is in units of the spread of all rows.
        """
        if outcome_task(held_out.y) is not None:
            return outcome_row_values(self.name, held_out.y, held_out.predicted)
        if self.name == "accuracy" and held_out.survival is None:
            return np.asarray((held_out.y == held_out.predicted) * 1.0)
        if held_out.survival is not None:
            return -brier_of_rows(held_out) if self.name == BRIER else None
        if self.name == LOG_LOSS and held_out.proba is not None:
            own = held_out.proba[np.arange(len(held_out)), held_out.y]
            return np.asarray(np.log(np.maximum(own, np.finfo(float).eps)))
        if held_out.n_classes:
            return None
        errors = held_out.y - held_out.predicted
        if self.name == "neg_mean_absolute_error":
            return np.asarray(-np.abs(errors))
        if self.name not in ("r2", "neg_mean_squared_error"):
            return None
        unit = float(standard_deviation(held_out.y)) ** 2 if self.name == "r2" else 1.0
        return np.asarray(-(errors**2) / unit) if unit > 0.0 else None

    def goodness(self, held_out: HeldOutPredictions) -> float:
        """The metric, signed so that greater is better; a missing value is the worst."""
        value = self.value(held_out)
        if value is None:
            return -math.inf
        return value if self.greater_is_better else -value


def brier_of_rows(held_out: HeldOutPredictions) -> Array:
    """The integrated Brier scores of rows with a time to an event."""
    assert held_out.survival is not None
    return integrated_brier(
        survival_outcome(held_out.y), held_out.survival, np.array(held_out.times)
    )


def _area(values: Array, is_class: Mask) -> float | None:
    """The area under the ROC curve of a class: the share of pairs in the right order."""
    n, n_rest = int(is_class.sum()), int((~is_class).sum())
    if n == 0 or n_rest == 0:
        return None
    above = float(rankdata(values)[is_class].sum()) - n * (n + 1) / 2
    return above / (n * n_rest)


def _area_of_two(held_out: HeldOutPredictions) -> float | None:
    values = (
        held_out.proba[:, 1]
        if held_out.decision is None and held_out.proba is not None
        else held_out.decision
    )
    return None if values is None else _area(values, held_out.y == 1)


def _mean_area(held_out: HeldOutPredictions) -> float | None:
    """Mean ROC AUC of the classes against the rest; for two classes, that of the second."""
    if held_out.proba is None:
        return None
    classes = [1] if held_out.n_classes == 2 else range(held_out.n_classes)
    areas = [_area(held_out.proba[:, label], held_out.y == label) for label in classes]
    known = [area for area in areas if area is not None]
    return float(np.mean(known)) if len(known) == len(areas) > 0 else None


def _mean_recall(held_out: HeldOutPredictions) -> float | None:
    right = held_out.y == held_out.predicted
    recalls = [float(right[held_out.y == label].mean()) for label in np.unique(held_out.y)]
    return float(np.mean(recalls)) if recalls else None


def find_metric(
    name: str | None,
    task: str,
    y: Targets,
    classes: Targets | None,
    ranks: tuple[int, ...] = (),
) -> Metric:
    """The metric of a name, if it can judge the targets; by default that of the task.

    `ranks` of the classes are given only for grades.
    """
    metric = Metric(name or default_metric(y) or DEFAULTS[task])
    if outcome_task(y) is not None:
        check_outcome_metric(metric.name, y)
        return metric
    if task == SURVIVAL:
        return _known_metric(metric)
    if metric.name == KAPPA:
        return Metric(KAPPA, ranks or _ranks_of_numbers(classes))
    known = get_scorer_names()
    if metric.name not in known:
        close = get_close_matches(metric.name, known, 3, 0.5)
        hint = f"did you mean {', '.join(close)}?" if close else "accuracy, roc_auc and r2 are some"
        raise MethodError(
            f"expected --metric to be the name of a scorer of scikit-learn, got {metric.name!r}; "
            f"{hint}"
        )
    try:
        value = metric.computed(_guess(y, classes))
    except (ValueError, TypeError) as error:
        reason = str(error).partition("\n")[0].rstrip(". ")
        raise _unsuitable_metric(metric, classes, reason) from error
    except AttributeError as error:
        raise _unsuitable_metric(metric, classes, "it judges classes") from error
    if value is None:
        raise _unsuitable_metric(metric, classes, "it has no value there")
    if classes is not None and _judges_numbers(metric):
        raise _unsuitable_metric(metric, classes, "it judges numbers")
    return metric


def _known_metric(metric: Metric) -> Metric:
    """Check a metric of times to an event, which no scorer of scikit-learn judges."""
    if metric.name not in SURVIVAL_METRICS:
        raise MethodError(
            f"expected --metric to judge times to an event, got {metric.name!r}; try "
            f"{_listed(SURVIVAL_METRICS)}"
        )
    return metric


def _ranks_of_numbers(classes: Targets | None) -> tuple[int, ...]:
    """The order of classes that are whole numbers."""
    if classes is None or classes.dtype.kind not in "iuf":
        found = "numbers" if classes is None else "classes without an order"
        raise MethodError(
            f"expected ordered grades for --metric {KAPPA}, got {found}; name the grades from the "
            "lowest to the highest by --ordinal"
        )
    return tuple(range(len(classes)))


def _judges_numbers(metric: Metric) -> bool:
    numbers = np.linspace(0.1, 0.9, 7)
    try:
        return metric.computed(HeldOutPredictions(numbers, numbers[::-1], 0)) is not None
    except (ValueError, TypeError, AttributeError):
        return False


def _guess(y: Targets, classes: Targets | None) -> HeldOutPredictions:
    """Placeholder predictions, with every output that a metric may need."""
    if classes is None:
        return HeldOutPredictions(y, np.full(len(y), float(np.mean(y))), 0)
    codes = np.searchsorted(classes, y)
    k = len(classes)
    proba = np.full((len(y), k), 1.0 / k)
    decision = np.zeros(len(y)) if k == 2 else proba
    return HeldOutPredictions(codes, codes, k, decision, proba)


def _unsuitable_metric(metric: Metric, classes: Targets | None, reason: str) -> MethodError:
    if classes is None:
        what, some = "numbers", ["r2", "neg_root_mean_squared_error", "neg_mean_absolute_error"]
    elif len(classes) == 2:
        what, some = "two classes", ["accuracy", "balanced_accuracy", "roc_auc", "f1"]
    else:
        what = f"{len(classes)} classes"
        some = ["accuracy", "balanced_accuracy", "roc_auc_ovr", "f1_macro"]
    return MethodError(
        f"expected --metric to judge {what}, got {metric.name!r} ({reason}); try {_listed(some)}"
    )


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"
