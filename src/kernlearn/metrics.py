"""Scores of distances by retrieval, of grades, and of predicted risks and survival."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from kernlearn.kernels._validation import check_real
from kernlearn.quality.kappa import quadratic_kappa_scorer, quadratic_weighted_kappa
from kernlearn.survival.brier import integrated, row_scores
from kernlearn.survival.concordance import concordance
from kernlearn.survival.curves import StepFunction, censoring_curve
from kernlearn.survival.numbers import as_numbers, checked_times
from kernlearn.survival.outcome import SurvivalOutcome, survival_outcome
from kernlearn.typing import Array, Rows

__all__ = [
    "brier_scores",
    "harrell_concordance",
    "integrated_brier_score",
    "quadratic_kappa_scorer",
    "quadratic_weighted_kappa",
    "retrieval_auc",
    "uno_concordance",
]


def retrieval_auc(
    distances: ArrayLike, labels: ArrayLike, query_labels: ArrayLike | None = None
) -> float:
    r"""Return the mean area under the curve of a ball inflated around each point.

    The ball around a point takes in the other points in the order of their distance (Kondor and
    Jebara 2007, section 5). With its radius grows the share of points of the point's own class
    that it holds, and the share of all others; the area under the curve of the one against the
    other is the probability that a point of the same class is nearer than a point of another,

    .. math:: \mathrm{AUC}_i = \frac{1}{|S_i||O_i|} \sum_{s \in S_i} \sum_{o \in O_i}
              \bigl([d_{is} < d_{io}] + \tfrac12 [d_{is} = d_{io}]\bigr),

    one half for random distances and one for perfect ones. The mean over the points i is returned,
    without those that lack a point of their own class or of another.

    Parameters
    ----------
    distances : array-like of shape (n, n), or (n_queries, n) with `query_labels`
        Row i holds the distances of point i to all points. Its distance to itself is
        ignored. For similarities, pass their negative.
    labels : array-like of shape (n,)
        The class of each point.
    query_labels : array-like of shape (n_queries,), optional
        Classes of the rows, where the rows are other points than the columns.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> import kernlearn as kl
    >>> x = [0.0, 1.0, 5.0, 5.5]
    >>> distances = [[abs(a - b) for b in x] for a in x]
    >>> kl.metrics.retrieval_auc(distances, ["a", "a", "b", "b"])
    1.0
    >>> kl.metrics.retrieval_auc(distances, ["a", "b", "a", "b"])
    0.25
    """
    table, classes = _check_distances(distances), np.asarray(labels)
    rows = classes if query_labels is None else np.asarray(query_labels)
    _check_labels(table, classes, rows, query_labels is None)
    same = rows[:, None] == classes[None]
    if query_labels is None:
        # Every row without its own point.
        others = ~np.eye(len(table), dtype=bool)
        shape = (len(table), len(table) - 1)
        table, same = table[others].reshape(shape), same[others].reshape(shape)
    n_same = same.sum(axis=1)
    n_other = same.shape[1] - n_same
    telling = (n_same > 0) & (n_other > 0)
    if not telling.any():
        raise ValueError(
            "expected a point with another one of its class and one of a different class, got "
            "none; pass the labels of points of two classes or more"
        )
    return float(_areas(table, same, n_same, n_other)[telling].mean())


def _areas(
    distances: Array, same: NDArray[np.bool_], n_same: NDArray[np.int_], n_other: NDArray[np.int_]
) -> Array:
    """Mann and Whitney's statistic of every row, ties counting one half."""
    ranks = rankdata(distances, axis=1)
    beaten = np.where(same, 0.0, ranks).sum(axis=1) - 0.5 * n_other * (n_other + 1)
    areas: Array = beaten / np.maximum(n_same * n_other, 1)
    return areas


def _check_distances(distances: ArrayLike) -> Array:
    check_real(distances, "distances")
    try:
        table = np.asarray(distances, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            "expected a table of distances, got entries that are no numbers or rows of different "
            "lengths; pass for example sklearn.metrics.pairwise_distances(X)"
        ) from None
    if table.ndim != 2 or table.size == 0:
        raise ValueError(
            f"expected a table of distances, got shape {table.shape}; pass one row for each point, "
            "for example sklearn.metrics.pairwise_distances(X)"
        )
    if np.isnan(table).any():
        raise ValueError(
            "expected numbers as distances, got NaN; drop the points that have no distance"
        )
    return table


def _check_labels(
    table: Array, classes: NDArray[np.generic], rows: NDArray[np.generic], square: bool
) -> None:
    if classes.shape != table.shape[1:]:
        raise ValueError(
            f"expected one label for each of the {table.shape[1]} columns of distances, got shape "
            f"{classes.shape}; pass a list of that length"
        )
    if rows.shape != table.shape[:1]:
        cure = "give query_labels" if square else "pass a query label for each row"
        raise ValueError(
            f"expected one label for each of the {table.shape[0]} rows of distances, got shape "
            f"{rows.shape}; {cure}"
        )


def harrell_concordance(y: Rows, risk: ArrayLike) -> float:
    """Return Harrell's concordance: how often the row of higher risk has the event first.

    A pair is comparable if the earlier time is that of an event; at equal times, if one of the
    two is an event and the other censored. Equal risks count one half.

    Parameters
    ----------
    y : structured array, data frame or array of shape (n, 2)
        Event and time of every row.
    risk : array-like of shape (n,)
        Higher for rows that have the event earlier.

    Returns
    -------
    float
        Between 0 and 1; one half for a random risk.

    Examples
    --------
    >>> import kernlearn as kl
    >>> y = [[1, 2.0], [0, 3.0], [1, 5.0]]
    >>> kl.metrics.harrell_concordance(y, [3.0, 1.0, 2.0])
    1.0
    """
    outcome = survival_outcome(y)
    return _reported(concordance(outcome, _risks(outcome, risk)).index)


def uno_concordance(
    y: Rows, risk: ArrayLike, *, y_train: Rows = None, tau: float | None = None
) -> float:
    r"""Return Uno's concordance, which does not depend on when rows are censored.

    It weights a pair by :math:`\hat G(t_i)^{-2}`, with Ĝ the estimate of not being censored yet
    (Uno et al. 2011).

    Parameters
    ----------
    y : structured array, data frame or array of shape (n, 2)
        Event and time of every row.
    risk : array-like of shape (n,)
        Higher for rows that have the event earlier.
    y_train : outcomes, optional
        Outcomes that Ĝ is estimated from; by default `y`.
    tau : float, optional
        Only events before this time count. It is needed where Ĝ comes to zero before the last
        event.

    Returns
    -------
    float
        Between 0 and 1; one half for a random risk.

    Examples
    --------
    >>> import kernlearn as kl
    >>> y = [[1, 2.0], [0, 3.0], [1, 5.0], [1, 6.0]]
    >>> round(kl.metrics.uno_concordance(y, [3.0, 1.0, 1.5, 2.0]), 3)
    0.571
    """
    outcome = survival_outcome(y)
    censoring = censoring_curve(outcome if y_train is None else survival_outcome(y_train))
    end = np.inf if tau is None else _checked_tau(tau)
    counted = outcome.event & (outcome.time < end)
    free = censoring(outcome.time)
    if (free[counted] <= 0).any():
        raise ValueError(
            "expected events at times at which some row is not censored yet, got one at "
            f"{outcome.time[counted][free[counted] <= 0].min():g}; pass tau=, a time before it"
        )
    weight = np.where(counted, 1.0 / np.where(counted, free, 1.0) ** 2, 0.0)
    return _reported(concordance(outcome, _risks(outcome, risk), weight).index)


def brier_scores(y: Rows, survival: ArrayLike, times: ArrayLike, *, y_train: Rows = None) -> Array:
    r"""Return the Brier score of predicted survival at each time.

    The squared error of :math:`\hat S(t \mid x)` for being free of the event after t, with rows
    weighted by the inverse probability of censoring (Graf et al. 1999). A quarter is the score of
    0.5 for everyone.

    Parameters
    ----------
    y : structured array, data frame or array of shape (n, 2)
        Event and time of every row.
    survival : array-like of shape (n, k)
        Predicted probability to be free of the event after each time.
    times : array-like of shape (k,)
        Increasing times, before the last one of `y`.
    y_train : outcomes, optional
        Outcomes that the censoring is estimated from; by default `y`.

    Returns
    -------
    ndarray of shape (k,)
        A score for each time.

    Examples
    --------
    >>> import kernlearn as kl
    >>> y = [[1, 2.0], [0, 3.0], [1, 5.0], [1, 6.0]]
    >>> kl.metrics.brier_scores(y, [[0.5]] * 4, [2.5])
    array([0.25])
    """
    outcome, known, when, censoring = _survival_inputs(y, survival, times, y_train)
    return np.asarray(row_scores(outcome, known, when, censoring).mean(axis=0))


def integrated_brier_score(
    y: Rows, survival: ArrayLike, times: ArrayLike, *, y_train: Rows = None
) -> float:
    """Return the mean over time of the Brier score, by trapezoids between the times.

    Parameters
    ----------
    y : structured array, data frame or array of shape (n, 2)
        Event and time of every row.
    survival : array-like of shape (n, k)
        Predicted probability to be free of the event after each time.
    times : array-like of shape (k,)
        Increasing times, before the last one of `y`.
    y_train : outcomes, optional
        Outcomes that the censoring is estimated from; by default `y`.

    Returns
    -------
    float
        Zero for predictions that are certain and right.

    Examples
    --------
    >>> import kernlearn as kl
    >>> y = [[1, 2.0], [0, 3.0], [1, 5.0], [1, 6.0]]
    >>> kl.metrics.integrated_brier_score(y, [[0.5, 0.5]] * 4, [2.5, 4.0])
    0.25
    """
    outcome, known, when, censoring = _survival_inputs(y, survival, times, y_train)
    return float(integrated(row_scores(outcome, known, when, censoring).mean(axis=0), when))


def _survival_inputs(
    y: Rows, survival: ArrayLike, times: ArrayLike, y_train: Rows
) -> tuple[SurvivalOutcome, Array, Array, StepFunction]:
    """Outcomes, predictions and times that fit together, and the curve of censoring."""
    outcome = survival_outcome(y)
    when = checked_times(times)
    cure = "pass for example model.predict_survival_function(X, times)"
    known = as_numbers(survival, "predicted probabilities", cure)
    if known.shape != (len(outcome), len(when)) or not np.isfinite(known).all():
        raise ValueError(
            f"expected finite predictions of shape {(len(outcome), len(when))}, a row for each "
            f"outcome and a column for each time, got shape {known.shape}; {cure}"
        )
    if len(when) == 0:
        raise ValueError("expected one time at least, got none; pass for example [100.0, 365.0]")
    # Rounding may leave the interval.
    if known.min() < -1e-9 or known.max() > 1.0 + 1e-9:
        raise ValueError(
            f"expected probabilities between 0 and 1, got {known.min():g} to {known.max():g}; "
            "pass the survival, and no hazards or risks"
        )
    in_order = np.isfinite(when[0]) and not (np.diff(when) <= 0).any()
    if not in_order or when[-1] >= outcome.time.max():
        raise ValueError(
            "expected increasing times before the last one of y, got times from "
            f"{when.min():g} to {when.max():g} with a last time of {outcome.time.max():g}; nothing "
            "is observed beyond it"
        )
    censoring = censoring_curve(outcome if y_train is None else survival_outcome(y_train))
    if censoring(when[-1]) <= 0:
        raise ValueError(
            f"expected times at which some row is not censored yet, got {when[-1]:g}; choose "
            "earlier times"
        )
    return outcome, known, when, censoring


def _checked_tau(tau: float) -> float:
    end = as_numbers(tau, "times", "pass a time as tau, or None for all events")
    if end.ndim or np.isnan(end):
        raise ValueError(f"expected tau to be one time, got {tau!r}; pass None for all events")
    return float(end)


def _risks(outcome: SurvivalOutcome, risk: ArrayLike) -> Array:
    values = as_numbers(risk, "risks", "pass model.predict(X)")
    if values.shape != (len(outcome),) or np.isnan(values).any():
        found = "NaN" if values.shape == (len(outcome),) else f"shape {values.shape}"
        raise ValueError(
            f"expected one risk for each of {len(outcome)} rows, got {found}; pass model.predict(X)"
        )
    return values


def _reported(index: float) -> float:
    if np.isnan(index):
        raise ValueError(
            "expected a pair of rows of which one has the event while the other is still "
            "observed, got none; pass outcomes with an event before the last time"
        )
    return index
