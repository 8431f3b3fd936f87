"""Families of kernels on columns: which kernel is where, and what is refused."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import kernlearn.kernels
from kernlearn.kernels import Columns, Gaussian, Grid, Kernel, Laplacian, Linear, PerColumn

X = np.random.default_rng(0).standard_normal((7, 5))


def test_a_grid_holds_every_kernel_on_every_subset_in_order():
    kernels = [Gaussian(0.1), Linear()]
    grid = Grid(kernels, size=[1, 3]).bind(X)
    subsets = [*combinations(range(5), 1), *combinations(range(5), 3)]
    assert len(grid) == 2 * (5 + 10)
    listed = [(subset, kernel) for subset in subsets for kernel in kernels]
    for found, (subset, kernel) in zip(grid, listed, strict=True):
        assert isinstance(found, Columns)
        assert tuple(found.columns) == subset
        np.testing.assert_array_equal(found(X), kernel(X[:, list(subset)]))
    assert repr(grid[-1]) == repr(grid[len(grid) - 1])
    assert len(grid[3:7]) == 4


def test_groups_are_the_subsets_by_their_numbers():
    for family in (Grid(Gaussian(), size=[2, 1]), Grid(Gaussian(), subsets=[[4], [0, 2], [1]])):
        grid = family.bind(X)
        groups = list(grid.groups())
        assert sorted(np.concatenate([numbers for numbers, _ in groups])) == list(range(len(grid)))
        for numbers, columns in groups:
            for number, chosen in zip(numbers, columns, strict=True):
                assert grid.subset(int(number)) == list(chosen)


def test_columns_may_be_chosen_by_place_or_by_name():
    frame = pd.DataFrame(X, columns=list("abcde"))
    assert [k.columns for k in PerColumn(Linear(), columns=[3, 1, 3]).bind(X)] == [[3], [1]]
    named = PerColumn(Linear(), columns=["d", "b"]).bind(frame)
    assert [(k.columns, k.name) for k in named] == [([3], "d"), ([1], "b")]
    pair = Grid(Linear(), subsets=[["a", "e"]]).bind(frame)[0]
    assert (pair.columns, pair.name) == ([0, 4], "a, e")
    # The learned kernel also takes the columns without their names.
    np.testing.assert_array_equal(pair(frame), pair(X))


def test_families_are_plain_values():
    grid = Grid([Gaussian(0.3)], size=2)
    copy = clone(grid)
    assert copy is not grid
    assert repr(copy) == repr(grid) == "Grid(kernels=[Gaussian(gamma=0.3)], size=2)"
    per_column = PerColumn(Gaussian(0.3)).set_params(kernels__gamma=2.0)
    assert per_column.get_params()["kernels__gamma"] == 2.0
    assert repr(clone(per_column)) == "PerColumn(kernels=Gaussian(gamma=2.0))"


@pytest.mark.parametrize(
    ("family", "sentence"),
    [
        (PerColumn(3), "a kernel or a list of kernels, got 3"),
        (PerColumn([]), "at least one kernel, got an empty list"),
        (Grid(Gaussian(), size=0), "subsets of 1 to 5 columns"),
        (Grid(Gaussian(), size=6), "subsets of 1 to 5 columns"),
        (Grid(Gaussian(), size=1.5), "subsets of 1 to 5 columns"),
        (Grid(Gaussian(), size=[2, 2]), "each size once"),
        (Grid(Gaussian(), subsets=[]), "a list of subsets of columns"),
        (Grid(Gaussian(), subsets=[[0]], size=2), "either subsets or size and columns"),
        (Grid(Gaussian(), subsets=[[0, 9]]), "positions in a table of 5 columns"),
        (PerColumn(Gaussian(), columns=["a"]), "need a data frame"),
    ],
)
def test_what_makes_no_family_is_refused(family, sentence):
    with pytest.raises(ValueError, match=sentence):
        family.bind(X)


def test_rows_of_things_have_no_columns():
    with pytest.raises(ValueError, match="needs a table with columns"):
        PerColumn(Gaussian()).bind(["a", "bc"])


PRODUCTS = {"Gaussian": Gaussian(0.7), "Laplacian": Laplacian(0.7)}


def test_kernels_that_say_so_are_products_over_columns():
    kinds = [getattr(kernlearn.kernels, name) for name in kernlearn.kernels.__all__]
    said = {k.__name__ for k in kinds if isinstance(k, type) and issubclass(k, Kernel)}
    said = {name for name in said if getattr(kernlearn.kernels, name).is_product}
    assert said == set(PRODUCTS)
    for kernel in PRODUCTS.values():
        product = np.prod([kernel._by_column(x[:, None], x[None]) for x in X.T], axis=0)
        np.testing.assert_allclose(product, kernel(X), rtol=1e-13)


def test_other_kernels_have_no_factor():
    with pytest.raises(NotImplementedError, match="Linear is no product"):
        Linear()._by_column(X, X)
