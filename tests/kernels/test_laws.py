"""Every kernel obeys the laws, and a kernel that is forgotten here fails a test."""

import importlib
import pkgutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.preprocessing import StandardScaler

import kernlearn.kernels
from kernlearn.kernels import (
    ANOVA,
    ARDGaussian,
    Centered,
    ChiSquared,
    Columns,
    Features,
    Gaussian,
    Intersection,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Normalized,
    Polynomial,
    Power,
    Precomputed,
    Product,
    Scaled,
    Stretched,
    Sum,
    TreePaths,
    WeightedSum,
)
from kernlearn.testing import check_kernel

ROOT = np.random.default_rng(3).standard_normal((12, 5))

TWO_STUMPS = [[1, 2], [1, 1], [2, 2], [4, 5], [4, 4], [5, 5]]

# One line for every kernel class: those on tables of three columns, and `Precomputed` on its own.
EXAMPLES = {
    "ANOVA": ANOVA(0.4, degree=2),
    "ARDGaussian": ARDGaussian([0.3, 0.0, 2.0]),
    "Centered": Centered(Gaussian(0.4), ROOT[:4, :3]),
    "Columns": Columns([2, 0], Gaussian(0.7)),
    "Gaussian": Gaussian(0.5),
    "Laplacian": Laplacian(0.8),
    "Linear": Linear(),
    "Matern": Matern(1.3, nu=2.5),
    "Normalized": Normalized(Polynomial(2)),
    "Polynomial": Polynomial(3, offset=0.5),
    "Power": Power(Laplacian(0.2), 3),
    "Precomputed": Precomputed(ROOT @ ROOT.T),
    "Product": Product([Linear(), Gaussian(0.1)]),
    "Scaled": Scaled(Linear(), 0.25),
    "Stretched": Stretched(Laplacian(0.7), [0.4, 0.0, 2.0]),
    "Sum": Sum([Polynomial(2), Gaussian(0.1)]),
    "TreePaths": TreePaths([0, 3], [2, 0, 0, 1, 0, 0], [1.5, 0, 0, -0.5, 0, 0], TWO_STUMPS),
    "WeightedSum": WeightedSum([Linear(), Gaussian(0.1), Laplacian()], [0.5, 2.0, 0.0]),
}
MORE = {
    "Matern 0.5": Matern(0.6, nu=0.5),
    "Matern 1.5": Matern(2.0, nu=1.5),
    "ANOVA 1": ANOVA(1.5, degree=1),
    "ANOVA 5": ANOVA(0.2, degree=5),
    "Matern inf": Matern(0.9, nu=np.inf),
    "nested": Normalized((Linear() + Gaussian()) * Columns(slice(1, 3), Polynomial(2)) ** 2),
    "standardised": Features(StandardScaler(), Gaussian(0.3)),
    "centred, normalised": Normalized(Centered(Linear(), ROOT[:, :3])),
}
ON_HISTOGRAMS = {"ChiSquared": ChiSquared(0.3), "Intersection": Intersection()}
ON_TABLES = {name: k for name, k in (EXAMPLES | MORE).items() if name != "Precomputed"}

# Repeated values, so that duplicate rows, zero rows and constant columns come up often.
tables = st.integers(1, 9).flatmap(
    lambda n: arrays(float, (n, 3), elements=st.sampled_from([0.0, 1.0, -0.5, 2.0, 1e-7, -30.0]))
)


def test_every_kernel_of_the_package_is_exported_and_has_an_example(thing_examples):
    for module in pkgutil.iter_modules(kernlearn.kernels.__path__):
        importlib.import_module(f"kernlearn.kernels.{module.name}")

    def subclasses(cls):
        return {cls}.union(*(subclasses(sub) for sub in cls.__subclasses__()))

    names = {
        cls.__name__
        for cls in subclasses(Kernel)
        if cls.__module__.startswith("kernlearn.kernels") and not cls.__name__.startswith("_")
    }
    exported = set(kernlearn.kernels.__all__)
    families = {"ARDGaussianRange", "GaussianRange", "Grid", "PerColumn"}
    assert names | families | {"default_bank"} == exported
    assert names - {"Kernel"} == set(EXAMPLES) | set(ON_HISTOGRAMS) | set(thing_examples)
    examples = EXAMPLES | ON_HISTOGRAMS | {name: k for name, (k, _) in thing_examples.items()}
    assert all(type(kernel).__name__ == name for name, kernel in examples.items())


@pytest.mark.parametrize("name", ON_TABLES)
@settings(max_examples=5)
@given(X=tables)
def test_laws(name, X):
    check_kernel(ON_TABLES[name], X)


@pytest.mark.parametrize("name", ON_HISTOGRAMS)
@settings(max_examples=5)
@given(X=tables)
def test_laws_on_histograms(name, X):
    check_kernel(ON_HISTOGRAMS[name], np.abs(X))


@settings(max_examples=5)
@given(rows=st.lists(st.integers(0, 11), min_size=1, max_size=8))
def test_laws_of_precomputed(rows):
    check_kernel(EXAMPLES["Precomputed"], np.array(rows)[:, None])


@pytest.mark.parametrize("name", ON_TABLES)
def test_laws_with_many_rows_of_each_table(name):
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((70, 3)), rng.standard_normal((5, 3))
    kernel = ON_TABLES[name].fitted_to(X)
    np.testing.assert_allclose(kernel(X, Y), kernel(Y, X).T, rtol=1e-12, atol=1e-13)
    both = kernel(np.vstack([X, Y]))
    np.testing.assert_allclose(kernel(X, Y), both[:70, 70:], rtol=1e-12, atol=1e-13)


@settings(max_examples=5)
@given(X=tables)
def test_products_distribute_over_sums(X):
    a, b, c = Linear(), Gaussian(0.3), Polynomial(2)
    left, right = (a + b) * c, a * c + b * c
    np.testing.assert_allclose(left(X), right(X), rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(left.diag(X), right.diag(X), rtol=1e-12, atol=1e-9)


@settings(max_examples=5)
@given(X=tables)
def test_powers_are_repeated_products_and_factors_come_out(X):
    k = Polynomial(1, offset=0.5)
    np.testing.assert_allclose((k**3)(X), (k * k * k)(X), rtol=1e-12)
    np.testing.assert_allclose((3 * k + k)(X), (k * 4.0)(X), rtol=1e-12)
    np.testing.assert_allclose((2 * (k * k))(X), ((2 * k) * k)(X), rtol=1e-12)
