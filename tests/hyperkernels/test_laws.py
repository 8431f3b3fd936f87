"""Every hyperkernel obeys the laws, and a hyperkernel that is forgotten here fails a test."""

import importlib
import pkgutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import kernlearn.hyperkernels
from kernlearn.hyperkernels import (
    ARDHarmonic,
    BallSpline,
    Convolution,
    DampedOscillator,
    Explicit,
    GaussianHyperkernel,
    Harmonic,
    Hyperkernel,
    PowerSeries,
    TranslationInvariant,
    Wishart,
)
from kernlearn.kernels import Gaussian, Laplacian, Polynomial
from kernlearn.testing import check_hyperkernel


class ProductOfKernels(Hyperkernel):
    """The least that a user has to write: two methods on pairs of shape (n, 2, d)."""

    def _evaluate(self, table, other):
        return np.multiply.outer(self._values(table), self._values(other))

    def _diag(self, table):
        return self._values(table) ** 2

    def _values(self, pairs):
        return np.exp(-np.abs(pairs[:, 0] - pairs[:, 1]).sum(axis=1))


def exponential(t, s):
    return np.exp(np.exp(-np.abs(t) - np.abs(s)))


# One line for every class of hyperkernel, on points with three features.
EXAMPLES = {
    "ARDHarmonic": ARDHarmonic(0.6, [0.3, 0.0, 2.0]),
    "BallSpline": BallSpline([0.7, 3.0], [1.0, 0.5]),
    "DampedOscillator": DampedOscillator(0.5, [0.5, 2.0]),
    "Convolution": Convolution(Laplacian(0.2), Gaussian(0.3), np.eye(3), [0.5, 1.0, 0.25]),
    "Explicit": Explicit([Polynomial(2, 0.5), Gaussian(0.4), Laplacian(0.1)], [0.2, 1.5, 0.0]),
    "GaussianHyperkernel": GaussianHyperkernel(1.5, 0.7),
    "Harmonic": Harmonic(0.7, 0.2),
    "PowerSeries": PowerSeries("exp", Gaussian(0.5)),
    "TranslationInvariant": TranslationInvariant(exponential, [1.0, 0.5, 20.0]),
    "Wishart": Wishart(np.diag([4.0, 1.0, 0.25]) + 0.1, r=4.5),
}
INVARIANT = {"ARDHarmonic", "Harmonic", "PowerSeries", "TranslationInvariant"}
INVARIANT |= {"BallSpline", "DampedOscillator"}
MORE = {
    "a user's own": ProductOfKernels(),
    "cosh": PowerSeries("cosh", 1.5 * Laplacian(0.3)),
    "arctanh": PowerSeries("arctanh", 0.9 * Gaussian(0.3)),
    "nearly one": Harmonic(0.999, 1.0),
    "nearly zero": ARDHarmonic(1e-12, [1.0, 1.0, 1.0]),
}

# Repeated values, so that duplicate points and constant columns come up often.
points = st.integers(1, 6).flatmap(
    lambda n: arrays(float, (n, 3), elements=st.sampled_from([0.0, 1.0, -0.5, 2.0, 1e-7, -30.0]))
)


def test_every_hyperkernel_of_the_package_is_exported_and_has_an_example():
    for module in pkgutil.iter_modules(kernlearn.hyperkernels.__path__):
        importlib.import_module(f"kernlearn.hyperkernels.{module.name}")

    def subclasses(cls):
        return {cls}.union(*(subclasses(sub) for sub in cls.__subclasses__()))

    names = {
        cls.__name__
        for cls in subclasses(Hyperkernel) - {Hyperkernel}
        if cls.__module__.startswith("kernlearn.hyperkernels.") and cls.__name__[0] != "_"
    }
    others = {"Hyperkernel", "Expansion", "Series", "TABLE_2"}
    assert names == set(EXAMPLES)
    assert names | others == set(kernlearn.hyperkernels.__all__)
    assert all(type(hk).__name__ == name for name, hk in EXAMPLES.items())


@pytest.mark.parametrize("name", EXAMPLES | MORE)
@settings(max_examples=4)
@given(X=points)
def test_laws(name, X):
    check_hyperkernel((EXAMPLES | MORE)[name], X)


@pytest.mark.parametrize("name", EXAMPLES)
def test_differences_are_all_that_counts_for_invariant_ones(name):
    rng = np.random.default_rng(0)
    pairs = rng.standard_normal((5, 2, 3))
    moved = pairs + rng.standard_normal((5, 1, 3))
    hk = EXAMPLES[name]
    unchanged = np.allclose(hk(pairs), hk(moved), rtol=1e-10)
    assert unchanged == (name in INVARIANT)
