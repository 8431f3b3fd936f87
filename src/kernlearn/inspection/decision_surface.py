"""A picture of a model's predictions over the plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, is_regressor
from sklearn.utils.validation import check_is_fitted

from kernlearn._checks import check_count
from kernlearn.inspection._classes import class_colour, class_legend, class_marker, names_width
from kernlearn.inspection._display import Display
from kernlearn.inspection._matplotlib import Axes, ContourSet, new_axes
from kernlearn.inspection._text import AS_TEXT, axis_label, legend_label
from kernlearn.kernels._validation import is_frame
from kernlearn.typing import Array

# Around the points, in units of their range.
_MARGIN = 0.1
_LEVELS = 12
# The same on light and on dark paper, since a surface covers the paper.
_DARK, _LIGHT = "#1a1a1a", "#ffffff"
# The points of two classes have the hues of their sides of the surface.
_SIDES = ("#b35806", "#542788")


class DecisionSurfaceDisplay(Display):
    """Decision values, predicted classes or predicted numbers over two inputs.

    With two classes, and for novelties, the decision values are drawn, with the line where they
    are zero. With more classes it is the class predicted, and of a regressor the prediction.

    After `plot`, ``surface_`` lists the regions of the classes, or the one surface of values.

    Parameters
    ----------
    xx0, xx1 : ndarray of shape (r, r)
        The places, as numpy.meshgrid gives them.
    response : ndarray of shape (r, r)
        Decision values, predictions, or the number of the class predicted.
    kind : {"decision", "classes", "prediction"}
        Kind of the response.
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
        self, xx0: Array, xx1: Array, response: Array, kind: str, classes: ArrayLike | None = None
    ) -> None:
        self.xx0, self.xx1, self.response = xx0, xx1, response
        self.kind = kind
        self.classes = None if classes is None else np.asarray(classes)
        self.points: Array | None = None
        self.labels: NDArray[np.generic] | None = None
        self.names = ("first input", "second input")

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: ArrayLike,
        y: ArrayLike | None = None,
        grid_resolution: int = 100,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the surface of a fitted estimator around points, and the points.

        Parameters
        ----------
        estimator : classifier, regressor, novelty detector, or a Pipeline that ends in one
            Fitted on two columns.
        X : array-like or data frame of shape (n, 2)
            The points.
        y : array-like of shape (n,), optional
            Classes or targets of the points.
        grid_resolution : int, default=100
            Places along each axis.
        ax : matplotlib axes, optional
            Axes to draw on; by default a new figure.

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
        places: ArrayLike = np.column_stack([xx0.ravel(), xx1.ravel()])
        if is_frame(X):
            made_like: Any = type(X)
            places = made_like(places, columns=X.columns)
        kind, response, classes = _respond(estimator, places)
        display = cls(xx0, xx1, response.reshape(xx0.shape), kind, classes)
        display.points = points
        display.labels = None if y is None else np.asarray(y)
        if is_frame(X):
            display.names = (str(X.columns[0]), str(X.columns[1]))
        return display.plot(ax=ax)

    def _draw(self, ax: Axes | None) -> Axes:
        grid = (self.xx0, self.xx1, self.response)
        classes = () if self.classes is None else tuple(self.classes)
        ax = new_axes(ax, height=4.8, width=6.4 + names_width(classes))
        if self.kind == "classes":
            self.surface_ = _draw_regions(ax, *grid, len(classes))
        elif self.kind == "decision":
            # At the right stand the names of the classes.
            self.surface_ = [_draw_decision(ax, *grid, side="bottom" if classes else "right")]
        else:
            self.surface_ = [_draw_prediction(ax, *grid)]
        self._draw_points(ax, classes)
        ax.set_xlabel(axis_label(self.names[0]), **AS_TEXT)
        ax.set_ylabel(axis_label(self.names[1]), **AS_TEXT)
        ax.spines[["top", "right"]].set_visible(False)
        return ax

    def _draw_points(self, ax: Axes, classes: tuple[object, ...]) -> None:
        if self.points is None:
            return
        if self.labels is None or (self.kind == "decision" and not classes):
            _draw_unlabelled(ax, self.points)
        elif self.kind == "prediction":
            _draw_measured(ax, self.points, self.labels, self.surface_[0])
        else:
            colours = _SIDES if self.kind == "decision" else map(class_colour, range(len(classes)))
            _draw_classified(ax, self.points, self.labels, classes, list(colours))


def _grid(points: Array, resolution: int) -> tuple[Array, Array]:
    low, high = points.min(axis=0), points.max(axis=0)
    margin = np.where(high > low, _MARGIN * (high - low), 1.0)
    axes = [np.linspace(low[j] - margin[j], high[j] + margin[j], resolution) for j in (0, 1)]
    xx0, xx1 = np.meshgrid(*axes)
    return xx0, xx1


def _respond(estimator: BaseEstimator, places: ArrayLike) -> tuple[str, Array, ArrayLike | None]:
    """The name of the drawn response, its values at the places, and the classes, if any."""
    classes = getattr(estimator, "classes_", None)
    has_decision = classes is not None or hasattr(estimator, "decision_function")
    if is_regressor(estimator) or not has_decision:  # numbers, risks, or scores to rank by
        return "prediction", np.asarray(estimator.predict(places), dtype=float), None
    if classes is not None and (len(classes) > 2 or not hasattr(estimator, "decision_function")):
        return "classes", np.searchsorted(classes, estimator.predict(places)).astype(float), classes
    return "decision", np.asarray(estimator.decision_function(places), dtype=float), classes


def _draw_decision(ax: Axes, xx0: Array, xx1: Array, values: Array, side: str) -> ContourSet:
    """Orange below zero and purple above, and the line where the values are zero.

    The bar of colours stands at this side of the axes.
    """
    # Half as much again, which leaves out the darkest colours: points must be seen on them.
    largest = 1.5 * float(np.abs(values).max()) or 1.0
    surface = ax.contourf(
        xx0, xx1, values, levels=_LEVELS, cmap="PuOr", vmin=-largest, vmax=largest
    )
    if values.min() < 0.0 < values.max():
        ax.contour(xx0, xx1, values, [0.0], colors=_DARK, linewidths=1.2)
    ax.figure.colorbar(surface, ax=ax, label="decision value", location=side)
    return surface


def _draw_prediction(ax: Axes, xx0: Array, xx1: Array, values: Array) -> ContourSet:
    """Draw numbers from dark blue for small ones to yellow for large ones."""
    surface = ax.contourf(xx0, xx1, values, levels=_LEVELS, cmap="cividis")
    ax.figure.colorbar(surface, ax=ax, label="prediction")
    return surface


def _draw_regions(
    ax: Axes, xx0: Array, xx1: Array, numbers: Array, n_classes: int
) -> list[ContourSet]:
    """The region of every class.

    One at a time: contours of the numbers themselves would put a band of class 1 between the
    regions of classes 0 and 2.
    """
    return [
        ax.contourf(
            xx0,
            xx1,
            (numbers == number).astype(float),
            [0.5, 1.5],
            colors=[class_colour(number)],
            alpha=0.25,
        )
        for number in range(n_classes)
    ]


def _draw_unlabelled(ax: Axes, points: Array) -> None:
    """Points of which nothing is known."""
    x, y = points.T
    ax.scatter(x, y, s=18, color=_LIGHT, edgecolors=_DARK, linewidths=0.8)


def _draw_measured(
    ax: Axes, points: Array, numbers: NDArray[np.generic], surface: ContourSet
) -> None:
    """Points in the colours of their numbers, on the scale of the surface."""
    x, y = points.T
    scale: dict[str, Any] = {"cmap": surface.cmap, "norm": surface.norm}
    ax.scatter(x, y, s=24, c=numbers, edgecolors=_LIGHT, linewidths=0.8, **scale)


def _draw_classified(
    ax: Axes,
    points: Array,
    labels: NDArray[np.generic],
    classes: tuple[object, ...],
    colours: Sequence[str],
) -> None:
    """Points in the colours of their classes, and the names of these."""
    for number, label in enumerate(classes):
        x, y = points[labels == label].T
        ax.scatter(
            x,
            y,
            s=24,
            color=colours[number],
            marker=class_marker(number),
            edgecolors=_LIGHT,
            linewidths=0.6,
            label=legend_label(label),
        )
    class_legend(ax)
