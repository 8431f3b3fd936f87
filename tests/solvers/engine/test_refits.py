"""Machines without a fold each, when the time is over."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from kernlearn import HyperkernelRegressor
from kernlearn.quality.registry import Settings
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.solvers.engine.refits import refit_machines


@pytest.mark.parametrize(("seconds", "known"), [(None, 12), (1e-9, 4)])
def test_one_fold_is_trained_after_the_end_of_the_time(seconds, known):
    X = np.random.default_rng(0).normal(size=(12, 2))
    settings = Settings(1.0, 0.5, 0.1, np.ones(12))
    folds = np.split(np.arange(12), 3)
    K, y = X @ X.T, X[:, 0]
    found = refit_machines(
        K, [y], "least_squares", settings, folds, StoppingControl(time_limit=seconds)
    )
    assert np.isfinite(found.values[:, 0]).sum() == known
    assert np.isfinite(found.intercept[:, 0]).sum() == known // 4


def test_intervals_of_a_hyperkernel_through_landmarks_need_one_fold():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, size=(60, 2))
    y = X[:, 0] + 0.1 * rng.normal(size=60)
    model = HyperkernelRegressor(
        quality="epsilon_svr", C=1.0, rank=10, gamma_factor=1.0, max_pivots=5, time_limit=1e-9
    )
    with pytest.warns(ConvergenceWarning, match="raise time_limit"):
        model.fit(X, y)
    low, high = model.predict_interval(X, coverage=0.8).T
    assert 0.6 < np.mean((low <= y) & (y <= high)) <= 1.0
    assert len(model._folds["residuals"]) == 12
