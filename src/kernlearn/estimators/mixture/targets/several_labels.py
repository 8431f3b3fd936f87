"""Several labels of one row: targets 0 and 1 of shape (n, k)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from kernlearn.estimators.held_out.calibration import probabilities, shrunk_calibration
from kernlearn.estimators.held_out.chance import chance_of_labels
from kernlearn.typing import Array, Indices, Rows, Targets


def is_indicator(y: Rows) -> bool:
    """Whether y has two columns or more of zeros and ones.

    >>> is_indicator([[0, 1], [1, 1]]), is_indicator([0, 1]), is_indicator([[0, 2], [1, 1]])
    (True, False, False)
    """
    if issparse(y):
        return y.shape[1] > 1 and bool(np.isin(y.data, (0, 1)).all())
    try:
        found = np.asarray(y)
    except ValueError:  # rows of unlike lengths
        return False
    is_table = found.ndim == 2 and found.shape[1] > 1 and found.dtype.kind in "biuf"
    return is_table and bool(np.isin(found, (0, 1)).all())


def checked_indicator(estimator: BaseEstimator, y: Rows) -> Targets:
    """Zeros and ones of shape (n, k), both of them in every column."""
    found = np.asarray(y.toarray() if issparse(y) else y).astype(int)
    counts = found.sum(axis=0)
    flat = np.flatnonzero((counts == 0) | (counts == len(found)))
    name = type(estimator).__name__
    if len(flat):
        value = int(found[0, flat[0]])
        raise ValueError(
            f"{name} expected rows with and without every label, got only {value} in column "
            f"{flat[0]} of y; leave that label out"
        )
    for option, is_given in (
        ("class_weight", estimator.class_weight is not None),
        ("compress", bool(estimator.compress)),
        ("ordinal", not (isinstance(estimator.ordinal, str) or estimator.ordinal is False)),
    ):
        if is_given:
            raise ValueError(
                f"{name} with several labels expected no {option}, got {option}="
                f"{getattr(estimator, option)!r}; leave it out, or fit one model to each label"
            )
    return found


def label_calibrations(
    values: Array, signs: Array, weight: Array, groups: Indices | None, nested: Array | None
) -> Array:
    """Slope and offset of every label, of shape (k, 2)."""
    parts = [
        shrunk_calibration(
            values[:, [j]],
            signs[:, [j]],
            weight,
            groups,
            None if nested is None else nested[:, [j]],
        )
        for j in range(signs.shape[1])
    ]
    return np.array(parts)


def label_probabilities(values: Array, calibrations: Array, limit: float) -> Array:
    """Probabilities of the labels, of shape (n, k)."""
    columns = [
        probabilities(values[:, [j]], calibration, limit)[:, 1]
        for j, calibration in enumerate(calibrations)
    ]
    return np.column_stack(columns)


def chance_of_several(
    values: Array, signs: Array, weight: Array, groups: Indices | None
) -> str | None:
    """The scores of a fit that is at chance for every label; None for a better one."""
    sentences: Sequence[str | None] = [
        chance_of_labels(values[:, [j]], signs[:, [j]], weight, groups)
        for j in range(signs.shape[1])
    ]
    known = [each for each in sentences if each is not None]
    return f"of every label; of the first, {known[0]}" if len(known) == len(sentences) else None
