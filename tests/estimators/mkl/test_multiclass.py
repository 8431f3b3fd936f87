"""Several classes: one set of weights for all machines, each class against the rest."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.svm import SVC

from kernlearn import MKLClassifier
from kernlearn.kernels import Columns, Gaussian, Linear, Normalized

KERNELS = [Columns(0, Gaussian(gamma=1.0)), Columns([1, 2], Gaussian(gamma=0.2))]
C = 2.0


def _value(K, signs):
    """Σα − ½αᵀGα of the C-SVM, by libsvm."""
    svc = SVC(kernel="precomputed", C=C, tol=1e-9).fit(K, signs)
    a = np.zeros(len(signs))
    a[svc.support_] = svc.dual_coef_[0]
    return np.abs(a).sum() - 0.5 * a @ K @ a


@pytest.fixture
def three_classes(make_problem):
    return make_problem(n=45, n_classes=3)


def test_the_weights_minimise_the_sum_of_the_machines_values(three_classes):
    p = three_classes
    grams = [k(p.X) for k in KERNELS]
    assert np.allclose([np.trace(K) for K in grams], len(p.X))  # so weights add up to one

    def total(share):
        K = share * grams[0] + (1.0 - share) * grams[1]
        return sum(_value(K, np.where(p.y == label, 1, -1)) for label in range(3))

    best = minimize_scalar(total, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-7})
    assert 0.05 < best.x < 0.95  # inside, where the weights say something
    model = MKLClassifier(KERNELS, C=C).fit(p.X, p.y)
    assert model.objective_ == pytest.approx(best.fun, rel=2e-6)
    np.testing.assert_allclose(model.weights_, [best.x, 1 - best.x], atol=5e-3)
    assert abs(best.x - 0.5) > 0.01  # not where the search began
    assert model.lower_bound_ <= best.fun * (1 + 1e-9)


def test_every_machine_is_the_svm_of_its_class_with_the_shared_kernel(three_classes):
    p = three_classes
    model = MKLClassifier(KERNELS, C=C).fit(p.X, p.y)
    values = model.decision_function(p.X_new)
    assert values.shape == (len(p.X_new), 3)
    K, K_new = model.kernel_(p.X), model.kernel_(p.X_new, p.X)
    for label in range(3):
        svc = SVC(kernel="precomputed", C=C, tol=1e-8).fit(K, p.y == label)
        np.testing.assert_allclose(values[:, label], svc.decision_function(K_new), atol=1e-4)
    np.testing.assert_array_equal(model.predict(p.X_new), values.argmax(axis=1))


def test_two_of_three_classes_give_one_machine(three_classes):
    p = three_classes
    two = p.y != 1
    model = MKLClassifier(KERNELS).fit(p.X[two], p.y[two])
    np.testing.assert_array_equal(model.classes_, [0, 2])
    assert model.dual_coef_.shape[0] == 1
    assert set(model.predict(p.X_new)) <= {0, 2}


@pytest.mark.parametrize("quality", ["alignment", "centered_alignment"])
def test_alignment_with_several_classes_is_with_the_sum_of_their_label_matrices(
    three_classes, quality
):
    p = three_classes
    model = MKLClassifier([*KERNELS, Normalized(Linear())], quality=quality).fit(p.X, p.y)
    Y = np.where(p.y[:, None] == np.arange(3), 1.0, -1.0)
    H = np.eye(len(Y)) - (quality != "alignment") / len(Y)
    grams = np.array([H @ k(p.X) @ H for k in model.kernels_])
    T = H @ Y @ Y.T @ H

    def alignment(w):
        K = np.tensordot(w, grams, 1)
        return np.sum(K * T) / np.linalg.norm(K) / np.linalg.norm(T)

    learned = alignment(model.weights_)
    assert learned == pytest.approx(-model.objective_, rel=1e-9)
    rng = np.random.default_rng(0)
    tried = [alignment(w) for w in rng.dirichlet(np.full(3, 0.5), size=300)]
    assert max(tried) <= learned * (1 + 1e-6)
    assert max(tried) > 0.99 * learned
    svc = SVC(kernel=model.kernel_, C=1.0, tol=1e-8).fit(p.X, p.y == 0)
    np.testing.assert_allclose(
        svc.decision_function(p.X_new), model.decision_function(p.X_new)[:, 0], atol=1e-4
    )
