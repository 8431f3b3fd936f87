"""Costs of mistakes, and the decision threshold that minimises them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kernlearn.estimators.held_out.standard_errors import clustered_error
from kernlearn.methods.details import metric_values
from kernlearn.methods.errors import MethodError
from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.typing import Array, Json, Targets

NAMES = ("FALSE_POSITIVE", "FALSE_NEGATIVE")
# Folds of the held-out rows: on each fold, the threshold of the other folds is judged.
PARTS = 5


@dataclass(frozen=True)
class Costs:
    """The costs of the two kinds of mistakes; the second class in order is the positive one."""

    false_positive: float
    false_negative: float

    @property
    def threshold(self) -> float:
        """The probability of the positive class at which both predictions cost the same."""
        return self.false_positive / (self.false_positive + self.false_negative)

    def of_rows(self, y: Targets, is_positive: NDArray[np.bool_]) -> Array:
        """Cost of each row."""
        false_positive = self.false_positive * ((y == 0) & is_positive)
        return np.asarray(false_positive + self.false_negative * ((y == 1) & ~is_positive))

    def best_threshold(self, p: Array, y: Targets) -> float:
        """The threshold with the least cost on some rows.

        Ties go to the threshold nearest to `threshold`, the optimum for calibrated probabilities.

        >>> Costs(1.0, 1.0).best_threshold(np.array([0.1, 0.3, 0.4, 0.9]), np.array([0, 0, 1, 1]))
        0.4
        """
        order = np.argsort(p, kind="stable")
        ends = np.concatenate([[0.0], np.unique(p), [np.nextafter(1.0, 2.0)]])
        # Below each end: rows of the positive class that would be missed, and of the other.
        places = np.searchsorted(p[order], ends[1:], side="left")
        missed = np.concatenate([[0], np.cumsum(y[order] == 1)])[places]
        spared = np.concatenate([[0], np.cumsum(y[order] == 0)])[places]
        cost = self.false_negative * missed + self.false_positive * ((y == 0).sum() - spared)
        # All thresholds above one end and up to the next cost the same.
        nearest = np.clip(self.threshold, np.nextafter(ends[:-1], 2.0), ends[1:])
        away = np.where(cost == cost.min(), np.abs(nearest - self.threshold), np.inf)
        return float(nearest[int(np.argmin(away))])


def read_costs(texts: Sequence[str] | None) -> Costs | None:
    """Costs as they are typed, FALSE_POSITIVE=1 and FALSE_NEGATIVE=5.

    >>> read_costs(["FALSE_NEGATIVE=5", "FALSE_POSITIVE=1"])
    Costs(false_positive=1.0, false_negative=5.0)
    """
    if not texts:
        return None
    found: dict[str, float] = {}
    for text in texts:
        name, _, number = text.partition("=")
        try:
            found[name.strip().upper()] = float(number)
        except ValueError:
            found[name.strip().upper()] = math.nan
    is_right = set(found) == set(NAMES) and all(0 < cost < math.inf for cost in found.values())
    if not is_right:
        raise MethodError(
            f"expected --cost {NAMES[0]}=1 {NAMES[1]}=5, with costs above zero, got "
            f"{' '.join(texts)}; name both"
        )
    return Costs(found[NAMES[0]], found[NAMES[1]])


def check_two_classes(classes: Sequence[object] | None) -> None:
    """Refuse costs for numbers, and for more than two classes."""
    n = 0 if classes is None else len(classes)
    if n != 2:
        got = "numbers" if classes is None else f"{n} classes"
        raise MethodError(
            f"--cost expected a target of two classes, got {got}; leave it out, or use "
            "--class-weight for several classes"
        )


def with_threshold(held_out: HeldOutPredictions, threshold: float) -> HeldOutPredictions:
    """The predictions that a threshold makes of the probabilities."""
    if held_out.proba is None:
        raise MethodError(
            "--cost needs probabilities, which this method does not have; choose another --method, "
            "such as kernel, or leave --cost out"
        )
    return replace(held_out, predicted=(held_out.proba[:, 1] >= threshold).astype(int))


def cost_of(costs: Costs, held_out: HeldOutPredictions) -> Json:
    """The mean cost of a row, with a 95 % interval."""
    rows = costs.of_rows(held_out.y, held_out.predicted == 1)
    half = 1.96 * clustered_error(rows, held_out.units()) if len(rows) > 1 else 0.0
    mean = float(rows.mean())
    return {"value": mean, "low": max(0.0, mean - half), "high": mean + half}


def threshold_facts(
    costs: Costs, held_out: HeldOutPredictions, labels: Sequence[str], n_train: int
) -> Json:
    """The threshold chosen on all held-out rows, and its cost by cross-validation on them.

    JSON values: ``value``, ``positive`` (the class), ``false_positive``, ``false_negative``,
    ``cost`` (of a row: ``value``, ``low`` and ``high``), ``usual_cost`` (of the predictions without
    a threshold), ``metrics`` (the usual scores at the threshold) and ``sentence``.
    """
    usual = cost_of(costs, held_out)
    y, p = held_out.y, with_threshold(held_out, 0.5).proba[:, 1]  # type: ignore[index]
    value = costs.best_threshold(p, y)
    unit = np.arange(len(y)) if held_out.unit is None else held_out.unit
    part = np.unique(unit, return_inverse=True)[1].reshape(-1) % PARTS
    apart = np.zeros(len(y), dtype=int)
    for number in range(PARTS):
        test = part == number
        other = costs.best_threshold(p[~test], y[~test]) if (~test).any() else costs.threshold
        apart[test] = p[test] >= other
    cost = cost_of(costs, replace(held_out, predicted=apart))
    positive = labels[1]
    found: Json = {
        "value": value,
        "positive": positive,
        "false_positive": costs.false_positive,
        "false_negative": costs.false_negative,
        "cost": cost,
        "usual_cost": usual,
        "metrics": metric_values(with_threshold(held_out, value), n_train),
    }
    return {**found, "sentence": _sentence(found)}


def given_threshold(costs: Costs, labels: Sequence[str]) -> Json:
    """The threshold that follows from the costs alone, without held-out rows."""
    found: Json = {
        "value": costs.threshold,
        "positive": labels[1],
        "false_positive": costs.false_positive,
        "false_negative": costs.false_negative,
        "cost": None,
        "usual_cost": None,
        "metrics": [],
    }
    return {**found, "sentence": _sentence(found)}


def _sentence(found: Json) -> str:
    positive, value = found["positive"], found["value"]
    words = (
        f"{positive!r} is predicted from a probability of {value:.3g} on, since a false "
        f"{positive!r} costs {found['false_positive']:g} and a missed one "
        f"{found['false_negative']:g}"
    )
    if found["cost"] is None:
        return f"{words}."
    cost = found["cost"]
    half = (cost["high"] - cost["low"]) / 2
    return (
        f"{words}. A row then costs {cost['value']:.3g} ± {half:.2g} on held-out rows that did not "
        f"choose the threshold, and {found['usual_cost']['value']:.3g} without it."
    )
