"""Agreement of ordered grades beyond chance, by squared distances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import make_scorer

from kernlearn.typing import Indices


def quadratic_weighted_kappa(
    y_true: ArrayLike, y_pred: ArrayLike, grades: Sequence[object] | None = None
) -> float:
    r"""Return Cohen's kappa of ordered grades, with the squares of distances as weights.

    .. math:: \kappa = 1 - \frac{\sum_{ij} (i - j)^2 \, O_{ij}}{\sum_{ij} (i - j)^2 \, E_{ij}}

    with the shares :math:`O_{ij}` of rows of grade i that are told to be of grade j, and
    :math:`E_{ij}` those of independent grades of the same frequencies. It is one for grades that
    are all predicted correctly, and zero for predictions by chance (Cohen 1968).

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The grades.
    y_pred : array-like of shape (n,)
        The predicted grades.
    grades : sequence, optional
        All grades from the lowest to the highest. The default is the order of the categories if
        `y_true` is an ordered categorical of pandas, and the sorted order otherwise, which is right
        for numbers.

    Returns
    -------
    float
        At most one; NaN where all rows have one and the same grade, and are told so.

    Examples
    --------
    >>> import kernlearn as kl
    >>> grades = ["low", "mid", "high"]
    >>> kl.metrics.quadratic_weighted_kappa(["low", "mid", "high"], ["low", "high", "high"], grades)
    0.8
    """
    truth, predicted = np.asarray(y_true), np.asarray(y_pred)
    if truth.ndim != 1 or truth.shape != predicted.shape:
        raise ValueError(
            f"expected one grade of each row in y_true and in y_pred, got shapes {truth.shape} and "
            f"{predicted.shape}; pass the true and the predicted grades of the same rows"
        )
    named = ordered_categories(y_true) if grades is None else grades
    order = _sorted(np.concatenate([truth, predicted])) if named is None else np.asarray(named)
    for name, labels in (("y_true", truth), ("y_pred", predicted)):
        unknown = np.setdiff1d(labels, order)
        if len(unknown):
            raise ValueError(
                f"expected the grades {order.tolist()} in {name}, got {unknown.tolist()[0]!r}; "
                "name all grades from the lowest to the highest"
            )
    places = {label: place for place, label in enumerate(order.tolist())}
    return weighted_kappa_of(
        *(np.array([places[label] for label in labels.tolist()]) for labels in (truth, predicted))
    )


def ordered_categories(y: object) -> list[object] | None:
    """The categories of an ordered categorical of pandas; None for anything else."""
    dtype: Any = getattr(y, "dtype", None)
    return list(dtype.categories) if getattr(dtype, "ordered", False) else None


def _sorted(labels: NDArray[Any]) -> NDArray[Any]:
    try:
        return np.unique(labels)
    except TypeError:
        raise ValueError(
            "expected grades of one kind, got a mixture that cannot be sorted (None or NaN among "
            "strings, say); drop the rows without a grade, or pass grades="
        ) from None


def weighted_kappa_of(truth: Indices, predicted: Indices) -> float:
    """The same of grades by number; inputs are checked.

    The squares of independent grades are those of their means and variances.
    """
    if len(truth) == 0:
        return float("nan")
    expected = truth.var() + predicted.var() + (truth.mean() - predicted.mean()) ** 2
    return (
        1.0 - float(((truth - predicted) ** 2).mean() / expected)
        if expected > 0.0
        else float("nan")
    )


def quadratic_kappa_scorer(grades: Sequence[object] | None = None) -> Callable[..., float]:
    """Return a scorer of :func:`quadratic_weighted_kappa`, for ``scoring`` of any estimator.

    Parameters
    ----------
    grades : sequence, optional
        All grades from the lowest to the highest; by default as in
        :func:`quadratic_weighted_kappa`.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> import kernlearn as kl
    >>> X, y = load_wine(return_X_y=True)
    >>> scorer = kl.metrics.quadratic_kappa_scorer()
    >>> bool(scorer(kl.KernelClassifier(["linear"], ordinal=True).fit(X, y), X, y) > 0.9)
    True
    """
    scorer: Callable[..., float] = make_scorer(quadratic_weighted_kappa, grades=grades)
    return scorer
