"""Probabilities of the classes from decision values: a sigmoid for one machine, else a softmax.

Both are fitted to decision values of points that did not train the machine
(:mod:`kernlearn.estimators.held_out.sigmoid`, :mod:`kernlearn.quality.discriminants`). The class
that the values speak for, by their sign or as the largest, has the largest probability: where a
sigmoid's offset says otherwise, which is where both classes are nearly as probable, they are equal.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, softmax

from kernlearn.estimators.held_out.sigmoid import fit_sigmoid
from kernlearn.quality.discriminants import fit_softmax
from kernlearn.typing import Array

# By how much one half is left behind, so that the larger of two probabilities can be told.
_BEYOND = 1e-12


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


def probabilities(values: Array, calibration: Array) -> Array:
    """Probabilities of the classes, of shape (n, n_classes), from values of shape (n, k)."""
    slope, offset = calibration
    if values.shape[1] > 1:
        shifted = values - values.max(axis=1, keepdims=True)
        return np.asarray(softmax(slope * shifted, axis=1))
    f = values[:, 0]
    p = expit(slope * f + offset)
    p = np.where(f > 0, np.maximum(p, 0.5 + _BEYOND), np.minimum(p, 0.5 - _BEYOND))
    return np.column_stack([1.0 - p, p])
