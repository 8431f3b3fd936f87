"""Kernels of GPyTorch have the values of ours."""

import numpy as np
import pytest

from kernlearn.export import to_gpytorch
from kernlearn.kernels import (
    ANOVA,
    ARDGaussian,
    Columns,
    Gaussian,
    Laplacian,
    Linear,
    Matern,
    Overlap,
    Polynomial,
    Stretched,
    WeightedSum,
)

KERNELS = [
    Gaussian(0.3),
    ARDGaussian([0.1, 0.0, 2.0, 1.0]),
    Laplacian(0.4),
    Matern(1.3, 0.5),
    Matern(1.3, 1.5),
    Matern(2.0, 2.5),
    Matern(2.0, np.inf),
    Polynomial(3, 0.7),
    2.0 * Gaussian(0.3) + Linear(),
    Gaussian(0.2) * Columns([1, 2], Linear()),
    WeightedSum([Gaussian(0.1), Linear(), Gaussian(3.0)], [0.2, 0.0, 0.9]),
    ANOVA(0.5, 1),
    Columns([0, 3], ANOVA(0.5, 2)),
    Columns(slice(1, 3), Laplacian(0.2)),
    Stretched(Gaussian(0.4), [1.0, 0.0, 2.0, 0.3]),
    Gaussian(0.4) ** 2,
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_has_the_same_values(kernel):
    torch = pytest.importorskip("torch")
    pytest.importorskip("gpytorch")
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(7, 4)), rng.normal(size=(5, 4))
    translated = to_gpytorch(kernel, n_columns=4)
    with torch.no_grad():
        found = translated(torch.tensor(X), torch.tensor(Z)).to_dense().numpy()
    np.testing.assert_allclose(found, kernel(X, Z), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (Overlap(), "expected a kernel that GPyTorch has, got Overlap"),
        (Laplacian(1.0), "expected n_columns for Laplacian"),
        (Columns("age", Gaussian(1.0)), "expected columns by position"),
        (WeightedSum([Gaussian(1.0), Linear()], [1.0, -0.1]), "weights that are not negative"),
        (Stretched(Linear(), [1.0, 2.0]), "expected a Gaussian of stretched columns, got Linear"),
    ],
)
def test_refuses_what_has_no_translation(kernel, message):
    pytest.importorskip("gpytorch")
    with pytest.raises(ValueError, match=message):
        to_gpytorch(kernel)


def test_without_gpytorch_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "gpytorch", None)
    with pytest.raises(ImportError, match=r"kernlearn\[gpytorch\]"):
        to_gpytorch(Gaussian(1.0))
