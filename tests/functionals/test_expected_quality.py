"""The expected quality: an unbiased mean over disjoint blocks, with an honest standard error."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.functionals import Alignment, RegularizedRisk, expected_quality
from kernlearn.kernels import Gaussian, Precomputed


def sample(rng, n):
    y = rng.integers(2, size=n)
    return rng.normal(size=(n, 2)) + y[:, None], y


def test_the_mean_over_blocks_is_that_of_fresh_samples_of_their_size():
    """Against a second way: new samples from the distribution itself."""
    rng = np.random.default_rng(0)
    X, y = sample(rng, 1200)
    found = expected_quality(Alignment(centered=True), Gaussian(0.5), X, y, n_rows=40)
    fresh = [Alignment(centered=True)(Gaussian(0.5), *sample(rng, 40)) for _ in range(60)]
    assert found.n_rows == 40
    assert len(found.values) == 30
    assert found.standard_error == pytest.approx(np.std(fresh) / np.sqrt(30), rel=0.5)
    assert abs(found.value - np.mean(fresh)) < 4 * found.standard_error
    assert str(found).endswith("on 40 rows, the mean of 30 disjoint blocks")


def test_a_matrix_and_a_default_of_ten_blocks():
    X, y = sample(np.random.default_rng(1), 105)
    by_kernel = expected_quality(RegularizedRisk(), Gaussian(0.5), X, y)
    numbers = np.arange(105)[:, None]
    by_matrix = expected_quality(RegularizedRisk(), Precomputed(Gaussian(0.5)(X)), numbers, y)
    np.testing.assert_allclose(by_matrix.values, by_kernel.values, rtol=1e-6)
    assert len(by_kernel.values) == 10
    assert by_kernel.n_rows == 10
    with pytest.raises(ValueError, match="expected at least two blocks of 60 rows, got 105 rows"):
        expected_quality(RegularizedRisk(), Gaussian(0.5), X, y, n_rows=60)
