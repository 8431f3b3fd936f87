"""The line search for λ against minima that are known."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.solvers.selection.ridge_search import minimise_along


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
