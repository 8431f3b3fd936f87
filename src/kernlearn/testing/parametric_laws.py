"""The laws that every parametric kernel obeys, as a check suite for new ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.families.parametric import ParametricKernel
from kernlearn.kernels._validation import check_numbers, check_things
from kernlearn.testing._laws import Laws
from kernlearn.testing.kernel_laws import check_kernel
from kernlearn.typing import Array, Rows

_LAW = Laws("Parametric kernel")
# Differences of values with 16 digits, at this step, keep 9 to 10 of them.
_STEP = 1e-5
_AGREE = 1e-6
# Second derivatives may themselves be differences of differences.
_AGREE_SECOND = 1e-4


def check_parametric_kernel(
    family: ParametricKernel, X: Rows, theta: ArrayLike | None = None
) -> None:
    """Check that `family` obeys, on the rows of `X`, the laws that learning relies on.

    The laws: the start is positive, unless θ is signed; at every θ the matrix is that of
    ``family.kernel(theta)``, which is a kernel, and `diag` is its diagonal; `gradient`,
    `jacobian_products` and `second` are the derivatives of the matrix, by central differences;
    `along` is the family itself in one direction; a `stack`, where there is one, answers for every
    table as the family does; `X` and θ are left as they were.

    Parameters
    ----------
    family : ParametricKernel
        The family to check.
    X : array-like of shape (n, d), or list of n things
        Points on which to check it, a few dozen at most.
    theta : array-like of shape (p,), optional
        Parameters at which to check; by default uneven multiples of the start.

    Raises
    ------
    AssertionError
        With a sentence that says which law was broken, and by how much.

    Examples
    --------
    >>> from kernlearn.families.parametric import ARDGaussianFamily
    >>> from kernlearn.testing import check_parametric_kernel
    >>> check_parametric_kernel(ARDGaussianFamily(), [[0.0, 1.0], [2.0, 3.0], [0.5, 0.5]])
    """
    rows = check_things(X, "X") if family.takes_things else check_numbers(X, "X").copy()
    family = family.fitted_to(rows)
    points = family.read(rows)
    before = points.copy()
    start = np.asarray(family.start(points))
    _LAW.require(
        start.ndim == 1 and start.size > 0 and bool((start > 0).all() or family.signed),
        f"start(X) must be a vector of positive numbers, got {start}",
    )
    uneven = start * np.linspace(0.5, 1.5, start.size)
    if family.signed:
        uneven = uneven + 0.1 * family.size(start) * np.cos(np.arange(start.size))
    place = uneven if theta is None else np.array(theta, dtype=float)
    kept = place.copy()
    _check_matrix(family, rows, points, place)
    _check_first(family, points, place)
    _check_second(family, points, place)
    _check_along(family, points, place)
    _check_stack(family, points, place)
    same = np.array_equal(points, before) and np.array_equal(place, kept)
    _LAW.require(same, "X and theta must be left as they were, but were changed")


def _check_matrix(family: ParametricKernel, rows: Rows, X: Array, theta: Array) -> None:
    check_kernel(family.kernel(theta), rows)
    K = family.kernel(theta)(rows)
    _LAW.require_close(family.diag(X, theta), K.diagonal(), "diag(X, θ) = that of the matrix", K)
    _LAW.require_close(family.matrix(X, None, theta), K, "matrix(X, None, θ) = kernel(θ)(X)", K)
    some = X[::2].copy()
    law = "matrix(X, Y, θ) = the columns Y of matrix(X, None, θ)"
    _LAW.require_close(family.matrix(X, some, theta), K[:, ::2], law, K)


def _check_first(family: ParametricKernel, X: Array, theta: Array) -> None:
    W, v = _weights(len(X))
    K = family.matrix(X, None, theta)
    slopes = _differences(lambda t: family.matrix(X, None, t), theta)
    expected = np.einsum("ij,rij->r", W, slopes)
    _require_scaled(
        family.gradient(X, theta, K, W), expected, theta, "gradient = Σ W ∂K/∂θ", _AGREE
    )
    across = family.gradient(X[::2], theta, K[::2], W[::2], X.copy())
    law = "gradient = Σ W ∂K/∂θ over some rows"
    _require_scaled(across, np.einsum("ij,rij->r", W[::2], slopes[:, ::2]), theta, law, _AGREE)
    columns = np.einsum("rij,j->ir", slopes, v)
    _require_scaled(
        family.jacobian_products(X, theta, K, v), columns, theta, "jacobian = (∂K/∂θ) v", _AGREE
    )
    part = family.jacobian_products(X[::2], theta, K[::2], v, X.copy())
    law = "jacobian with Y = some rows of (∂K/∂θ) v"
    _require_scaled(part, columns[::2], theta, law, _AGREE)


def _check_second(family: ParametricKernel, X: Array, theta: Array) -> None:
    W = _weights(len(X))[0]
    W = W + W.T
    bent = _differences(lambda t: family.gradient(X, t, family.matrix(X, None, t), W), theta)
    found = np.asarray(family.second(X, theta, family.matrix(X, None, theta), W))
    _LAW.require(found.shape == bent.shape, f"second: the shapes are {found.shape}, {bent.shape}")
    _require_scaled(
        found * theta[:, None],
        bent * theta[:, None],
        theta,
        "second = Σ W ∂²K/∂θ∂θ",
        _AGREE_SECOND,
    )


def _check_along(family: ParametricKernel, X: Array, theta: Array) -> None:
    K = family.matrix(X, None, theta)
    line = family.along(0.5 * theta)
    law = "along(u) at c = matrix at c·u"
    _LAW.require_close(line.matrix(X, None, np.array([2.0])), K, law, K)


def _check_stack(family: ParametricKernel, X: Array, theta: Array) -> None:
    stack = family.stack([family, family])
    if stack is None:
        return
    tables, thetas = [X, X[::-1].copy()], [theta, 1.5 * theta]
    W, v = _weights(len(X))
    W = W + W.T
    alone = [family.matrix(each, None, t) for each, t in zip(tables, thetas, strict=True)]
    Xs, ts, Ks = np.stack(tables), np.stack(thetas), np.stack(alone)
    found = {
        "matrix": stack.matrix(Xs, None, ts),
        "gradient": stack.gradient(Xs, ts, Ks, np.stack([W, -W])),
        "jacobian_products": stack.jacobian_products(Xs, ts, Ks, np.stack([v, 2.0 * v])),
        "second": stack.second(Xs, ts, Ks, np.stack([W, -W])),
    }
    for i, (each, t, K, sign) in enumerate(zip(tables, thetas, alone, (1.0, -1.0), strict=True)):
        expected = {
            "matrix": K,
            "gradient": family.gradient(each, t, K, sign * W),
            "jacobian_products": family.jacobian_products(each, t, K, (i + 1) * v),
            "second": family.second(each, t, K, sign * W),
        }
        for name, right in expected.items():
            law = f"{name} of a stack = that of each table"
            _LAW.require_close(found[name][i], right, law, right)


def _differences(function: Callable[[Array], Array], theta: Array) -> Array:
    """Central differences by every parameter, stacked along the first axis."""
    slopes = []
    for r, value in enumerate(theta):
        above, below = theta.copy(), theta.copy()
        above[r], below[r] = value * (1 + _STEP), value * (1 - _STEP)
        slopes.append((function(above) - function(below)) / (above[r] - below[r]))
    return np.array(slopes)


def _require_scaled(
    found: ArrayLike, expected: Array, theta: Array, law: str, agree: float
) -> None:
    """Derivatives by log θ must agree, relative to the largest of them."""
    shape = np.shape(found)
    _LAW.require(shape == expected.shape, f"{law}: the shapes are {shape}, {expected.shape}")
    gap = float(np.abs((np.asarray(found) - expected) * theta).max())
    allowed = agree * (float(np.abs(expected * theta).max()) + _STEP)
    sentence = f"{law}: differs from central differences by {gap:.3g}, with {allowed:.3g} allowed"
    _LAW.require(gap <= allowed, sentence)


def _weights(n: int) -> tuple[Array, Array]:
    """Uneven weights, not symmetric, the same in every run."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, n)), rng.normal(size=n)
