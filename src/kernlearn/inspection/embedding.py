"""A picture of points in the plane of a learned kernel."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from kernlearn.inspection._classes import (
    COLOURS,
    MARKERS,
    class_colour,
    class_legend,
    class_marker,
    names_width,
)
from kernlearn.inspection._display import Display
from kernlearn.inspection._learned import learned, transformed_rows
from kernlearn.inspection._matplotlib import Axes, new_axes
from kernlearn.inspection._text import legend_label
from kernlearn.typing import Array

__all__ = ["COLOURS", "MARKERS", "EmbeddingDisplay"]


class EmbeddingDisplay(Display):
    """Points by their first two coordinates, one colour and marker for each class.

    After `plot`, ``points_`` holds one collection for each class.

    Parameters
    ----------
    coordinates : array-like of shape (n_points, n_components)
        Two columns or more, of which the first two are drawn; a single one is drawn along a line.
    labels : array-like of shape (n_points,), optional
        The class of each point.

    Examples
    --------
    >>> from kernlearn.inspection import EmbeddingDisplay
    >>> display = EmbeddingDisplay([[0.0, 1.0], [2.0, 0.5]], ["three", "eight"])
    >>> display.classes.tolist()
    ['eight', 'three']
    """

    def __init__(self, coordinates: ArrayLike, labels: ArrayLike | None = None) -> None:
        self.coordinates: Array = np.asarray(coordinates, dtype=float)
        n_points = len(self.coordinates)
        self.labels = np.zeros(n_points, dtype=int) if labels is None else np.asarray(labels)
        self.classes = np.unique(self.labels)
        self.has_classes = labels is not None
        if self.coordinates.ndim != 2 or self.labels.shape != (n_points,):
            raise ValueError(
                "expected coordinates of shape (n_points, n_components) and a label for each "
                f"point, got shapes {self.coordinates.shape} and {self.labels.shape}; pass as many "
                "labels as rows"
            )

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: ArrayLike,
        y: ArrayLike | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw points where a fitted estimator's ``transform`` puts them.

        Parameters
        ----------
        estimator : estimator with ``transform``, or a Pipeline that ends in one
            Fitted, for example a :class:`~kernlearn.HyperkernelMetric`.
        X : array-like of shape (n_points, n_features)
            The points, those of the fit or new ones.
        y : array-like of shape (n_points,), optional
            Classes of the points.
        ax : matplotlib axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        EmbeddingDisplay
            With ``ax_`` and ``figure_``.
        """
        transform = learned(estimator, "transform")
        return cls(transform(transformed_rows(estimator, X)), y).plot(ax=ax)

    def _draw(self, ax: Axes | None) -> Axes:
        ax = new_axes(ax, height=4.8, width=6.0 + names_width(self.classes))
        self.points_ = []
        for number, label in enumerate(self.classes):
            first, second = self._columns(self.labels == label)
            style: dict[str, Any] = {
                "color": class_colour(number),
                "marker": class_marker(number),
                "label": legend_label(label),
            }
            self.points_.append(ax.scatter(first, second, s=24, alpha=0.8, linewidths=0, **style))
        ax.set_xlabel("first component")
        ax.set_ylabel("second component")
        ax.spines[["top", "right"]].set_visible(False)
        if self.has_classes:
            class_legend(ax)
        return ax

    def _columns(self, rows: NDArray[np.bool_]) -> tuple[Array, Array]:
        chosen = self.coordinates[rows]
        second = chosen[:, 1] if chosen.shape[1] > 1 else np.zeros(len(chosen))
        return chosen[:, 0], second
