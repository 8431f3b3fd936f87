"""What every functional accepts and refuses, and that it is a plain immutable value."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pickle
import pkgutil

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GroupKFold, KFold

import kernlearn as kl
from kernlearn.functionals import Alignment, CrossValidationError, RegularizedRisk
from kernlearn.kernels import Columns, Gaussian, Linear, Precomputed
from kernlearn.quality import QUALITIES

X = np.random.default_rng(0).normal(size=(12, 2))
Y = np.where(X[:, 0] + 0.3 * X[:, 1] > 0, 1, -1)
FUNCTIONALS = [
    RegularizedRisk(),
    RegularizedRisk("least_squares"),
    CrossValidationError(cv=2),
    CrossValidationError("least_squares", cv="loo", loss="squared"),
    Alignment(),
]
ON_CLASSES = [RegularizedRisk(), CrossValidationError(), Alignment()]
ON_VALUES = [RegularizedRisk("epsilon_svr"), CrossValidationError("nu_svr")]


@pytest.mark.parametrize("functional", FUNCTIONALS, ids=repr)
def test_kernels_come_in_many_forms(functional):
    expected = functional(Gaussian(0.5), X, Y)
    forms = {
        "function of two tables": (lambda A, B: rbf_kernel(A, B, gamma=0.5), X),
        "matrix": (Precomputed(Gaussian(0.5)(X)), np.arange(12)[:, None]),
        "nested lists": (Gaussian(0.5), X.tolist()),
        "columns of a data frame": (
            Columns(["a", "b"], Gaussian(0.5)),
            pd.DataFrame({"word": ["x"] * 12, "a": X[:, 0], "b": X[:, 1]}),
        ),
    }
    for form, (kernel, table) in forms.items():
        assert functional(kernel, table, Y) == pytest.approx(expected, rel=1e-8), form


def test_one_class_needs_no_targets():
    risk = RegularizedRisk("one_class")
    assert risk(Gaussian(), X) == risk(Gaussian(), X, ["anything"] * 12) < 0


BAD_KERNELS = {
    "a matrix": (np.eye(12), r"expected a kernel .* k\(X, Y\), got ndarray; .*Precomputed\(K\)"),
    "a word": ("rbf", "expected a kernel that can be called as .*, got str; pass for example"),
    "a vector": (lambda A, B: np.ones(12), r"a matrix of shape \(12, 12\) .* got shape \(12,\)"),
    "asymmetric": (
        lambda A, B: np.triu(np.ones((12, 12))),
        r"The matrix of the kernel must be symmetric, got .* differ by up to 1",
    ),
    "indefinite": (
        lambda A, B: -(A @ B.T),
        r"positive semidefinite, got one with negative eigenvalues .*check_gram\(K, psd='clip'\)",
    ),
    "NaN": (lambda A, B: np.full((12, 12), np.nan), "The matrix of the kernel must hold finite"),
    "zero": (0.0 * Linear(), "expected a kernel that is not zero .*got a zero matrix; check"),
}


@pytest.mark.parametrize("what", BAD_KERNELS)
def test_bad_kernels(what):
    kernel, message = BAD_KERNELS[what]
    for functional in FUNCTIONALS[1:]:
        with pytest.raises(ValueError, match=message):
            functional(kernel, X, Y)


def _replaced(value):
    return np.append(np.linspace(0, 1, 11), value)


BAD_TARGETS = {
    "none": (None, "expected y, got None; only the one-class machine needs none"),
    "shorter": (Y[:-1], "expected y with one entry for each of the 12 rows of X, got 11"),
    "column": (Y[:, None], r"expected y of shape \(n,\), got shape \(12, 1\); use y.ravel"),
    "NaN": (_replaced(np.nan), "expected finite y, got NaN or infinity; drop or impute"),
    "infinity": (_replaced(np.inf), "expected finite y, got NaN or infinity; drop or impute"),
}
BAD_CLASSES = {
    "one class": (["a"] * 12, r"expected at least two classes in y, got one \('a'\); add"),
    "mixed": (["a", None] * 6, "expected labels of one kind in y, got a mixture"),
    "fractions": (X[:, 0], "expected classes in y, got 12 different numbers with fractions; for"),
}


@pytest.mark.parametrize("what", BAD_TARGETS)
def test_bad_targets(what):
    y, message = BAD_TARGETS[what]
    for functional in ON_CLASSES + ON_VALUES:
        with pytest.raises(ValueError, match=message):
            functional(Gaussian(), X, y)


@pytest.mark.parametrize("what", BAD_CLASSES)
def test_bad_classes(what):
    y, message = BAD_CLASSES[what]
    for functional in ON_CLASSES:
        with pytest.raises(ValueError, match=message):
            functional(Gaussian(), X, y)


@pytest.mark.parametrize("functional", ON_VALUES, ids=repr)
def test_words_are_no_targets_of_regression(functional):
    with pytest.raises(ValueError, match="expected numbers in y for regression, got <U1; convert"):
        functional(Gaussian(), X, ["a"] * 12)
    objects = np.array([1.0] * 11 + [None], dtype=object)
    with pytest.raises(ValueError, match=r"expected (numbers|finite)"):
        functional(Gaussian(), X, objects)


POSITIVE = "expected C to be a positive number, got {}; try C=1.0"
BAD_PARAMETERS = [
    (RegularizedRisk("svm"), "expected quality to be one of .*soft_margin.*, got 'svm'"),
    (RegularizedRisk("alignment"), "expected quality to be one of .*, got 'alignment'"),
    (RegularizedRisk(C=0), POSITIVE.format("0")),
    (RegularizedRisk("squared_soft_margin", C="learn"), POSITIVE.format("'learn'")),
    (RegularizedRisk("nu_svm", nu=1.5), r"expected nu in \(0, 1\], got 1.5"),
    (RegularizedRisk("epsilon_svr", epsilon=-1), "expected epsilon ≥ 0, got -1"),
    (CrossValidationError("hard_margin"), "expected quality to be one of .*, got 'hard_margin'"),
    (CrossValidationError(C=np.nan), POSITIVE.format("nan")),
    (CrossValidationError("nu_svr", nu=0.0), r"expected nu in \(0, 1\], got 0.0"),
    (CrossValidationError("least_squares"), "expected loss to be zero_one or squared .*got None"),
    (CrossValidationError(loss="squared"), "expected loss to be zero_one with quality='soft_mar"),
    (CrossValidationError(cv=1), "expected cv to be a number of folds from 2 on, .*got 1; try"),
    (CrossValidationError(cv=True), "expected cv to be .*, got True; try cv=5"),
    (CrossValidationError(cv="looo"), "expected cv to be .*, got 'looo'; try cv=5"),
    (CrossValidationError(cv=2.5), "expected cv to be .*, got 2.5; try cv=5"),
    (CrossValidationError(cv=13), "n_splits=13 greater than the number of samples: n_samples=12"),
    (CrossValidationError(cv=GroupKFold(2)), "The 'groups' parameter should not be None"),
    (CrossValidationError(cv=[([], [0])]), "expected points on both sides .*got 0 to train on"),
    (CrossValidationError(cv=[([0, 1], [])]), "expected points on both sides .*and 0 held out"),
    (Alignment(centered="yes"), "expected centered to be True or False, got 'yes'"),
]


@pytest.mark.parametrize(("functional", "message"), BAD_PARAMETERS)
def test_bad_parameters(functional, message):
    with pytest.raises(ValueError, match=message):
        functional(Gaussian(), X, Y)


def test_nu_is_bounded_by_the_smaller_class():
    rare = np.where(np.arange(12) < 3, "a", "b")
    with pytest.raises(ValueError, match=r"expected nu at most 0\.5, .*got 0\.6; lower nu"):
        RegularizedRisk("nu_svm", nu=0.6)(Gaussian(), X, rare)
    with pytest.raises(ValueError, match=r"expected nu at most 0\.5, .*training fold, got 0\.6"):
        CrossValidationError("nu_svm", nu=0.6, cv=3)(Gaussian(), X, rare)
    assert np.isfinite(CrossValidationError("nu_svm", nu=0.5, cv=3)(Gaussian(), X, rare))


@pytest.mark.parametrize(
    ("quality", "kernel", "cure"),
    [
        ("nu_svm", Linear(), "lower nu, or use 'soft_margin'"),
        ("soft_margin", 1e200 * Linear(), "rescale the data"),
    ],
)
def test_a_machine_that_cannot_be_trained_is_told(quality, kernel, cure):
    message = f"expected a machine that can be trained .* with quality='{quality}'; {cure}"
    with pytest.raises(ValueError, match=message):
        CrossValidationError(quality, cv=2)(kernel, np.ones((12, 1)), Y)


def test_one_point_cannot_be_held_out():
    error = CrossValidationError("least_squares", loss="squared", cv="loo")
    with pytest.raises(ValueError, match="expected at least two points to hold one out, got 1"):
        error(Gaussian(), [[0.0]], [1.0])


def test_equal_points_are_predicted_by_the_mean_of_the_others():
    """K + I/C is singular up to rounding here; the answer is known all the same."""
    error = CrossValidationError("least_squares", C=1e30, loss="squared", cv="loo")
    y = np.arange(5.0)
    others = (y.sum() - y) / 4
    found = error(Linear(), np.ones((5, 1)), y)
    assert found == pytest.approx(np.mean((y - others) ** 2), rel=1e-9)


@pytest.mark.parametrize(
    ("functional", "text"),
    [
        (RegularizedRisk(), "RegularizedRisk(quality='soft_margin', C=1.0)"),
        (RegularizedRisk("nu_svr", nu=0.5), "RegularizedRisk(quality='nu_svr', C=1.0, nu=0.5)"),
        (RegularizedRisk("hard_margin"), "RegularizedRisk(quality='hard_margin')"),
        (
            RegularizedRisk("?"),
            "RegularizedRisk(quality='?', C=1.0, nu=0.3, epsilon=0.1, quantile=0.5)",
        ),
        (
            CrossValidationError("least_squares", cv="loo", loss="squared"),
            "CrossValidationError(quality='least_squares', C=1.0, cv='loo', loss='squared')",
        ),
        (
            CrossValidationError("nu_svm", cv=KFold(3)),
            "CrossValidationError(quality='nu_svm', nu=0.3, "
            "cv=KFold(n_splits=3, random_state=None, shuffle=False))",
        ),
        (Alignment(), "Alignment(centered=False)"),
    ],
)
def test_the_representation_shows_what_matters(functional, text):
    assert repr(functional) == text
    if "?" not in text:
        assert repr(eval(text, {**vars(kl.functionals), "KFold": KFold})) == text


@pytest.mark.parametrize("functional", FUNCTIONALS, ids=repr)
def test_a_functional_is_an_immutable_value(functional):
    for field in dataclasses.fields(functional):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(functional, field.name, None)
    assert pickle.loads(pickle.dumps(functional)) == functional
    assert len({functional, dataclasses.replace(functional)}) == 1


def test_what_is_passed_may_be_read_only():
    table, labels, K = X.copy(), Y.copy(), Gaussian()(X)
    for array in (table, labels, K):
        array.flags.writeable = False
    for functional in FUNCTIONALS:
        functional(Gaussian(), table, labels)
        functional(Precomputed(K), np.arange(12)[:, None], labels)


def test_every_machine_has_a_regularised_risk():
    for quality in set(QUALITIES) - {"cox"}:
        assert np.isfinite(RegularizedRisk(quality)(Gaussian(10.0), X, Y))
        assert f'"{quality}"' in RegularizedRisk.__doc__


def subclasses(kind):
    for each in kind.__subclasses__():
        yield each
        yield from subclasses(each)


def test_every_functional_is_public_and_documented():
    package = kl.functionals
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    defined = {
        kind.__name__
        for kind in subclasses(package.QualityFunctional)
        if kind.__module__.startswith(package.__name__) and not kind.__name__.startswith("_")
    }
    estimates = {"ExpectedQuality", "expected_quality"}
    assert defined | {"QualityFunctional"} | estimates == set(package.__all__)
    for name in package.__all__:
        parameters = inspect.signature(getattr(package, name)).parameters
        assert all(f"{p} : " in inspect.getdoc(getattr(package, name)) for p in parameters)
