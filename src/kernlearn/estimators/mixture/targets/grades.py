"""The order of grades: that of a categorical column, of numbers, or as the user names it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.base import BaseEstimator

from kernlearn.quality.kappa import ordered_categories
from kernlearn.runtime.phrases import listed
from kernlearn.typing import Rows, Targets

Ordinal = bool | str | Sequence[object]
_SHOWN = 8


def ordered_classes(
    estimator: BaseEstimator, ordinal: Ordinal, y: Rows, classes: Targets
) -> Targets | None:
    """The classes from the lowest grade to the highest; None if they have no order.

    Examples
    --------
    >>> ordered_classes(None, ["low", "mid", "high"], None, np.array(["high", "low"])).tolist()
    ['low', 'high']
    >>> ordered_classes(None, "auto", None, np.array([1, 2, 3])) is None
    True
    """
    named = ordered_categories(y)
    is_text = isinstance(ordinal, str)
    if isinstance(ordinal, bool | np.bool_) or (is_text and ordinal == "auto"):
        if ordinal is not True and not (is_text and named is not None):
            return None
        if named is None:
            _check_numbers(estimator, classes)
            return classes
    elif is_text or not isinstance(ordinal, Sequence | np.ndarray):
        raise ValueError(
            f"expected ordinal to be True, False, 'auto' or the grades in order, got {ordinal!r}; "
            "pass for example ['low', 'mid', 'high']"
        )
    else:
        named = list(ordinal)
    assert named is not None
    return _in_order(estimator, named, classes)


def _check_numbers(estimator: BaseEstimator, classes: Targets) -> None:
    if classes.dtype.kind not in "biuf":
        shown = listed([repr(label) for label in classes.tolist()], _SHOWN)
        raise ValueError(
            f"{type(estimator).__name__} with ordinal=True expected grades that are numbers or an "
            f"ordered categorical, got {shown}, whose order is not known; pass the grades from the "
            "lowest to the highest, ordinal=['low', 'mid', 'high'] for example"
        )


def _in_order(estimator: BaseEstimator, named: Sequence[object], classes: Targets) -> Targets:
    """The classes in the order of the names, of which each must be one."""
    name, places = type(estimator).__name__, {label: i for i, label in enumerate(named)}
    if len(places) < len(named):
        twice = next(label for i, label in enumerate(named) if places[label] != i)
        raise ValueError(
            f"{name} expected every grade once in ordinal, got {twice!r} twice; leave one out"
        )
    unknown = [label for label in classes.tolist() if label not in places]
    if unknown:
        shown = listed([repr(label) for label in named], _SHOWN)
        raise ValueError(
            f"{name} expected the grades of ordinal in y ({shown}), got {unknown[0]!r}; correct "
            "the label, or name it among the grades"
        )
    order = np.argsort([places[label] for label in classes.tolist()])
    return np.asarray(classes[order])
