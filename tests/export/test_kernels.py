"""Every kernel that can be exported has the values of the kernel itself, alone and normalised."""

from __future__ import annotations

import runpy
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

import kernlearn as kl
from kernlearn.export import to_numpy_code
from kernlearn.hyperkernels import Harmonic
from kernlearn.kernels import (
    ANOVA,
    Centered,
    Columns,
    Features,
    Gaussian,
    Linear,
    Matern,
    Normalized,
    Polynomial,
)

SUM = 0.5 * Gaussian(0.3) + Linear()
KERNELS = {
    "scaled": 2.5 * Gaussian(0.3),
    "power": Polynomial(2) ** 2,
    "product": Gaussian(0.3) * (Linear() + Gaussian(1.0)),
    "columns": Columns(slice(1, 3), Gaussian(0.3)),
    "transformed": Features(StandardScaler(), Gaussian(0.3)),
    "smooth": Matern(1.5, np.inf),
    "rough": Matern(1.5, 0.5),
    "interactions": ANOVA(0.5, 2) * Linear(),
    "unit diagonal": Normalized(Gaussian(0.3)),
    "normalised scaled": Normalized(2.5 * Linear()),
    "normalised sum": Normalized(SUM),
    "normalised product": Normalized(SUM * Polynomial(2)),
    "normalised power": Normalized(SUM**2),
    "normalised twice": Normalized(Normalized(Linear()) + Gaussian(0.3)),
    "normalised, centred": Normalized(Centered(SUM, np.eye(3))),
}


def export_agrees(model, X, folder):
    to_numpy_code(model, folder / "model.py")
    found = runpy.run_path(str(folder / "model.py"))["predict"](X)
    expected = model.predict(X)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


@pytest.fixture(scope="module")
def rows():
    X = np.random.default_rng(0).normal(size=(30, 3))
    X[0] = 0.0  # no direction, so that its normalised values are zero
    return SimpleNamespace(X=X, y=np.sin(2.0 * X[:, 0]) + X[:, 1])


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_predicts_as_a_machine_of_the_kernel(rows, kernel, tmp_path):
    model = kl.MKLRegressor([kernel], quality="least_squares", C=1.0).fit(rows.X[:20], rows.y[:20])
    export_agrees(model, rows.X, tmp_path)


def test_sections_of_one_bandwidth(rows, tmp_path):
    model = kl.HyperkernelRegressor(Harmonic(0.6, gamma=0.3), C=1.0).fit(rows.X[:20], rows.y[:20])
    export_agrees(model, rows.X, tmp_path)
