"""The problems that are timed: generated, seeded, of a stated size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.datasets import load_digits, make_classification
from sklearn.preprocessing import StandardScaler

from kernlearn.gram import gram_stack
from kernlearn.kernels import Gaussian, Kernel, Linear, Normalized, Polynomial

if TYPE_CHECKING:
    from kernlearn.typing import Array

FEATURES = 20


def data(n: int, seed: int = 0) -> tuple[Array, Array]:
    """Two classes in 20 standardised dimensions, 8 of them informative, 5 % of labels flipped."""
    X, y = make_classification(n, FEATURES, n_informative=8, flip_y=0.05, random_state=seed)
    return StandardScaler().fit_transform(X), np.where(y > 0, 1.0, -1.0)


def papers_three(n: int) -> tuple[Array, Array]:
    """The kernels of the paper's section 6.1: polynomial, Gaussian, linear, normalised."""
    X, y = data(n)
    kernels: list[Kernel] = [
        Normalized(Polynomial(2)),
        Gaussian(1.0 / FEATURES),
        Normalized(Linear()),
    ]
    return gram_stack(kernels, X), y


def gaussians(n: int, m: int, narrowest: float) -> tuple[Array, Array]:
    """Return m Gaussians whose γ run from 0.02/d to ``narrowest``/d, in equal ratios."""
    X, y = data(n)
    gammas = np.geomspace(0.02, narrowest, m) / FEATURES
    return gram_stack([Gaussian(gamma) for gamma in gammas], X), y


def two_bumps(n: int, seed: int = 0) -> tuple[Array, Array]:
    """Two classes in two dimensions that overlap a little."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    return rng.normal(size=(n, 2)) + 1.2 * y[:, None], y


def radar_like(n: int, seed: int = 0) -> tuple[Array, Array]:
    """Two classes in 34 dimensions of unlike scales, as the ionosphere data have."""
    X, y = make_classification(
        n, 34, n_informative=10, n_clusters_per_class=3, flip_y=0.05, random_state=seed
    )
    return X * np.geomspace(1.0, 1e3, 34), np.where(y > 0, 1.0, -1.0)


def patches(n: int) -> tuple[Array, Array]:
    """Return scikit-learn's bundled digits, 64 grey values each, in their order."""
    X, y = load_digits(return_X_y=True)
    return X[:n] / 16.0, y[:n]


def waves_in_units(n: int) -> tuple[Array, Array]:
    """Two classes by a wave and a product, in 8 columns of very different units, 5000 test rows."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(n + 5000, 8))
    p = 1.0 / (1.0 + np.exp(-3.0 * (np.sin(2.0 * Z[:, 0]) + Z[:, 1] * Z[:, 2])))
    y = (rng.uniform(size=n + 5000) < p).astype(int)
    return Z * np.array([1.0, 10.0, 100.0, 1000.0, 1.0, 1.0, 1.0, 1.0]), y
