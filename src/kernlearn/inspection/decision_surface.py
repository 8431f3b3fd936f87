"""A picture of what a model says about every place in the plane."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from kernlearn._checks import check_count
from kernlearn.inspection._classes import class_colour, names_width
from kernlearn.inspection._matplotlib import new_axes
from kernlearn.inspection._surfaces import (
    SIDES,
    draw_classified,
    draw_decision,
    draw_measured,
    draw_prediction,
    draw_regions,
    draw_unlabelled,
)
from kernlearn.inspection._text import AS_TEXT, axis_label
from kernlearn.typing import Array

# Around the points, in units of their range.
MARGIN = 0.1


class DecisionSurfaceDisplay:
    """Decision values, predicted classes or predicted numbers over two inputs.

    With two classes, and for novelties, the decision values are drawn, with the line where they
    are zero. With more classes it is the class predicted, and of a regressor the prediction.

    Parameters
    ----------
    xx0, xx1 : ndarray of shape (r, r)
        The places, as numpy.meshgrid gives them.
    response : ndarray of shape (r, r)
        Decision values, predictions, or the number of the class predicted.
    kind : {"decision", "classes", "prediction"}
        Which of the three.
    classes : array-like, optional
        The classes, for two or more.

    Examples
    --------
    >>> import numpy as np
    >>> xx0, xx1 = np.meshgrid([0.0, 1.0], [0.0, 1.0])
    >>> DecisionSurfaceDisplay(xx0, xx1, xx0 - xx1, "decision").response
    array([[ 0.,  1.],
           [-1.,  0.]])
    """

    def __init__(
        self, xx0: Array, xx1: Array, response: Array, kind: str, classes: Any = None
    ) -> None:
        self.xx0, self.xx1, self.response = xx0, xx1, response
        self.kind = kind
        self.classes = None if classes is None else np.asarray(classes)
        self.points: Array | None = None
        self.labels: NDArray[Any] | None = None
        self.names = ("first input", "second input")

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike | None = None,
        grid_resolution: int = 100,
        ax: Any = None,
    ) -> DecisionSurfaceDisplay:
        """Draw the surface of a fitted estimator around points, and the points.

        Parameters
        ----------
        estimator : classifier, regressor, novelty detector, or a Pipeline that ends in one
            Fitted on two columns.
        X : array-like or data frame of shape (n, 2)
            The points.
        y : array-like of shape (n,), optional
            Their classes or targets.
        grid_resolution : int, default=100
            Places along each axis.
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        DecisionSurfaceDisplay
            With ``ax_`` and ``figure_``.
        """
        check_is_fitted(estimator)
        points = np.asarray(X, dtype=float)
        if points.ndim != 2 or points.shape[1] != 2:
            raise ValueError(
                f"expected points with two columns, got shape {points.shape}; fit the estimator on "
                "two of the inputs, or draw an EmbeddingDisplay"
            )
        xx0, xx1 = _grid(points, check_count("grid_resolution", grid_resolution))
        places: Any = np.column_stack([xx0.ravel(), xx1.ravel()])
        if hasattr(X, "columns"):
            places = type(X)(places, columns=X.columns)
        kind, response, classes = _respond(estimator, places)
        display = cls(xx0, xx1, response.reshape(xx0.shape), kind, classes)
        display.points = points
        display.labels = None if y is None else np.asarray(y)
        if hasattr(X, "columns"):
            display.names = (str(X.columns[0]), str(X.columns[1]))
        return display.plot(ax=ax)

    def plot(self, ax: Any = None) -> DecisionSurfaceDisplay:
        """Draw the surface and the points.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        DecisionSurfaceDisplay
            This object, with ``ax_``, ``figure_`` and ``surface_``, a list: the regions of the
            classes, or the one surface of values.
        """
        grid = (self.xx0, self.xx1, self.response)
        classes = () if self.classes is None else tuple(self.classes)
        ax = new_axes(ax, height=4.8, width=6.4 + names_width(classes))
        if self.kind == "classes":
            self.surface_ = draw_regions(ax, *grid, len(classes))
        elif self.kind == "decision":
            # At the right stand the names of the classes.
            self.surface_ = [draw_decision(ax, *grid, side="bottom" if classes else "right")]
        else:
            self.surface_ = [draw_prediction(ax, *grid)]
        self._draw_points(ax, classes)
        ax.set_xlabel(axis_label(self.names[0]), **AS_TEXT)
        ax.set_ylabel(axis_label(self.names[1]), **AS_TEXT)
        ax.spines[["top", "right"]].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_points(self, ax: Any, classes: tuple[Any, ...]) -> None:
        if self.points is None:
            return
        if self.labels is None or (self.kind == "decision" and not classes):
            draw_unlabelled(ax, self.points)
        elif self.kind == "prediction":
            draw_measured(ax, self.points, self.labels, self.surface_[0])
        else:
            colours = SIDES if self.kind == "decision" else map(class_colour, range(len(classes)))
            draw_classified(ax, self.points, self.labels, classes, list(colours))


def _grid(points: Array, resolution: int) -> tuple[Array, Array]:
    low, high = points.min(axis=0), points.max(axis=0)
    margin = np.where(high > low, MARGIN * (high - low), 1.0)
    axes = [np.linspace(low[j] - margin[j], high[j] + margin[j], resolution) for j in (0, 1)]
    xx0, xx1 = np.meshgrid(*axes)
    return xx0, xx1


def _respond(estimator: Any, places: Any) -> tuple[str, Array, Any]:
    """What to draw, its value at the places, and the classes where there are any."""
    if is_regressor(estimator):
        return "prediction", np.asarray(estimator.predict(places), dtype=float), None
    classes = getattr(estimator, "classes_", None)
    if classes is not None and (len(classes) > 2 or not hasattr(estimator, "decision_function")):
        return "classes", np.searchsorted(classes, estimator.predict(places)).astype(float), classes
    return "decision", np.asarray(estimator.decision_function(places), dtype=float), classes
