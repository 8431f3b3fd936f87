"""What a fit tells of the rows that had no label."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn import MKLClassifier, learn_weights, load, save, transductive_error_bound
from kernlearn.kernels import Gaussian, Linear, Normalized, PerColumn


def clouds(n, seed=0):
    """Two clouds of points far apart."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1, -1)
    return np.column_stack([y, rng.normal(scale=0.1, size=n)]), y


KERNELS = [Normalized(Linear()), Gaussian(0.5)]


def test_the_bound_of_a_fit_is_that_of_its_matrices(tmp_path):
    X, y = clouds(60)
    model = MKLClassifier(KERNELS, C=0.1).fit(X[:30], y[:30], X_unlabeled=X[30:])
    grams = [kernel(X) for kernel in KERNELS]
    solution = learn_weights(grams, y[:30], C=0.1, total=np.mean([np.trace(K) for K in grams]))
    direct = transductive_error_bound(grams, y[:30], solution, random_state=0)
    assert model.transductive_bound_.value == pytest.approx(direct.value, rel=1e-6)
    assert model.transductive_bound_.labels_needed == direct.labels_needed > 30
    assert "labels on" in str(model.transductive_bound_)
    save(model, tmp_path / "model")
    assert load(tmp_path / "model").transductive_bound_ == model.transductive_bound_
    # A fit to other rows has another bound, and one without further rows has none.
    model.fit(X[:20], y[:20], X_unlabeled=X[20:40])
    assert model.transductive_bound_.value > direct.value
    assert not hasattr(model.fit(X[:20], y[:20]), "transductive_bound_")


@pytest.mark.parametrize(
    ("kernels", "n", "n_classes", "sentence"),
    [
        (KERNELS, 30, 3, "two classes, got 3; call transductive_error_bound for each"),
        (KERNELS, 20, 2, "as many rows in X_unlabeled as labelled ones.* got 40 rows and 20"),
        (PerColumn(Gaussian(1.0)), 30, 2, "a list of kernels, got a family"),
    ],
)
def test_what_the_theorem_does_not_cover_is_refused_with_a_cure(kernels, n, n_classes, sentence):
    X, _ = clouds(60)
    y = np.arange(n) % n_classes
    model = MKLClassifier(kernels, C=0.1).fit(X[:n], y, X_unlabeled=X[n:])
    with pytest.raises(AttributeError, match=sentence):
        _ = model.transductive_bound_
