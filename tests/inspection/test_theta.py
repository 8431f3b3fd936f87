"""Pictures of θ: arrays first, drawings of them second."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from kernlearn import FirstLevelClassifier, FirstLevelRegressor
from kernlearn.inspection import ThetaDisplay, ThetaPathDisplay, theta_path

mpl.use("Agg")
import matplotlib.pyplot as plt

GIVEN = {"lam": 0.3, "mu": 2.0}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture
def data():
    X = np.random.default_rng(0).normal(size=(50, 3))
    return pd.DataFrame(X, columns=["a", "b", "c"]), X[:, 0] * X[:, 1] > 0


def test_one_model_is_bars_with_names_and_numbers(data):
    model = FirstLevelClassifier(**GIVEN).fit(*data)
    display = ThetaDisplay.from_estimator(model)
    np.testing.assert_array_equal(display.thetas[0], model.theta_)
    np.testing.assert_array_equal([bar.get_width() for bar in display.bars_], model.theta_)
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["a", "b", "c"]
    assert [text.get_text() for text in display.ax_.texts] == [f"{t:.3g}" for t in model.theta_]
    low, high = display.ax_.get_ylim()
    assert low > high, "the first column stands at the top"


def test_several_models_are_box_plots_of_their_scales(data):
    X, y = data
    rng = np.random.default_rng(0)
    samples = [rng.integers(0, 50, 50) for _ in range(5)]
    models = [FirstLevelClassifier(**GIVEN).fit(X.iloc[r], y[r]) for r in samples]
    display = ThetaDisplay.from_estimators(models)
    assert display.thetas.shape == (5, 3)
    medians = [line.get_xdata()[0] for line in display.boxes_["medians"]]
    np.testing.assert_allclose(medians, np.median([m.theta_ for m in models], axis=0))


def test_names_may_be_given_or_made_up(data):
    X, y = data
    model = FirstLevelClassifier(**GIVEN).fit(X.to_numpy(), y)
    assert ThetaDisplay.from_estimator(model).labels == ["x0", "x1", "x2"]
    named = ThetaDisplay.from_estimator(model, feature_names=["p", "q", "r"])
    assert named.labels == ["p", "q", "r"]
    one = FirstLevelClassifier("rbf", **GIVEN).fit(X.to_numpy(), y)
    assert ThetaDisplay.from_estimator(one).labels == ["theta0"]


def test_it_draws_where_it_is_told(data):
    _, (left, right) = plt.subplots(1, 2)
    model = FirstLevelClassifier(**GIVEN).fit(*data)
    assert ThetaDisplay.from_estimator(model, ax=right).ax_ is right
    assert not left.patches


def test_a_substitution_matrix_has_no_scales():
    X, y = ["AC", "CA", "AA", "CC"], [0, 1, 0, 1]
    model = FirstLevelClassifier("substitution", **GIVEN).fit(X, y)
    for draw in (
        lambda: ThetaDisplay.from_estimator(model),
        lambda: theta_path(X, y, mus=[1.0], lam=0.1, kernel="substitution"),
    ):
        with pytest.raises(ValueError, match="got one with a substitution matrix, whose θ is"):
            draw()


def test_what_cannot_be_drawn_is_refused(data):
    X, y = data
    model = FirstLevelClassifier(**GIVEN).fit(X, y)
    with pytest.raises(NotFittedError):
        ThetaDisplay.from_estimator(FirstLevelClassifier())
    with pytest.raises(ValueError, match=r"expected 3 feature names.*got 2"):
        ThetaDisplay.from_estimator(model, feature_names=["p", "q"])
    with pytest.raises(ValueError, match="at least one fitted estimator"):
        ThetaDisplay.from_estimators([])
    other = FirstLevelClassifier(**GIVEN).fit(X[["a", "b"]], y)
    with pytest.raises(ValueError, match=r"equally many parameters, got \[2, 3\]"):
        ThetaDisplay.from_estimators([model, other])


@pytest.mark.parametrize("kind", [FirstLevelClassifier, FirstLevelRegressor])
def test_a_path_passes_through_the_models_of_its_mus(kind, data):
    X, y = data
    y = y if kind is FirstLevelClassifier else np.sin(X["a"]) + 0.5 * X["b"] ** 2
    mus = [0.5, 50.0, 5.0]
    path = theta_path(X, y, mus, lam=0.3)
    assert path.mus.tolist() == [50.0, 5.0, 0.5]
    for mu, theta in zip(path.mus, path.thetas, strict=True):
        model = kind(lam=0.3, mu=mu).fit(X, y)
        np.testing.assert_allclose(theta, model.theta_, rtol=1e-3, atol=1e-5)
    # The penalty, and so the length of θ, is monotone along an exact path.
    lengths = np.linalg.norm(path.thetas, axis=1)
    assert (np.diff(lengths) > 0).all()


def test_three_classes_have_a_path(data):
    X, _ = data
    y = np.digitize(X["a"], [-0.5, 0.5])
    path = theta_path(X, y, [1.0], lam=0.3)
    model = FirstLevelClassifier(lam=0.3, mu=1.0).fit(X, y)
    np.testing.assert_allclose(path.thetas[0], model.theta_, rtol=1e-3, atol=1e-5)


def test_by_default_a_path_lies_around_the_chosen_mu(data):
    path = theta_path(*data, n_mus=5, cv=2)
    np.testing.assert_allclose(path.mus / path.mu, [1e3, 10**1.5, 1, 10**-1.5, 1e-3], rtol=1e-9)
    display = path.plot()
    assert isinstance(display, ThetaPathDisplay)
    assert len(display.lines_) == 3
    np.testing.assert_array_equal(display.lines_[1].get_ydata(), path.thetas[:, 1])
    assert "a" in [text.get_text() for text in display.ax_.get_legend().get_texts()]


@pytest.mark.parametrize("mus", [[], [1.0, -1.0], [[1.0]], [np.nan]])
def test_mus_are_positive_numbers(mus, data):
    with pytest.raises(ValueError, match="expected mus to be a list of positive numbers"):
        theta_path(*data, mus)
