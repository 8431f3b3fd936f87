"""First guesses: the compiled function and the estimators around it give the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

from kernlearn.quality import libsvm

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=-1))
LABELS = np.where(X[:, 0] + 0.5 * RNG.normal(size=30) > 0, 1.0, -1.0)
VALUES = np.sin(X[:, 0]) + 0.1 * RNG.normal(size=30)
WEIGHTS = RNG.uniform(0.2, 2.0, size=30)
MACHINES = [
    (SVC(C=3.0), LABELS),
    (NuSVC(nu=0.4), LABELS),
    (OneClassSVM(nu=0.3), None),
    (SVR(C=2.0, epsilon=0.05), VALUES),
    (NuSVR(C=2.0, nu=0.3), VALUES),
]


def both(monkeypatch, machine, K, target, weight=None, call=libsvm.train):
    with monkeypatch.context() as patch:
        patch.setattr(libsvm, "_by_estimator", None)  # which would be an error if called
        quick = call(clone(machine), K, target, weight, {"max_iter": 10_000})
    with monkeypatch.context() as patch:
        patch.setattr(libsvm, "compiled", None)  # as where it is not there
        return quick, call(clone(machine), K, target, weight, {"max_iter": 10_000})


def guess(machine, K, target, weight, limits):
    return libsvm.coefficients(machine, K, target, weight, tol=1e-3)


@pytest.mark.parametrize(("machine", "target"), MACHINES)
@pytest.mark.parametrize("weight", [None, WEIGHTS])
def test_both_ways_give_the_same_numbers(machine, target, weight, monkeypatch):
    for matrix in (K, np.asfortranarray(K)[::-1, ::-1]):
        quick, slow = both(monkeypatch, machine, matrix, target, weight)
        assert quick[0].any()
        assert quick[1] != 0
        np.testing.assert_array_equal(quick[0], slow[0])
        assert quick[1] == slow[1]


def test_other_arguments_than_these_are_no_matter(monkeypatch):
    expected = libsvm.coefficients(SVC(C=3.0), K, LABELS, tol=1e-3)

    class Other:
        def set_verbosity_wrap(self, verbosity):
            pass

        def fit(self, X, y, C):
            raise AssertionError

    monkeypatch.setattr(libsvm, "compiled", Other())
    found = libsvm.coefficients(SVC(C=3.0), K, LABELS, tol=1e-3)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("machine", "matrix", "target"),
    [
        (SVC(C=1.0), K, np.ones(30)),  # one class
        (NuSVC(nu=1.0), K, np.where(np.arange(30) < 2, 1.0, -1.0)),  # more than the classes have
        (NuSVC(nu=0.4), np.zeros((30, 30)), LABELS),  # no margin: coefficients are not finite
    ],
)
def test_degenerate_problems_have_no_guess(machine, matrix, target, monkeypatch):
    quick, slow = both(monkeypatch, machine, matrix, target, call=guess)
    assert not quick.any()
    assert not slow.any()


def test_nothing_is_printed_and_the_global_generator_is_left_alone(capfd):
    SVC(verbose=True, kernel="precomputed").fit(K, LABELS)
    capfd.readouterr()
    before = np.random.get_state()[2]  # noqa: NPY002
    libsvm.coefficients(SVC(C=3.0), K, LABELS, tol=1e-3)
    assert np.random.get_state()[2] == before  # noqa: NPY002
    assert capfd.readouterr() == ("", "")
