"""Every functional obeys the laws, on every kind of target that it takes."""

from __future__ import annotations

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.functionals import (
    Alignment,
    CrossValidationError,
    GaussianDivergence,
    NegativeLogEvidence,
    NegativeLogPosterior,
    RegularizedRisk,
)
from kernlearn.kernels import Gaussian, Linear
from kernlearn.quality import QUALITIES
from kernlearn.testing import check_quality

FUNCTIONALS = [
    *(RegularizedRisk(quality, C=2.0, nu=0.2) for quality in QUALITIES if quality != "cox"),
    *(
        CrossValidationError(quality, C=2.0, nu=0.2, cv=cv, loss=loss)
        for cv in ("loo", 3)
        for quality, loss in [
            ("soft_margin", None),
            ("nu_svm", None),
            ("epsilon_svr", None),
            ("nu_svr", None),
            ("least_squares", "zero_one"),
            ("least_squares", "squared"),
        ]
        # A machine for each left out is the dearest: one for labels and one for values.
        if cv != "loo" or quality in ("soft_margin", "nu_svr", "least_squares")
    ),
    Alignment(),
    Alignment(centered=True),
    GaussianDivergence(0.1),
    *(
        functional(likelihood)
        for functional in (NegativeLogPosterior, NegativeLogEvidence)
        for likelihood in ("logistic", "gaussian")
    ),
]
# A linear kernel in four dimensions cannot separate the points, so that it has no hard margin.
KERNELS = [Gaussian(0.3), 0.5 * Linear() + Gaussian(1.0)]


def _target(functional, problem):
    return {"labels": problem.y, "none": None}.get(functional.targets, problem.target)


@pytest.mark.parametrize("functional", FUNCTIONALS, ids=repr)
def test_the_laws_hold(functional, make_stack):
    problem = make_stack(seed=30, n=14)
    kernel = KERNELS[FUNCTIONALS.index(functional) % 2]  # in turn
    check_quality(functional, kernel, problem.X, _target(functional, problem))


@pytest.mark.parametrize(
    "functional", [f for f in FUNCTIONALS if f.targets in ("labels", "either")], ids=repr
)
def test_the_laws_hold_for_three_classes(functional, make_stack):
    problem = make_stack(seed=31, n=15)
    names = np.array(["low", "mid", "top"])[problem.target.argsort().argsort() // 5]
    check_quality(functional, Gaussian(0.3), problem.X, names)


def test_all_functionals_are_checked_here():
    beside = {"QualityFunctional", "ExpectedQuality", "expected_quality"}  # no functionals
    public = set(kl.functionals.__all__) - beside
    assert public == {type(functional).__name__ for functional in FUNCTIONALS}
