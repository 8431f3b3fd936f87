"""First guesses from libsvm, as scikit-learn compiles it.

libsvm is fast at finding which points are support vectors and slow at the last digits, which the
active-set solver gives in one step; so it is rarely asked for more than a guess.

On a few dozen points scikit-learn's estimators spend over nine tenths of a fit on checking what is
checked here already, so the compiled function is called as they call it. It is not public: where it
is not there, or takes other arguments, the estimators do the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

from kernlearn.runtime.numerical_errors import NumericalError
from kernlearn.runtime.warning_filters import quiet_about
from kernlearn.typing import Array

try:
    from sklearn.svm import _libsvm as compiled
except ImportError:  # pragma: no cover
    compiled = None


# libsvm has no sense of time on nearly singular kernels with a large C; the interior-point
# fallback does better there, so it may not spend more than this on a guess.
MAX_ITERATIONS_PER_POINT = 200
# libsvm's numbers of its machines, and their parameters.
LibsvmEstimator: TypeAlias = SVC | NuSVC | OneClassSVM | SVR | NuSVR
_Limits = Mapping[str, float]
_MACHINES: dict[type, tuple[int, tuple[str, ...]]] = {
    SVC: (0, ("C",)),
    NuSVC: (1, ("nu",)),
    OneClassSVM: (2, ("nu",)),
    SVR: (3, ("C", "epsilon")),
    NuSVR: (4, ("C", "nu")),
}


def coefficients(
    estimator: LibsvmEstimator,
    K: Array,
    target: Array | None,
    sample_weight: Array | None = None,
    *,
    tol: float,
) -> Array:
    """The signed dual coefficients of ``estimator`` at the kernel matrix ``K``: a first guess."""
    n = K.shape[0]
    limits = {
        "tol": tol,
        "max_iter": max(MAX_ITERATIONS_PER_POINT * n, 20_000),
        "cache_size": max(200.0, 8e-6 * n * n),
    }
    try:
        return train(estimator, K, target, sample_weight, limits)[0]
    except NumericalError:
        # Degenerate problems (a zero margin, a ridge of 1e150) are left to the other solvers.
        return np.zeros(n)


def train(
    model: LibsvmEstimator, K: Array, target: Array | None, weight: Array | None, limits: _Limits
) -> tuple[Array, float]:
    """Signed coefficients and intercept of an SVC, NuSVC, OneClassSVM, SVR or NuSVR.

    `limits` are some of ``tol``, ``max_iter`` and ``cache_size``. NumericalError: there is one
    class, ν is out of reach, or the numbers are not finite.
    """
    try:
        try:
            support, coef, intercept = _by_compiled(model, K, target, weight, limits)
        except (AttributeError, TypeError):
            support, coef, intercept = _by_estimator(model, K, target, weight, limits)
    except ValueError as error:  # of libsvm
        raise NumericalError(str(error)) from error
    a = np.zeros(len(K))
    a[support] = coef
    return a, intercept


_Found = tuple[NDArray[np.intp], Array, float]


def _by_compiled(
    model: LibsvmEstimator, K: Array, target: Array | None, weight: Array | None, limits: _Limits
) -> _Found:
    machine, names = _MACHINES[type(model)]
    y = np.ones(len(K)) if target is None else np.array(target, dtype=float)
    classes = np.empty(0)
    if isinstance(model, SVC | NuSVC):
        y, classes = (y > 0).astype(float), np.ones(2)
        if y.min() == y.max():
            raise NumericalError("expected two classes, got one")
    compiled.set_verbosity_wrap(0)
    found = compiled.fit(
        np.ascontiguousarray(K, dtype=float),
        y,
        svm_type=machine,
        kernel="precomputed",
        sample_weight=np.array([] if weight is None else weight, dtype=float),
        class_weight=classes,
        **{name: float(getattr(model, name)) for name in names},
        **limits,
    )
    support, coef, intercept = found[0], found[3][0], float(found[4][0])
    if not (np.isfinite(coef).all() and np.isfinite(intercept)):
        raise NumericalError("expected finite coefficients, got others")
    # libsvm's first of two classes is that of y = −1.
    return (support, -coef, -intercept) if len(classes) else (support, coef, intercept)


def _by_estimator(
    model: LibsvmEstimator, K: Array, target: Array | None, weight: Array | None, limits: _Limits
) -> _Found:
    """The solution by the public estimator."""
    model.set_params(kernel="precomputed", **limits)
    unchecked = config_context(assume_finite=True, skip_parameter_validation=True)
    with quiet_about(ConvergenceWarning), unchecked:
        model.fit(K, target, sample_weight=weight)
    return model.support_, model.dual_coef_[0], float(model.intercept_[0])
