"""Constraints on weights: their rows, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.constraints import AtLeast, AtMost, Group, Linear, Order, Tie
from kernlearn.families.constraints import check_constraints
from kernlearn.families.weight_limits import WeightLimits, interior, smallest_over_shares

NAMES = ["genes", None, "genes", "note"]


@pytest.mark.parametrize(
    ("constraint", "matrix", "lower", "upper"),
    [
        (AtMost("genes", 0.3), [[1, 0, 0, 0], [0, 0, 1, 0]], [-np.inf] * 2, [0.3] * 2),
        (AtLeast([1, "note"], 0.1), [[0, 1, 0, 0], [0, 0, 0, 1]], [0.1] * 2, [np.inf] * 2),
        (Group("genes", at_most=0.5), [[1, 0, 1, 0]], [-np.inf], [0.5]),
        (Tie([3, 0, 1]), [[-1, 0, 0, 1], [1, -1, 0, 0]], [0, 0], [0, 0]),
        (Order([1, 0]), [[-1, 1, 0, 0]], [0], [np.inf]),
        (Linear([1, 2, 3, 4], 5.0, 4.0), [[1, 2, 3, 4]], [4], [5]),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, kl.constraints.Constraint) else "",
)
def test_rows_are_those_of_the_definition(constraint, matrix, lower, upper):
    rows = constraint.rows(NAMES)
    np.testing.assert_array_equal(rows.matrix, matrix)
    np.testing.assert_array_equal(rows.lower, lower)
    np.testing.assert_array_equal(rows.upper, upper)


@pytest.mark.parametrize("of", ["shares", "weights"])
def test_limits_are_rows_of_a_cone(of):
    r, c = np.array([1.0, 2.0, 4.0]), 3.0
    given = check_constraints([Linear([1.0, -1.0, 2.0], 0.7, of=of), Tie([0, 2], of)], [None] * 3)
    limits = WeightLimits.of(given, r, c)
    w = np.array([0.2, 0.6, 0.4])  # r @ w == 3
    v = w * r / c if of == "shares" else w
    np.testing.assert_allclose(limits.rows @ w, [c * (0.7 - v @ [1, -1, 2]), c * (v[2] - v[0])])
    np.testing.assert_array_equal(limits.is_tie, [False, True])


def test_a_linear_minimum_has_its_multipliers():
    given = check_constraints([AtMost(0, 0.25), AtMost(1, 0.5), Order([1, 2])], [None] * 3)
    limits = WeightLimits.of(given, np.ones(3), 1.0)
    g = np.array([1.0, 2.0, 4.0])
    found = smallest_over_shares(g, limits)
    np.testing.assert_allclose(found.shares, [0.25, 0.5, 0.25])
    assert (found.multipliers >= 0).all()
    # Duality: the least corner of the shifted slope is the minimum itself.
    assert (g - found.multipliers @ limits.rows).min() == pytest.approx(g @ found.shares)


def test_weights_that_cancel_are_moved_within_their_limits():
    """Shares of ±1e5, one of which is to be a half, and is less by 1e-6 of the total."""
    normaliser = np.array([1.0, 2.0, 4.0])
    limits = WeightLimits.of(
        [(each, each.rows([None] * 3)) for each in [AtLeast(0, 0.5)]], normaliser, 1.0
    )
    weights = np.array([0.5 - 1e-6, 1e5, (0.5 + 1e-6 - 2e5) / 4.0])
    inner = np.array([0.8, 0.05, 0.025])
    moved = limits.moved_within(weights, inner, normaliser)
    assert moved[0] >= 0.5 - 1e-9
    np.testing.assert_allclose(moved, weights, rtol=1e-5)
    np.testing.assert_allclose(normaliser @ moved, 1.0, rtol=1e-9)
    assert limits.moved_within(inner, inner, normaliser) is inner
    far = np.array([0.1, 0.45, 0.0])
    assert limits.moved_within(far, inner, normaliser) is far


def test_a_flat_set_is_found_to_be_flat():
    both = check_constraints([Order([0, 1]), Order([1, 0]), AtMost(2, 0.0)], [None] * 4)
    inside = interior(WeightLimits.of(both, np.ones(4), 1.0))
    np.testing.assert_array_equal(inside.is_used, [True, True, False, True])
    assert inside.is_flat.all()
    assert inside.shares[0] == pytest.approx(inside.shares[1])
    assert inside.shares[2] == 0.0


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ([AtMost(9, 0.5)], "numbers of kernels from 0 to 1 in .*, got 9; count"),
        ([AtMost("genes", 0.5)], "got 'genes'; the kernels have no names: use numbers"),
        ([AtMost(0, "much")], "got 'much'; use None for no limit"),
        ([Group(0)], "expected a limit in Group.*, got none; say"),
        ([Group(0, 0.1, 0.2)], "got 0.2 above 0.1; exchange them"),
        ([Tie(0)], "at least two kernels in .*, got one; name"),
        ([Linear([1.0], 1.0)], r"shape \(k, 2\) in Linear, .*, got shape \(1,\); write 0"),
        ([AtMost(0, 1.0, of="pounds")], "'shares' or 'weights' in .*, got 'pounds'; leave"),
        ([0.5], r"a list of constraints on weights, got \[0.5\]; pass"),
        (
            [AtMost(1, 0.9), AtLeast(0, 0.7), AtMost(0, 0.5)],
            r"got AtLeast\(kernels=0, limit=0.7.* and AtMost\(kernels=0, limit=0.5[^A]*; drop",
        ),
    ],
)
def test_what_no_weights_can_satisfy_is_refused_in_words(constraints, message):
    with pytest.raises(ValueError, match=message):
        kl.learn_weights([np.eye(2), np.ones((2, 2))], [1, -1], constraints=constraints)
