"""The check suite finds every kind of broken functional, and passes what is right."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from kernlearn.functionals import Alignment, QualityFunctional, RegularizedRisk
from kernlearn.kernels import Columns, Gaussian, Linear
from kernlearn.testing import check_quality

X = np.random.default_rng(0).normal(size=(10, 2))
Y = np.where(X[:, 0] > 0.1, 1, 0)


@dataclass(frozen=True)
class Trace(QualityFunctional):
    """Minus the trace: linear, falling, and blind to labels. It breaks no law."""

    convex = True
    decreasing = True

    def _evaluate(self, K, y):
        return -np.trace(K)


class Infinite(Trace):
    def _evaluate(self, K, y):
        return np.inf


class NotANumber(Trace):
    def _evaluate(self, K, y):
        return np.nan


class AnArray(Trace):
    def __call__(self, kernel, X, y=None):
        return np.asarray(super().__call__(kernel, X, y))


class Random(Trace):
    rng = np.random.default_rng(0)

    def _evaluate(self, K, y):
        return self.rng.normal()


class LooksAtThePoints(Trace):
    def __call__(self, kernel, X, y=None):
        return float(np.sum(X))


class LooksAtTheOrder(Trace):
    def _evaluate(self, K, y):
        return float(K[0, 0] + 2 * K[0, 1])


class LooksAtTheNames(Trace):
    def _evaluate(self, K, y):
        return float(y @ K @ y)


class LooksAtTheType(Trace):
    def __call__(self, kernel, X, y=None):
        return super().__call__(kernel, X, y) + float(np.asarray(y).dtype.kind == "U")


class Concave(Trace):
    decreasing = False

    def _evaluate(self, K, y):
        return float(np.linalg.slogdet(K + np.eye(len(K)))[1])


class Rising(Trace):
    def _evaluate(self, K, y):
        return float(np.trace(K))


class Overwrites(Trace):
    def __call__(self, kernel, X, y=None):
        value = super().__call__(kernel, X, y)
        X[0, 0] += 1e-9
        return value


class OverwritesLabels(Trace):
    def __call__(self, kernel, X, y=None):
        value = super().__call__(kernel, X, y)
        if y is not None:
            y[0] = y[-1] = 3
        return value


@pytest.mark.parametrize(
    ("functional", "message"),
    [
        (Infinite(), "the value must be a finite float, got inf of type float"),
        (NotANumber(), "the value must be a finite float, got nan of type float"),
        (AnArray(), r"the value must be a finite float, got array\(.*of type ndarray"),
        (Random(), "the value must not change between calls, "),
        (LooksAtThePoints(), r"only through its matrix on the data: broken by \d"),
        (LooksAtTheOrder(), r"points and targets change places together: broken by \d"),
        (LooksAtTheNames(), r"it stays when the classes get other names: broken by \d"),
        (LooksAtTheType(), r"it stays when the classes get other names: broken by \d"),
        (Concave(), r"it is convex, .* at t = 0\.\d+: broken by \d"),
        (Rising(), r"it cannot rise when .*, Q\(K \+ L\) ≤ Q\(K\): broken by \d"),
        (Overwrites(), "X and y must be left as they were, but were modified"),
        (OverwritesLabels(), "X and y must be left as they were, but were modified"),
    ],
)
def test_each_broken_law_is_named(functional, message):
    with pytest.raises(AssertionError, match=f"Quality law: .*{message}"):
        check_quality(functional, Gaussian(), X.copy(), Y.copy())


def test_what_is_not_claimed_is_not_asked_for():
    class NotConvex(Concave):
        convex = False

    class Ordered(LooksAtTheOrder):
        convex = decreasing = exchangeable = False

    class Values(LooksAtTheNames):
        convex = decreasing = False
        targets = "values"

    for functional in (Trace(), NotConvex(), Ordered(), Values()):
        check_quality(functional, Gaussian(), X, Y)


def test_right_functionals_pass_on_any_table():
    check_quality(Alignment(), Linear(), X.tolist(), Y.tolist())
    check_quality(RegularizedRisk("one_class"), Gaussian(), X)
    check_quality(RegularizedRisk(), lambda A, B: (1 + A @ B.T) ** 2, X, Y)
    frame = pd.DataFrame({"a": X[:, 0], "colour": ["red"] * 10})
    check_quality(RegularizedRisk(), Columns("a", Gaussian()), frame, Y)


def test_no_hard_margin_breaks_the_law_of_finite_values():
    with pytest.raises(AssertionError, match="a finite float, got inf"):
        check_quality(RegularizedRisk("hard_margin"), Linear(), X, np.arange(10) % 2)
