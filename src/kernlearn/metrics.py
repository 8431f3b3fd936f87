"""How well distances find the points of one class: retrieval by a growing ball."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from kernlearn.kernels._validation import check_real
from kernlearn.typing import Array

__all__ = ["retrieval_auc"]


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

    one half for distances that know nothing of the classes and one for perfect ones. What is
    returned is its mean over the points i; those that lack a point of their own class, or of
    another, say nothing and are left out.

    Parameters
    ----------
    distances : array-like of shape (n, n), or (n_queries, n) with `query_labels`
        Row i holds the distances of point i to all points. Its distance to itself is not looked
        at. For similarities, pass their negative.
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
