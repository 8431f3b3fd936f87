"""`kernlearn demo`: the figures it prints are those of the models it says it fitted."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.preprocessing import StandardScaler
from typer.testing import CliRunner

from kernlearn import MKLClassifier
from kernlearn.cli import demo
from kernlearn.cli.app import app
from kernlearn.cli.demo_data import HELD_OUT, patients, plant, tumours
from kernlearn.cli.demo_rivals import Competitor, verdict

RUNNER = CliRunner(env={"COLUMNS": "120", "TERM": "dumb"})
SMALL_GRID = {"svc__C": [1.0], "svc__gamma": [0.01]}
SEED, N = 3, 60
# Few rows, one SVM, one kernel and one picture, so that it takes seconds.
SMALL = demo.DemoOptions(N, N, SMALL_GRID, ["Gaussian"], ["kernel-weights"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def shown(folder):
    """One run of the whole command."""
    outputs = "--picture", str(folder / "weights.png"), "--report", str(folder / "demo.html")
    result = RUNNER.invoke(app, ["demo", "--seed", str(SEED), *outputs], obj=SMALL)
    assert result.exit_code == 0, result.output
    return result.stdout


def _rows(shown, start):
    """The cells of the lines of tables that begin so."""
    lines = [line for line in shown.splitlines() if line.startswith(f"│ {start} ")]
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in lines]


def test_the_rows_are_accounted_for(shown):
    text = " ".join(shown.split())
    assert f"{N + HELD_OUT} patients, {N} to learn from and {HELD_OUT} held out" in text
    assert f"{N + HELD_OUT} batches, {N} to learn from and {HELD_OUT} held out" in text
    assert "569 tumours, 398 to learn from and 171 held out; 30 measurements each" in text


def test_accuracies_are_those_of_fits_by_hand(shown):
    data, places = patients(N, SEED)
    scaler = StandardScaler().fit(data.X)
    views = {name: scaler.transform(data.X)[:, place] for name, place in places.items()}
    test = {name: scaler.transform(data.X_test)[:, place] for name, place in places.items()}
    model = MKLClassifier(C="auto", random_state=SEED).fit(views, data.y)
    wrong = int((model.predict(test) != data.y_test).sum())
    cells = _rows(shown, "learned kernel of three sources")[0]
    assert cells[1:3] == [f"{1 - wrong / HELD_OUT:.1%}", str(wrong)]
    del views["genes"], test["genes"]
    without = MKLClassifier(C="auto", random_state=SEED).fit(views, data.y)
    assert f"genes {without.score(test, data.y_test):.1%}" in " ".join(shown.split())

    boosted = _rows(shown, "HistGradientBoosting")
    for cells, table in zip(boosted, (data, plant(N, SEED), tumours(SEED)), strict=True):
        rival = HistGradientBoostingClassifier(random_state=SEED).fit(table.X, table.y)
        assert cells[1] == f"{rival.score(table.X_test, table.y_test):.1%}"


def test_every_part_ends_with_a_verdict(shown):
    text = " ".join(shown.split())
    assert text.count("Learning the kernel wins: ") + text.count("does not win here: ") == 3
    assert text.count("McNemar's test, p = ") == 3
    assert "Lost accuracy when a column is shuffled: sensor " in text
    assert "No other weights of the kernels lower the objective by more than" in text


def entry(name, errors, n=100):
    wrong = np.zeros(n, dtype=bool)
    wrong[errors] = True
    return Competitor(name, None, wrong, 1.0)


def test_the_verdict_is_mcnemar_s():
    ours, same = entry("ours", range(10)), entry("same", range(10, 20))
    worse, bad = entry("worse", range(5, 30)), entry("bad", range(50))
    # 20 rows speak for us, 5 against: the two tails of a fair coin.
    p = 2 * binom.cdf(5, 25, 0.5)
    assert verdict(ours, [worse, bad]) == (
        "Learning the kernel wins: 15 of 100 rows fewer wrong than worse, the best of the others "
        f"(McNemar's test, p = {p:.2g})."
    )
    assert verdict(worse, [bad, ours]).startswith(
        "Learning the kernel does not win here: 15 of 100 rows more wrong than ours (McNemar's"
    )
    assert verdict(ours, [same]) == (
        "Learning the kernel does not win here: as many rows wrong as same, which chance explains "
        "(McNemar's test, p = 1)."
    )
    nearly = entry("nearly", range(11))
    assert "1 of 100 rows fewer wrong than nearly, which chance explains" in verdict(ours, [nearly])
    assert "1 of 100 rows more wrong than ours, which chance" in verdict(nearly, [ours])


def test_the_tables_are_what_they_say():
    data, places = patients(400, 0)
    X, is_ill = np.vstack([data.X, data.X_test]), np.r_[data.y, data.y_test] == "ill"
    radius = np.hypot(X[:, 0], X[:, 1])
    assert radius[is_ill].mean() == pytest.approx(1.0, abs=0.1)
    assert radius[~is_ill].mean() == pytest.approx(2.0, abs=0.1)
    shifts = X[is_ill].mean(axis=0) - X[~is_ill].mean(axis=0)
    np.testing.assert_allclose(shifts[places["genes"]].mean(), 0.44, atol=0.05)
    assert np.abs(shifts[places["survey"]]).max() < 0.2
    assert len(data.names) == X.shape[1] == places["survey"].stop
    batches = plant(100, 0)
    spread = batches.X.std(axis=0)
    assert spread.max() / spread.min() > 100
    assert set(batches.y) == {"good", "waste"}


def test_the_picture_and_the_report_are_written(shown, folder):
    assert (folder / "weights.png").read_bytes().startswith(b"\x89PNG")
    assert "The weights are drawn in" in shown
    text = (folder / "demo.html").read_text(encoding="utf-8")
    for words in (f"{N} of {N + HELD_OUT} patients", "Learning the kernel", "survey 12", "<svg"):
        assert words in text
    assert "The report is in" in shown


def test_a_picture_that_cannot_be_written_is_one_sentence(tmp_path):
    path = tmp_path / "missing" / "weights.png"
    result = RUNNER.invoke(app, ["demo", "--picture", str(path)], obj=SMALL)
    assert result.exit_code == 1
    assert "kernlearn: could not draw" in result.stderr
    assert "expected the name of a file in an existing folder" in result.stderr
    assert result.stderr.count("\n") == 1
    assert isinstance(result.exception, SystemExit)


@pytest.mark.parametrize(
    ("package", "option", "name", "extra"),
    [("matplotlib", "--picture", "w.png", "plot"), ("pandas", "--report", "demo.html", "io")],
)
def test_without_a_package_the_extra_is_named_before_the_work(
    package, option, name, extra, tmp_path, monkeypatch, without
):
    monkeypatch.setattr(demo, "_sources", lambda *rest: pytest.fail("it began"))
    without(package)
    done = RUNNER.invoke(app, ["demo", option, str(tmp_path / name)])
    assert done.exit_code == 1
    assert f'pip install "kernlearn[{extra}]"' in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_negative_seed_is_refused():
    result = RUNNER.invoke(app, ["demo", "--seed", "-1"])
    assert result.exit_code == 2
    assert "--seed" in result.stderr


def test_a_report_in_no_folder_is_refused_before_the_work(tmp_path):
    done = CliRunner().invoke(app, ["demo", "--report", str(tmp_path / "none" / "demo.html")])
    assert done.exit_code != 0
    assert "in an existing folder" in done.output


@pytest.mark.slow
def test_learning_the_kernel_wins_where_it_should():
    result = RUNNER.invoke(app, ["demo", "--seed", "1"])  # zero is what everybody sees
    text = " ".join(result.stdout.split())
    assert text.count("Learning the kernel wins: ") == 2
    assert text.count("Learning the kernel does not win here: ") == 1
