"""What is reported through landmarks is the value of the function that is returned."""

import numpy as np
import pytest
from sklearn.base import clone

import kernlearn as kl
from benchmarks.hostile.fits.landmarks import returned_value
from benchmarks.hostile.fits.problem import HostileData
from benchmarks.hostile.long_double import long
from kernlearn.families.factor_rows import FactorRows
from kernlearn.families.factors import Factors, root
from kernlearn.kernels import Gaussian, Linear, Polynomial
from kernlearn.runtime.status import Status
from kernlearn.solvers.core.problem import Units

RNG = np.random.default_rng(8)
N = 60
X = RNG.normal(size=(N, 3))
VALUES = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * RNG.normal(size=N)
LABELS = (VALUES > 0).astype(int)
SPREAD = np.geomspace(0.1, 10.0, N)[RNG.permutation(N)]
WIDE = np.geomspace(1e-12, 1e12, N)[RNG.permutation(N)]
TWICE = [Linear(), Linear()]
SVR = kl.MKLRegressor([Linear(), Polynomial(2), Linear()], rank=41, C=560.0, tol=1e-4)
FREE = [Linear(), Gaussian(0.1), Linear()]
SQUARED = "squared_soft_margin"


def judged(model, y, weight=None):
    """The fitted model, whose objective is the value of its function, and whose gap is true."""
    data = HostileData(X, y, weight)
    model = data.fit(clone(model).set_params(random_state=0))
    s = long(np.ones(N) if weight is None else weight)
    value, known = returned_value(model, data, s, model.weights_)
    assert model.objective_ == pytest.approx(value, rel=1e-8, abs=known)
    assert model.duality_gap_ >= (value - model.lower_bound_ - known) / abs(value) - 1e-12
    return model


@pytest.mark.parametrize(
    ("model", "y", "weight"),
    [
        (kl.MKLClassifier(TWICE, C=0.05, rank=10, tol=1e-2), LABELS, None),
        (kl.MKLClassifier([*TWICE, Polynomial(2)], C=0.05, rank=10, tol=1e-2), LABELS, SPREAD),
        (kl.MKLClassifier([Gaussian(1.0)], C=1e9, rank=40, tol=1e-2), LABELS, None),
        (kl.MKLClassifier(TWICE, SQUARED, C=16.0, rank=40, tol=1e-3), LABELS, WIDE),
        (SVR, VALUES, None),
        (kl.MKLRegressor(TWICE, "least_squares", C=1e9, rank=5, tol=1e-3), VALUES, None),
        (kl.MKLNoveltyDetector([Gaussian(0.3), Linear()], nu=0.3, rank=20), None, WIDE),
    ],
    ids=["repeated", "weighted", "large C", "wide weights", "SVR", "least squares", "one class"],
)
def test_the_objective_is_that_of_the_function_returned(model, y, weight):
    assert judged(model, y, weight).status_.is_optimal


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (kl.MKLClassifier(TWICE, C=27.0, normalize=True, tol=1e-6), LABELS),
        (SVR, VALUES),
    ],
    ids=["classes", "SVR"],
)
def test_repeated_kernels_are_solved_as_well_as_exactly(model, y):
    found = judged(clone(model).set_params(rank=N, tol=1e-6), y)
    exact = clone(model).set_params(rank=None, tol=1e-6).fit(X, y)
    assert found.objective_ == pytest.approx(exact.objective_, rel=2e-6)
    np.testing.assert_allclose(found.predict(X), exact.predict(X), atol=1e-2)


@pytest.mark.parametrize(
    ("quality", "y"), [("soft_margin", LABELS), (SQUARED, LABELS), ("least_squares", LABELS)]
)
def test_free_signs_of_kernels_that_agree_stay_small(quality, y):
    model = kl.MKLClassifier(FREE, quality, C=0.05, weights="free", rank=40, tol=1e-3)
    found = judged(model, y)
    assert np.abs(found.weights_).max() < 1e3
    assert found.status_.is_optimal


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_without_a_solution_but_zero_the_function_is_zero():
    around = np.vstack([X, -X])
    model = kl.MKLNoveltyDetector(TWICE, nu=0.5, rank=10, random_state=0).fit(around)
    assert model.status_ is Status.TRIVIAL
    assert model.objective_ == 0.0
    assert not model.decision_function(around).any()


@pytest.mark.parametrize("keep", [True, False])
def test_the_triangular_factor_has_all_digits(keep, monkeypatch):
    monkeypatch.setattr("kernlearn.gram.rows.rows_per_block", lambda n_columns: 17)
    rows = FactorRows(X, Factors.through_landmarks(FREE, X, 9, "random", 0), keep)
    Z = rows.factors(X)
    triangle = rows.triangle()
    np.testing.assert_allclose(triangle.T @ triangle, Z.T @ Z, atol=1e-12 * (Z**2).sum())
    centred = rows.triangle(SPREAD)
    off = np.sqrt(SPREAD)[:, None] * (Z - np.average(Z, axis=0, weights=SPREAD))
    np.testing.assert_allclose(centred.T @ centred, off.T @ off, atol=1e-12 * (off**2).sum())
    F, owner = root(triangle), rows.factors.owner
    assert F.shape[1] == np.linalg.matrix_rank(Z)
    np.testing.assert_allclose(F[owner == 0], F[owner == 2], atol=1e-14 * np.abs(F).max())


def test_units_are_powers_of_two_and_checked():
    units = Units.near(3.0, 1e-5)
    assert np.frexp([units.kernel, units.target])[0].tolist() == [0.5, 0.5]
    assert Units.near(8.0, 0.0) == Units(8.0, 8.0)
    with pytest.raises(ValueError, match=r"expected targets of a size .*, got 1e\+200; rescale"):
        Units.near(1.0, 1e200)
    tiny = kl.MKLRegressor(TWICE, epsilon=0.0, rank=5, C=1.0)
    with pytest.raises(ValueError, match=r"expected targets of a size .*, got .*; rescale"):
        tiny.fit(X, VALUES * 1e-170)


@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.filterwarnings("ignore")
def test_negative_weights_do_not_make_a_norm_of_parts_that_disagree(seed):
    """With weights of rows over twelve orders the parts of the function had no common dual."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 1))
    y = X[:, 0] + np.sin(3 * X[:, 0]) + 0.3 * rng.normal(size=60)
    weight = 10 ** rng.uniform(-6, 6, 60)
    kernels = [Polynomial(2), Linear(), Gaussian(0.1), Gaussian(1.0)]
    model = kl.MKLRegressor(
        kernels, "least_squares", C=536.0, rank=21, tol=0.01, weights="free", normalize=True
    ).fit(X, y, sample_weight=weight)
    loss = 536.0 / 2 * weight @ (y - model.predict(X)) ** 2
    assert model.objective_ >= loss * (1 - 1e-9) or not model.status_.is_optimal
