"""A pool's numbers against matrices in plain NumPy."""

import numpy as np
import pandas as pd
import pytest

from kernlearn._device import Place, to_host
from kernlearn.families.column_products import BlockOptions
from kernlearn.families.kernel_pool import KernelPool, bound_family, is_family
from kernlearn.families.matrices import GramStack, PlacedStack
from kernlearn.kernels import Gaussian, Grid, Kernel, Laplacian, Linear, PerColumn, Polynomial

RNG = np.random.default_rng(1)
X = RNG.standard_normal((30, 6))
KERNELS = [Gaussian(0.2), Laplacian(0.5), Polynomial(2)]
FAMILIES = {
    "columns": PerColumn(KERNELS),
    "pairs": Grid(KERNELS, size=[1, 2]),
    "triples": Grid(KERNELS, size=3, columns=[0, 2, 3, 5]),
    "few pairs": Grid(KERNELS, subsets=[[0, 5], [2], [1, 2, 3, 4]]),
}


class Cosine(Kernel):
    """Symmetric, but not positive semidefinite."""

    def _evaluate(self, X, Y):
        return 1.0 + np.cos(9.0 * (X.sum(axis=1)[:, None] * Y.sum(axis=1)[None]))

    def _diag(self, X):
        return 1.0 + np.cos(9.0 * X.sum(axis=1) ** 2)


def tick():
    pass


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
@pytest.mark.parametrize("frame", [False, True])
def test_traces_and_products_are_those_of_the_matrices(family, frame):
    blocks = BlockOptions(smallest=5, numbers=150, subsets=2)  # several, some of them short
    table = pd.DataFrame(X, columns=list("abcdef")) if frame else X
    pool = KernelPool(family.bind(table), table, len(X), "raise", options=blocks)
    grams = np.stack([kernel(table) for kernel in pool.kernels])
    np.testing.assert_allclose(pool.traces, np.trace(grams, axis1=1, axis2=2), rtol=1e-13)
    for rank in (1, 3):
        F = RNG.standard_normal((rank, 30))
        F[:, RNG.choice(30, 7, replace=False)] = 0.0
        expected = [np.trace(F @ K @ F.T) for K in grams]
        np.testing.assert_allclose(pool.forms(F, tick), expected, rtol=1e-11)
    weights = np.zeros(len(grams))
    weights[[0, 2]] = 0.5, 2.0
    expected = np.tensordot(weights, grams, 1)
    np.testing.assert_allclose(pool.combine(weights), expected, rtol=1e-13)
    np.testing.assert_allclose(pool.combined(weights)(table), expected, rtol=1e-13)


@pytest.mark.parametrize("library", ["array_api_strict", "torch"])
@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_a_device_finds_what_the_host_finds(family, library):
    pytest.importorskip(library)
    kernels, F = family.bind(X), RNG.standard_normal((2, 30))
    host = KernelPool(kernels, X, 30, "raise")
    there = KernelPool(kernels, X, 30, "raise", place=Place(library, "cpu"))
    np.testing.assert_allclose(there.traces, host.traces, rtol=1e-13)
    np.testing.assert_allclose(there.forms(F, tick), host.forms(F, tick), rtol=1e-11)
    for i in range(len(kernels)):
        np.testing.assert_allclose(to_host(there.gram_elsewhere(i)), host.gram(i), rtol=1e-13)


@pytest.mark.parametrize("library", ["array_api_strict", "torch"])
def test_a_stack_on_a_device_is_a_stack(library):
    pytest.importorskip(library)
    grams = np.array([Gaussian(g)(X) for g in (0.1, 1.0, 10.0)])
    here = GramStack(grams, 25)
    there = PlacedStack([Place(library, "cpu").put(K) for K in grams], 25)
    np.testing.assert_allclose(there.norms, here.norms, rtol=1e-13)
    np.testing.assert_allclose(there.traces, here.traces, rtol=1e-13)
    np.testing.assert_array_equal(there.grams, grams)
    weights, rows = np.array([0.3, 0.0, 2.0]), np.arange(0, 25, 3)
    for labelled in (True, False):
        n = 25 if labelled else 30
        for one in ("combine", "combine_exactly"):
            found, expected = (getattr(s, one)(weights, labelled) for s in (there, here))
            np.testing.assert_allclose(found, expected, rtol=1e-13)
        a = RNG.standard_normal(n)
        found, expected = (stack.apply(a, labelled) for stack in (there, here))
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)
    K = there.combine(weights)
    K += 1.0  # a new array that the caller may change
    np.testing.assert_array_equal(there.subset(rows).grams, here.subset(rows).grams)
    cancelling = np.array([1.0, -1.0, 1e-9])
    np.testing.assert_allclose(there.combine(cancelling), here.combine(cancelling), atol=1e-16)


def test_text_beside_the_columns_is_not_looked_at():
    table = pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(word="x")
    pool = KernelPool(PerColumn(KERNELS, columns=["a", "b"]).bind(table), table, 30, "raise")
    K = Gaussian(0.2)(X[:, :1])
    assert pool.forms(X[:, 0][None], tick)[0] == pytest.approx(X[:, 0] @ K @ X[:, 0])
    everything = PerColumn(KERNELS).bind(table)
    with pytest.raises(ValueError, match="real numbers"):
        _ = KernelPool(everything, table, 30, "raise").traces


def test_what_is_made_on_top_of_a_kernel_is_seen():
    pool = KernelPool(PerColumn(Gaussian(0.2)).bind(X), X, 30, "raise", 1, lambda k: 3.0 * k)
    np.testing.assert_allclose(pool.traces, 90.0)
    K = 3.0 * Gaussian(0.2)(X[:, [4]])
    values = pool.forms(X[:, 0][None], tick)
    assert values[4] == pytest.approx(X[:, 0] @ K @ X[:, 0])


def test_no_rows_cost_nothing():
    pool = KernelPool(PerColumn(Gaussian(0.2)).bind(X), X, 30, "raise")
    assert not pool.forms(np.zeros((1, 30)), tick).any()


def test_a_look_can_be_ended():
    class EndError(Exception):
        pass

    def end():
        raise EndError

    for workers in (1, 2):
        pool = KernelPool(PerColumn(KERNELS).bind(X), X, 30, "raise", workers)
        with pytest.raises(EndError):
            pool.forms(X.T, end)


@pytest.mark.parametrize("size", [1, 40])
def test_an_indefinite_kernel_is_named(size):
    pool = KernelPool([Gaussian()] * size + [Cosine()], X, 30, "raise")
    values, vectors = np.linalg.eigh(Cosine()(X))
    assert values[0] < -1
    a = vectors[:, 0]
    with pytest.raises(ValueError, match=f"kernel {size} of the family must be positive semidef"):
        pool.forms(a[None], tick)
    with pytest.raises(ValueError, match=f"kernel {size} of the family: its Gram matrix must be"):
        pool.gram(size)


def test_a_kernel_that_fails_is_named():
    pool = KernelPool([Linear(), "Linear", Gaussian(-1.0)], X, 30, "raise")
    with pytest.raises(ValueError, match="got 'Linear' as the kernel 1"):
        pool.kernel(1)
    with pytest.raises(ValueError, match="kernel 2 of the family: Gaussian's gamma"):
        pool.kernel(2)


def test_what_is_a_family():
    class Sequence:
        def __len__(self):
            return 0

        def __getitem__(self, i):
            raise IndexError(i)

    assert is_family(PerColumn(Gaussian()))
    assert is_family(Sequence())
    for other in ([Gaussian()], Gaussian(), None, "rbf", {}, np.zeros(3), 3):
        assert not is_family(other)
    with pytest.raises(ValueError, match=r"a family of length zero \(Sequence\)"):
        bound_family(Sequence(), X)
