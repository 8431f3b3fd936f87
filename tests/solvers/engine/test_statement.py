"""Which weights a stated problem allows."""

import numpy as np
import pytest

import kernlearn as kl
from kernlearn import MKLOptions
from kernlearn.kernels import Gaussian, Linear, Normalized
from kernlearn.quality.registry import Settings
from kernlearn.solvers.engine.statement import Statement

KERNELS = [Normalized(Linear()), Gaussian(1.0)]


def _statement(**given):
    settings = Settings(1.0, 0.5, 0.1, np.ones(4))
    return Statement([np.array([1.0, 1.0, -1.0, -1.0])], "soft_margin", settings, **given)


def test_free_signs_of_a_fixed_sum_need_one_trace():
    free = _statement(free_sign=True, constraint="sum")
    np.testing.assert_array_equal(free.weight_set(np.full(3, 4.0)).normaliser, np.ones(3))
    with pytest.raises(ValueError, match=r"equal trace .* got traces from 4 to 5, for which"):
        free.weight_set(np.array([4.0, 5.0]))
    with pytest.raises(ValueError, match="got traces through landmarks from 3 to 4, for which"):
        free.weight_set(np.full(2, 4.0), np.array([3.0, 4.0]))
    with_signs = _statement(constraint="sum")
    assert with_signs.weight_set(np.array([4.0, 5.0]), np.array([3.0, 4.0])).total == 1.0


@pytest.mark.parametrize("quality", ["soft_margin", "least_squares"])
def test_landmarks_keep_traces_of_their_own(quality):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] * X[:, 1] > 0
    options = MKLOptions(constraint="sum")
    given = {"weights": "free", "quality": quality, "random_state": 0, "options": options}
    with pytest.raises(ValueError, match=r"through landmarks .* use constraint='trace'"):
        kl.MKLClassifier(KERNELS, rank=5, **given).fit(X, y)
    # As many landmarks as the kernels have rank keep all of their traces.
    model = kl.MKLClassifier(KERNELS, rank=60, **given).fit(X, y)
    assert model.weights_.sum() == pytest.approx(1.0, rel=1e-9)
