"""`kernlearn demo`: the figures it prints are those of the models it says it fitted."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from typer.testing import CliRunner

from kernlearn import MKLClassifier
from kernlearn.cli import demo
from kernlearn.cli.app import app

RUNNER = CliRunner(env={"COLUMNS": "120", "TERM": "dumb"})
SMALL_GRID = {"C": np.array([1.0]), "gamma": np.array([0.01])}


@pytest.fixture(scope="module")
def picture(tmp_path_factory):
    return tmp_path_factory.mktemp("demo") / "weights.png"


@pytest.fixture(scope="module")
def shown(picture):
    """One run of the whole command."""
    result = RUNNER.invoke(app, ["demo", "--seed", "3", "--picture", str(picture)])
    assert result.exit_code == 0, result.output
    return result.stdout


def _row(shown, start):
    """The cells of the line of a table that begins so."""
    line = next(line for line in shown.splitlines() if line.startswith(f"│ {start}"))
    return [cell.strip() for cell in line.strip("│").split("│")]


@pytest.fixture(scope="module")
def split():
    X, y = load_breast_cancer(return_X_y=True)
    parts = train_test_split(X, y, test_size=0.3, stratify=y, random_state=3)
    scaler = StandardScaler().fit(parts[0])
    return scaler.transform(parts[0]), scaler.transform(parts[1]), parts[2], parts[3]


def test_the_data_are_described(shown, split):
    X, X_test, _, _ = split
    assert f"{len(X)} tumours to learn from, {len(X_test)} held out, 30 measurements" in shown


def test_weights_and_accuracy_are_those_of_a_fit_by_hand(shown, split):
    X, X_test, y, y_test = split
    model = MKLClassifier().fit(X, y)
    rows = [_row(shown, "linear"), _row(shown, "polynomial, degree 2")]
    rows += [_row(shown, f"Gaussian, γ = {k.gamma:.3g} ") for k in model.kernels_[2:]]
    printed = np.array([[float(cell) for cell in row[1:]] for row in rows])
    np.testing.assert_allclose(printed[:, 0], model.weights_, atol=6e-5)
    # Kernels with unit diagonal, and the mean of their traces kept: both columns add up to one.
    np.testing.assert_allclose(printed.sum(axis=0), 1.0, atol=1e-3)
    assert (printed[:, 0] >= 0).all()
    assert (printed[:, 1] < 0).any()
    accuracy = _row(shown, "learned kernel, positive weights")[1]
    assert accuracy == f"{model.score(X_test, y_test):.1%}"


def test_every_method_has_its_accuracy_seconds_and_solves(shown):
    names = ["learned kernel, positive", "learned kernel, free-sign", "RBF, C and γ"]
    for name in names:
        _, accuracy, seconds, solves = _row(shown, name)
        assert 85.0 < float(accuracy.rstrip("%")) <= 100.0
        assert float(seconds) > 0.0
        assert int(solves) >= 2
    # 7 values of C, 7 of γ, 5 folds, and the last fit on everything.
    assert _row(shown, "RBF, C and γ")[3] == "246"


def test_the_certificates_hold(shown):
    text = " ".join(shown.split())
    numbers = (
        r"objective ([\d.]+); no other weights can go below ([\d.]+) \(relative gap ([\d.e+-]+)"
    )
    found = [[float(number) for number in match] for match in re.findall(numbers, text)]
    assert len(found) == 2
    for objective, lower, gap in found:
        assert lower <= objective
        assert gap <= 1e-6
        assert (objective - lower) / objective == pytest.approx(gap, abs=1e-7)
    # Free signs know the positive combinations too; they see more points, in trace and all.
    assert found[1][0] < 1.01 * found[0][0]


def test_the_picture_is_written(shown, picture):
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "The weights are drawn in" in shown


def test_a_picture_that_cannot_be_written_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "GRID", SMALL_GRID)
    path = tmp_path / "missing" / "weights.png"
    result = RUNNER.invoke(app, ["demo", "--picture", str(path)])
    assert result.exit_code == 1
    assert "kernlearn: could not draw" in result.stderr
    assert "expected the name of a file in an existing folder" in result.stderr
    assert result.stderr.count("\n") == 1
    assert isinstance(result.exception, SystemExit)


WITHOUT_MATPLOTLIB = """
import sys
sys.modules["matplotlib"] = None
from kernlearn.cli import demo
from kernlearn.cli.app import app
demo.GRID = {"C": [1.0], "gamma": [0.01]}
app(["demo", "--picture", "weights.png"])
"""


def test_without_matplotlib_the_picture_names_the_extra(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_MATPLOTLIB],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 1
    assert 'pip install "kernlearn[plot]"' in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_negative_seed_is_refused():
    result = RUNNER.invoke(app, ["demo", "--seed", "-1"])
    assert result.exit_code == 2
    assert "--seed" in result.stderr


def test_the_report_tells_what_was_learned(tmp_path):
    page = tmp_path / "demo.html"
    done = CliRunner().invoke(app, ["demo", "--report", str(page)])
    assert done.exit_code == 0, done.output
    text = page.read_text(encoding="utf-8")
    for words in ("malignant", "171 tumours were held out", "mean radius", "<svg"):
        assert words in text


def test_a_report_in_no_folder_is_refused_before_the_work(tmp_path):
    done = CliRunner().invoke(app, ["demo", "--report", str(tmp_path / "none" / "demo.html")])
    assert done.exit_code != 0
    assert "in an existing folder" in done.output
