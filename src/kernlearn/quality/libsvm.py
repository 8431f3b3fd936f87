"""First guesses from libsvm, through scikit-learn's public estimators.

libsvm is fast at finding which points are support vectors and slow at the last digits, which the
active-set solver gives in one step; so it is rarely asked for more than a guess.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning

Array = NDArray[np.float64]

# libsvm has no sense of time on nearly singular kernels with a large C; the interior-point
# fallback does better there, so it may not spend more than this on a guess.
MAX_ITERATIONS_PER_POINT = 200


def coefficients(
    estimator: Any,
    K: Array,
    target: Array | None,
    sample_weight: Array | None = None,
    *,
    tol: float,
) -> Array:
    """Fit ``estimator`` (kernel "precomputed") and return its signed dual coefficients."""
    n = K.shape[0]
    estimator.set_params(
        kernel="precomputed",
        tol=tol,
        max_iter=max(MAX_ITERATIONS_PER_POINT * n, 20_000),
        cache_size=max(200.0, 8e-6 * n * n),
    )
    a = np.zeros(n)
    unchecked = config_context(assume_finite=True, skip_parameter_validation=True)
    with warnings.catch_warnings(), unchecked:
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            estimator.fit(K, target, sample_weight=sample_weight)
        except ValueError:
            # Degenerate problems (a zero margin, a ridge of 1e150) are left to the other solvers.
            return a
    a[estimator.support_] = estimator.dual_coef_[0]
    return a
