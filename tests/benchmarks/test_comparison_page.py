"""The page of a comparison on many tables: ranks, tests, and what is lost."""

import pytest

from benchmarks.comparison_page import CLASSES, NUMBERS, errors_over, summary

pytest.importorskip("pandas")


def _cells(errors):
    return {
        f"t{j}": [{"error": error, "seconds": 2.0, "ratio": 0.7}] for j, error in enumerate(errors)
    }


FOUND = {
    CLASSES: {"Kernel": _cells([10.0, 20.0, 0.0]), "forest": _cells([12.0, 10.0, 5.0])},
    NUMBERS: {"Kernel": _cells([1.0, 1.0]), "forest": _cells([0.96, 4.0])},
}


def test_the_page_has_ranks_of_both_tasks_and_names_the_tables_that_are_lost():
    page = summary("Some tables", FOUND, [f"{CLASSES}/t1"], ["a note"])
    assert "| mean rank, 3 tables of classes | 1.33 | 1.67 |" in page
    assert "| mean rank, all 5 tables | 1.40 | 1.60 |" in page
    assert "| mean rank, 4 tables without categories of three levels | 1.25 | 1.75 |" in page
    assert "| tables with the lowest error | 3 | 2 |" in page
    assert "- a note\n" in page
    assert "forest (better on 3, worse on 2, p = " in page
    assert "on 1 of the 3 tables of classes: t1 (20, forest 10)." in page
    assert "on 0 of the 2 tables of numbers: none." in page  # by 4 per cent


def test_ratios_of_errors_leave_out_tables_without_errors():
    errors = {"Kernel": {"a": 1.0, "b": 4.0, "c": 0.0}, "forest": {"a": 2.0, "b": 8.0, "c": 1.0}}
    assert errors_over("Kernel", errors) == pytest.approx({"Kernel": 1.0, "forest": 2.0})
