"""Wrong parameters: what was expected, what came, and the cure."""

from __future__ import annotations

import re

import numpy as np
import pytest

from kernlearn import MKLClassifier, MKLNoveltyDetector, MKLRegressor
from kernlearn.kernels import Gaussian

ALL = [MKLClassifier, MKLRegressor, MKLNoveltyDetector]


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"C": 0.0}, "expected C to be a positive number, got 0.0"),
        ({"C": -1.0}, "expected C to be a positive number, got -1.0"),
        ({"C": np.nan}, "expected C to be a positive number, got nan"),
        ({"C": np.inf}, "expected C to be a positive number, got inf"),
        ({"C": None}, "expected C to be a positive number, got None"),
        ({"C": "large"}, "expected C to be a positive number, got 'large'"),
        ({"C": "learn"}, "expected a number for C with quality='soft_margin', got 'learn'"),
        ({"C": "learn", "quality": "alignment"}, "only squared_soft_margin can learn C"),
        ({"quality": "epsilon_svr"}, "quality to be one of .*soft_margin.*, got 'epsilon_svr'"),
        ({"quality": "one_class"}, "quality to be one of .*soft_margin.*, got 'one_class'"),
        ({"quality": None}, "quality to be one of .*soft_margin.*, got None"),
        ({"weights": "any"}, "weights to be one of positive, free, got 'any'"),
        ({"weights": np.ones(3)}, "weights to be one of positive, free, got array"),
        ({"options__constraint": "norm"}, "constraint to be one of trace, sum, got 'norm'"),
        (
            {"options__psd": "maybe"},
            "psd to be one of auto, raise, clip, shift, trust, got 'maybe'",
        ),
        ({"options__total": 0.0}, "total to be a positive number, got 0.0"),
        ({"tol": 0.0}, "tol to be a positive number, got 0.0"),
        ({"tol": -1e-6}, "tol to be a positive number, got -1e-06"),
        ({"options__max_iter": 0}, "max_iter to be a positive integer, got 0"),
        ({"options__max_iter": 2.5}, "max_iter to be a positive integer, got 2.5"),
        ({"quality": "nu_svm", "nu": 0.0}, r"nu in \(0, 1\], got 0.0"),
        ({"quality": "nu_svm", "nu": "half"}, "expected nu .*got 'half'"),
        ({"quality": "nu_svm", "nu": 1.0}, "nu at most 0.7.*got 1.0; lower nu"),
        ({"kernels": []}, "at least one kernel, got an empty list; pass kernels=None"),
        ({"kernels": ["rbf"]}, "kernels of kernlearn.kernels, got 'rbf'"),
        ({"kernels": "rbf"}, "kernels of kernlearn.kernels, got 'rbf'"),
        ({"kernels": 3}, "kernels of kernlearn.kernels, got 3"),
        ({"kernels": [Gaussian]}, "kernels of kernlearn.kernels, got .*Gaussian"),
        ({"kernels": [Gaussian(gamma=-1.0)]}, "gamma must be a positive finite number, got -1"),
        ({"class_weight": "even"}, "class_weight to be 'balanced', a dictionary .* got 'even'"),
        ({"class_weight": 2.0}, "class_weight to be 'balanced', a dictionary .* got 2.0"),
        ({"normalize": "no"}, "expected normalize to be True or False, got 'no'"),
        ({"options__center": 1}, "expected center to be True or False, got 1"),
        ({"options__warm_start": None}, "expected warm_start to be True or False, got None"),
        ({"options__certify": "x"}, "expected certify to be one of exact, got 'x'"),
        ({"rank": "x"}, "expected rank to be a positive integer, 'auto' or None, got 'x'; try"),
        (
            {"class_weight": {7: 2.0}},
            "to name classes of y, got 7, which is none; correct it: there are 0, 1",
        ),
        ({"class_weight": {0: 0.0, 1: 1.0}}, "expected .*weight"),
        ({"class_weight": {0: -1.0, 1: 1.0}}, "expected .*weight.*-1"),
    ],
    ids=str,
)
def test_parameters_of_the_classifier(refused, problem, parameters, text):
    y = problem.y.copy()
    y[np.flatnonzero(y)[:5]] = 0  # classes of different size, so that nu has a limit below one
    assert re.search(text, refused(MKLClassifier().set_params(**parameters), problem.X, y))


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"quality": "soft_margin"}, "quality to be one of epsilon_svr, nu_svr, huber, quantile"),
        (
            {"quality": "quantile", "options__quantile": 0.0},
            "quantile between 0 and 1, got 0.0; 0.5 is",
        ),
        ({"quality": "huber", "epsilon": 0.0}, "epsilon > 0 for Huber's loss, got 0.0"),
        ({"C": "learn"}, "expected a number for C with quality='epsilon_svr', got 'learn'"),
        ({"epsilon": -0.1}, "expected epsilon ≥ 0, got -0.1"),
        ({"epsilon": np.nan}, "expected epsilon ≥ 0, got nan"),
        ({"epsilon": "wide"}, "expected epsilon ≥ 0, got 'wide'"),
        ({"quality": "nu_svr", "nu": 1.5}, r"nu in \(0, 1\], got 1.5"),
    ],
    ids=str,
)
def test_parameters_of_the_regressor(refused, problem, parameters, text):
    assert re.search(
        text, refused(MKLRegressor().set_params(**parameters), problem.X, problem.target)
    )


@pytest.mark.parametrize("nu", [0.0, -0.1, 1.1, np.nan, "some"])
def test_parameters_of_the_detector(refused, problem, nu):
    assert re.search(r"expected nu.*got", refused(MKLNoveltyDetector(nu=nu), problem.X))
