"""Thresholds by the costs of mistakes."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.methods.costs import Costs, check_two_classes, threshold_facts
from kernlearn.methods.errors import MethodError
from kernlearn.methods.held_out import HeldOutPredictions


def drawn(n, seed=0, bend=1.0):
    """Probabilities, bent by a power of their odds, and what came true."""
    random = np.random.default_rng(seed)
    p = random.random(n).round(2)
    odds = (p / (1 - p + 1e-9)) ** bend
    return odds / (1 + odds), (random.random(n) < p).astype(int)


def said(p, y, **more):
    return HeldOutPredictions(
        y, (p >= 0.5).astype(int), 2, None, np.column_stack([1 - p, p]), **more
    )


@pytest.mark.parametrize("costs", [Costs(1.0, 5.0), Costs(7.0, 2.0), Costs(1.0, 1e9)])
@pytest.mark.parametrize("seed", range(3))
def test_no_other_threshold_costs_less(costs, seed):
    p, y = drawn(40, seed)
    best = costs.best_threshold(p, y)
    every = np.concatenate([[0.0, 1.0, 1.1], p, p + 1e-9])
    totals = [costs.of_rows(y, p >= t).sum() for t in every]
    assert costs.of_rows(y, p >= best).sum() == min(totals)
    free = np.array([costs.threshold]), np.array([], dtype=int)
    assert costs.best_threshold(free[0][:0], free[1]) == costs.threshold


def test_probabilities_that_are_wrong_have_another_threshold():
    costs = Costs(1.0, 4.0)
    p, y = drawn(4000, bend=2.0)  # too close to 0 and 1: the odds of 1/4 are told as 1/16
    found = threshold_facts(costs, said(p, y), ["no", "yes"], 1000)
    assert found["value"] == pytest.approx(1 / 17, abs=0.03)
    at = costs.of_rows(y, p >= 1 / 17).mean()
    assert found["cost"]["value"] == pytest.approx(at, rel=0.05)
    assert found["cost"]["low"] < at < found["cost"]["high"]
    assert found["usual_cost"]["value"] == pytest.approx(costs.of_rows(y, p >= 0.5).mean())
    accuracy = {m["metric"]: m["value"] for m in found["metrics"]}["accuracy"]
    assert accuracy == np.mean((p >= found["value"]) == y)
    assert "'yes' is predicted from a probability of 0.0" in found["sentence"]
    assert "a missed one 4. A row then costs 0." in found["sentence"]


def test_rows_of_a_unit_choose_no_threshold_for_each_other():
    """With one unit of many equal rows, its cost is that of the threshold of the others."""
    p = np.repeat([0.2, 0.4, 0.6, 0.8, 0.9], 10)
    y = np.repeat([0, 1, 1, 0, 1], 10)
    unit = np.repeat(np.arange(5), 10)
    costs = Costs(1.0, 1.0)
    apart = threshold_facts(costs, said(p, y, unit=unit), ["a", "b"], 10)
    expected = [
        costs.of_rows(
            y[unit == u], p[unit == u] >= costs.best_threshold(p[unit != u], y[unit != u])
        )
        for u in range(5)
    ]
    assert apart["cost"]["value"] == np.mean(expected)


def test_wrong_targets_get_a_sentence():
    for classes, told in ((None, "numbers"), ([1, 2, 3], "3 classes")):
        with pytest.raises(MethodError, match=f"expected a target of two classes, got {told}"):
            check_two_classes(classes)
    with pytest.raises(MethodError, match="needs probabilities"):
        threshold_facts(
            Costs(1.0, 1.0), HeldOutPredictions(*[np.zeros(3, int)] * 2, 2), ["a", "b"], 3
        )
