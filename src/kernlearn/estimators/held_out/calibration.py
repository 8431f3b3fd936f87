"""Probabilities of the classes from decision values: a sigmoid for one machine, else a softmax.

Both are fitted to decision values of points that did not train the machine
(:mod:`kernlearn.estimators.held_out.sigmoid`, :mod:`kernlearn.quality.discriminants`). The class
with the positive or the largest value has the largest probability. If a sigmoid's offset reverses
this order, which happens only near one half, the probabilities are equal.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax

from kernlearn.estimators.held_out.sigmoid import fit_offset, fit_sigmoid
from kernlearn.quality.discriminants import fit_softmax
from kernlearn.typing import Array, Indices

# Least distance of a probability from one half, so that the larger of two is distinct.
BEYOND = 1e-12
# Least part of a slope that is kept: the order of the rows is the best guess, however weak.
_LEAST_KEPT = 0.01


def fit_calibration(values: Array, signs: Array, sample_weight: Array) -> Array:
    """Slope and offset; inputs are checked.

    Values and signs −1 and +1 have shape (n, k), for one machine or one for each class; rows with
    NaN are left out. The offset is zero for several machines; both are NaN if no row is left.
    """
    known = ~np.isnan(values).any(axis=1)
    values, signs, weight = values[known], signs[known], sample_weight[known]
    if not known.any():
        return np.full(2, np.nan)
    if values.shape[1] == 1:
        return np.array(fit_sigmoid(values[:, 0], signs[:, 0] > 0, weight))
    return np.array([fit_softmax(values, signs.argmax(axis=1), weight), 0.0])


def shrunk_calibration(
    values: Array,
    signs: Array,
    weight: Array,
    groups: Indices | None = None,
    nested: Array | None = None,
) -> Array:
    r"""Slope and offset, the slope shrunk by the gain expected by chance; inputs are checked.

    With :math:`\chi^2` twice the gain in log likelihood by the slope, the slope is multiplied by
    :math:`1 - 1/\chi^2`: the heuristic shrinkage of van Houwelingen and le Cessie (1990), since
    uninformative values gain one by chance. A hundredth is left at least, so that the rows keep
    their order. Groups of rows are one observation each.
    Values of machines that were chosen with the rows gain more by chance. If values of machines
    chosen without them are given too (`nested`), :math:`\chi^2` is the mean of both gains: with few
    rows these may miss what all rows show.
    """
    slope, offset = fit_calibration(values, signs, weight)
    if np.isnan(slope) or slope == 0.0:
        return np.array([slope, offset])
    known = ~np.isnan(values).any(axis=1)
    slope *= _share_kept(values, signs, weight, groups, nested, np.zeros(values.shape[1]))
    if values.shape[1] == 1:
        offset = fit_offset(slope * values[known, 0], signs[known, 0] > 0, weight[known])
    return np.array([slope, offset])


def shrunk_to_shares(
    values: Array,
    signs: Array,
    weight: Array,
    groups: Indices | None = None,
    nested: Array | None = None,
) -> tuple[Array, Array]:
    r"""Calibration towards the shares of the classes, and constants to add to the values.

    Without evidence the probabilities of :math:`p \propto e^{a f}` are the shares :math:`\pi` of
    the classes, not equal, and every row is of the largest. With a part s of the evidence

    .. math:: p_c \propto e^{s a f_c} \pi_c^{1 - s} = e^{s a (f_c + h_c)}, \qquad
              h_c = \frac{1 - s}{s a} \log \pi_c ,

    and likewise for the log-odds of two classes. Returned are the calibration of f + h, whose slope
    is sa, and h, of shape (k,).
    """
    slope, offset = fit_calibration(values, signs, weight)
    known, k = ~np.isnan(values).any(axis=1), values.shape[1]
    class_totals = weight @ (signs > 0)
    class_totals = np.append(class_totals, weight.sum() - class_totals) if k == 1 else class_totals
    logs = np.log((class_totals + 1.0 / len(class_totals)) / (class_totals.sum() + 1.0))
    logs = logs[:1] - logs[1:] if k == 1 else logs - logs.mean()
    size = float(np.abs(values[known]).max(initial=0.0))
    if slope > 0.0:
        kept = _share_kept(values, signs, weight, groups, nested, logs)
        slope *= kept
    elif size > 0.0:
        kept, slope = 0.0, _LEAST_KEPT / size
    else:
        return np.array([slope, offset]), np.zeros(k)
    constants = (1.0 - kept) / slope * logs
    if k == 1:
        shifted, positive = values[known, 0] + constants, signs[known, 0] > 0
        offset = fit_offset(slope * shifted, positive, weight[known])
    return np.array([slope, offset]), constants


def _share_kept(
    values: Array,
    signs: Array,
    weight: Array,
    groups: Indices | None,
    nested: Array | None,
    baseline: Array,
) -> float:
    """The part of a slope that chance does not gain, compared with constant values."""
    known = ~np.isnan(values).any(axis=1)
    codes = np.arange(len(weight)) if groups is None else groups
    gains = [
        _evidence(each[known], signs[known], weight[known], codes[known], baseline)
        for each in (values, nested)
        if each is not None
    ]
    gained = float(np.mean(gains))
    return max(_LEAST_KEPT, 1.0 - 1.0 / gained) if gained > 1.0 else _LEAST_KEPT


def _evidence(
    values: Array, signs: Array, weight: Array, groups: Indices, baseline: Array
) -> float:
    """Twice the gain in log likelihood by the best slope."""
    numbers = np.unique(groups, return_inverse=True)[1].reshape(-1)
    observations = weight.sum() ** 2 / (np.bincount(numbers, weight) ** 2).sum()
    slope, offset = fit_calibration(values, signs, weight)
    constant = np.broadcast_to(baseline, values.shape)
    gain = _mean_loss(constant, signs, weight, 1.0, None)
    return float(2.0 * observations * (gain - _mean_loss(values, signs, weight, slope, offset)))


def _mean_loss(
    values: Array, signs: Array, weight: Array, slope: float, offset: float | None
) -> float:
    """The mean log loss of a calibration; without an offset, at the best one."""
    share = weight / weight.sum()
    if values.shape[1] > 1:
        codes = signs.argmax(axis=1)
        logs = log_softmax(slope * values, axis=1)
        return -float(share @ logs[np.arange(len(codes)), codes])
    z = slope * values[:, 0]
    z = z + (fit_offset(z, signs[:, 0] > 0, weight) if offset is None else offset)
    return -float(share @ log_expit(z * np.sign(signs[:, 0])))


def probabilities(values: Array, calibration: Array, limit: float = np.inf) -> Array:
    """Probabilities of the classes, of shape (n, n_classes), from values of shape (n, k).

    Log-odds of two classes are within ± `limit`.
    """
    slope, offset = calibration
    if values.shape[1] > 1:
        shifted = values - values.max(axis=1, keepdims=True)
        return np.asarray(softmax(np.maximum(slope * shifted, -limit), axis=1))
    f = values[:, 0]
    p = expit(np.clip(slope * f + offset, -limit, limit))
    p = np.where(f > 0, np.maximum(p, 0.5 + BEYOND), np.minimum(p, 0.5 - BEYOND))
    return np.column_stack([1.0 - p, p])
