"""The line search for λ against minima that are known."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.solvers.selection.ridge_search import descend_along, minimise_along


@pytest.mark.parametrize("at", [1e-6, 3e-3, 1.0, 250.0])
@pytest.mark.parametrize("start", [1e-4, 0.03, 10.0])
def test_a_parabola_in_the_logarithm_is_met_exactly(at, start):
    found = minimise_along(lambda lam: np.log(lam / at) ** 2 + 2.0, start)
    assert found.at == pytest.approx(at, rel=1e-9)
    assert found.value == pytest.approx(2.0)


def test_no_place_that_was_tried_is_lower():
    seen = {}

    def loss(lam):
        seen[lam] = np.sin(np.log(lam)) + 0.01 * np.log(lam) ** 2
        return seen[lam]

    found = minimise_along(loss, 0.03)
    assert found.value == min(seen.values())
    assert found.n_evaluations == len(seen) <= 8


def test_a_loss_that_falls_to_the_end_stops_there():
    assert 1e3 < minimise_along(lambda lam: 1.0 / lam, 0.03).at <= 1e4
    assert 1e-8 <= minimise_along(lambda lam: lam, 0.03).at < 1e-7


def test_places_without_a_loss_are_avoided():
    found = minimise_along(lambda lam: np.inf if lam < 0.01 else lam, 0.03)
    assert 0.01 <= found.at <= 0.03
    assert not np.isfinite(minimise_along(lambda lam: np.inf, 0.03).value)


@pytest.mark.parametrize("at", [1e-6, 3e-3, 1.0, 250.0])
@pytest.mark.parametrize("start", [1e-4, 0.03, 10.0])
def test_with_slopes_fewer_places_are_looked_at(at, start):
    def loss(lam):
        return 1.0 + 0.01 * np.log(lam / at) ** 2, 0.02 * np.log(lam / at)

    found = descend_along(loss, start)
    without = minimise_along(lambda lam: loss(lam)[0], start)
    assert found.value < 1.0 + 4e-3
    assert found.n_evaluations <= without.n_evaluations - (abs(np.log(at / start)) < 10.0)


def test_where_no_place_is_promised_to_be_worth_it_the_start_is_kept():
    found = descend_along(lambda lam: (1.0 + 1e-4 * np.log(lam), 1e-4), 0.5)
    assert (found.at, found.n_evaluations) == (0.5, 1)


def test_with_slopes_places_without_a_loss_are_avoided():
    found = descend_along(lambda lam: (np.inf, 0.0) if lam < 0.1 else (lam, lam), 0.03)
    assert 0.1 <= found.at <= 1.0
    assert not np.isfinite(descend_along(lambda lam: (np.inf, 0.0), 0.03).value)
    assert 1e-8 <= descend_along(lambda lam: (lam, lam), 0.03).at < 1e-6
