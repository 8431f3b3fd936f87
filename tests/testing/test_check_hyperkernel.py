"""The check suite finds every kind of broken hyperkernel, and passes what is right."""

import numpy as np
import pytest

from kernlearn.hyperkernels import Explicit, Harmonic, Hyperkernel
from kernlearn.kernels import Gaussian
from kernlearn.testing import check_hyperkernel

X = np.random.default_rng(0).standard_normal((6, 2))


class Right(Hyperkernel):
    """The product of two Gaussian kernel values, on the pairs as they are."""

    def _evaluate(self, table, other):
        return np.multiply.outer(self._values(table), self._values(other))

    def _diag(self, table):
        return np.diagonal(self._evaluate(table, table))

    def _values(self, pairs):
        return np.exp(-((pairs[:, 0] - pairs[:, 1]) ** 2).sum(axis=1))


class OrderMatters(Right):
    def _values(self, pairs):
        return np.exp(-pairs[:, 0, 0])


class OrderMattersInTheSecond(Right):
    def _evaluate(self, table, other):
        return np.multiply.outer(self._values(table), np.exp(-other[:, 0, 0]))


class PairsDiffer(Right):
    def _evaluate(self, table, other):
        return np.multiply.outer(self._values(table), self._values(other) ** 2)


class Indefinite(Right):
    def _evaluate(self, table, other):
        return -super()._evaluate(table, other)


class SectionsIndefinite(Right):
    """Positive semidefinite on pairs, but a section is minus a distance, which is no kernel."""

    def _values(self, pairs):
        return -np.abs(pairs[:, 0] - pairs[:, 1]).sum(axis=1)


class WrongDiagonal(Right):
    def _diag(self, table):
        return 1.5 * super()._diag(table)


class DifferentOnTwoTables(Right):
    def _evaluate(self, table, other):
        return super()._evaluate(table, other) * (2.0 if other is table else 1.0)


class DependsOnTheOthers(Right):
    def _evaluate(self, table, other):
        return super()._evaluate(table, other) / max(len(table), len(other))


class WrongGrid(Right):
    def _grid_table(self, X, Y):
        return super()._grid_table(X, 1.1 * Y)


class AsymmetricSections(Right):
    def sections(self, X, pairs, Y=None):
        grams = super().sections(X, pairs, Y)
        grams[0, 0, -1] += 1e-13
        return grams


class WrongColumns(Right):
    def sections(self, X, pairs, Y=None):
        return super().sections(X, pairs, None if Y is None else 0.9 * Y)


class WrongExpansion(Right):
    def expansion(self, pairs, weights):
        return super().expansion(pairs, np.sqrt(weights))


class WrongSection(Right):
    def section(self, pair):
        kernel = super().section(pair)
        kernel._diag = lambda X: np.zeros(len(X))
        return kernel


class ForgetsOnClone(Right):
    def __init__(self, factor=1.0):
        self.factor = factor

    def __sklearn_clone__(self):
        return type(self)()

    def _evaluate(self, table, other):
        return self.factor * super()._evaluate(table, other)


class ForgetsOnPickle(ForgetsOnClone):
    def __sklearn_clone__(self):
        return type(self)(self.factor)

    def __getstate__(self):
        return {"factor": 1.0}


class Overwrites(Right):
    def _table(self, left, right):
        table = super()._table(left, right)
        left[0, 0] += 1e-12
        return table


class OverwritesInSections(Right):
    def sections(self, X, pairs, Y=None):
        grams = super().sections(X, pairs, Y)
        X[0, 0] += 1e-12
        return grams


class SinglePrecision(Right):
    def __call__(self, pairs, other=None):
        return super().__call__(pairs, other).astype(np.float32)


class NearlySymmetric(Right):
    def __call__(self, pairs, other=None):
        K = super().__call__(pairs, other)
        K[0, -1] += 1e-12 * (len(K) > 1)
        return K


@pytest.mark.parametrize(
    ("hyperkernel", "message"),
    [
        (OrderMatters(), r"symmetry in the first pair, \(x, z\) = \(z, x\): broken by \d.*allowed"),
        (OrderMattersInTheSecond(), r"symmetry in the second pair, .*: broken by \d"),
        (PairsDiffer(), r"symmetry between the pairs, hk\(p, q\) = hk\(q, p\): broken by 0"),
        (Indefinite(), r"the matrix on pairs must be positive semidefinite, .*eigenvalue is -\d"),
        (SectionsIndefinite(), r"the section at the pair \[\[.*semidefinite, but .* is -\d"),
        (WrongDiagonal(), r"hyperkernel.diag\(pairs\) = diagonal of .*: broken by 0.5"),
        (DifferentOnTwoTables(), r"hyperkernel\(pairs\) = hyperkernel\(pairs, pairs\): broken"),
        (DependsOnTheOthers(), r"every entry depends on its own two pairs only: broken by \d"),
        (WrongGrid(), r"hyperkernel.sections\(X, pairs\) = .*: broken by \d"),
        (
            AsymmetricSections(),
            r"sections must be exactly symmetric, but are so only up to \d.*e-1",
        ),
        (WrongColumns(), r"sections\(X, pairs, Y\) = the columns Y of .*: broken by \d"),
        (WrongExpansion(), r"expansion\(pairs, weights\) = weighted sum .*: broken by \d"),
        (ForgetsOnClone(2.0), r"a clone must give the same matrix, but it differs by 1"),
        (ForgetsOnPickle(2.0), r"a pickled copy must give the same matrix, but it differs by 1"),
        (Overwrites(), r"pairs and points must be left as they were, but were changed"),
        (OverwritesInSections(), r"pairs and points must be left as they were"),
        (SinglePrecision(), r"must be a float64 matrix of shape \(21, 21\), got float32"),
        (NearlySymmetric(), r"must be exactly symmetric, but is so only up to 1e-12"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Hyperkernel) else "",
)
def test_each_broken_law_is_named(hyperkernel, message):
    with pytest.raises(AssertionError, match=f"Hyperkernel law: .*{message}"):
        check_hyperkernel(hyperkernel, X.copy())


def test_a_broken_section_kernel_is_named_by_the_laws_of_kernels():
    with pytest.raises(AssertionError, match=r"Kernel law: kernel.diag\(X\) = .*: broken by \d"):
        check_hyperkernel(WrongSection(), X)


@pytest.mark.parametrize(
    "points",
    [X, X.tolist(), X[:1], np.vstack([X[:2], X[:2]]), np.repeat(X, 5, axis=0)],
    ids=["array", "list", "one point", "duplicates", "many"],
)
def test_right_ones_pass_on_any_points(points):
    for hyperkernel in (Right(), Harmonic(), Explicit([Gaussian()], [2.0])):
        check_hyperkernel(hyperkernel, points)


def test_points_are_left_as_they_were():
    points = X.copy()
    check_hyperkernel(Harmonic(), points)
    np.testing.assert_array_equal(points, X)
