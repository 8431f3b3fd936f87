"""Cross-validation and leave-one-out error: Ong et al. (2005), Example 2."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import KFold, LeaveOneOut, StratifiedKFold
from sklearn.svm import SVC, SVR, NuSVC, NuSVR

from kernlearn.functionals.base import (
    QualityFunctional,
    Target,
    TargetKind,
    check_machine,
    one_vs_rest,
    settings_in_use,
)
from kernlearn.quality.ls_svm import fit_ls_svm
from kernlearn.quality.registry import Settings
from kernlearn.solvers.engine.refits import leave_one_out_values
from kernlearn.typing import Array, Indices

# Errors of a machine that can be counted; if there is only one, it need not be named.
LOSSES: dict[str, tuple[str, ...]] = {
    "soft_margin": ("zero_one",),
    "nu_svm": ("zero_one",),
    "least_squares": ("zero_one", "squared"),
    "epsilon_svr": ("squared",),
    "nu_svr": ("squared",),
}


@dataclass(frozen=True, repr=False)
class CrossValidationError(QualityFunctional):
    r"""The error of a machine with this kernel on points that it was not trained on.

    .. math::

        Q(k; X, y) = \frac1{|S|} \sum_{(T, V) \in S} \frac1{|V|} \sum_{i \in V}
            l\bigl(y_i, f_T(x_i)\bigr)

    over splits S into training points T and held-out points V, where :math:`f_T` is trained on T:
    the share of wrong labels, or the mean squared error of a regression.

    Parameters
    ----------
    quality : str, default="soft_margin"
        The machine: "soft_margin" and "nu_svm" (scikit-learn's SVC and NuSVC, one against one for
        more than two classes), "epsilon_svr" and "nu_svr" (SVR and NuSVR), or "least_squares",
        with an intercept, one against the rest.
    C : float, default=1.0
        The box 0 ≤ α ≤ C; the inverse of the ridge for "least_squares".
    nu : float, default=0.3
        For "nu_svm" and "nu_svr".
    epsilon : float, default=0.1
        Half the width of the tube, for "epsilon_svr".
    cv : int, "loo", splitter or list of (train, test), default=5
        Number of folds (stratified for classes, in the order of the rows), "loo" to leave out one
        point at a time, or a splitter of scikit-learn.
    loss : {"zero_one", "squared"}, optional
        The error that is counted. Needed for "least_squares", which fits classes and numbers alike.

    Notes
    -----
    The paper counts −yᵢ sign f for the leave-one-out error, which is 2Q − 1. For "least_squares"
    it comes from one matrix inverse, :math:`y_i - f^{(-i)}(x_i) = a_i / P_{ii}`, instead of n
    machines.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernlearn.functionals import CrossValidationError
    >>> from kernlearn.kernels import Gaussian
    >>> X, y = load_iris(return_X_y=True)
    >>> error = CrossValidationError("least_squares", cv="loo", loss="zero_one")
    >>> round(error(Gaussian(gamma=0.5), X, y), 3)
    0.033
    """

    quality: str = "soft_margin"
    C: float = 1.0
    nu: float = 0.3
    epsilon: float = 0.1
    cv: Any = 5
    loss: Literal["zero_one", "squared"] | None = None

    @property
    def targets(self) -> TargetKind:
        """Kind of y, by the error that is counted."""
        return "labels" if self._loss == "zero_one" else "values"

    @property
    def exchangeable(self) -> bool:
        """True if one point at a time is left out; other folds go by the order of the rows."""
        return isinstance(self.cv, LeaveOneOut) or (isinstance(self.cv, str) and self.cv == "loo")

    @property
    def _loss(self) -> str:
        return self.loss or LOSSES[self.quality][0]

    def _check_parameters(self) -> None:
        check_machine(self.quality, list(LOSSES), self.C, self.nu, self.epsilon)
        choices = LOSSES[self.quality]
        if self.loss not in choices and (self.loss is not None or len(choices) > 1):
            raise ValueError(
                f"expected loss to be {' or '.join(choices)} with quality={self.quality!r}, got "
                f"{self.loss!r}; zero_one is for classes, squared for regression"
            )
        _check_cv(self.cv)

    def _parameters_in_use(self) -> list[str]:
        names = settings_in_use(self.quality, super()._parameters_in_use())
        return [name for name in names if name != "loss" or self.loss is not None]

    def _evaluate(self, K: Array, y: Target) -> float:
        if len(y) < 2:
            raise ValueError("expected at least two points to hold one out, got 1; add points")
        settings = Settings(self.C, self.nu, self.epsilon, np.ones(len(y)))
        if self.quality == "least_squares" and self.exchangeable:
            values = leave_one_out_values(K, list(target_columns(y).T), settings)
            return self._mean_loss(decide(values, y), y)
        errors = []
        for train, test in self._splits(y):
            if not len(train) or not len(test):
                raise ValueError(
                    f"expected points on both sides of every split, got {len(train)} to train on "
                    f"and {len(test)} held out; use other splits"
                )
            predicted = fold_predictions(self.quality, settings, K, y, train, test)
            errors.append(self._mean_loss(predicted, y[test]))
        if not errors:
            raise ValueError(
                "expected at least one split, got none; a generator is used up after one call, so "
                "pass cv=list(splits)"
            )
        return float(np.mean(errors))

    def _mean_loss(self, predicted: Target, y: Target) -> float:
        if self._loss == "zero_one":
            return float(np.mean(predicted != y))
        return float(np.mean((predicted - y) ** 2))

    def _splits(self, y: Target) -> Iterable[tuple[Indices, Indices]]:
        splitter = self.cv
        if self.exchangeable:
            splitter = LeaveOneOut()
        elif isinstance(self.cv, int | np.integer):
            splitter = (StratifiedKFold if self._loss == "zero_one" else KFold)(int(self.cv))
        if not hasattr(splitter, "split"):
            return list(splitter)
        splits: Iterable[tuple[Indices, Indices]] = splitter.split(np.zeros((len(y), 1)), y)
        return splits


def _check_cv(cv: object) -> None:
    if isinstance(cv, str):
        known = cv == "loo"
    elif isinstance(cv, int | np.integer):
        known = not isinstance(cv, bool) and int(cv) >= 2
    else:
        known = hasattr(cv, "split") or isinstance(cv, Iterable)
    if not known:
        raise ValueError(
            "expected cv to be a number of folds from 2 on, 'loo', a splitter of scikit-learn or a "
            f"list of (train, test), got {cv!r}; try cv=5"
        )


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
        fit = fit_ls_svm(K_train, target_columns(y)[train], 1.0 / settings.upper[train])
        return decide(np.asarray(K_test @ fit.dual_coef + fit.intercept), y)
    if y.dtype.kind == "i" and (y_train == y_train[0]).all():
        # The intercept alone has no loss, and the smallest norm: that class, everywhere.
        return np.full(len(K_test), y_train[0])
    if quality == "nu_svm":
        _check_nu(settings.nu, y_train)
    machine = _libsvm_machine(quality, settings)
    try:
        machine.fit(K_train, y_train)
    except ValueError:
        # The ν-SVM divides by its margin, which is zero if the classes are not separated.
        cure = "lower nu, or use 'soft_margin'" if quality == "nu_svm" else "rescale the data"
        raise ValueError(
            f"expected a machine that can be trained on every fold, got none with "
            f"quality={quality!r}; {cure}"
        ) from None
    return np.asarray(machine.predict(K_test))


def target_columns(y: Target) -> Array:
    """Targets of least squares: −1 and +1 for classes, the values themselves otherwise."""
    return np.column_stack(one_vs_rest(y)) if y.dtype.kind == "i" else y[:, None]


def decide(values: Array, y: Target) -> Target:
    """Turn columns of function values into labels or values, as `y` holds them."""
    if y.dtype.kind != "i":
        return values[:, 0]
    if values.shape[1] == 1:
        return (values[:, 0] > 0).astype(np.int64)
    return np.asarray(values.argmax(axis=1))


def _libsvm_machine(quality: str, settings: Settings) -> Any:
    C, nu = settings.C, settings.nu
    machine = {
        "soft_margin": SVC(C=C),
        # Slightly less than ν: at the largest feasible ν no coefficient is free, and libsvm
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
