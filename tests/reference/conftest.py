"""Small problems, and oracles that share no code with the reference programs."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.svm import SVC


def _problem(seed=0, n_labelled=10, n_unlabelled=0, m=3, noise=0.3):
    """Unit-diagonal kernels on random points; noisy labels that a Gaussian can still separate."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_labelled + n_unlabelled, 2))
    y = np.where(X[:n_labelled, 0] + noise * rng.normal(size=n_labelled) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    stack = np.stack(
        [polynomial_kernel(X, degree=2, gamma=1.0), rbf_kernel(X, gamma=0.7), X @ X.T + 0.1]
    )[:m]
    scale = np.sqrt(np.diagonal(stack, axis1=1, axis2=2))
    return SimpleNamespace(grams=stack / scale[:, :, None] / scale[:, None, :], y=y)


def _two_views(seed=0, n_labelled=8, n_unlabelled=2):
    """Two kernels that see one input each, and labels that depend on both: weights mix."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_labelled + n_unlabelled, 2))
    grams = np.stack([rbf_kernel(X[:, [j]]) for j in range(2)])
    return SimpleNamespace(grams=grams, y=np.where(X[:n_labelled].sum(axis=1) > 0, 1.0, -1.0), X=X)


@pytest.fixture
def two_views():
    return _two_views


@pytest.fixture
def make_problem():
    return _problem


@pytest.fixture
def orthonormal():
    """Eigenvectors of a kernel matrix, in columns."""

    def build(seed=0, n_points=10, m=6):
        gram = _problem(seed, n_points).grams[1]
        return np.linalg.eigh(gram)[1][:, -m:]

    return build


@pytest.fixture
def omega():
    """ω_{C,τ}(K) of (20), by libsvm: twice its dual objective."""

    def value(gram, y, C=np.inf, tau=0.0):
        n = len(y)
        K = gram[:n, :n] + tau * np.eye(n)
        svc = SVC(kernel="precomputed", C=min(C, 1e9), tol=1e-11).fit(K, y)
        a = np.zeros(n)
        a[svc.support_] = svc.dual_coef_[0]
        return 2 * np.abs(a).sum() - a @ K @ a

    return value


@pytest.fixture
def combine():
    """Σ wᵢKᵢ."""
    return lambda weights, grams: np.tensordot(weights, grams, axes=1)
