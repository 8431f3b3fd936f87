"""Checks of parameters and targets: expected, got, cure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlearn.kernels._validation import check_real
from kernlearn.quality.registry import QUALITIES, Settings
from kernlearn.runtime.memory import combination_bytes, require
from kernlearn.survival.ties import TIES, Ties
from kernlearn.typing import Array

# Largest C, ν and sample weight, and one over the smallest: beyond, their products overflow.
LARGEST = 2.0**960


def check_labels(y: ArrayLike) -> Array:
    """Labels of two classes as −1 and +1, the larger in sorted order being +1."""
    values = np.asarray(y)
    check_real(values, "y")
    if values.dtype.kind == "f":
        check_finite_target(values)
    classes, _ = sorted_classes(values)
    if len(classes) != 2:
        shown = ", ".join(repr(c) for c in classes[:3].tolist())
        raise ValueError(
            f"expected two classes in y, got {len(classes)} ({shown}{', …' * (len(classes) > 3)}); "
            "use MKLClassifier for more than two"
        )
    return np.where(values == classes[1], 1.0, -1.0)


def sorted_classes(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The classes of labels in order, and the place of each label among them."""
    try:
        return np.unique(values, return_inverse=True)
    except TypeError:
        raise ValueError(
            "expected labels of one kind in y, got a mixture that cannot be sorted (None or NaN "
            "among strings, say); drop or relabel those rows"
        ) from None


def check_values(values: NDArray[Any], purpose: str, alternative: str) -> Array:
    """Targets of a regression as finite numbers; where they are none, an alternative is named."""
    check_real(values, "y")
    try:
        numbers: Array = values.astype(float)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"expected numbers in y for {purpose}, got {values.dtype}; convert them, or use "
            f"{alternative}"
        ) from None
    check_finite_target(numbers)
    return numbers


def check_finite_target(values: NDArray[Any]) -> None:
    """Refuse NaN and infinity among numbers."""
    if not np.isfinite(values).all():
        raise ValueError("expected finite y, got NaN or infinity; drop or impute those rows")


def check_settings(
    quality: str,
    C: object,
    nu: float,
    epsilon: float,
    sample_weight: ArrayLike | None,
    targets: Sequence[Array],
    quantile: float = 0.5,
    ties: str = "efron",
) -> Settings:
    """The settings of a machine, each checked where the quality uses it."""
    n = len(targets[0])
    check_real(sample_weight, "sample_weight")
    try:
        weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"expected {n} positive, finite sample weights, got {type(sample_weight).__name__} "
            "that does not hold numbers; pass a list of numbers"
        ) from None
    if weight.shape != (n,) or not np.isfinite(weight).all() or (weight <= 0).any():
        raise ValueError(
            f"expected {n} positive, finite sample weights, got shape {weight.shape}, smallest "
            f"{weight.min() if weight.size else 'none'}; drop the rows that should not count"
        )
    _check_range("sample weights", weight)
    uses = QUALITIES[quality].uses if quality in QUALITIES else ()
    if "nu" in uses and not (_is_number(nu) and 0 < nu <= 1):
        raise ValueError(f"expected nu in (0, 1], got {nu!r}; 0.1 to 0.5 is usual")
    if "epsilon" in uses and not (_is_number(epsilon) and 0 <= _number(epsilon) < np.inf):
        raise ValueError(f"expected epsilon ≥ 0, got {epsilon!r}; it is half the tube's width")
    if quality == "huber" and not _number(epsilon) > 0:
        raise ValueError(
            f"expected epsilon > 0 for Huber's loss, got {epsilon!r}; it is the residual beyond "
            "which the loss is linear"
        )
    if "quantile" in uses and not (_is_number(quantile) and 0 < quantile < 1):
        raise ValueError(f"expected quantile between 0 and 1, got {quantile!r}; 0.5 is the median")
    if "ties" in uses:
        check_choice("ties", ties, TIES)
    for target in targets if quality == "nu_svm" else []:
        share = 2.0 * min(weight[target > 0].sum(), weight[target < 0].sum()) / weight.sum()
        if nu > share:
            raise ValueError(
                f"expected nu at most {share:.4g}, twice the share of the smaller class, "
                f"got {nu!r}; lower nu"
            )
    learns = learns_C(quality, C)
    cost = 1.0 if learns else check_positive("C", C)
    settings = Settings(cost, nu, epsilon, weight, quantile, cast(Ties, ties))
    if "nu" in uses:
        _check_range("nu", np.array([nu]))
    if "C" in uses:
        with np.errstate(over="ignore"):
            _check_range("C, times the sample weights,", settings.upper)
    return settings


def _check_range(name: str, values: Array) -> None:
    """Refuse numbers whose products with others, or the inverses of these, are no numbers."""
    if values.min() < 1.0 / LARGEST or not values.max() <= LARGEST:
        raise ValueError(
            f"expected {name} between {1.0 / LARGEST:.0e} and {LARGEST:.0e}, got "
            f"{values.min():.3g} to {values.max():.3g}; rescale the kernels or the weights"
        )


def learns_C(quality: str, C: object) -> bool:
    """Whether C is to be learned, refused where the quality cannot."""
    if not isinstance(C, str) or C != "learn":
        return False
    if quality != "squared_soft_margin":
        raise ValueError(
            f"expected a number for C with quality={quality!r}, got 'learn'; "
            "only squared_soft_margin can learn C"
        )
    return True


def check_positive(name: str, value: object) -> float:
    """A positive, finite number."""
    if not _is_number(value) or not 0 < _number(value) < np.inf:
        usual = "1e-6" if name == "tol" else "1.0"
        raise ValueError(
            f"expected {name} to be a positive number, got {value!r}; try {name}={usual}"
        )
    return float(value)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _number(value: float) -> float:
    """The value of a number, which may be an integer that no float can hold."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else -float("inf")


def check_count(name: str, value: object, usual: int = 200, others: str = "") -> int:
    """A positive integer; `others` are what else may be passed, in words."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise ValueError(
            f"expected {name} to be a positive integer{others}, got {value!r}; try {usual}"
        )
    return int(value)


def check_flag(name: str, value: object) -> None:
    """Refuse values other than True and False: any text would count as true."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"expected {name} to be True or False, got {value!r}; pass one of them")


def check_pivots(pivot_tol: object, max_pivots: object) -> None:
    """Check the parameters of an incomplete factor over pairs, by their names in estimators."""
    if max_pivots is not None:
        check_count("max_pivots", max_pivots, others=" or None")
    if not _is_number(pivot_tol) or not 0 <= _number(pivot_tol) < 1:
        raise ValueError(
            "expected pivot_tol to be a number from 0 to below 1, a part of the trace, got "
            f"{pivot_tol!r}; 1e-6 is usual"
        )


def check_memory_for_weights(grams: Any, n_points: int, free_sign: bool) -> None:
    """Refuse Gram matrices that could not be worked with, before they are copied."""
    is_stack = isinstance(grams, np.ndarray) and grams.dtype == np.float64
    is_ready = (is_stack and grams.flags.c_contiguous) or not hasattr(grams, "__len__")
    n_recombined = len(grams) if free_sign and hasattr(grams, "__len__") else 0
    require(
        combination_bytes(0 if is_ready else len(grams), n_points, 1, n_recombined),
        f"learn_weights on {n_points:,} points",
        "use fewer points, or pass one float64 array of shape (m, n, n), which is not copied",
    )


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Refuse a value that is none of a few names."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(
            f"expected {name} to be one of {', '.join(choices)}, got {value!r}; choose one of them"
        )
