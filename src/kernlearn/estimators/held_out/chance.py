r"""Whether what was learned predicts held-out rows better than a constant does.

The constant is the mean of the targets, or the most frequent class. A row's gain is the loss of the
constant less that of the prediction; the mean gain of a fit that knows nothing is zero, up to its
standard error. A fit is at chance if its gain is within one standard error of zero, or below, by
each of two measures:

- numbers: squared errors beside the mean, and absolute errors beside the median, which a few
  outlying rows do not decide;
- labels: the share of right labels, and the correlation of decision values with labels, which does
  not ask how frequent the classes are.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import BaseEstimator

from kernlearn.runtime.status import Status
from kernlearn.typing import Array, Indices

# Of fewer rows held out nothing can be told.
_FEWEST_ROWS = 20
# Decision values and losses are of the size of one.
_ROUNDED = 1e-12


class AtChanceWarning(UserWarning):
    """A fit predicts held-out rows no better than the mean, or the most frequent class, does."""


def chance_of_numbers(
    predictions: Array, targets: Array, weight: Array, groups: Indices | None = None
) -> str | None:
    """What is known of a fit at chance, as part of a sentence; None for one that is better.

    Predictions and targets have shape (n, k), and all columns have to be at chance. Rows whose
    predictions are NaN, and rows without weight, are left out. Rows of one number in `groups` are
    one observation to the standard errors.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.random.default_rng(0).normal(size=(60, 1))
    >>> chance_of_numbers(0.0 * y, y, np.ones(60))
    'R² on held-out rows is -0.01, that of the mean 0'
    >>> chance_of_numbers(0.5 * y, y, np.ones(60)) is None
    True
    """
    predictions, targets, weight, groups = _known(predictions, targets, weight, groups)
    if len(weight) < _FEWEST_ROWS:
        return None
    sizes = np.abs(targets - targets.mean(axis=0)).max(axis=0)
    varies = sizes > 1e-12 * np.abs(targets).max(axis=0)
    if not varies.any():
        return None
    explained = []
    for f, y, size in zip(predictions.T[varies], targets.T[varies], sizes[varies], strict=True):
        middle = float(np.average(y, weights=weight))
        with np.errstate(over="ignore"):
            wrong, apart = np.clip((y - f) / size, -1e100, 1e100), (y - middle) / size
        from_median = np.abs(y - _median(y, weight)) / size
        gains = apart**2 - wrong**2, from_median - np.abs(wrong)
        if any(_gains(gain, weight, groups) for gain in gains):
            return None
        explained.append(1.0 - weight @ wrong**2 / (weight @ apart**2))
    return f"R² on held-out rows is {np.mean(explained):.2f}, that of the mean 0"


def chance_of_labels(
    values: Array, signs: Array, weight: Array, groups: Indices | None = None
) -> str | None:
    """The same for decision values of one machine, or of one for each class.

    Values and signs −1 and +1 have shape (n, k).
    """
    values, signs, weight, groups = _known(values, signs, weight, groups)
    if len(weight) < _FEWEST_ROWS or not np.ptp(signs, axis=0).any():
        return None
    # Where targets cancel, all that is left of the values is rounding.
    values = np.where(np.abs(values) > _ROUNDED, values, 0.0)
    truth, told = _classes(signs), _classes(values)
    frequent = truth == np.bincount(truth, weight).argmax()
    right = truth == told
    is_better = _gains(right * 1.0 - frequent, weight, groups)
    n_groups = len(np.unique(groups))
    if is_better or _correlation(values, signs, weight) > 1.0 / np.sqrt(n_groups):
        return None
    shares = [100.0 * float(np.average(each, weights=weight)) for each in (right, frequent)]
    return (
        f"{shares[0]:.0f} % of held-out rows are told right, {shares[1]:.0f} % by naming the most "
        "frequent class"
    )


def tell_chance(
    estimator: BaseEstimator, found: str | None, stacklevel: int = 3, warns: bool = True
) -> None:
    """Let ``status_`` and a warning say that a fit is at chance.

    A fit that ended early, or blurs its columns, has warned already: only ``status_`` says so.
    """
    if found is None:
        return
    has_warned = estimator.status_ is Status.ONE_BANDWIDTH or not estimator.status_.has_converged
    estimator.status_ = estimator.status_.at_chance
    if has_warned or not warns:
        return
    name = type(estimator).__name__
    flagship = "KernelRegressor" if name.endswith("Regressor") else "KernelClassifier"
    other = f"try {flagship}, which tries many kernels, standardise the columns, or add"
    warnings.warn(
        f"{name} is no better than guessing: {found}; {'add' if name == flagship else other} rows, "
        "or columns that tell something of the target",
        AtChanceWarning,
        stacklevel=stacklevel + 1,
    )


def _known(
    values: Array, targets: Array, weight: Array, groups: Indices | None
) -> tuple[Array, Array, Array, Indices]:
    known = ~np.isnan(values).any(axis=1) & (weight > 0)
    groups = np.arange(len(weight)) if groups is None else groups
    numbers = np.unique(groups[known], return_inverse=True)[1].reshape(-1)
    return values[known], targets[known], weight[known], numbers


def _gains(gain: Array, weight: Array, groups: Indices) -> bool:
    """Whether the mean is more than a standard error above zero, groups being independent."""
    share = weight / weight.sum()
    mean = float(share @ gain)
    of_groups = np.bincount(groups, share * (gain - mean))
    error = float(np.sqrt((of_groups**2).sum()))
    return mean > error and mean > _ROUNDED


def _median(y: Array, weight: Array) -> float:
    order = np.argsort(y)
    total = np.cumsum(weight[order])
    return float(y[order][np.searchsorted(total, 0.5 * total[-1])])


def _classes(values: Array) -> Indices:
    if values.shape[1] == 1:
        return (values[:, 0] > 0).astype(np.intp)
    return np.asarray(values.argmax(axis=1))


def _correlation(values: Array, signs: Array, weight: Array) -> float:
    """The mean over machines of that between values and signs; zero where either is constant."""
    found = []
    for f, y in zip(values.T, signs.T, strict=True):
        f, y = (each - np.average(each, weights=weight) for each in (f, y))
        size = float(np.abs(f).max())
        f = f / size if size > 0.0 else f
        spread = np.sqrt((weight @ f**2) * (weight @ y**2))
        found.append(float(weight @ (f * y) / spread) if spread > 0.0 else 0.0)
    return float(np.mean(found))
