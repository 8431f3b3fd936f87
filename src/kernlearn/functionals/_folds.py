"""One fold of a cross-validation: train on some rows of the matrix, predict others."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.svm import SVC, SVR, NuSVC, NuSVR

from kernlearn.functionals._checks import Target, one_vs_rest
from kernlearn.quality.held_out import LeaveOneOut
from kernlearn.quality.ls_svm import LSSVMFit, fit_ls_svm
from kernlearn.quality.registry import Settings
from kernlearn.typing import Array, Indices

# libsvm has no sense of time with a large C; scikit-learn warns when this is reached.
MAX_ITERATIONS = 1_000_000
# scikit-learn's 1e-3 would leave three digits of a squared error.
LIBSVM_TOLERANCE = 1e-6


def fold_predictions(
    quality: str, settings: Settings, K: Array, y: Target, train: Indices, test: Indices
) -> Target:
    """Classes or values of the rows `test`, learned from the rows `train` (inputs are checked)."""
    K_train, K_test, y_train = K[np.ix_(train, train)], K[np.ix_(test, train)], y[train]
    if quality == "least_squares":
        Y = target_columns(y)[train]
        return decide(least_squares_predictions(K_train, K_test, Y, settings.C), y)
    if y.dtype.kind == "i" and (y_train == y_train[0]).all():
        # The intercept alone has no loss, and the smallest norm: that class, everywhere.
        return np.full(len(K_test), y_train[0])
    if quality == "nu_svm":
        _check_nu(settings.nu, y_train)
    machine = _libsvm_machine(quality, settings)
    try:
        machine.fit(K_train, y_train)
    except ValueError:
        # The ν-SVM divides by its margin, which is zero where the classes cannot be told apart.
        cure = "lower nu, or use 'soft_margin'" if quality == "nu_svm" else "rescale the data"
        raise ValueError(
            f"expected a machine that can be trained on every fold, got none with "
            f"quality={quality!r}; {cure}"
        ) from None
    return np.asarray(machine.predict(K_test))


def target_columns(y: Target) -> Array:
    """What least squares fits: labels −1 and +1 for classes, the values themselves otherwise."""
    return np.column_stack(one_vs_rest(y)) if y.dtype.kind == "i" else y[:, None]


def decide(values: Array, y: Target) -> Target:
    """Turn columns of function values into what `y` holds."""
    if y.dtype.kind != "i":
        return values[:, 0]
    if values.shape[1] == 1:
        return (values[:, 0] > 0).astype(np.int64)
    return np.asarray(values.argmax(axis=1))


def _libsvm_machine(quality: str, settings: Settings) -> Any:
    C, nu = settings.C, settings.nu
    machine = {
        "soft_margin": SVC(C=C),
        # A little less than asked for: at the largest feasible ν no coefficient is free, and libsvm
        # finds no intercept.
        "nu_svm": NuSVC(nu=nu * (1.0 - 1e-9)),
        "epsilon_svr": SVR(C=C, epsilon=settings.epsilon),
        "nu_svr": NuSVR(C=C, nu=nu),
    }[quality]
    return machine.set_params(kernel="precomputed", tol=LIBSVM_TOLERANCE, max_iter=MAX_ITERATIONS)


def _check_nu(nu: float, classes: Target) -> None:
    """Refuse a ν that libsvm cannot meet for the least balanced pair of classes."""
    counts = np.unique(classes, return_counts=True)[1]
    share = 2.0 * counts.min() / (counts.min() + counts.max())
    if nu > share:
        raise ValueError(
            f"expected nu at most {share:.4g}, twice the share of the smaller class among the two "
            f"least balanced ones of a training fold, got {nu!r}; lower nu"
        )


def least_squares_predictions(K_train: Array, K_test: Array, Y: Array, C: float) -> Array:
    """Values of f on the test points for every column of `Y` (inputs are checked)."""
    fit = _fit(K_train, Y, C)
    return np.asarray(K_test @ fit.dual_coef + fit.intercept)


def leave_one_out_predictions(K: Array, Y: Array, C: float) -> Array:
    """Values f⁽⁻ⁱ⁾(xᵢ) for every point and column of `Y`, from one inverse (inputs are checked)."""
    return np.asarray(Y - LeaveOneOut(np.ones(len(Y))).residuals(_fit(K, Y, C)))


def _fit(K: Array, Y: Array, C: float) -> LSSVMFit:
    return fit_ls_svm(K, Y, np.full(len(K), 1.0 / C))
