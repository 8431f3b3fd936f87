"""Labels and targets of regression, checked: expected, got, cure."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernlearn.kernels._validation import check_real
from kernlearn.typing import Array

Targets = Literal["labels", "values", "either", "none"]
Classes = NDArray[np.int64]


def check_target(y: Any, n_points: int, targets: Targets) -> Classes | Array:
    """Classes as whole numbers 0, 1, …, in sorted order; targets of regression as floats."""
    if targets == "none":
        return np.zeros(n_points)
    if y is None:
        raise ValueError("expected y, got None; only the one-class machine needs none")
    values = np.asarray(y)
    if values.ndim != 1:
        raise ValueError(f"expected y of shape (n,), got shape {values.shape}; use y.ravel()")
    if len(values) != n_points:
        raise ValueError(
            f"expected y with one entry for each of the {n_points} rows of X, got {len(values)}; "
            "pass both with the same points"
        )
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError("expected finite y, got NaN or infinity; drop or impute those rows")
    numbers = values.dtype.kind in "fiu"
    if targets == "values" or (targets == "either" and numbers):
        return _values(values)
    return _classes(values)


def one_vs_rest(classes: Classes) -> list[Array]:
    """Labels −1 and +1: one vector for two classes, one for each class against the rest for more.

    Parameters
    ----------
    classes : ndarray of shape (n,)
        Whole numbers 0, 1, …, all of them present.
    """
    n_classes = int(classes.max()) + 1
    positive = [1] if n_classes == 2 else range(n_classes)
    return [np.where(classes == c, 1.0, -1.0) for c in positive]


def _classes(values: NDArray[Any]) -> Classes:
    try:
        classes, numbers = np.unique(values, return_inverse=True)
    except TypeError:
        raise ValueError(
            "expected labels of one kind in y, got a mixture that cannot be sorted (None or NaN "
            "among strings, say); drop or relabel those rows"
        ) from None
    if len(classes) < 2:
        raise ValueError(
            f"expected at least two classes in y, got one ({classes.tolist()[0]!r}); add examples "
            "of another class"
        )
    if len(classes) > 2 and values.dtype.kind == "f" and (classes != np.floor(classes)).any():
        raise ValueError(
            f"expected classes in y, got {len(classes)} different numbers with fractions; for "
            "regression use a functional of a regression machine, such as "
            "RegularizedRisk('epsilon_svr')"
        )
    return numbers.astype(np.int64)


def _values(values: NDArray[Any]) -> Array:
    check_real(values, "y")
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"expected numbers in y for regression, got {values.dtype}; convert them, or use a "
            "machine for classification, such as 'soft_margin'"
        ) from None
    if not np.isfinite(numbers).all():
        raise ValueError("expected finite y, got NaN or infinity; drop or impute those rows")
    return numbers
