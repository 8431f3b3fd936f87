"""Names are data: in every picture they show as they are, and fit."""

from __future__ import annotations

import inspect
import io

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from sklearn.dummy import DummyClassifier
from sklearn.svm import SVC

from kernlearn import inspection
from kernlearn.inspection._text import LONGEST, plain

HOSTILE = "_$x_1$ cost ($)"
# Each of these is an error or a surprise as markup; the last is a formula that cannot be parsed.
NAMES = (HOSTILE, "<b>", "a_b\nsecond line", "x" * 150 + "the end", "$\\frac{$", "100 % {^}")


@pytest.fixture(scope="module")
def plane():
    return np.random.default_rng(0).normal(size=(6 * len(NAMES), 2)), np.repeat(NAMES, 6)


def _surface(classes, machine, plane):
    points, labels = plane
    rows = np.isin(labels, classes)
    frame = pd.DataFrame(points[rows], columns=NAMES[:2])
    machine.fit(frame, labels[rows])
    return inspection.DecisionSurfaceDisplay.from_estimator(
        machine, frame, labels[rows], grid_resolution=8
    )


def _gram(plane):
    points, labels = plane
    return inspection.GramDisplay(points @ points.T, labels).plot()


SIZES = np.arange(1.0, 1.0 + len(NAMES))
# What is drawn, and the names of which it has to show the text.
DRAWN = {
    "KernelWeightsDisplay": lambda _: inspection.KernelWeightsDisplay(SIZES, NAMES).plot(),
    "RelevanceDisplay": lambda _: inspection.RelevanceDisplay(SIZES, SIZES, NAMES).plot(),
    "ThetaDisplay": lambda _: inspection.ThetaDisplay(SIZES, NAMES).plot(),
    "ThetaDisplay, boxes": lambda _: inspection.ThetaDisplay(
        np.outer([1.0, 2.0, 3.0], SIZES), NAMES
    ).plot(),
    "FeatureScalesDisplay": lambda _: inspection.FeatureScalesDisplay(SIZES, NAMES).plot(),
    "ThetaPathDisplay": lambda _: inspection.ThetaPathDisplay(
        [1.0, 0.1], np.outer([0.5, 1.0], SIZES), NAMES
    ).plot(),
    "WeightPathDisplay": lambda _: inspection.WeightPathDisplay(
        [0.1, 1.0], np.outer([0.5, 1.0], SIZES), NAMES, HOSTILE
    ).plot(),
    "CriticalDifferenceDisplay": lambda _: inspection.CriticalDifferenceDisplay(
        SIZES, NAMES, 0.7, [NAMES[1:3]]
    ).plot(),
    "CandidatesDisplay": lambda _: inspection.CandidatesDisplay(
        NAMES, SIZES, 0.1 * SIZES, SIZES / SIZES.sum()
    ).plot(),
    "PartialDependenceDisplay": lambda _: inspection.PartialDependenceDisplay(
        NAMES, SIZES, SIZES - 0.5, SIZES + 0.5, HOSTILE, HOSTILE
    ).plot(),
    "EmbeddingDisplay": lambda plane: inspection.EmbeddingDisplay(*plane).plot(),
    "GramDisplay": _gram,
    "DecisionSurfaceDisplay": lambda plane: _surface(NAMES, SVC(), plane),
    "DecisionSurfaceDisplay, two": lambda plane: _surface(NAMES[:2], SVC(), plane),
    "DecisionSurfaceDisplay, constant": lambda plane: _surface(NAMES[:2], DummyClassifier(), plane),
}
WITHOUT_NAMES = {"ConvergenceDisplay", "SpectrumDisplay", "PairScoreDisplay"}
pytestmark = pytest.mark.usefixtures("closed_figures")


def test_every_display_is_tried():
    displays = {name for name, _ in inspect.getmembers(inspection, inspect.isclass)}
    assert displays == {name.split(",")[0] for name in DRAWN} | WITHOUT_NAMES


@pytest.mark.parametrize("what", DRAWN)
def test_names_show_as_text_and_none_is_cut_off(what, plane):
    display = DRAWN[what](plane)
    buffer = io.BytesIO()
    display.figure_.savefig(buffer, format="png", dpi=40)
    assert buffer.getvalue().startswith(b"\x89PNG")
    _check_that_no_text_is_cut_off(display.figure_)
    texts = [text for text in display.figure_.findobj(Text) if text.get_text().strip()]
    for name in NAMES[:2] if "two" in what or "constant" in what else NAMES:
        shown = plain(name, LONGEST)
        found = [text for text in texts if shown in text.get_text()]
        assert found, name
        for text in found:
            assert not text.get_parse_math()
            assert not text.get_usetex()
            assert "\n" not in text.get_text()


def _check_that_no_text_is_cut_off(figure):
    inside = figure.get_tightbbox().padded(-0.02)  # in inches
    width, height = figure.get_size_inches()
    assert inside.x0 >= 0.0
    assert inside.y0 >= 0.0
    assert inside.x1 <= width
    assert inside.y1 <= height


@pytest.mark.parametrize("what", DRAWN)
def test_on_dark_paper_nothing_is_black(what, plane):
    with mpl.style.context("dark_background"):
        figure = DRAWN[what](plane).figure_
        for text in figure.findobj(Text):
            if text.get_text().strip():
                assert mpl.colors.to_hex(text.get_color()) != "#000000", text.get_text()
        for line in figure.findobj(mpl.lines.Line2D):
            assert mpl.colors.to_hex(line.get_color()) != "#000000"


def test_a_long_name_keeps_both_ends_and_is_no_longer_than_allowed():
    names = [f"{'the same beginning ' * 5}{i}" for i in range(20)]
    short = [plain(name, LONGEST) for name in names]
    assert len(set(short)) == 20
    assert max(len(name) for name in short) <= LONGEST
    assert all(name.startswith("the same beginning") for name in short)
    assert plain("x" * LONGEST, LONGEST) == "x" * LONGEST


@pytest.mark.parametrize("turn", ["\u202e", "\u2066", "\u2028", "\x85", "\ud800"])
def test_what_would_turn_or_break_a_line_does_not(turn):
    assert plain(f"a{turn}b") in ("a b", "a\ufffdb")
