"""First guesses from libsvm, as scikit-learn compiles it.

libsvm is fast at finding which points are support vectors and slow at the last digits, which the
active-set solver gives in one step; so it is rarely asked for more than a guess.

On a few dozen points scikit-learn's estimators spend over nine tenths of a fit on checking what is
checked here already, so the compiled function is called as they call it. It is not public: where it
is not there, or takes other arguments, the estimators do the same.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

try:
    from sklearn.svm import _libsvm as compiled
except ImportError:  # pragma: no cover
    compiled = None

Array = NDArray[np.float64]

# libsvm has no sense of time on nearly singular kernels with a large C; the interior-point
# fallback does better there, so it may not spend more than this on a guess.
MAX_ITERATIONS_PER_POINT = 200
# libsvm's numbers of its machines, and what each of them is told.
_MACHINES: dict[type, tuple[int, tuple[str, ...]]] = {
    SVC: (0, ("C",)),
    NuSVC: (1, ("nu",)),
    OneClassSVM: (2, ("nu",)),
    SVR: (3, ("C", "epsilon")),
    NuSVR: (4, ("C", "nu")),
}


def coefficients(
    estimator: Any,
    K: Array,
    target: Array | None,
    sample_weight: Array | None = None,
    *,
    tol: float,
) -> Array:
    """The signed dual coefficients of ``estimator`` at the kernel matrix ``K``."""
    n = K.shape[0]
    limits = {
        "tol": tol,
        "max_iter": max(MAX_ITERATIONS_PER_POINT * n, 20_000),
        "cache_size": max(200.0, 8e-6 * n * n),
    }
    a = np.zeros(n)
    try:
        support, dual_coef = _by_compiled(estimator, K, target, sample_weight, limits)
    except (AttributeError, TypeError):
        support, dual_coef = _by_estimator(estimator, K, target, sample_weight, limits)
    a[support] = dual_coef
    return a


def _by_compiled(
    estimator: Any, K: Array, target: Array | None, weight: Array | None, limits: dict[str, Any]
) -> tuple[NDArray[np.intp], Array]:
    """Points and their coefficients; none of degenerate problems, such as a zero margin."""
    machine, names = _MACHINES[type(estimator)]
    y = np.ones(len(K)) if target is None else np.asarray(target, dtype=float)
    classes = np.empty(0)
    nothing = np.empty(0, dtype=np.intp), np.empty(0)
    if isinstance(estimator, SVC | NuSVC):
        y, classes = (y > 0).astype(float), np.ones(2)
        if y.min() == y.max():
            return nothing
    compiled.set_verbosity_wrap(0)
    try:
        found = compiled.fit(
            np.ascontiguousarray(K, dtype=float),
            y,
            svm_type=machine,
            kernel="precomputed",
            sample_weight=np.empty(0) if weight is None else np.asarray(weight, dtype=float),
            class_weight=classes,
            **{name: float(getattr(estimator, name)) for name in names},
            **limits,
        )
    except ValueError:  # a ridge of 1e150, a ν that no point reaches
        return nothing
    support, dual_coef, intercept = found[0], found[3][0], found[4]
    if not (np.isfinite(dual_coef).all() and np.isfinite(intercept).all()):
        return nothing
    # Its first class is the one of y = −1.
    return support, -dual_coef if len(classes) else dual_coef


def _by_estimator(
    estimator: Any, K: Array, target: Array | None, weight: Array | None, limits: dict[str, Any]
) -> tuple[NDArray[np.intp], Array]:
    """The same by what is public."""
    estimator.set_params(kernel="precomputed", **limits)
    unchecked = config_context(assume_finite=True, skip_parameter_validation=True)
    with warnings.catch_warnings(), unchecked:
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            estimator.fit(K, target, sample_weight=weight)
        except ValueError:
            return np.empty(0, dtype=np.intp), np.empty(0)
    return estimator.support_, estimator.dual_coef_[0]
