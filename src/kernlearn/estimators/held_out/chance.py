r"""A test of whether a fit predicts held-out rows better than a constant does.

The constant is the mean of the targets, or the most frequent class. Each row has two measures:

- numbers: the reduction of the squared error against the mean, and that of the absolute error
  against the median, which is robust to outliers;
- labels: the 0/1 correctness of the label less that of the most frequent class; and the product of
  the centred decision value and label, which is informative for unbalanced classes too.

Each measure is tested for a mean above zero. The p-value is the smallest, times the number of
measures. A fit is at chance if it is not below 0.05, here as in the reports of the command line.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from scipy.special import stdtr
from sklearn.base import BaseEstimator

from kernlearn.runtime.phrases import p_in_words
from kernlearn.runtime.status import Status
from kernlearn.typing import Array, Indices

# Level of the test.
LEVEL = 0.05
# Fewer held-out rows are too few for a test.
FEWEST_ROWS = 20
# Decision values and losses are of the size of one.
_ROUNDED = 1e-12


class AtChanceWarning(UserWarning):
    """A fit predicts held-out rows no better than the mean, or the most frequent class, does."""


def chance_of_numbers(
    predictions: Array, targets: Array, weight: Array, groups: Indices | None = None
) -> str | None:
    """The scores of a fit at chance, as part of a sentence; None for one that is better.

    Predictions and targets have shape (n, k). Rows whose
    predictions are NaN, and rows without weight, are left out. Rows of one number in `groups` are
    one observation to the standard errors.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.random.default_rng(0).normal(size=(60, 1))
    >>> chance_of_numbers(0.0 * y, y, np.ones(60))
    'R² on held-out rows is -0.01, that of the mean 0 (p = 1)'
    >>> chance_of_numbers(0.5 * y, y, np.ones(60)) is None
    True
    """
    predictions, targets, weight, groups = _known(predictions, targets, weight, groups)
    if len(weight) < FEWEST_ROWS:
        return None
    sizes = np.abs(targets - targets.mean(axis=0)).max(axis=0)
    varies = sizes > 1e-12 * np.abs(targets).max(axis=0)
    if not varies.any():
        return None
    explained, ps = [], []
    for f, y, size in zip(predictions.T[varies], targets.T[varies], sizes[varies], strict=True):
        middle = float(np.average(y, weights=weight))
        with np.errstate(over="ignore"):
            wrong, apart = np.clip((y - f) / size, -1e100, 1e100), (y - middle) / size
        from_median = np.abs(y - _median(y, weight)) / size
        gains = apart**2 - wrong**2, from_median - np.abs(wrong)
        ps += [p_above_zero(gain, weight, groups) for gain in gains]
        explained.append(1.0 - weight @ wrong**2 / (weight @ apart**2))
    return _at_chance(f"R² on held-out rows is {np.mean(explained):.2f}, that of the mean 0", ps)


def chance_of_labels(
    values: Array, signs: Array, weight: Array, groups: Indices | None = None
) -> str | None:
    """The scores of a classifier at chance, from values of one machine or of one for each class.

    Values and signs −1 and +1 have shape (n, k).
    """
    values, signs, weight, groups = _known(values, signs, weight, groups)
    if len(weight) < FEWEST_ROWS or not np.ptp(signs, axis=0).any():
        return None
    # Values of targets that cancel are rounding.
    values = np.where(np.abs(values) > _ROUNDED, values, 0.0)
    truth, predicted = _classes(signs), _classes(values)
    frequent = truth == np.bincount(truth, weight).argmax()
    right = truth == predicted
    gains = right * 1.0 - frequent, _products(values, signs, weight)
    shares = [100.0 * float(weight @ each / weight.sum()) for each in (right, frequent)]
    return _at_chance(
        f"{shares[0]:.0f} % of held-out rows are classified correctly, "
        f"{shares[1]:.0f} % by naming the most frequent class",
        [p_above_zero(gain, weight, groups) for gain in gains],
    )


def chance_of_gain(
    figures: str, gain: Array, weight: Array, groups: Indices | None = None
) -> str | None:
    """The scores of a fit at chance, from the loss of a constant less the model's, by row."""
    if len(gain) < FEWEST_ROWS:
        return None
    numbers = np.arange(len(gain)) if groups is None else np.unique(groups, return_inverse=True)[1]
    return _at_chance(figures, [p_above_zero(gain, weight, numbers.reshape(-1))])


def _at_chance(figures: str, ps: Sequence[float]) -> str | None:
    """Figures with their p-value, from those of several measures; None if it is not chance."""
    p = min(1.0, len(ps) * min(ps))
    return f"{figures} ({p_in_words(p)})" if p >= LEVEL else None


def report_chance(
    estimator: BaseEstimator, figures: str | None, stacklevel: int = 3, warns: bool = True
) -> None:
    """Report in ``status_`` and by a warning that a fit is at chance.

    A fit that ended early, or blurs its columns, has warned already: only ``status_`` is set.
    """
    if figures is None:
        return
    has_warned = estimator.status_ is Status.ONE_BANDWIDTH or not estimator.status_.has_converged
    estimator.status_ = estimator.status_.at_chance
    if has_warned or not warns:
        return
    name = type(estimator).__name__
    kind = next((kind for kind in ("Regressor", "Survival") if name.endswith(kind)), "Classifier")
    flagship = f"Kernel{kind}"
    other = f"try {flagship}, which tries many kernels, standardise the columns, or add"
    warnings.warn(
        f"{name} is no better than guessing: {figures}; "
        f"{'add' if name == flagship else other} rows, or columns that tell "
        "something of the target",
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


def p_above_zero(gain: Array, weight: Array, groups: Indices) -> float:
    """The one-sided p-value of a mean above zero, by Student's t, groups being independent.

    >>> round(p_above_zero(np.array([1.0, 2.0, 3.0]), np.ones(3), np.arange(3)), 3)
    0.037
    """
    share = weight / weight.sum()
    mean = float(share @ gain)
    of_groups = np.bincount(groups, share * (gain - mean))
    n_groups = int((np.bincount(groups) > 0).sum())
    if mean <= _ROUNDED or n_groups < 2:
        return 1.0
    error = float(np.sqrt((of_groups**2).sum() * n_groups / (n_groups - 1)))
    return float(stdtr(n_groups - 1, -mean / error)) if error > 0.0 else 0.0


def _median(y: Array, weight: Array) -> float:
    order = np.argsort(y)
    total = np.cumsum(weight[order])
    return float(y[order][np.searchsorted(total, 0.5 * total[-1])])


def _classes(values: Array) -> Indices:
    if values.shape[1] == 1:
        return (values[:, 0] > 0).astype(np.intp)
    return np.asarray(values.argmax(axis=1))


def _products(values: Array, signs: Array, weight: Array) -> Array:
    """Products of values and signs, both less their means, summed over machines of unit spread."""
    found, share = np.zeros(len(values)), weight / weight.sum()
    for f, y in zip(values.T, signs.T, strict=True):
        f, y = f - share @ f, y - share @ y
        size = float(np.abs(f).max())
        f = f / size if size > 0.0 else f
        spread = np.sqrt((share @ f**2) * (share @ y**2))
        found += f * y / spread if spread > 0.0 else 0.0
    return np.asarray(found)
