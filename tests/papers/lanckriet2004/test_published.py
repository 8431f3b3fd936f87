"""The transcription, held against the laws that the printed numbers must obey."""

from __future__ import annotations

import pytest

from kernlearn.papers.lanckriet2004.published import COLUMNS, TABLE_4, TABLES_1_TO_3

SETS = sorted({name for name, _, _ in TABLES_1_TO_3})
BLOCKS = sorted({(name, machine) for name, machine, _ in TABLES_1_TO_3})
# A slip of the paper: SM2,C contains SM2 at C = 1, so its optimum 25.267 cannot exceed 21.811.
KNOWN_SLIP = ("Breast cancer", "Σμ*₊K")


def numbers(*row: str) -> list[float | None]:
    """The numbers of a row in all columns but the last."""
    return [TABLES_1_TO_3[row][column].number for column in COLUMNS[:5]]


def printed_weights(name: str, machine: str, column: str) -> list[float] | None:
    """The three weights of a column, or None where none are printed."""
    weights = [TABLES_1_TO_3[name, machine, f"μ{i}"][column].number for i in (1, 2, 3)]
    return None if None in weights else weights


def test_every_machine_is_there_for_every_set() -> None:
    assert len(BLOCKS) == 4 * len(SETS) == 20
    assert {machine for _, machine in BLOCKS} == {"HM", "SM1", "SM2", "SM2,C"}
    assert all(set(cells) <= set(COLUMNS) for cells in TABLES_1_TO_3.values())


def test_more_freedom_is_never_worse() -> None:
    for name, machine in BLOCKS:
        if machine == "HM":
            margins = numbers(name, machine, "γ")
            costs = [None if margin is None else 1 / margin for margin in margins]
        else:
            costs = numbers(name, machine, "ω")
        singles = [cost for cost in costs[:3] if cost is not None]
        free, positive = costs[3], costs[4]
        assert positive is not None, (name, machine)
        # Averages are printed to four digits.
        assert all(positive <= single * 1.001 for single in singles), (name, machine)
        assert free is None or free <= positive * 1.001, (name, machine)


def test_a_learned_C_is_never_worse_than_one() -> None:
    for name in SETS:
        for column, one, learned in zip(
            COLUMNS[:5],
            numbers(name, "SM2", "ω"),
            numbers(name, "SM2,C", "ω"),
            strict=True,
        ):
            if (name, column) != KNOWN_SLIP and one is not None and learned is not None:
                assert learned <= one * 1.001, (name, column)


def test_the_soft_margins_cost_less_than_the_hard_one() -> None:
    for name in SETS:
        for margin, soft, squared in zip(
            numbers(name, "HM", "γ"),
            numbers(name, "SM1", "ω"),
            numbers(name, "SM2", "ω"),
            strict=True,
        ):
            if margin is not None and soft is not None and squared is not None:
                hard = 0.5 / margin**2
                # γ has two to four digits, and the mean of 1/γ² is not 1/(mean γ)².
                assert soft <= hard * 1.1, name
                assert squared <= soft * 1.001, name


def test_weights_add_up_to_what_the_trace_allows() -> None:
    for name, machine in BLOCKS:
        for i, column in enumerate(COLUMNS[:5]):
            weights = printed_weights(name, machine, column)
            if weights is None:
                continue
            if machine != "SM2,C":
                assert sum(weights) == pytest.approx(3, abs=0.021), (name, machine, column)
            elif name != "Ionosphere" and i < 3:
                # The mean of 1/C is 1/(mean C) only where C hardly varies between the splits.
                C = numbers(name, machine, "C")[i]
                assert C is not None, (name, machine)
                assert sum(weights) + 1 / C == pytest.approx(4, abs=0.02), (name, machine, column)


def test_accuracies_are_per_cent_and_positive_weights_positive() -> None:
    for name, machine in BLOCKS:
        cells = TABLES_1_TO_3[name, machine, "TSA"].values()
        accuracies = [cell.number for cell in cells if cell.number is not None]
        assert len(accuracies) >= 5, (name, machine)
        assert all(50 < accuracy < 100 for accuracy in accuracies), (name, machine)
        weights = printed_weights(name, machine, "Σμ*₊K")
        assert weights is None or min(weights) >= 0, (name, machine)


def test_table_4_repeats_the_rival_and_adds_up_to_5() -> None:
    for (name,), row in TABLE_4.items():
        rival = TABLES_1_TO_3[name, "SM2,C", "TSA"][COLUMNS[-1]]
        assert row["TSA best c/v RBF"] == rival
        weights = sum(row[f"μ{i}"].number for i in range(1, 6))
        assert weights + 1 / row["C"].number == pytest.approx(5, abs=0.021)
