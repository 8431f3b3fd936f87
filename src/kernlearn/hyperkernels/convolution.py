"""Convolution hyperkernels of Kondor and Jebara (2007): on a finite set of points, and Gaussian."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.hyperkernels._validation import BLOCK, check_positive_semidefinite
from kernlearn.hyperkernels.base import Hyperkernel
from kernlearn.kernels._distances import gaussian_gram
from kernlearn.kernels._parameters import positive, positive_integer
from kernlearn.kernels._validation import check_numbers, is_finite
from kernlearn.typing import Array


class Convolution(Hyperkernel):
    r"""Two points are alike by way of a third (Kondor 2007, Definition 2, (6)).

    .. math:: \underline k((x_1, x_1'), (x_2, x_2')) = \sum_{a, b} w_a w_b\,
              r(x_1, z_a)\, r(x_1', z_a)\, h(z_a, z_b)\, r(x_2, z_b)\, r(x_2', z_b)

    is (6) with sums over points :math:`z` of weights :math:`w` for the integrals: a grid and its
    quadrature weights, or points drawn at random and the mean over them. If h is a kernel, this
    is a kernel between pairs; its sections are kernels if in addition r and h are never negative
    (Lemma 1). All three are checked whenever the hyperkernel is called.

    With `g` it is (4), of which (6) is the case :math:`g_z(x, x') = r(x, z)\, r(x', z)`:

    .. math:: \underline k((x_1, x_1'), (x_2, x_2')) = \sum_{a, b} w_a w_b\,
              g_{z_a}(x_1, x_1')\, h(z_a, z_b)\, g_{z_b}(x_2, x_2')

    Parameters
    ----------
    r : callable or None
        ``r(X, Z)`` gives the matrix of r between the rows of two arrays, never negative; a
        kernel, or any function: it need not be symmetric. One that has a name can be pickled.
        None with `g`.
    h : callable
        ``h(Z, Z)`` gives the matrix of h, a kernel that is never negative on the points.
    points : array-like of shape (n_points, n_features) or callable
        The points z, or ``points(generator, n_points)``, which draws them with a
        `numpy.random.Generator`; dz then is the law that they are drawn from.
    weights : array-like of shape (n_points,), optional
        The weights w of given points, not negative; by default 1/n_points each.
    g : callable, optional
        ``g(X, Y, z)`` gives the matrix of :math:`g_z` between the rows of two arrays, for one
        point z: a kernel for every z, never negative.
    n_points : int, default=200
        Number of points to draw.
    random_state : int, default=0
        Seed of the drawing. A number, so that every call sees the same points.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.hyperkernels import Convolution
    >>> from kernlearn.kernels import Gaussian
    >>> grid = np.linspace(-6.0, 6.0, 61)[:, None]
    >>> hk = Convolution(Gaussian(0.5), Gaussian(0.5), grid, np.full(61, 0.2))
    >>> hk([[[0.0], [0.0]], [[0.0], [1.0]]]).round(3)
    array([[2.221, 1.625],
           [1.625, 1.347]])
    """

    def __init__(
        self,
        r: Callable[[Array, Array], Any] | None,
        h: Callable[[Array, Array], Any],
        points: ArrayLike | Callable[[np.random.Generator, int], ArrayLike],
        weights: ArrayLike | None = None,
        *,
        g: Callable[[Array, Array, Array], Any] | None = None,
        n_points: int = 200,
        random_state: int = 0,
    ) -> None:
        self.g = g
        self.r = r
        self.h = h
        self.points = points
        self.weights = weights
        self.n_points = n_points
        self.random_state = random_state

    def _check_parameters(self) -> None:
        if self.g is not None and self.r is not None:
            raise ValueError(
                f"Convolution must be given r or g, got both, {self.r!r} and {self.g!r}; pass "
                "r=None."
            )
        for name in ("r" if self.g is None else "g", "h"):
            if not callable(getattr(self, name)):
                raise ValueError(
                    f"Convolution's {name} must be a function of two arrays of points, got "
                    f"{getattr(self, name)!r}; pass for example kernlearn.kernels.Gaussian(1.0)."
                )
        points = self._points()
        self._weights(len(points))
        h = self._values("h", points, points)
        check_positive_semidefinite(h, "Convolution's h", " on the points")

    def _points(self) -> Array:
        if not callable(self.points):
            return check_numbers(self.points, "points")
        n_points = positive_integer(self.n_points, "Convolution's n_points")
        seed: Any = self.random_state
        if isinstance(seed, bool) or not isinstance(seed, Integral):
            raise ValueError(
                "Convolution's random_state must be a whole number, so that every call draws the "
                f"same points, got {seed!r}; pass for example 0."
            )
        generator = np.random.default_rng(int(seed))
        return check_numbers(self.points(generator, n_points), "points")

    def _weights(self, n_points: int) -> Array:
        if self.weights is None:
            return np.full(n_points, 1.0 / n_points)
        weights = np.asarray(self.weights)
        is_vector = weights.shape == (n_points,) and weights.dtype.kind in "biuf"
        if callable(self.points) or not (is_vector and is_finite(weights) and weights.min() >= 0):
            raise ValueError(
                f"Convolution's weights must be {n_points} non-negative finite numbers, one for "
                f"each given point, and None for points that are drawn, got {self.weights!r}; "
                "leave them out for a plain mean."
            )
        return weights.astype(np.float64)

    def _values(self, name: str, X: Array, Z: Array) -> Array:
        """The matrix of r or h, as the user's function gives it."""
        return self._checked(getattr(self, name)(X, Z), name, X, Z)

    def _checked(self, found: object, name: str, X: Array, Z: Array) -> Array:
        values = np.asarray(found, dtype=np.float64)
        if values.shape != (len(X), len(Z)):
            raise ValueError(
                f"Convolution's {name} must give a matrix of shape {(len(X), len(Z))} for "
                f"{len(X)} and {len(Z)} points, got shape {values.shape}; let it return one value "
                "for each row of its first and each row of its second argument."
            )
        if not values.min() >= 0:
            raise ValueError(
                f"Convolution's {name} must never be negative, since sections need not be kernels "
                f"otherwise, got {values.min():.3g}; take its square or its exponential."
            )
        return values

    def _weighted(self, X: Array) -> Array:
        """√w_a r(x, z_a) for every point x."""
        points = self._points()
        if points.shape[1] != X.shape[1]:
            raise ValueError(
                "Convolution's points must have as many features as the pairs, got "
                f"{points.shape[1]} for {X.shape[1]}; pass all points with the same features."
            )
        return self._values("r", X, points) * np.sqrt(self._weights(len(points)))

    def _of_g(self, X: Array, Y: Array) -> Array:
        """w_a g(x, y) for every point z_a, of shape (n_points, len(X), len(Y))."""
        assert self.g is not None
        points = self._points()
        weights = self._weights(len(points))
        values = [self._checked(self.g(X, Y, z), "g", X, Y) for z in points]
        return np.asarray(weights[:, None, None] * np.array(values))

    def _table(self, left: Array, right: Array) -> Array:
        if self.g is None:
            return self._weighted(left) * self._weighted(right)
        rows = [slice(start, start + BLOCK) for start in range(0, len(left), BLOCK)]
        blocks = [self._of_g(left[some], right[some]) for some in rows]
        return np.concatenate([np.diagonal(block, axis1=1, axis2=2).T for block in blocks])

    def _grid_table(self, X: Array, Y: Array) -> Array:
        if self.g is not None:
            return self._of_g(X, Y).reshape(-1, len(X) * len(Y)).T
        left, right = self._weighted(X), self._weighted(Y)
        return (left[:, None] * right[None]).reshape(len(X) * len(Y), -1)

    def _evaluate(self, table: Array, other: Array) -> Array:
        points = self._points()
        h = self._values("h", points, points)
        if len(table) < len(other):
            return (table @ h) @ other.T
        return table @ (h @ other.T)

    def _diag(self, table: Array) -> Array:
        points = self._points()
        return np.asarray(np.einsum("ij,ij->i", table @ self._values("h", points, points), table))


class GaussianHyperkernel(Hyperkernel):
    r"""The Gaussian hyperkernel (Kondor and Jebara 2007, (8)), up to a constant.

    .. math::

        \underline k((x, z), (s, t)) = \exp\Bigl(-\frac{\|x - z\|^2}{4\sigma^2}
            - \frac{\|s - t\|^2}{4\sigma^2}
            - \frac{\|\bar x - \bar s\|^2}{2(\sigma^2 + \sigma_h^2)}\Bigr),
        \quad \bar x = \tfrac{x + z}{2},\ \bar s = \tfrac{s + t}{2}

    Each section is a Gaussian kernel of variance 2σ², made strong where the mean of two points is
    near the mean of the fixed pair (9). It is a Gaussian kernel on the means of pairs times a
    number for each pair, and costs one matrix product.

    Parameters
    ----------
    sigma : float, default=1.0
        The width σ of the similarity that is handed on from point to point, above zero.
    sigma_h : float, default=1.0
        The width σ_h over which places share what they learn, zero or more. At zero h is a delta
        function; at infinity the hyperkernel is the product of two Gaussian kernels.

    Notes
    -----
    (8) has normalised Gaussians, whose constant
    :math:`(4\pi\sigma^2)^{-n} (2\pi(\sigma^2 + \sigma_h^2))^{-n/2}` in n dimensions leaves the
    range of floating point numbers at a few hundred columns, and is zero for infinite σ_h. It is
    left out here, so that the hyperkernel of a point with itself is one. A constant c in front of
    a hyperkernel is the same as multiplying C by c.

    Examples
    --------
    >>> from kernlearn.hyperkernels import GaussianHyperkernel
    >>> hk = GaussianHyperkernel(sigma=1.0, sigma_h=1.0)
    >>> hk([[[0.0], [0.0]], [[0.0], [2.0]]]).round(4)
    array([[1.    , 0.2865],
           [0.2865, 0.1353]])
    """

    def __init__(self, sigma: float = 1.0, sigma_h: float = 1.0) -> None:
        self.sigma = sigma
        self.sigma_h = sigma_h

    def _check_parameters(self) -> None:
        positive(self.sigma, "GaussianHyperkernel's sigma")
        _check_sigma_h(self.sigma_h)

    def _table(self, left: Array, right: Array) -> Array:
        """The mean of each pair, and in the last column its factor."""
        table: Array = np.empty((len(left), left.shape[1] + 1))
        # Scaled before squaring, and halved before adding: both keep large numbers in range.
        np.multiply(left - right, 0.5 / self.sigma, out=table[:, :-1])
        table[:, -1] = np.exp(-np.einsum("ij,ij->i", table[:, :-1], table[:, :-1]))
        np.multiply(left, 0.5, out=table[:, :-1])
        table[:, :-1] += 0.5 * right
        return table

    def _evaluate(self, table: Array, other: Array) -> Array:
        if math.isinf(self.sigma_h):
            return np.multiply.outer(table[:, -1], other[:, -1])
        means = table[:, :-1]
        width = math.hypot(self.sigma, self.sigma_h)
        K = gaussian_gram(means, means if other is table else other[:, :-1], 0.5 / width / width)
        K *= np.multiply.outer(table[:, -1], other[:, -1])  # at once: exactly symmetric
        return K

    def _diag(self, table: Array) -> Array:
        return np.asarray(table[:, -1] ** 2)


def _check_sigma_h(value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not float(value) >= 0:
        raise ValueError(
            f"GaussianHyperkernel's sigma_h must be zero or a positive number, got {value!r}; "
            "choose about sigma, 0 for none, or math.inf for the product of two kernels."
        )
