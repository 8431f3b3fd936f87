"""The classifier that learns its kernel from a hyperkernel."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

import kernlearn as kl
from kernlearn.hyperkernels import ARDHarmonic, Harmonic
from kernlearn.kernels import Gaussian


@pytest.fixture(scope="module")
def wine():
    X, y = (part[::2] for part in load_wine(return_X_y=True))
    return kl.HyperkernelClassifier(max_pivots=30).fit(X, y), X, y


def test_raw_columns_of_very_different_scales_are_no_obstacle():
    """Proline runs to 1680 and hue to 1.7; no scaling, no cross-validation."""
    X, y = load_wine(return_X_y=True)
    ours = cross_val_score(kl.HyperkernelClassifier(max_pivots=30), X, y, cv=3).mean()
    assert ours > 0.95
    assert ours > cross_val_score(SVC(C=100.0), X, y, cv=3).mean() + 0.1


def test_columns_in_other_units_give_the_same_predictions(wine):
    model, X, y = wine
    units = 10.0 ** np.linspace(-8, 8, X.shape[1])
    other = clone(model).fit(X * units, y)
    np.testing.assert_allclose(
        other.decision_function(X * units), model.decision_function(X), rtol=1e-4, atol=1e-4
    )


def test_the_certificate_and_the_constraint_hold(wine):
    model, _, _ = wine
    assert model.status_.is_optimal
    assert 0 <= model.duality_gap_ <= 1e-6
    assert model.weights_.min() >= 0
    assert model.weights_.sum() == pytest.approx(1.0)


def test_the_learned_kernel_is_the_expansion_and_serves_an_svc(wine):
    model, X, y = wine
    K = model.kernel_(X)
    sections = model.hyperkernel_.sections(X, model.pivots_)
    np.testing.assert_allclose(K, np.tensordot(model.weights_, sections, 1), rtol=1e-10)
    assert np.linalg.eigvalsh(K)[0] > -1e-8 * np.trace(K)
    svc = SVC(kernel=model.kernel_, C=100.0).fit(X, y)
    assert (svc.predict(X) == model.predict(X)).mean() > 0.98


def test_widths_come_from_the_quantiles_of_differences(wine):
    _, X, y = wine
    model = kl.HyperkernelClassifier(max_pivots=5, gamma_factor=1.0).fit(X, y)
    first, second = np.triu_indices(len(X), 1)
    q = np.quantile(np.abs(X[first] - X[second]), 0.9, axis=0)
    np.testing.assert_allclose(model.hyperkernel_.gammas, 1 / (50 * q**2), rtol=1e-10)


def test_constant_and_duplicated_columns_and_rows():
    X, y = (part[::2] for part in load_iris(return_X_y=True))
    padded = np.column_stack([X, np.full(len(X), 7.0), X[:, 0]])
    model = kl.HyperkernelClassifier(max_pivots=30).fit(
        np.vstack([padded, padded[:20]]), [*y, *y[:20]]
    )
    assert model.hyperkernel_.gammas[4] == 0.0
    assert model.score(padded, y) > 0.95


@pytest.mark.parametrize("quality", ["nu_svm", "lagrangian", "squared_soft_margin"])
def test_other_machines(quality):
    X, y = (part[::2] for part in load_iris(return_X_y=True))
    model = kl.HyperkernelClassifier(quality=quality, max_pivots=30).fit(X, y)
    assert model.status_.is_optimal
    assert model.score(X, y) > 0.94


def test_a_hyperkernel_of_ones_own_and_its_parameters():
    X, y = (part[::2] for part in load_iris(return_X_y=True))
    given = Harmonic(lambda_h=0.4, gamma=0.1)
    model = kl.HyperkernelClassifier(given, max_pivots=20).fit(X, y)
    assert model.hyperkernel_ is given
    scaled = kl.HyperkernelClassifier(ARDHarmonic(lambda_h=0.3), max_pivots=20).fit(X, y)
    assert scaled.hyperkernel_.lambda_h == 0.3
    assert scaled.hyperkernel.gammas is None  # what the user passed is unchanged


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (
            {"hyperkernel": Gaussian()},
            "expected a hyperkernel of kernlearn.hyperkernels, got",
        ),
        ({"hyperkernel": ARDHarmonic(lambda_h=1.5)}, "lambda_h"),
        ({"lambda_q": 0.0}, "expected lambda_q to be a positive number, got 0.0"),
        ({"C": -1.0}, "expected C to be a positive number"),
        ({"max_pivots": 0}, "expected max_pivots to be a positive integer or None, got 0"),
        (
            {"options": kl.HyperkernelOptions(pivot_tol=-1)},
            "expected pivot_tol to be a number from 0 to below 1, .* got -1; 1e-6",
        ),
        (
            {"options": kl.HyperkernelOptions(squared="no")},
            "expected squared to be True or False, got 'no'",
        ),
    ],
)
def test_bad_parameters(parameters, sentence):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=sentence):
        kl.HyperkernelClassifier(**parameters).fit(X[::10], y[::10])


def test_two_points_are_enough():
    model = kl.HyperkernelClassifier().fit([[0.0], [1.0]], ["no", "yes"])
    assert model.predict([[-0.2], [1.3]]).tolist() == ["no", "yes"]


def test_the_kernel_is_made_of_the_pairs_that_have_weight(capsys):
    X, y = (part[::2] for part in load_iris(return_X_y=True))
    model = kl.HyperkernelClassifier(verbose=1, max_pivots=20).fit(X, y)
    kept = model.weights_ > 0
    assert model.n_active_pivots_ == kept.sum() == len(model.kernel_.pairs)
    np.testing.assert_array_equal(model.kernel_.pairs, model.pivots_[kept])
    whole = model.hyperkernel_.expansion(model.pivots_, model.weights_)
    np.testing.assert_allclose(model.kernel_(X), whole(X), rtol=1e-14)
    assert f"keeps {kept.sum()} of {len(kept)} pairs" in capsys.readouterr().out
