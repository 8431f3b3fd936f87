"""Data in very large and very small units: the right answer, or a sentence."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from kernlearn import MKLClassifier, MKLNoveltyDetector, MKLRegressor
from kernlearn.kernels import Columns, Gaussian, Linear, Normalized

SCALES = [1e-150, 1e-30, 1e30, 1e150]


def _answer(model, X, y, X_new):
    """Predictions, or the sentence that stands in their place; other warnings are errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return model.fit(X, y).predict(X_new), None
        except (ValueError, ConvergenceWarning) as refusal:
            return None, str(refusal)


def _kernels(scale):
    """The same kernels whatever the unit of the data."""
    wide, narrow = (gamma / scale / scale for gamma in (0.2, 1.0))
    return [Columns(0, Gaussian(narrow)), Columns([1, 2], Gaussian(wide)), Normalized(Linear())]


@pytest.mark.parametrize(
    ("kind", "scale"),
    [
        (MKLClassifier, 1e-150),
        (MKLClassifier, 1e30),
        (MKLRegressor, 1e-30),
        (MKLRegressor, 1e150),
        (MKLNoveltyDetector, 1e-150),
        (MKLNoveltyDetector, 1e150),
    ],
)
def test_kernels_in_the_unit_of_the_data_see_no_difference(problem, kind, scale):
    y = problem.y if kind is MKLClassifier else problem.target
    plain = kind(_kernels(1.0)).fit(problem.X, y)
    scaled = kind(_kernels(scale)).fit(problem.X * scale, y)
    np.testing.assert_allclose(scaled.weights_, plain.weights_, rtol=1e-5, atol=1e-7)
    values = [
        getattr(m, "decision_function", m.predict)(problem.X_new * s)
        for m, s in ((plain, 1.0), (scaled, scale))
    ]
    np.testing.assert_allclose(values[1], values[0], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("scale", SCALES)
def test_a_column_in_another_unit_is_a_matter_for_its_own_kernel(problem, scale):
    unit = np.array([scale, 1.0, 1.0])
    kernels = [Columns(0, Gaussian(1.0 / scale / scale)), Columns([1, 2], Gaussian(0.2))]
    scaled = MKLClassifier(kernels).fit(problem.X * unit, problem.y)
    plain = MKLClassifier(_kernels(1.0)[:2]).fit(problem.X, problem.y)
    np.testing.assert_array_equal(
        scaled.predict(problem.X_new * unit), plain.predict(problem.X_new)
    )


@pytest.mark.parametrize("scale", [1e-40, 1e40])
@pytest.mark.parametrize("quality", ["soft_margin", "hard_margin"])
def test_the_linear_kernel_separates_at_any_scale(problem, quality, scale):
    """With C in the unit of the machine: α scales as one over the kernel."""
    y = problem.X[:, 0] > 0
    plain = MKLClassifier([Linear()], quality=quality).fit(problem.X, y)
    scaled = MKLClassifier([Linear()], quality=quality, C=1.0 / scale / scale)
    scaled.fit(problem.X * scale, y)
    np.testing.assert_allclose(
        scaled.decision_function(problem.X_new * scale),
        plain.decision_function(problem.X_new),
        rtol=1e-4,
        atol=1e-6,
    )


@pytest.mark.parametrize("scale", [1e-150, 1e150])
@pytest.mark.parametrize(
    "model",
    [
        MKLClassifier([Linear(), Columns(0, Linear())]),
        MKLClassifier([Linear(), Columns(0, Linear())], weights="free"),
        MKLClassifier([Linear(), Columns(0, Linear())], quality="squared_soft_margin"),
        MKLClassifier([Linear(), Columns(0, Linear())], quality="alignment"),
        MKLRegressor([Linear(), Columns(0, Linear())], C=1.0),
        MKLRegressor([Linear(), Columns(0, Linear())], quality="nu_svr", C=1.0),
        MKLRegressor([Linear(), Columns(0, Linear())], quality="least_squares", C=1.0),
        MKLNoveltyDetector([Linear()], normalize=False),
        MKLClassifier(),
    ],
    ids=lambda m: re.sub(r"kernels=\[.*\]\)*,?\s*", "", str(m)),
)
def test_raw_kernels_of_any_size_give_numbers_or_a_sentence(problem, model, scale):
    """Never an overflow from deep inside, never a silent NaN."""
    y = problem.y if isinstance(model, MKLClassifier) else problem.target
    values, refusal = _answer(model, problem.X * scale, y, problem.X_new * scale)
    if values is None:
        assert "scale" in refusal
    else:
        assert np.isfinite(values).all()
        assert np.isfinite(model.weights_).all()
        assert 0 <= model.duality_gap_ <= 1e-6


@pytest.mark.parametrize(
    ("quality", "scale"),
    [("epsilon_svr", 1e-300), ("nu_svr", 1e-170), ("least_squares", 1e170), ("nu_svr", 1e300)],
)
def test_targets_beyond_the_square_root_of_the_range(problem, kernels, quality, scale):
    box = scale if quality != "least_squares" else 1.0
    model = MKLRegressor(kernels, quality=quality, C=box, epsilon=0.1 * scale)
    values, refusal = _answer(model, problem.X, problem.target * scale, problem.X_new)
    if values is None:
        assert "scale" in refusal
    else:
        assert np.isfinite(values).all()
        assert np.corrcoef(values / scale, problem.target_new)[0, 1] > 0.5


@pytest.mark.parametrize("C", [1e-150, 1e-8, 1e8, 1e150])
def test_any_positive_c_is_answered(problem, kernels, C):
    """Very small: all coefficients at the bound. Very large: the hard margin."""
    y = problem.X[:, 0] > 0
    model = MKLClassifier(kernels, C=C).fit(problem.X, y)
    assert model.duality_gap_ <= 1e-6
    if C < 1:
        n_rare = min(y.sum(), (~y).sum())
        assert model.objective_ == pytest.approx(2 * n_rare * C, rel=1e-6)
    else:
        hard = MKLClassifier(kernels, quality="hard_margin").fit(problem.X, y)
        assert model.objective_ == pytest.approx(hard.objective_, rel=1e-5)
