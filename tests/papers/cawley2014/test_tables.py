"""Which means are not the paper's."""

from __future__ import annotations

import math

import pytest

from kernlearn.papers.cawley2014.methods import MethodResults
from kernlearn.papers.cawley2014.tables import departure, departures_note


def column(method: str, errors: dict[str, list[float]]) -> MethodResults:
    return MethodResults(
        method, {name: [{"error": e} for e in each] for name, each in errors.items()}
    )


def test_the_distance_is_in_standard_errors_of_the_difference() -> None:
    # Mean 5, standard error 1 over two splits; with 0.75 of the paper's √(1 + 0.5625) = 1.25.
    assert departure([4.0, 6.0], mean=2.5, error=0.75) == pytest.approx(2.0)
    assert departure([4.0, 6.0], mean=7.5, error=0.75) == pytest.approx(-2.0)
    assert math.isnan(departure([4.0], mean=4.0, error=0.1))


def test_only_distant_means_are_listed() -> None:
    # Printed for RBF-LOO-LSSVM: banana 10.605 ± 0.052, heart 16.550 ± 0.354.
    near, far = [10.6, 10.7, 10.5], [17.8, 17.9, 17.7]
    note = departures_note([column("RBF-LOO-LSSVM", {"banana": near, "heart": far})])
    assert "RBF-LOO-LSSVM on heart, 17.800 instead of 16.550 (+3.5)" in note
    assert "banana" not in note
    assert departures_note([column("RBF-LOO-LSSVM", {"banana": near})]).endswith("paper: none.")


def test_one_split_is_not_judged() -> None:
    note = departures_note([column("ARD-FLKL-LSSVM", {"banana": [99.0], "heart": [99.0]})])
    assert "paper: none. With one split there is no telling for 2 means." in note
