"""The picture of a spectrum: eigenvalues first, a line second."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn import MKLRegressor
from kernlearn.inspection import SpectrumDisplay
from kernlearn.kernels import Gaussian, Linear

pytestmark = pytest.mark.usefixtures("closed_figures")


def test_centred_eigenvalues_of_the_linear_kernel_are_n_times_the_variances():
    X = np.random.default_rng(0).normal(size=(40, 3)) * [3.0, 1.0, 0.1] + 5.0
    display = SpectrumDisplay(Linear()(X))
    variances = np.sort(np.linalg.eigvalsh(np.cov(X.T, bias=True)))[::-1]
    np.testing.assert_allclose(display.eigenvalues[:3], 40 * variances, rtol=1e-9)
    np.testing.assert_allclose(display.eigenvalues[3:], 0.0, atol=1e-9)


@pytest.mark.parametrize(("spectrum", "rank"), [([1, 0, 0], 1.0), ([2, 2, 0], 2.0), ([0, 0], 0.0)])
def test_the_effective_rank_of_equal_eigenvalues_is_their_number(spectrum, rank):
    display = SpectrumDisplay(np.diag(np.array(spectrum, float)), centered=False)
    assert display.effective_rank == pytest.approx(rank)


def test_the_effective_rank_is_invariant_and_between_one_and_n():
    rng = np.random.default_rng(1)
    Q = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    values = rng.uniform(0.1, 5.0, size=6)
    first = SpectrumDisplay(np.diag(values), centered=False).effective_rank
    K = 7.0 * (Q * values) @ Q.T
    second = SpectrumDisplay((K + K.T) / 2, centered=False).effective_rank
    assert second == pytest.approx(first)
    shares = values / values.sum()
    assert first == pytest.approx(np.prod(shares**-shares))
    assert 1.0 < first < 6.0


def test_the_line_shows_the_eigenvalues_that_are_not_rounding(closed_figures):
    X = np.random.default_rng(2).normal(size=(20, 2))
    model = MKLRegressor([Gaussian(0.1)], C=1.0).fit(X, X[:, 0])
    _, ax = closed_figures.subplots()
    display = SpectrumDisplay.from_estimator(model, X, centered=False, ax=ax)
    assert display.ax_ is ax
    shown = display.line_.get_ydata()
    np.testing.assert_array_equal(shown, display.eigenvalues[: len(shown)])
    assert shown.min() > 1e-12 * shown.max()
    # Plain characters: no tick may be read as markup.
    ax.figure.canvas.draw()
    assert not any("$" in text.get_text() for text in ax.get_yticklabels(which="both"))


def test_a_matrix_of_zeros_and_one_with_negative_eigenvalues_can_be_drawn():
    assert SpectrumDisplay(np.zeros((3, 3))).plot().effective_rank == 0.0
    display = SpectrumDisplay([[0.0, 1.0], [1.0, 0.0]], centered=False).plot()
    np.testing.assert_allclose(display.eigenvalues, [1.0, -1.0])
    assert display.effective_rank == pytest.approx(1.0)
