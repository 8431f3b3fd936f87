r"""What C is chosen by: the loss of held-out decision values.

The weights are learned from all rows for every C (:mod:`kernlearn.solvers.weights.choice_of_C`);
then the machines are trained once more without a fold each, at that kernel
(:mod:`kernlearn.solvers.engine.refits`). All of it uses one stack of Gram matrices.

For targets that are numbers the loss is the squared error. For classes it is the cross-entropy of
a softmax of the decision values with the best slope, and no offset
(:mod:`kernlearn.quality.softmax`): as smooth as a likelihood, free of the scale of the values,
and yet large where their signs are wrong. Errors in a few hundred rows are too coarse to tell
values of C apart.

Through landmarks, least squares knows its squared error on folds from second moments, and needs
none of this; the other machines choose C on a sample of the rows, as above.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import log_softmax

from kernlearn.estimators.held_out.folds import make_folds
from kernlearn.quality.softmax import fit_softmax
from kernlearn.solvers.engine.refits import N_FOLDS
from kernlearn.solvers.engine.statement import HoldOut
from kernlearn.typing import Array, Indices


def squared_losses(values: Array, targets: Sequence[Array], sample_weight: Array) -> Array:
    """Squared errors of held-out values of shape (n, 1), NaN where these are."""
    return np.asarray((values[:, 0] - targets[0]) ** 2)


def class_losses(values: Array, targets: Sequence[Array], sample_weight: Array) -> Array:
    """Cross-entropy of held-out values of shape (n, k) at the best slope, NaN where these are."""
    signs, known = np.column_stack(targets), ~np.isnan(values).any(axis=1)
    losses: Array = np.full(len(values), np.nan)
    if not known.any():
        return losses
    values, signs, weight = values[known], signs[known], sample_weight[known]
    if values.shape[1] == 1:
        # One machine speaks for the second class: softmax(0, af) is the sigmoid of af.
        values = np.hstack([np.zeros_like(values), values])
        signs = np.hstack([-signs, signs])
    codes = signs.argmax(axis=1)
    logs = log_softmax(fit_softmax(values, codes, weight) * values, axis=1)
    losses[known] = -logs[np.arange(len(codes)), codes]
    return losses


def hold_out_rule(
    seed: int,
    losses: Callable[[Array, Sequence[Array], Array], Array],
    *,
    stratify: bool,
    machines: bool,
) -> HoldOut:
    """Five folds of the rows that count; the same whenever they are asked for in a fit."""

    def folds(targets: Sequence[Array]) -> list[Indices]:
        n = len(targets[0])
        if n < 2:
            return []  # nothing is left to train with
        rows = np.arange(n)
        codes = np.column_stack(targets) @ np.arange(1, len(targets) + 1) if stratify else rows
        cv = min(N_FOLDS, n)
        return make_folds(cv, rows, codes, rows, stratify=stratify, random_state=seed)

    return HoldOut(folds, losses, machines)
