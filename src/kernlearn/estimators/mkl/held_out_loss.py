r"""The criterion of C: the loss of held-out decision values.

The weights are learned from all rows for every C (:mod:`kernlearn.solvers.weights.choice_of_C`);
then the machines are trained once more without a fold each, at that kernel
(:mod:`kernlearn.solvers.engine.refits`). All machines use one stack of Gram matrices.

For targets that are numbers the loss is the squared error. For classes it is the cross-entropy of
a softmax of the decision values with the best slope, and no offset
(:mod:`kernlearn.quality.discriminants`): as smooth as a likelihood, free of the scale of the
values, and yet large where their signs are wrong. Errors in a few hundred rows are too coarse
to tell values of C apart. The logistic, Huber's and the pinball loss and Cox's partial likelihood
are judged by themselves.

Through landmarks, the squared error of least squares on folds follows from second moments; the
other machines choose C on a sample of the rows, as above.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np
from scipy.special import log_softmax

from kernlearn.estimators.held_out.folds import make_folds
from kernlearn.estimators.held_out.groups import RowGroups
from kernlearn.estimators.mkl.parameters import CombinationParameters
from kernlearn.quality.discriminants import fit_softmax
from kernlearn.quality.registry import QUALITIES, Settings
from kernlearn.solvers.engine.refits import N_FOLDS
from kernlearn.solvers.engine.statement import HoldOut
from kernlearn.survival.ties import Ties
from kernlearn.typing import Array, FoldsLike, Indices, Rows


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
        # One machine stands for the second class: softmax(0, af) is the sigmoid of af.
        values = np.hstack([np.zeros_like(values), values])
        signs = np.hstack([-signs, signs])
    codes = signs.argmax(axis=1)
    logs = log_softmax(fit_softmax(values, codes, weight) * values, axis=1)
    losses[known] = -logs[np.arange(len(codes)), codes]
    return losses


OWN_LOSSES = ("cox", "logistic", "huber", "quantile")


def losses_of(
    estimator: CombinationParameters, usual: Callable[[Array, Sequence[Array], Array], Array]
) -> Callable[[Array, Sequence[Array], Array], Array]:
    """The loss of the machine itself if it is a loss of predictions, or the usual one."""
    quality = estimator.quality
    if quality not in OWN_LOSSES:
        return usual

    def machine_losses(values: Array, targets: Sequence[Array], sample_weight: Array) -> Array:
        known = ~np.isnan(values).any(axis=1)  # after an early end some rows have no value
        losses = np.where(known, 0.0, np.nan)
        if not known.any():
            return losses
        level, ones = estimator._options.quantile, np.ones(np.count_nonzero(known))
        given = 1.0, estimator.nu, estimator.epsilon_, ones, level
        settings = Settings(*given, cast(Ties, estimator.ties))
        for target, f in zip(targets, values.T, strict=True):
            machine = QUALITIES[quality].build(target[known], settings)
            losses[known] += machine.conjugate(machine.linear - f[known], 0.0)
        return losses

    return machine_losses


def hold_out_rule(
    seed: int,
    losses: Callable[[Array, Sequence[Array], Array], Array],
    *,
    stratify: bool,
    machines: bool,
) -> HoldOut:
    """Five folds of the rows that count; the same at every call within a fit."""

    def folds(targets: Sequence[Array]) -> list[Indices]:
        n = len(targets[0])
        if n < 2:
            return []  # nothing is left to train with
        rows = np.arange(n)
        codes = np.column_stack(targets) @ np.arange(1, len(targets) + 1) if stratify else rows
        cv = min(N_FOLDS, n)
        return make_folds(cv, rows, codes, rows, stratify=stratify, random_state=seed)

    return HoldOut(folds, losses, machines, stratify)


def regression_rule(estimator: CombinationParameters) -> HoldOut:
    """Five folds whose machines are kept, for intervals or curves."""
    losses = losses_of(estimator, squared_losses)
    return hold_out_rule(estimator._seed, losses, stratify=False, machines=True)


def held_out_together(
    estimator: CombinationParameters,
    targets: Sequence[Array],  # of the kept rows
    kept: Indices,  # rows of positive weight, in increasing order
    n_rows: int,
    groups: Rows,  # as they were given to fit
) -> tuple[Indices | None, Indices | None]:
    """The fold of every kept row, and numbers that rows which are held out together share.

    Both are None if five folds of rows without groups are drawn when they are needed.
    """
    rule, number = estimator._hold_out_rule(), _number_of_folds(estimator.cv)
    if rule is None or (number == N_FOLDS and groups is None):
        return None, None
    known = None if groups is None else RowGroups.of(None, groups, n_rows)
    if number is not None and known is None:
        number = min(number, len(kept))
        if number < 2:
            return None, None
    codes: Array = np.column_stack(targets) @ np.arange(1, len(targets) + 1)
    y = np.full(n_rows, codes[0])  # rows without weight may be of any class
    y[kept] = codes
    folds = make_folds(
        estimator.cv if number is None else number,
        np.zeros((n_rows, 1)),
        y,
        kept,
        stratify=rule.stratify,
        random_state=estimator._seed,
        groups=known,
    )
    fold = np.empty(len(kept), dtype=np.intp)
    for place, rows in enumerate(folds):
        fold[rows] = place
    if known is not None:
        return fold, known.subset(kept).codes
    return fold, fold if number is None else None


def _number_of_folds(cv: FoldsLike) -> int | None:
    """Number of folds to draw; None if the folds are given."""
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool) and cv >= 2:
        return int(cv)
    if isinstance(cv, str | int | float | np.number):
        raise ValueError(
            "expected cv to be a number of folds from 2 on, a splitter or pairs of rows, got "
            f"{cv!r}; try cv=5"
        )
    return None
