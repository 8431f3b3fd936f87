"""Bad data and bad parameters get a sentence with expectation, finding and cure."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.tree import DecisionTreeRegressor

from kernlearn.gram import gram_stack
from kernlearn.kernels import (
    ANOVA,
    ARDGaussian,
    Centered,
    Columns,
    Gaussian,
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
)

X = np.array([[0.0, 1.0], [2.0, 3.0], [1.0, -1.0]])


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (Gaussian(0.0), r"Gaussian's gamma must be a positive finite number, got 0.0; choose"),
        (Gaussian(np.nan), r"Gaussian's gamma must be a positive finite number, got nan"),
        (Gaussian("scale"), r"Gaussian's gamma must be a positive finite number, got 'scale'"),
        (Laplacian(-1), r"Laplacian's gamma must be a positive finite number, got -1"),
        (Matern(0.0), r"Matern's length_scale must be a positive finite number, got 0.0"),
        (Matern(1.0, nu=2.0), r"Matern's nu must be 0.5, 1.5, 2.5 or inf, got 2.0; choose"),
        (Polynomial(0), r"Polynomial's degree must be a positive integer, got 0; choose"),
        (Polynomial(1.5), r"Polynomial's degree must be a positive integer, got 1.5"),
        (Polynomial(2, -1.0), r"Polynomial's offset must be a non-negative finite number, got -1"),
        (ANOVA(0.0), r"ANOVA's gamma must be a positive finite number, got 0.0"),
        (ANOVA(1.0, 0), r"ANOVA's degree must be a positive integer, got 0"),
        (ARDGaussian([1.0, -1.0]), r"ARDGaussian's gammas must be a list of non-negative finite"),
        (ARDGaussian([[1.0, 1.0]]), r"ARDGaussian's gammas must be a list of non-negative finite"),
        (ARDGaussian([1.0]), r"one number for each column of X, got 1 for 2 columns; pass"),
        (Scaled(Linear(), -2.0), r"Scaled's scale must be a non-negative finite number, got -2.0"),
        (Stretched("rbf", [1.0, 1.0]), r"Stretched must be built from kernel objects, got 'rbf'"),
        (Stretched(Linear(), [-1.0, 1.0]), r"Stretched's scales must be a list of non-negative"),
        (Stretched(Linear(), [1.0]), r"one number for each column of X, got 1 for 2 columns"),
        (TreePaths([], [], [], []), r"TreePaths must be built from roots, and for every node"),
        (TreePaths([0], [0], [np.nan], [[0, 0]]), r"a finite threshold and two children"),
        (TreePaths([0], [0.5], [1.0], [[0, 0]]), r"all but thresholds whole numbers, got shapes"),
        (TreePaths([0], [0, 0], [1.0, 1.0], [[1, 1], [0, 0]]), r"must be two later nodes"),
        (TreePaths([1], [0], [1.0], [[0, 0]]), r"roots must be among its nodes"),
        (TreePaths([0], [5], [1.0], [[0, 0]]), r"6 columns at least, for which its trees ask, got"),
        (Power(Linear(), 0), r"Power's exponent must be a positive integer, got 0"),
        (Sum([]), r"Sum must be given a list of at least one kernel, got \[\]; pass"),
        (Product(Linear()), r"Product must be given a list of at least one kernel, got Linear\(\)"),
        (Sum([Linear(), "rbf"]), r"Sum must be built from kernel objects, got 'rbf'; pass"),
        (Normalized("rbf"), r"Normalized must be built from kernel objects, got 'rbf'"),
        (Columns([5], Linear()), r"a table of 2 columns, got \[5\]; choose from 0 to 1"),
        (Columns([], Linear()), r"Columns must be given as positions or as names, got \[\]"),
        (Columns([True, False], Linear()), r"Columns must be given as positions or as names"),
        (Columns(slice(2, None), Linear()), r"Columns must choose at least one column"),
        (Columns(["a"], Linear()), r"chosen by name need a data frame, got ndarray"),
        (Centered(Linear(), [[1.0]]), r"same number of columns, got 2 and 1; pass both"),
    ],
)
def test_parameters_are_checked_when_called(kernel, message):
    for call in (kernel, kernel.diag):
        with pytest.raises(ValueError, match=message):
            call(X)


@pytest.mark.parametrize("kernel", [Linear(), Normalized(Gaussian()), Linear() + Gaussian()])
@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([1.0, 2.0], r"2-D table .* got 1-D data; use .*reshape\(-1, 1\)"),
        (3.0, r"2-D table .* got 0-D data"),
        (np.empty((0, 2)), r"have at least one row, got shape \(0, 2\); check"),
        (np.empty((2, 0)), r"have at least one column, got shape \(2, 0\)"),
        ([[1.0, np.nan]], r"finite numbers only, got nan in row 0, column 1; remove or impute"),
        ([[1.0, -np.inf]], r"finite numbers only, got -inf in row 0, column 1"),
        ([[1.0, "a"]], r"hold real numbers, got entries of type <U.*; encode"),
        (np.array([[1.0, "a"]], dtype=object), r"hold real numbers, got 'a' in column 1"),
        ([[1.0, 2.0j]], r"hold real numbers, got entries of type complex128"),
        ([[1.0], [1.0, 2.0]], r"rows of different lengths; give every row"),
        (csr_array([[np.nan, 1.0]]), r"finite numbers only, got NaN or infinity in a sparse"),
        (pd.DataFrame({"u": [1.0], "v": ["red"]}), r"real numbers, got 'red' in column 'v'"),
    ],
)
def test_tables_are_checked(kernel, table, message):
    for call in (kernel, kernel.diag):
        with pytest.raises(ValueError, match=f"^X must .*{message}"):
            call(table)
    # As second table it is refused too, for its content or for its width.
    with pytest.raises(ValueError, match=f"{message}|same number of columns"):
        kernel(X, table)


def test_tables_of_different_widths_or_names_are_refused():
    with pytest.raises(ValueError, match=r"same number of columns, got 2 and 1; pass both"):
        Gaussian()(X, X[:, :1])
    with pytest.raises(ValueError, match=r"same number of columns, got 2 and 1"):
        Columns([0], Gaussian())(X, X[:, :1])
    frame = pd.DataFrame(X, columns=["a", "b"])
    for kernel in (Gaussian(), Columns("a", Gaussian())):
        with pytest.raises(ValueError, match=r"same order, got \['a', 'b'\] and \['b', 'a'\]"):
            kernel(frame, frame[["b", "a"]])


def test_operators_refuse_what_gives_no_kernel():
    with pytest.raises(ValueError, match=r"factor of a kernel must be a non-negative finite"):
        -1 * Linear()
    with pytest.raises(ValueError, match=r"exponent of a kernel must be a positive integer"):
        Linear() ** 0.5
    for wrong in ("rbf", None, X, 1.0):
        with pytest.raises(TypeError, match=r"operand|concatenate"):
            Linear() + wrong
    for wrong in ("rbf", None, X):
        with pytest.raises(TypeError, match=r"operand|can't multiply sequence"):
            Linear() * wrong


def test_a_kernel_that_is_not_symmetric_is_refused_and_rounding_is_mended():
    class Skewed(Kernel):
        def __init__(self, by=0.0):
            self.by = by

        def _evaluate(self, X, Y):
            return X @ Y.T + self.by * np.triu(np.ones((len(X), len(Y))))

        def _diag(self, X):
            return (X**2).sum(axis=1)

    with pytest.raises(ValueError, match=r"Skewed must be symmetric, .* differ by up to 0.5; if"):
        Skewed(0.5)(X)
    K = Skewed(1e-13)(X)
    assert (K == K.T).all()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0.5]], r"whole numbers from 0 to 1, got 0.5; pass for example np.arange\(2\)"),
        ([[2]], r"whole numbers from 0 to 1, got 2"),
        ([[-1]], r"whole numbers from 0 to 1, got -1"),
        ([[0, 1]], r"one column of row numbers of K, got 2 columns"),
    ],
)
def test_precomputed_checks_row_numbers(rows, message):
    kernel = Precomputed(np.eye(2))
    for call in (kernel, kernel.diag, lambda rows: kernel(rows, rows)):
        with pytest.raises(ValueError, match=message):
            call(rows)


def test_precomputed_checks_its_matrix():
    with pytest.raises(ValueError, match=r"must be given a square matrix K, got shape \(2, 3\)"):
        Precomputed(np.ones((2, 3)))([[0]])
    with pytest.raises(
        ValueError, match=r"finite numbers, got nan in row \d of column \d; replace"
    ):
        Precomputed([[np.nan]])([[0]])
    with pytest.raises(ValueError, match=r"Precomputed must be symmetric, .* differ by up to 1;"):
        Precomputed([[1.0, 0.0], [1.0, 1.0]])([[0], [1]])


def test_matrices_larger_than_memory_are_refused():
    many = csr_array((10_000_000, 100_000))
    with pytest.raises(MemoryError, match=r"a kernel matrix of 10000000 x 10000000 numbers, got"):
        Linear()(many)
    with pytest.raises(MemoryError, match=r"2 kernel matrices of 10000000 x 10000000 numbers"):
        gram_stack([Linear(), Gaussian()], many)


@pytest.mark.parametrize("trees", [[DecisionTreeRegressor()], [np.array([None])], ["oak"]])
def test_only_fitted_trees_have_ways(trees):
    with pytest.raises(ValueError, match=r"made of fitted trees, got .*; fit them first"):
        TreePaths.of(trees)
    with pytest.raises(ValueError, match="one tree at least, got none"):
        TreePaths.of([])
