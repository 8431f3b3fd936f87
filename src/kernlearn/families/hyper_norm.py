r"""The norm of a kernel in the hyper-RKHS, as a penalty on the weights of its expansion."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn.kernels._validation import check_real

Array = NDArray[np.float64]


class HyperNorm:
    r"""The penalty :math:`\tfrac{\lambda_Q}{2}\lVert \underline K^{1/2}\beta\rVert`, or its square.

    For :math:`k = \sum_p \beta_p\, \underline k(\text{pair}_p, \cdot)` the squared norm of k in the
    hyper-RKHS is :math:`\beta^\top\underline K\beta`. Ong, Smola and Williamson (2005) bound the
    square in (24) and the norm itself from (27) on, which is the default here.

    Parameters
    ----------
    K_pivots : array-like of shape (p, p)
        Hyperkernel between the pairs of the expansion, positive semidefinite.
    lambda_q : float
        The regularisation constant, positive.
    squared : bool, default=False
        Whether to take the squared norm.

    Examples
    --------
    >>> import numpy as np
    >>> penalty = HyperNorm(np.eye(2), lambda_q=1.0)
    >>> penalty.value(np.array([0.6, 0.8]))
    0.5
    """

    def __init__(self, K_pivots: Any, lambda_q: float, squared: bool = False) -> None:
        check_real(K_pivots, "K_pivots")
        K = np.asarray(K_pivots, dtype=float)
        if K.ndim != 2 or K.shape[0] != K.shape[1] or not np.isfinite(K).all():
            raise ValueError(
                "expected a square, finite matrix of the hyperkernel between pivots, got shape "
                f"{K.shape}; pass hyperkernel(pairs)"
            )
        if not 0 < lambda_q < np.inf:
            raise ValueError(f"expected lambda_q > 0, got {lambda_q!r}; the paper uses 1.0")
        self.K_pivots, self.lambda_q, self.squared = K, lambda_q, squared

    def value(self, weights: Array) -> float:
        """The penalty at ``weights``."""
        square = self._square(weights)
        return 0.5 * self.lambda_q * (square if self.squared else float(np.sqrt(square)))

    def gradient(self, weights: Array) -> Array:
        """Its gradient; at the kink of the norm in zero, the subgradient zero."""
        direction = self.K_pivots @ weights
        if self.squared:
            return np.asarray(self.lambda_q * direction)
        norm = float(np.sqrt(self._square(weights)))
        return np.asarray(0.5 * self.lambda_q * direction / norm) if norm else 0.0 * direction

    def hessian(self, weights: Array) -> Array:
        """Its Hessian, positive semidefinite."""
        if self.squared:
            return self.lambda_q * self.K_pivots
        norm = float(np.sqrt(self._square(weights)))
        if norm == 0:
            return 0.0 * self.K_pivots
        unit = (self.K_pivots @ weights) / norm
        return np.asarray(0.5 * self.lambda_q * (self.K_pivots - np.outer(unit, unit)) / norm)

    def _square(self, weights: Array) -> float:
        return max(float(weights @ self.K_pivots @ weights), 0.0)
