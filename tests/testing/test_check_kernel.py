"""The check suite finds every kind of broken kernel, and passes what is right."""

import numpy as np
import pandas as pd
import pytest

from kernlearn.kernels import Columns, Gaussian, Kernel, Linear
from kernlearn.testing import check_kernel

X = np.random.default_rng(0).standard_normal((6, 2))


class Asymmetric(Linear):
    def _evaluate(self, X, Y):
        return X @ Y.T + np.add.outer(X[:, 0], -Y[:, 0])


class Indefinite(Linear):
    def _evaluate(self, X, Y):
        return -(X @ Y.T)

    def _diag(self, X):
        return -super()._diag(X)


class WrongDiagonal(Linear):
    def _diag(self, X):
        return 1.5 * super()._diag(X)


class DifferentOnTwoTables(Linear):
    def _evaluate(self, X, Y):
        return X @ Y.T * (2.0 if Y is X else 1.0)


class DependsOnTheOtherPoints(Linear):
    def _evaluate(self, X, Y):
        return X @ Y.T / len(X)

    def _diag(self, X):
        return super()._diag(X) / len(X)


class ForgetsOnClone(Linear):
    def __init__(self, factor=1.0):
        self.factor = factor
        self._used = factor

    def __sklearn_clone__(self):
        return type(self)()

    def _evaluate(self, X, Y):
        return self.factor * (X @ Y.T)

    def _diag(self, X):
        return self.factor * super()._diag(X)


class ForgetsOnPickle(ForgetsOnClone):
    def __sklearn_clone__(self):
        return type(self)(self.factor)

    def __getstate__(self):
        return {"factor": 1.0}


class Overwrites(Linear):
    def _evaluate(self, X, Y):
        K = X @ Y.T
        X[0, 0] += 1e-12
        return K


class OverwritesInDiagonal(Linear):
    def _diag(self, X):
        values = super()._diag(X)
        X[0, 0] += 1e-12
        return values


class NearlySymmetric(Kernel):
    """Goes round the base class, which would mend the rounding."""

    def __call__(self, X, Y=None):
        K = np.asarray(X) @ np.asarray(X if Y is None else Y).T
        K[0, -1] += 1e-12 * (len(K) > 1)
        return K

    def _evaluate(self, X, Y):
        raise NotImplementedError

    def _diag(self, X):
        return (X**2).sum(axis=1)


class SinglePrecision(NearlySymmetric):
    def __call__(self, X, Y=None):
        return super().__call__(X, Y).astype(np.float32)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (Asymmetric(), r"symmetry, k\(x, z\) = k\(z, x\): broken by \d.*allowed for rounding"),
        (Indefinite(), r"positive semidefinite, but its smallest eigenvalue is -\d"),
        (WrongDiagonal(), r"kernel.diag\(X\) = diagonal of kernel\(X\): broken by \d"),
        (DifferentOnTwoTables(), r"kernel\(X\) = kernel\(X, X\): broken by \d"),
        (DependsOnTheOtherPoints(), r"every entry depends on its own two points .*broken by \d"),
        (ForgetsOnClone(2.0), r"a clone must give the same matrix, but it differs by \d"),
        (ForgetsOnPickle(2.0), r"a pickled copy must give the same matrix, but it differs by \d"),
        (Overwrites(), r"must leave X as it was, but X was modified"),
        (OverwritesInDiagonal(), r"must leave X as it was, but X was modified"),
        (NearlySymmetric(), r"must be exactly symmetric, but is so only up to 1e-12"),
        (SinglePrecision(), r"must be a float64 matrix of shape \(6, 6\), got float32"),
    ],
)
def test_each_broken_law_is_named(kernel, message):
    with pytest.raises(AssertionError, match=f"Kernel law: .*{message}"):
        check_kernel(kernel, X.copy())


@pytest.mark.parametrize("table", [X, X.tolist(), X[:1]], ids=["array", "list", "one row"])
def test_right_kernels_pass_on_any_table(table):
    check_kernel(Gaussian(0.3) + Linear(), table)


def test_data_frames_with_text_pass():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "colour": ["red", "green", "blue"]})
    check_kernel(Columns("a", Gaussian()), frame)
