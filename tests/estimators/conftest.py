"""One small problem of each kind, with noise, so that coefficients reach their bounds."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from kernlearn.kernels import Columns, Gaussian, Normalized, Polynomial


def _problem(n=40, n_new=15, seed=0, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n + n_new, 3))
    target = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * X[:, 2] ** 2 + 0.3 * rng.normal(size=len(X))
    edges = np.quantile(target[:n], np.arange(1, n_classes) / n_classes)
    y = np.searchsorted(edges, target)
    return SimpleNamespace(
        X=X[:n], y=y[:n], target=target[:n], X_new=X[n:], y_new=y[n:], target_new=target[n:]
    )


@pytest.fixture
def make_problem():
    return _problem


@pytest.fixture
def problem():
    """Forty labelled points and fifteen more, from one distribution."""
    return _problem()


@pytest.fixture
def kernels():
    """Three kernels with unit diagonal, each of which sees something that the others do not."""
    return [
        Columns(0, Gaussian(gamma=1.0)),
        Columns([1, 2], Gaussian(gamma=0.2)),
        Normalized(Polynomial(degree=2)),
    ]


@pytest.fixture
def refused():
    """The text of the refusal to fit: a ValueError of this library or of scikit-learn's checks."""

    def text(model, X, y=None, **options):
        with pytest.raises(ValueError) as caught:
            model.fit(X, y, **options)
        message = str(caught.value)
        assert "truth value" not in message
        assert "zero-size" not in message
        return message

    return text
