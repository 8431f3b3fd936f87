"""A picture of the separation of pairs by a learned kernel."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import roc_auc_score

from kernlearn.inspection._display import Display
from kernlearn.inspection._learned import learned, transformed_rows
from kernlearn.inspection._matplotlib import Axes, ink, new_axes
from kernlearn.inspection._text import plain_legend
from kernlearn.inspection.kernel_weights import NEGATIVE, POSITIVE
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array

BINS = 40


class PairScoreDisplay(Display):
    """Histograms of the scores of pairs of one class and of pairs of two.

    After `plot`, ``counts_`` has shape (2, bins), different classes first.

    Parameters
    ----------
    scores : array-like of shape (n_pairs,)
        The score of each pair: above zero, it is taken for a pair of one class.
    same : array-like of shape (n_pairs,)
        Whether it is one.

    Examples
    --------
    >>> from kernlearn.inspection import PairScoreDisplay
    >>> display = PairScoreDisplay([2.0, 1.0, -1.0, -0.5], [True, True, False, True])
    >>> display.auc
    1.0
    >>> display.error
    0.25
    """

    numbers_at_once = 4_000_000
    """Coordinates of pairs that are scored together."""

    def __init__(self, scores: ArrayLike, same: ArrayLike) -> None:
        self.scores: Array = np.asarray(scores, dtype=float)
        self.same: NDArray[np.bool_] = np.asarray(same, dtype=bool)
        if self.scores.ndim != 1 or self.same.shape != self.scores.shape or self.scores.size == 0:
            raise ValueError(
                "expected a score and a True or False for each pair, got shapes "
                f"{self.scores.shape} and {self.same.shape}; pass two lists of one length"
            )

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, X: ArrayLike, y: ArrayLike, ax: Axes | None = None
    ) -> Self:
        """Score all pairs of different points and draw the scores.

        Parameters
        ----------
        estimator : estimator with ``pair_score``, or a Pipeline that ends in one
            Fitted, for example a :class:`~kernlearn.HyperkernelMetric`.
        X : array-like of shape (n_points, n_features)
            The points, two at least; with new ones the picture tells of new pairs.
        y : array-like of shape (n_points,)
            Classes of the points.
        ax : matplotlib axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        PairScoreDisplay
            With ``ax_`` and ``figure_``.
        """
        pair_score = learned(estimator, "pair_score")
        points, labels = np.asarray(transformed_rows(estimator, X), dtype=float), np.asarray(y)
        if points.ndim != 2 or len(points) < 2 or labels.shape != points.shape[:1]:
            raise ValueError(
                "expected two points or more and a class for each, got shapes "
                f"{points.shape} and {labels.shape}; pass as many classes as rows"
            )
        first, second = np.triu_indices(len(points), 1)
        step = max(1, cls.numbers_at_once // (2 * points.shape[1]))
        scores = [
            pair_score(
                np.stack([points[first[i : i + step]], points[second[i : i + step]]], axis=1)
            )
            for i in range(0, len(first), step)
        ]
        return cls(np.concatenate(scores), labels[first] == labels[second]).plot(ax=ax)

    @property
    def auc(self) -> float:
        """The chance that a pair of one class scores above a pair of two; NaN without both."""
        if self.same.all() or not self.same.any():
            return float("nan")
        return float(roc_auc_score(self.same, self.scores))

    @property
    def error(self) -> float:
        """The share of pairs on the wrong side of zero."""
        return float(((self.scores > 0) != self.same).mean())

    def _draw(self, ax: Axes | None) -> Axes:
        ax = new_axes(ax)
        self.edges_ = np.histogram_bin_edges(np.append(self.scores, 0.0), bins=BINS)
        kinds = ((~self.same, NEGATIVE, "different classes"), (self.same, POSITIVE, "same class"))
        counts = []
        for chosen, colour, name in kinds:
            heights, _ = np.histogram(self.scores[chosen], self.edges_)
            label = f"{name}: {counted(int(chosen.sum()), 'pair')}"
            # Shares, not counts: of many classes, nearly all pairs are of two.
            ax.stairs(
                heights / max(int(chosen.sum()), 1),
                self.edges_,
                fill=True,
                alpha=0.5,
                color=colour,
                label=label,
            )
            counts.append(heights)
        self.counts_ = np.array(counts)
        ax.axvline(0.0, color=ink(), linewidth=0.8)
        ax.set_xlabel("pair score k(x, x') + b")
        ax.set_ylabel("share of the pairs of each kind")
        ax.set_title(f"area under the curve {self.auc:.3f}", fontsize="medium")
        ax.spines[["top", "right"]].set_visible(False)
        plain_legend(ax)
        return ax
