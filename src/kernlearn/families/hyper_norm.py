"""The norm of a kernel in the hyper-RKHS, or of its difference from a prior kernel."""

from __future__ import annotations

from copy import copy

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.kernels._validation import check_real
from kernlearn.typing import Array


class HyperNorm:
    r"""The penalty :math:`\tfrac{\lambda_Q}{2}\lVert \underline K^{1/2}\beta\rVert`, or its square.

    For :math:`k = \sum_p \beta_p\, \underline k(\text{pair}_p, \cdot)` the squared norm of k in the
    hyper-RKHS is :math:`\beta^\top\underline K\beta`. Ong, Smola and Williamson (2005) bound the
    square in (24) and the norm itself from (27) on, which is the default here.

    With a prior kernel :math:`k_0 = \sum_q \beta^0_q\, \underline k(\text{pair}_q, \cdot)` it is
    the norm of :math:`k - k_0`: the term Ω that keeps k near to what was learned elsewhere.

    Parameters
    ----------
    K_pivots : array-like of shape (p, p) or (p + q, p + q)
        Hyperkernel between the pairs of the expansion, positive semidefinite; with a prior kernel,
        its pairs come after them.
    lambda_q : float
        The regularisation constant, positive.
    squared : bool, default=False
        Whether to take the squared norm.
    prior_weights : array-like of shape (q,), optional
        Weights β⁰ of a prior kernel.

    Examples
    --------
    >>> import numpy as np
    >>> penalty = HyperNorm(np.eye(2), lambda_q=1.0)
    >>> penalty.value(np.array([0.6, 0.8]))
    0.5
    """

    def __init__(
        self,
        K_pivots: ArrayLike,
        lambda_q: float,
        squared: bool = False,
        prior_weights: ArrayLike = (),
    ) -> None:
        check_real(K_pivots, "K_pivots")
        K = np.asarray(K_pivots, dtype=float)
        if K.ndim != 2 or K.shape[0] != K.shape[1] or not np.isfinite(K).all():
            raise ValueError(
                "expected a square, finite matrix of the hyperkernel between pivots, got shape "
                f"{K.shape}; pass hyperkernel(pairs)"
            )
        prior = np.asarray(prior_weights, dtype=float)
        if prior.ndim != 1 or len(prior) >= len(K) or not np.isfinite(prior).all():
            raise ValueError(
                f"expected prior_weights to be fewer finite numbers than the {len(K)} rows of "
                f"K_pivots, got shape {prior.shape}; pass hyperkernel of both kernels' pairs"
            )
        own = len(K) - len(prior)
        self.K_pivots, self.lambda_q, self.squared = K[:own, :own], _strength(lambda_q), squared
        root = _root(K)
        self._root, self._prior = root[:, :own], root[:, own:] @ prior

    def at_strength(self, lambda_q: float) -> HyperNorm:
        """The same norm with another regularisation constant."""
        other = copy(self)
        other.lambda_q = _strength(lambda_q)
        return other

    def value(self, weights: Array) -> float:
        """The penalty at ``weights``."""
        norm = float(np.linalg.norm(self._root @ weights - self._prior))
        return 0.5 * self.lambda_q * (norm * norm if self.squared else norm)

    def gradient(self, weights: Array) -> Array:
        """Gradient of the penalty; at the kink of the norm in zero, the subgradient zero."""
        image = self._root @ weights - self._prior
        if self.squared:
            return np.asarray(self.lambda_q * (self._root.T @ image))
        norm = float(np.linalg.norm(image))
        unit = image / norm if norm else image
        return np.asarray(0.5 * self.lambda_q * (self._root.T @ unit))

    def hessian(self, weights: Array) -> Array:
        """Hessian of the penalty, positive semidefinite."""
        if self.squared:
            return np.asarray(self.lambda_q * (self._root.T @ self._root))
        image = self._root @ weights - self._prior
        norm = float(np.linalg.norm(image))
        if norm == 0:
            return 0.0 * self.K_pivots
        # The part along the image is taken off before it is squared: what is left is a square.
        across = self._root - np.outer(image / norm, (image / norm) @ self._root)
        return np.asarray(0.5 * self.lambda_q * (across.T @ across) / norm)

    def sublevel(self, level: float, n_weights: int) -> tuple[Array, float]:
        """A matrix M and a radius with ‖M w‖ ≤ radius wherever the penalty is at most ``level``."""
        square = 2.0 * max(level, 0.0) / self.lambda_q
        radius = float(np.sqrt(square)) if self.squared else square
        return self._root, radius + float(np.linalg.norm(self._prior))


def _strength(lambda_q: float) -> float:
    if not 0 < lambda_q < np.inf:
        raise ValueError(f"expected lambda_q > 0, got {lambda_q!r}; the paper uses 1.0")
    return lambda_q


def _root(K: Array) -> Array:
    """A matrix R with RᵀR = K, so that the norm ‖Rw‖ does not cancel near the null space of K."""
    values, vectors = np.linalg.eigh(0.5 * (K + K.T))
    if values[0] < -1e-8 * max(float(values[-1]), 0.0):
        raise ValueError(
            "expected a positive semidefinite matrix of the hyperkernel between pivots, got "
            f"eigenvalues from {values[0]:.3g} to {values[-1]:.3g}; pass hyperkernel(pairs)"
        )
    # Between -1e-8 and rounding, of the largest: zero.
    kept = values > np.finfo(float).eps * len(values) * values[-1]
    return np.asarray(np.sqrt(values[kept])[:, None] * vectors[:, kept].T)
