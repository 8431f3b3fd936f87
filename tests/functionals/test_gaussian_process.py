"""The posterior and the evidence against SciPy's minimiser, density and integrals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF

from kernlearn.functionals import GaussianDivergence, NegativeLogEvidence, NegativeLogPosterior
from kernlearn.kernels import Gaussian, Linear

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 2))
Y = X[:, 0] + RNG.normal(size=12)
K = Gaussian(0.5)(X)


def test_the_evidence_of_normal_errors_is_a_density():
    expected = -multivariate_normal(cov=K + 0.3 * np.eye(12)).logpdf(Y)
    found = NegativeLogEvidence("gaussian", 0.3)(Gaussian(0.5), X, Y)
    assert found == pytest.approx(expected)
    constant = 6.0 * np.log(2.0 * np.pi)
    assert found == pytest.approx(GaussianDivergence(0.3)(Gaussian(0.5), X, Y) + constant)


def test_the_evidence_of_classes_is_scikit_learns():
    judge = GaussianProcessClassifier(RBF(1.0), optimizer=None).fit(X, Y > 0)
    expected = -judge.log_marginal_likelihood()
    assert NegativeLogEvidence()(Gaussian(0.5), X, Y > 0) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("likelihood", ["logistic", "gaussian"])
def test_no_function_has_a_larger_posterior(likelihood):
    signs = np.where(Y > 0, 1.0, -1.0)
    inverse = np.linalg.inv(K)

    def exponent(f):
        losses = np.logaddexp(0.0, -signs * f)
        if likelihood == "gaussian":
            losses = (Y - f) ** 2 / 0.2 + 0.5 * np.log(0.2 * np.pi)
        return losses.sum() + 0.5 * f @ inverse @ f

    target = Y > 0 if likelihood == "logistic" else Y
    found = NegativeLogPosterior(likelihood)(Gaussian(0.5), X, target)
    assert found == pytest.approx(minimize(exponent, np.zeros(12), method="BFGS").fun, rel=1e-6)


def test_several_classes_are_added():
    names = np.array(["a", "b", "c"])[np.arange(12) % 3]
    for functional in (NegativeLogPosterior(), NegativeLogEvidence("gaussian")):
        each = [functional(Gaussian(), X, names == c) for c in "abc"]
        assert functional(Gaussian(), X, names) == pytest.approx(np.sum(each))


def test_settings_are_checked():
    with pytest.raises(ValueError, match="likelihood to be one of logistic, gaussian"):
        NegativeLogEvidence("probit")(Linear(), X, Y > 0)
    with pytest.raises(ValueError, match="noise"):
        NegativeLogPosterior("gaussian", 0.0)(Linear(), X, Y)
    assert repr(NegativeLogEvidence()) == "NegativeLogEvidence(likelihood='logistic')"
