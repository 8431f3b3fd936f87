"""The picture of feature scales: ratios first, bars second."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernlearn import HyperkernelClassifier
from kernlearn.hyperkernels import ARDHarmonic
from kernlearn.inspection import FeatureScalesDisplay

pytestmark = pytest.mark.usefixtures("closed_figures")


@pytest.fixture
def frame():
    X = np.random.default_rng(0).normal(size=(30, 3)) * [1.0, 4.0, 2.0]
    return pd.DataFrame(X, columns=["a", "b", "c"])


def test_bars_are_spread_over_scale_longest_first(frame):
    model = HyperkernelClassifier(ARDHarmonic(0.6, [0.1, 0.1, 0.0]), max_pivots=10)
    model.fit(frame, frame["a"] * frame["b"] > 0)
    display = FeatureScalesDisplay.from_estimator(model, frame)
    ratios = dict(zip("abc", frame.to_numpy().std(axis=0) / model.feature_scales_, strict=True))
    assert display.labels == sorted("abc", key=lambda name: -ratios[name])
    np.testing.assert_allclose(display.spread, [ratios[name] for name in display.labels])
    assert display.spread[-1] == 0.0  # a γ of zero: the kernel does not see it
    np.testing.assert_array_equal([bar.get_width() for bar in display.bars_], display.spread)


def test_of_a_pipeline_the_spread_is_that_of_the_prepared_columns(frame):
    model = make_pipeline(StandardScaler(), HyperkernelClassifier(max_pivots=10))
    model.fit(frame, frame["a"] > 0)
    display = FeatureScalesDisplay.from_estimator(model, frame, ["A", "B", "C"])
    np.testing.assert_allclose(display.spread, np.sort(1.0 / model[-1].feature_scales_)[::-1])
    assert sorted(display.labels) == ["A", "B", "C"]


def test_of_many_columns_thirty_are_drawn_and_the_rest_is_counted():
    display = FeatureScalesDisplay(np.arange(40.0), [f"x{j}" for j in range(40)]).plot()
    assert len(display.bars_) == 30
    assert display.bars_[0].get_width() == 39.0
    assert display.ax_.get_xlabel().endswith("and 10 more columns with less")


def test_a_wrong_number_of_names_is_refused():
    with pytest.raises(ValueError, match="expected one ratio for each of 3 columns"):
        FeatureScalesDisplay([1.0, 2.0], ["a", "b", "c"])
