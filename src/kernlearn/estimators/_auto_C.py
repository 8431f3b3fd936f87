r"""What C is chosen by: the loss of held-out decision values.

The weights are learned from all rows for every C (:mod:`kernlearn.solvers.choice_of_C`); then the
machines are trained once more without a fold each, at that kernel
(:mod:`kernlearn.estimators._refits`). All of it uses one stack of Gram matrices.

For targets that are numbers the loss is the squared error. For classes it is the cross-entropy of
a softmax of the decision values with the best slope, and no offset
(:mod:`kernlearn.estimators._softmax`): as smooth as a likelihood, free of the scale of the values,
and yet large where their signs are wrong. Errors in a few hundred rows are too coarse to tell
values of C apart.

Through landmarks, least squares knows its squared error on folds from second moments, and needs
none of this; the other machines choose C on a sample of the rows, as above.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from kernlearn.estimators._softmax import fit_softmax

Array = NDArray[np.float64]


def squared_loss(values: Array, target: Array, sample_weight: Array) -> float:
    """Mean squared error of held-out values of shape (n, 1); rows with NaN are left out."""
    known = ~np.isnan(values[:, 0])
    if not known.any():
        return np.nan
    squares = (values[known, 0] - target[known]) ** 2
    return float(np.average(squares, weights=sample_weight[known]))


def class_loss(values: Array, signs: Array, sample_weight: Array) -> float:
    """Cross-entropy of held-out values of shape (n, k) at the best slope; NaN are left out."""
    known = ~np.isnan(values).any(axis=1)
    if not known.any():
        return np.nan
    values, signs, weight = values[known], signs[known], sample_weight[known]
    if values.shape[1] == 1:
        # One machine speaks for the second class: softmax(0, af) is the sigmoid of af.
        values = np.hstack([np.zeros_like(values), values])
        signs = np.hstack([-signs, signs])
    codes = signs.argmax(axis=1)
    logs = log_softmax(fit_softmax(values, codes, weight) * values, axis=1)
    return float(-np.average(logs[np.arange(len(codes)), codes], weights=weight))
