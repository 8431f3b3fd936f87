"""scikit-learn's checks of tables and labels, with a sentence where they have none."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.exceptions import DTypePromotionError
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from kernlearn.solvers.units import LARGEST


def validated(estimator: Any, X: Any, *y: Any, **options: Any) -> Any:
    """What scikit-learn's ``validate_data`` says, whatever the columns hold.

    A sum of large cells may be no number: it is only looked at to see whether all of them are
    finite.
    """
    name = type(estimator).__name__
    if getattr(X, "shape", (1, 1))[1:] == (0,):
        raise ValueError(
            f"{name} expected a table with columns, got 0 feature(s) (shape={X.shape}) while a "
            "minimum of 1 is required; pass the columns to learn from"
        )
    try:
        with np.errstate(all="ignore"):
            checked = validate_data(estimator, X, *y, **options)
    except DTypePromotionError:
        raise ValueError(
            f"{name} expected columns of numbers, got some that are none, such as dates; convert "
            "them, or give every source of columns a kernel of its own"
        ) from None
    except OverflowError:
        raise _beyond(estimator) from None
    except ValueError as error:
        if "inhomogeneous" not in str(error):
            raise
        raise ValueError(
            f"{name} expected a table with rows of one length, got rows of several; pass as many "
            "cells in every row"
        ) from None
    if options.get("y_numeric", False):
        check_squares(estimator, checked[1])
    return checked


def as_floats(estimator: Any, values: Any) -> Any:
    """A table or target as numbers in double precision, without a copy where it is one."""
    try:
        return values.astype(float, copy=False)
    except OverflowError:
        raise _beyond(estimator) from None


def check_squares(estimator: Any, y: NDArray[Any]) -> None:
    """Refuse targets of a regression whose squares are no numbers."""
    largest = float(np.abs(y).max(initial=0.0))
    if largest > LARGEST:
        raise ValueError(
            f"{type(estimator).__name__} expected targets of a size up to {LARGEST:g}, whose "
            f"squares are numbers, got {largest:.3g}; rescale y"
        )


def _beyond(estimator: Any) -> ValueError:
    return ValueError(
        f"{type(estimator).__name__} expected numbers that 64 bits can hold, got an integer beyond "
        "them; rescale the data"
    )


def check_labels_of_classes(labels: NDArray[Any]) -> None:
    """Labels of classes, and of one kind: those that cannot be sorted cannot be told apart."""
    try:
        check_classification_targets(labels)
        np.unique(labels)
    except TypeError:
        raise ValueError(
            "expected labels of one kind in y, got a mixture that cannot be sorted (None or NaN "
            "among strings, say); drop or relabel those rows"
        ) from None
