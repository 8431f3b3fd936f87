"""The transcription, held against the laws that the printed numbers must obey."""

from __future__ import annotations

import math

import pytest

from kernlearn.papers.cawley2014 import published as paper

PRECISE = {
    (method, name): cell for method, cells in paper.ERRORS.items() for name, cell in cells.items()
}


def sizes(name):
    """Training patterns, testing patterns, replicates and features."""
    return [cell.number for cell in paper.TABLE_1[name,].values()]


def test_every_table_has_every_data_set():
    assert len(paper.TABLE_1) == 14
    assert list(paper.TABLE_2) == list(paper.TABLE_3) == list(paper.TABLE_1)
    assert list(paper.TABLE_4) == [row for row in paper.TABLE_1 if row != ("synthetic",)]


def test_table_4_repeats_tables_2_and_3_with_deviations_for_errors():
    for (name,), row in paper.TABLE_4.items():
        for method in paper.COLUMNS[4][:2]:
            mean, deviation = row[method].both
            precise, error = PRECISE[method, name]
            spread = error * math.sqrt(sizes(name)[2])
            assert mean == pytest.approx(precise, abs=0.0501), (name, method)
            # The error is printed to 0.001, the deviation to 0.1.
            assert deviation == pytest.approx(spread, abs=0.0501 + 0.006), (name, method)


# Elsewhere a whole number of errors is finer than the three printed decimals.
COARSE = [(m, d) for m, d in PRECISE if sizes(d)[1] * sizes(d)[2] < 40_000]


def test_means_over_replicates_are_whole_numbers_of_errors():
    assert COARSE
    for method, name in COARSE:
        _, n_test, replicates, _ = sizes(name)
        mean, _ = PRECISE[method, name]
        grain = 100 / (n_test * replicates)
        distance = abs(mean / grain - round(mean / grain)) * grain
        assert distance <= 0.00051, (method, name)


def test_the_spread_of_replicates_is_at_least_that_of_counting():
    """Errors on m test points are at least binomial, for splits at random."""
    for (method, name), (mean, error) in PRECISE.items():
        _, n_test, replicates, _ = sizes(name)
        p = mean / 100
        binomial = 100 * math.sqrt(p * (1 - p) / n_test / replicates)
        assert 0.5 * binomial < error < 12 * binomial, (method, name)


def test_mean_ranks_add_up():
    for table, ranks in paper.MEAN_RANKS.items():
        k = len(ranks)
        assert sum(ranks) == pytest.approx(k * (k + 1) / 2, abs=2e-4), table


def test_mean_errors_are_the_first_numbers_of_the_cells():
    assert paper.mean_errors(2)["RBF-FLKL-LSSVM"]["twonorm"] == 2.578
    assert paper.mean_errors(4)["IKL products"]["splice"] == 3.1
