"""Residuals are those of machines that know as many rows as the members do."""

from dataclasses import replace

import numpy as np

import kernlearn as kl
from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.estimators.mixture.options import MixtureOptions
from kernlearn.estimators.mixture.preparation.table import STANDARD
from kernlearn.estimators.mixture.uncertainty import MixtureUncertainty, left_out_subset
from kernlearn.kernels import Gaussian


def test_leave_one_out_residuals_of_some_rows_are_those_of_machines_without_them():
    rng = np.random.default_rng(0)
    X, Y, ones = rng.normal(size=(20, 2)), rng.normal(size=(20, 2)), np.ones(20)
    rows = np.array([3, 11])
    machine = KernelMachine.trained(STANDARD, Gaussian(0.3), 0.1, X, Y, ones)
    kept = [np.delete(np.arange(20), row) for row in rows]
    fewer = [
        KernelMachine.trained(STANDARD, Gaussian(0.3), 0.1, X[one], Y[one], ones[one])
        for one in kept
    ]
    found = [Y[row] - one.values(X[[row]])[0] for row, one in zip(rows, fewer, strict=True)]
    np.testing.assert_allclose(left_out_subset(machine, rows), found, rtol=1e-8)


def test_intervals_shrink_with_rows_that_the_mixture_was_not_judged_by(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (700, 2))
    y = np.sin(2 * X[:, 0]) * X[:, 1]
    model = kl.KernelRegressor([Gaussian(0.5)])
    model._options = replace(MixtureOptions(), judged_rows=60)
    model.fit(X[:550], y[:550])
    uncertainty = MixtureUncertainty.of(model._members)
    assert len(model._members.Y) == 60
    assert uncertainty._shrinkage() < 0.2
    low, high = model.predict_interval(X[550:], 0.9).T
    assert np.median(high - low) < 0.2
    assert np.mean((low <= y[550:]) & (y[550:] <= high)) > 0.8


def test_residuals_shrink_with_few_rows_too():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (90, 2))
    model = kl.KernelRegressor([Gaussian(0.5)])
    model._options = replace(MixtureOptions(), judged_rows=60)
    model.fit(X, np.sin(2 * X[:, 0]) * X[:, 1])
    assert 0.0 < MixtureUncertainty.of(model._members)._shrinkage() <= 1.0
    assert np.isfinite(model.predict(X, return_std=True)[1]).all()
