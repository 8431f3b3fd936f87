"""Tables and figures from end to end, on four small sets."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kernlearn.datasets import DataNotFoundError
from kernlearn.papers import find_paper
from kernlearn.papers.cawley2014 import figure1, parameter_figures
from kernlearn.papers.cawley2014.methods import MethodResults, fit_split
from kernlearn.papers.cawley2014.parameter_figures import variation
from kernlearn.papers.cawley2014.protocol import load_sets, split_set
from kernlearn.papers.cawley2014.rank_figures import printed_groups
from kernlearn.papers.cawley2014.tables import compare_with_quoted
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.tables import ComparisonTable

PAPER = find_paper("cawley2014")
PNG = b"\x89PNG"


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for the module: what one exhibit has fitted, the next one reads."""
    return tmp_path_factory.mktemp("out")


@pytest.fixture
def small_run(
    small_paper: dict[str, int], quick_selection: None, data_dir: Path, out: Path
) -> RunOptions:
    return RunOptions(out, data_dir, splits=2, quiet=True)


def value(table: ComparisonTable, row: tuple[str, ...], column: str = "value") -> float:
    (number,) = table.rows()[row][column].found
    return number


def test_everything_of_the_paper_is_registered() -> None:
    exhibits = {(exhibit.kind, exhibit.number) for exhibit in PAPER.exhibits}
    assert exhibits == {("table", n) for n in range(1, 6)} | {("figure", n) for n in range(1, 9)}


def test_table_1(small_run: RunOptions) -> None:
    table = PAPER.find("table", 1).reproduce(small_run)
    row = table.rows()["thyroid",]
    assert [row[column].published for column in table.columns] == [140, 75, 100, 5, None]
    assert [row[column].found for column in table.columns] == [[30], [40], [2], [3], [2]]


@pytest.mark.parametrize(("number", "kernel"), [(2, "RBF"), (3, "ARD")])
def test_tables_2_and_3(small_run: RunOptions, number: int, kernel: str) -> None:
    table = PAPER.find("table", number).reproduce(small_run)
    names = [f"{kernel}-{label}-LSSVM" for label in ("LOO", "XVAL", "FLKL")]
    assert list(table.columns) == names
    sets = load_sets(small_run.data_dir)
    found = table.rows()["thyroid",][names[2]].found
    assert len(found) == 2
    assert found[1] == pytest.approx(fit_split(names[2], sets["thyroid"], 1, 0)["error"])
    ranks = np.zeros(3)
    for name in sets:
        row = table.rows()[name,]
        means = [round(statistics.mean(row[column].found), 9) for column in names]
        for i, mean in enumerate(means):
            # One plus those that are better, and half of those that tie.
            ranks[i] += 1 + sum(m < mean for m in means) + (means.count(mean) - 1) / 2
    for column, rank in zip(names, ranks / len(sets), strict=True):
        assert value(table, ("mean rank",), column) == pytest.approx(rank)
    printed = {2: "2.578 ± 0.015", 3: "3.027 ± 0.024"}[number]
    assert table.rows()["twonorm",][names[2]].published_text() == printed
    notes = " ".join(table.notes)
    for part in ("standard errors of the difference", "banana 2 + 0", "of fitting", "Best of ours"):
        assert part in notes

    _check_far_means(table)


def test_ways_of_selection_beside_table_2(small_run: RunOptions) -> None:
    options = replace(small_run, methods=("RBF-LOO-LSSVM", "RBF-EV"), splits=1)
    table = PAPER.find("table", 5).reproduce(options)
    assert table.columns == options.methods
    row = table.rows()["twonorm",]
    assert [row[column].published for column in table.columns] == [2.845, None]
    sets = load_sets(options.data_dir)
    assert row["RBF-EV"].found == [fit_split("RBF-EV", sets["twonorm"], 0, 0)["error"]]
    ranks = {column: value(table, ("mean rank",), column) for column in table.columns}
    assert f"Lowest mean rank: {min(ranks, key=ranks.__getitem__)}" in " ".join(table.notes)
    with pytest.raises(ValueError, match="columns of Table 5, RBF-LOO-LSSVM, "):
        PAPER.find("table", 5).reproduce(replace(options, methods=("SVM",)))


def _check_far_means(table: ComparisonTable) -> None:
    listed = table.notes[1]
    for name in ("banana", "synthetic", "thyroid", "twonorm"):
        for column, entry in table.rows()[name,].items():
            mean, error = statistics.mean(entry.found), statistics.stdev(entry.found) / 2**0.5
            spread = (error**2 + entry.published_spread**2) ** 0.5
            is_far = abs(mean - entry.published) > 2 * spread
            assert (f"{column} on {name}, {mean:.3f} instead" in listed) == is_far


def test_figures_read_what_tables_have_fitted(
    small_run: RunOptions, computed_cells: Callable[[Path], list[str]]
) -> None:
    for number in (2, 3):
        PAPER.find("table", number).reproduce(small_run)
    cells = computed_cells(small_run.out)
    tables = {n: PAPER.find("figure", n).reproduce(small_run) for n in (2, 3, 4, 5, 6, 8)}
    for number, table in tables.items():
        picture = small_run.out / f"figure{number}.png"
        assert picture.read_bytes().startswith(PNG)
        assert picture.name in table.notes[-1]
    table = PAPER.find("table", 4).reproduce(small_run)
    assert computed_cells(small_run.out) == cells
    row = table.rows()["thyroid",]
    assert "synthetic" not in {row[0] for row in table.rows()}
    assert row["IKL products"].published_text() == "4.1 ± 2.0"
    assert row["IKL products"].our_text() == "–"
    errors = row["ARD-FLKL-LSSVM"].found
    deviation = statistics.stdev(errors)
    assert row["ARD-FLKL-LSSVM"].our_text() == f"{statistics.mean(errors):.1f} ± {deviation:.1f}"
    _check_ranks_of_the_paper(tables[2], (1.8571, 1.8571, 2.2857), 0.85)
    _check_ranks_of_the_paper(tables[3], (2.6429, 2.1429, 1.2143), 14.4)
    _check_where_the_claim_holds(tables[4])


def _check_ranks_of_the_paper(
    table: ComparisonTable, ranks: tuple[float, ...], statistic: float
) -> None:
    rows = table.rows()
    printed = [entry["value"].published for row, entry in rows.items() if row[0] == "mean rank"]
    assert printed == pytest.approx(ranks, abs=5e-5)
    assert rows["F_F", ""]["value"].published == pytest.approx(statistic, rel=6e-3)
    assert rows["critical difference", ""]["value"].published == pytest.approx(
        2.052 * (12 / 84) ** 0.5, rel=1e-3
    )


def test_groups_of_the_paper() -> None:
    def short(number: int) -> list[set[str]]:
        return [{str(m).removesuffix("-LSSVM") for m in group} for group in printed_groups(number)]

    assert short(2) == [{"RBF-LOO", "RBF-XVAL", "RBF-FLKL"}]
    assert short(3) == [{"ARD-LOO", "ARD-XVAL"}]
    # ARD is no longer inferior to RBF when learned at the first level, and is when selected.
    assert {"RBF-XVAL", "RBF-FLKL", "ARD-FLKL"} in short(6)
    assert not any({"RBF-XVAL", "ARD-XVAL"} <= group for group in short(6))
    assert short(7) == [{"ARD-FLKL", "ARD-BR"}, {"ARD-BR", "ARD-XVAL"}]
    assert short(8) == [{"RBF-XVAL", "ARD-FLKL", "MKL separate", "IKL products"}]


def test_figure_7_has_no_printed_ranks(small_run: RunOptions) -> None:
    table = PAPER.find("figure", 7).reproduce(small_run)
    assert all(entry.published is None for entry in table.entries)
    ranks = [value(table, row) for row in table.rows() if row[0] == "mean rank"]
    assert sum(ranks) == pytest.approx(6)
    assert "ARD-FLKL-LSSVM = ARD-BR-LSSVM; ARD-BR-LSSVM = ARD-XVAL-LSSVM." in table.notes[1]
    # Three sets: Ripley's does not count here.
    assert value(table, ("critical difference", "")) == pytest.approx(
        2.052 * (12 / 18) ** 0.5, 1e-3
    )


def test_our_errors_are_rounded_among_the_quoted() -> None:
    # Quoted for banana: MKL 10.5, IKL 10.7; for titanic both 22.4.
    def column(method: str, banana: float, titanic: float) -> MethodResults:
        errors = {"banana": [{"error": banana}], "titanic": [{"error": titanic}]}
        return MethodResults(method, errors)

    ours = {
        "RBF-XVAL-LSSVM": column("RBF-XVAL-LSSVM", 10.54, 22.44),
        "ARD-FLKL-LSSVM": column("ARD-FLKL-LSSVM", 10.6, 22.3),
    }
    ranks = compare_with_quoted(ours).ranks.to_dict()
    assert ranks == {
        "RBF-XVAL-LSSVM": (1.5 + 3) / 2,
        "ARD-FLKL-LSSVM": (3 + 1) / 2,
        "MKL separate": (1.5 + 3) / 2,
        "IKL products": (4 + 3) / 2,
    }


def test_variation_of_parameters() -> None:
    thetas = np.array([[4.0, 0.0, 1.0], [8.0, 0.07, 1.0], [6.0, 0.0, 1.0], [2.0, 0.0, 5.0]])
    largest, spread, small = variation(thetas)
    # Quartiles of 2 4 6 8 are 3.5 and 6.5, of 0 0 0 0.07 they are 0 and 0.0175, of 1 1 1 5 1 and 2.
    assert largest == 5
    assert spread == pytest.approx((3.0 + 0.0175 + 1.0) / 3 / 5)
    assert small == 1
    assert variation(3 * thetas)[1:] == pytest.approx((spread, small))


def test_boxes_hold_the_parameters(small_run: RunOptions) -> None:
    from matplotlib.figure import Figure

    columns_found = {
        method: MethodResults(method, {"twonorm": [{"theta": [i, 2.0 * i]} for i in range(1, 6)]})
        for method in parameter_figures.ARD_METHODS
    }
    for draw, medians in (
        (parameter_figures.draw_scales, [3]),
        (parameter_figures.draw_relevances, [3, 6]),
    ):
        figure = Figure()
        draw(figure, columns_found)
        assert len(figure.axes) == 2
        for ax in figure.axes:
            # A box of matplotlib is seven lines, its median one with twice the same height.
            flat = [line.get_ydata()[0] for line in ax.get_lines() if line.get_color() == "C1"]
            assert flat == medians


def _check_where_the_claim_holds(table: ComparisonTable) -> None:
    rows = table.rows()
    less = [
        name
        for (name,), row in rows.items()
        if row["RBF-FLKL-LSSVM: spread"].found < row["RBF-XVAL-LSSVM: spread"].found
    ]
    assert f"on {len(less)} of 4 sets: {', '.join(less) or 'none'}." in table.notes[1]


def test_figure_1(small_run: RunOptions, data_dir: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs matplotlib: draws a picture")
    grid = figure1.LossGrid(side=3, points=11)
    table = figure1.reproduce_figure1(small_run, grid)
    lam, mu = value(table, ("λ",)), value(table, ("μ",))
    split = split_set(load_sets(data_dir)["synthetic"], 0, 0)
    folds = figure1.five_folds(split, 0)
    # The estimator's own loss at its choice, and the same by refitting every fold.
    (loss,) = figure1.loss_row(split, folds, lam, [mu])
    chosen = value(table, ("loss at the chosen λ and μ",))
    assert loss == pytest.approx(chosen, rel=1e-4)
    assert value(table, ("lowest loss on the grid",)) <= chosen * (1 + 1e-4)
    assert (small_run.out / "figure1.png").read_bytes().startswith(PNG)


@pytest.mark.parametrize("exhibit", PAPER.exhibits, ids=lambda exhibit: exhibit.stem)
def test_missing_data_are_named(tmp_path: Path, exhibit: object) -> None:
    with pytest.raises(DataNotFoundError, match=r"put (banana|ripley_synth).npz into"):
        exhibit.reproduce(RunOptions(tmp_path, data_dir=tmp_path))  # type: ignore[attr-defined]
