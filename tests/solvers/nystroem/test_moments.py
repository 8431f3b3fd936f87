"""Sums over rows are added by name, whatever else an object remembers."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from kernlearn.solvers.nystroem import moments as module
from kernlearn.solvers.nystroem.moments import Moments

NAMES = [each.name for each in fields(Moments)]


@pytest.fixture
def one():
    rng = np.random.default_rng(0)
    shapes = {"with_targets": (3, 2), "columns": 3, "traces": (2, 4), "mass": ()}
    sums = {name: rng.normal(size=shapes.get(name, 2)) for name in NAMES}
    made = Moments(**{**sums, "products": np.tril(rng.normal(size=(3, 3)))})
    vars(made)["something cached"] = "no sum"
    return made


def test_sums_and_differences(one):
    twice = one + one
    nothing = twice - one - one
    for name in NAMES:
        np.testing.assert_allclose(getattr(twice, name), 2.0 * getattr(one, name))
        np.testing.assert_allclose(getattr(nothing, name), 0.0, atol=1e-15)


def test_sums_of_all_blocks(one):
    host = module._on_host(one)
    np.testing.assert_array_equal(host.products, one.products + np.tril(one.products, -1).T)
    for name in NAMES[1:]:
        np.testing.assert_array_equal(getattr(host, name), getattr(one, name))


def test_a_block_is_added_to_a_total():
    rng = np.random.default_rng(1)
    Z, Y, theta = rng.normal(size=(6, 3)), rng.normal(size=(6, 2)), rng.uniform(1, 2, size=6)
    traces = np.ones((2, 4))
    first, second = (
        module._moments(Z[rows], Y[rows], theta[rows], traces, None)
        for rows in (slice(2), slice(2, 6))
    )
    expected = first + second
    vars(first)["something cached"] = "no sum"
    total = module._moments(Z[2:], Y[2:], theta[2:], traces, first)
    for name in NAMES[1:]:
        np.testing.assert_allclose(getattr(total, name), getattr(expected, name))
    np.testing.assert_allclose(np.tril(total.products), np.tril(expected.products))
