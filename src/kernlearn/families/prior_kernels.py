r"""Penalties that keep K(w) near a prior kernel k₀, which may come from another study.

They are the term Ω of ``min over k in F of Q(k) + λΩ(k)``. Ong, Smola and Williamson (2005, section
3.2) take a Wishart distribution as the prior of k, of which (10) keeps
:math:`\tfrac12\langle k, k_0\rangle`. The distance :math:`\lVert k - k_0\rVert^2` is in the same
space. Here both are over the points of the fit; :class:`kernlearn.penalties.HyperNorm` has the norm
of the hyper-RKHS.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, solve_triangular

from kernlearn.families.base import Family
from kernlearn.families.penalties import Strength, WeightPenalty, checked_strength
from kernlearn.gram.psd import check_matrix
from kernlearn.kernels import Kernel
from kernlearn.typing import Array, Rows

RIDGE = 1e-6  # of the kernel's mean diagonal entry, in a log determinant or an inverse


class PriorPenalty(WeightPenalty):
    """A penalty with a prior kernel, defined once the candidate kernels are set.

    Until then it has no values.
    """

    kernel: Kernel | ArrayLike
    _of: Array | None = None

    def at_points(self, points: Rows) -> Self:
        """The same penalty with the prior kernel as its matrix on these points."""
        other = copy.copy(self)
        kernel = self.kernel
        other.kernel = kernel(points) if isinstance(kernel, Kernel) else kernel
        return other

    def of_family(self, family: Family, size: float) -> Self:
        """The penalty on weights of these matrices, whose combination has this mean diagonal."""
        if isinstance(self.kernel, Kernel):
            raise ValueError(
                f"expected the matrix of the prior kernel on the {family.n_points} points, got a "
                f"{type(self.kernel).__name__}; pass kernel(X), or use an estimator"
            )
        K = check_matrix(self.kernel, "The matrix of a prior kernel")
        if K.shape != (family.n_points, family.n_points) or not np.trace(K) > 0:
            raise ValueError(
                f"expected a prior kernel of shape ({family.n_points}, {family.n_points}) and a "
                f"positive trace, got shape {K.shape} and trace {np.trace(K):.3g}; evaluate it on "
                "all points of the fit"
            )
        other = copy.copy(self)
        other._bind(family, K, size)
        return other

    @abstractmethod
    def _bind(self, family: Family, K: Array, size: float) -> None:
        """Take from the matrices what values are made of."""

    def _bound(self) -> Array:
        if self._of is None:
            raise ValueError(
                f"expected a {type(self).__name__} that knows the kernels, got one that does not; "
                "pass it to learn_weights, or as an option of an estimator"
            )
        return self._of

    def __repr__(self) -> str:
        shown = self.kernel if isinstance(self.kernel, Kernel) else f"<{np.shape(self.kernel)}>"
        return f"{type(self).__name__}({shown}, strength={self.strength!r})"


class NearKernel(PriorPenalty):
    r"""Stay near this kernel: a penalty on the distance of K(w) from it.

    .. math:: \frac{\lambda}{2}\, \lVert K(w) - tK_0\rVert_F^2 / \lVert tK_0\rVert_F^2

    The scale t gives the prior kernel the mean diagonal entry of K(w), so that only its shape
    counts. The kernel may be the ``kernel_`` of a model that was saved in another study.

    Parameters
    ----------
    kernel : Kernel or array-like of shape (N, N)
        The prior kernel, or its matrix on all points of the fit.
    strength : float or "auto", default="auto"
        The λ, positive; "auto" as for :class:`LpNorm`.

    Examples
    --------
    >>> import numpy as np
    >>> import kernlearn as kl
    >>> X = np.linspace(-1, 1, 40)[:, None]
    >>> y = np.where(np.abs(X[:, 0]) < 0.5, 1, -1)
    >>> grams = [kl.kernels.Gaussian(gamma)(X) for gamma in (0.5, 4.0)]
    >>> near = kl.penalties.NearKernel(grams[0], strength=1e4)
    >>> kl.learn_weights(grams, y, penalty=near).weights.round(1)
    array([2., 0.])
    """

    def __init__(self, kernel: Kernel | ArrayLike, strength: Strength = "auto") -> None:
        self.kernel, self.strength = kernel, checked_strength(strength)

    def _bind(self, family: Family, K: Array, size: float) -> None:
        K = K * (size * len(K) / float(np.trace(K)))
        m, length = family.n_matrices, float(np.linalg.norm(K))
        joint = np.empty((m + 1, m + 1))
        joint[:m, :m] = family.inner_products(np.eye(m)) / length**2
        joint[:m, m] = joint[m, :m] = family.products(K) / length**2
        joint[m, m] = 1.0
        # A root of all together, so that the distance does not cancel where it is small.
        scale = np.sqrt(np.maximum(joint.diagonal(), 1e-300))
        values, vectors = np.linalg.eigh(joint / scale / scale[:, None])
        self._of = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T * scale

    def _difference(self, weights: Array) -> Array:
        root = self._bound()
        return np.asarray(root[:, :-1] @ weights - root[:, -1])

    def value(self, weights: Array) -> float:
        """The penalty at ``weights``."""
        image = self._difference(weights)
        return 0.5 * self._lambda * float(image @ image)

    def gradient(self, weights: Array) -> Array:
        """Gradient of the penalty."""
        return np.asarray(self._lambda * (self._bound()[:, :-1].T @ self._difference(weights)))

    def hessian(self, weights: Array) -> Array:
        """Hessian of the penalty, the same everywhere."""
        root = self._bound()[:, :-1]
        return np.asarray(self._lambda * (root.T @ root))

    def sublevel(self, level: float, n_weights: int) -> tuple[Array, float]:
        """A matrix M and a radius with ‖M w‖ ≤ radius wherever the penalty is at most ``level``."""
        root, radius = self._bound(), float(np.sqrt(2.0 * max(level, 0.0) / self._lambda))
        return root[:, :-1], radius + float(np.linalg.norm(root[:, -1]))


class WishartPrior(PriorPenalty):
    r"""The Wishart prior: :math:`\lambda(\tfrac12\langle K(w), K_0\rangle - \kappa\log\det K(w))`.

    Ong, Smola and Williamson (2005, section 3.2) print the prior with K₀ itself. A Wishart
    distribution has its inverse, ``inverse=True``, and its largest density is at 2κK₀: with the log
    determinant the kernel stays near K₀. A ridge of a millionth of the mean diagonal entry keeps
    determinant and inverse finite.

    Parameters
    ----------
    kernel : Kernel or array-like of shape (N, N)
        The K₀, or its matrix on all points of the fit.
    strength : float or "auto", default="auto"
        The λ, positive; "auto" as for :class:`LpNorm`.
    kappa : float, default=0.0
        The κ, at least 0: half of the degrees of freedom less N + 1.
    inverse : bool, default=False
        Whether the first term has the inverse of K₀.

    Examples
    --------
    >>> import numpy as np
    >>> import kernlearn as kl
    >>> grams = np.array([np.diag([1.0, 0.0]), np.diag([0.0, 1.0])])
    >>> prior = kl.penalties.WishartPrior(np.eye(2), strength=50.0, kappa=1.0, inverse=True)
    >>> kl.learn_weights(grams, [1, -1], penalty=prior).weights.round(2)
    array([1., 1.])
    """

    def __init__(
        self,
        kernel: Kernel | ArrayLike,
        strength: Strength = "auto",
        kappa: float = 0.0,
        inverse: bool = False,
    ) -> None:
        if not 0.0 <= kappa < np.inf:
            raise ValueError(f"expected kappa >= 0, got {kappa!r}; leave it out for no determinant")
        self.kernel, self.strength = kernel, checked_strength(strength)
        self.kappa, self.inverse = float(kappa), inverse
        self._family: Family | None = None
        self._ridge = 0.0

    def _bind(self, family: Family, K: Array, size: float) -> None:
        if self.inverse:
            ridge = RIDGE * float(np.trace(K)) / len(K)
            inverse = np.asarray(np.linalg.inv(K + ridge * np.eye(len(K))), dtype=float)
            K = 0.5 * (inverse + inverse.T)
        self._of = 0.5 * family.products(K)
        self._family, self._ridge = family, RIDGE * size

    def _inverse_factor(self, weights: Array) -> Array | None:
        """The inverse W of the Cholesky factor of K(w) and its ridge; None where there is none."""
        assert self._family is not None
        K = self._family.combine(weights, labelled_only=False)
        K.flat[:: len(K) + 1] += self._ridge
        try:
            L = np.linalg.cholesky(K)
        except LinAlgError:
            return None
        return np.asarray(solve_triangular(L, np.eye(len(L)), lower=True))

    def value(self, weights: Array) -> float:
        """The penalty at ``weights``; infinite where K(w) is not positive definite."""
        linear = float(self._bound() @ weights)
        if not self.kappa:
            return self._lambda * linear
        W = self._inverse_factor(weights)
        if W is None:
            return np.inf
        return self._lambda * (linear + 2.0 * self.kappa * float(np.log(W.diagonal()).sum()))

    def gradient(self, weights: Array) -> Array:
        """Gradient of the penalty."""
        slopes = self._bound()
        W = self._inverse_factor(weights) if self.kappa else None
        if W is not None and self._family is not None:
            slopes = slopes - self.kappa * self._family.products(W.T @ W)
        return np.asarray(self._lambda * slopes)

    def hessian(self, weights: Array) -> Array:
        """Hessian of the log determinant: ⟨W Kᵢ Wᵀ, W Kⱼ Wᵀ⟩."""
        m = len(weights)
        W = self._inverse_factor(weights) if self.kappa else None
        if W is None or self._family is None:
            return np.zeros((m, m))
        parts = [
            (W @ self._family.combine(one, labelled_only=False) @ W.T).ravel() for one in np.eye(m)
        ]
        return np.asarray(self._lambda * self.kappa * (np.array(parts) @ np.array(parts).T))
