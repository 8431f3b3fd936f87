"""The divergence of a Gaussian process, against a density of SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from kernlearn.functionals import GaussianDivergence
from kernlearn.kernels import Gaussian, Linear


@pytest.mark.parametrize("ridge", [0.0, 0.3])
def test_it_is_minus_the_log_likelihood(ridge):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(6, 2)), rng.normal(size=6)
    K = Gaussian(0.5)(X) + ridge * np.eye(6)
    expected = -multivariate_normal(cov=K).logpdf(y) - 3.0 * np.log(2.0 * np.pi)
    assert GaussianDivergence(ridge)(Gaussian(0.5), X, y) == pytest.approx(expected, rel=1e-9)


def test_classes_count_as_signs_on_average():
    X = np.arange(6.0)[:, None]
    names = np.array(["a", "b", "c"])[[0, 0, 1, 1, 2, 2]]
    each = [GaussianDivergence()(Gaussian(), X, np.where(names == c, 1.0, -1.0)) for c in "abc"]
    assert GaussianDivergence()(Gaussian(), X, names) == pytest.approx(np.mean(each))


def test_singular_kernels_and_negative_ridges_are_refused():
    X, y = np.ones((3, 1)), np.arange(3.0)
    with pytest.raises(ValueError, match="positive definite, got a singular one; choose a ridge"):
        GaussianDivergence()(Linear(), X, y)
    with pytest.raises(ValueError, match="ridge to be a number of at least 0, got -1"):
        GaussianDivergence(-1)(Linear(), X, y)
