"""A picture of how predictions depend on a column."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, is_classifier

from kernlearn.inspection._bars import name_rows
from kernlearn.inspection._display import Display
from kernlearn.inspection._matplotlib import Axes, ink, new_axes
from kernlearn.inspection._text import AS_TEXT, axis_label
from kernlearn.inspection.dependence import (
    checked_table,
    column_names,
    column_place,
    partial_dependence,
)
from kernlearn.typing import Array, RandomState, Rows, Targets

_COLOUR = "#0072b2"


class PartialDependenceDisplay(Display):
    """The mean prediction as a function of one column, with its 95 % interval.

    After `plot`, ``line_`` holds the line, or the marks of categories, which have a row each.

    Parameters
    ----------
    grid : array-like of shape (g,)
        Values of the column, numbers or categories.
    value : array-like of shape (g,)
        Mean predictions.
    low, high : array-like of shape (g,), optional
        The ends of the interval.
    column : str, default="x"
        Name of the column.
    quantity : str, default="mean prediction"
        Name of the predicted quantity, for the axis.

    See Also
    --------
    partial_dependence : The numbers.

    Examples
    --------
    >>> display = PartialDependenceDisplay([0.0, 1.0], [2.0, 3.0], column="age")
    >>> display.value
    array([2., 3.])
    """

    def __init__(
        self,
        grid: ArrayLike,
        value: ArrayLike,
        low: ArrayLike | None = None,
        high: ArrayLike | None = None,
        column: str = "x",
        quantity: str = "mean prediction",
    ) -> None:
        self.grid: Targets = np.asarray(grid)
        self.value: Array = np.asarray(value, dtype=float)
        self.low = None if low is None else np.asarray(low, dtype=float)
        self.high = None if high is None else np.asarray(high, dtype=float)
        self.column, self.quantity = str(column), quantity

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: Rows,
        column: int | str,
        y: Rows = None,
        *,
        target: object = None,
        groups: Rows = None,
        grid_size: int = 20,
        random_state: RandomState = 0,
        ax: Axes | None = None,
    ) -> Self:
        """Draw how the predictions of a fitted estimator depend on a column.

        Parameters
        ----------
        estimator : estimator with ``predict``
            Fitted.
        X : array-like or data frame of shape (n, d)
            Rows to average over.
        column : int or str
            The column.
        y : array-like of shape (n,), optional
            Targets of the rows, for intervals by refits; see :func:`partial_dependence`.
        target : label, optional
            The class whose probability is drawn; by default the second.
        groups : array-like of shape (n,), optional
            Labels of rows that belong together.
        grid_size : int, default=20
            Values of the column.
        random_state : int, RandomState or None, default=0
            For the parts.
        ax : matplotlib axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        PartialDependenceDisplay
            With ``ax_`` and ``figure_``.
        """
        how = {"groups": groups, "grid_size": grid_size, "random_state": random_state}
        found = partial_dependence(estimator, X, column, y, **how)
        table = checked_table(X)
        name = column_names(table)[column_place(table, column)]
        return cls.of(found, name, shown_classes(estimator), target).plot(ax=ax)

    @classmethod
    def of(
        cls, found: dict[str, Targets], name: str, classes: list[object], target: object = None
    ) -> Self:
        """From the numbers of :func:`partial_dependence`.

        Parameters
        ----------
        found : dict
            Result of :func:`partial_dependence`.
        name : str
            Name of the column.
        classes : list
            The labels; empty for numbers.
        target : label, optional
            The class whose probability is drawn; by default the second.

        Returns
        -------
        PartialDependenceDisplay
            Not drawn yet.
        """
        known = {key: found[key] for key in ("value", "low", "high") if key in found}
        quantity = "mean prediction"
        if classes:
            label = classes[1] if target is None else target
            if label not in classes:
                raise ValueError(f"expected target to be one of {classes}, got {label!r}; name one")
            place = classes.index(label)
            if found["value"].ndim == 2:
                known = {key: values[:, place] for key, values in known.items()}
            elif place == 0:
                known = {key: 1.0 - values for key, values in known.items()}
            known = {key: np.clip(values, 0.0, 1.0) for key, values in known.items()}
            quantity = f"mean probability of {label}"
        return cls(found["grid"], **known, column=name, quantity=quantity)

    def _draw(self, ax: Axes | None) -> Axes:
        ax = new_axes(ax)
        if self.grid.dtype.kind not in "biuf":
            return self._draw_categories(ax)
        places = self.grid.astype(float)
        is_line = len(places) > 2
        (self.line_,) = ax.plot(places, self.value, "-" if is_line else "o", color=_COLOUR)
        if self.low is not None and self.high is not None:
            if is_line:
                ax.fill_between(places, self.low, self.high, color=_COLOUR, alpha=0.2, linewidth=0)
            else:
                ax.vlines(places, self.low, self.high, color=ink(), linewidth=1.2)
        ax.set_xlabel(axis_label(self.column), **AS_TEXT)
        ax.set_ylabel(axis_label(self.quantity), **AS_TEXT)
        ax.spines[["top", "right"]].set_visible(False)
        return ax

    def _draw_categories(self, ax: Axes) -> Axes:
        """A row for each category, with its name."""
        places = np.arange(len(self.grid))
        if self.low is not None and self.high is not None:
            ax.hlines(places, self.low, self.high, color=ink(), linewidth=1.2)
        (self.line_,) = ax.plot(self.value, places, color=_COLOUR, marker="o", linestyle="")
        name_rows(ax, [str(value) for value in self.grid])
        ax.set_xlabel(axis_label(self.quantity), **AS_TEXT)
        ax.set_title(axis_label(self.column), **AS_TEXT)
        return ax


def shown_classes(estimator: BaseEstimator) -> list[object]:
    """Labels; of a model without probabilities none, since its outputs are decision values."""
    has_shares = is_classifier(estimator) and hasattr(estimator, "predict_proba")
    return list(np.asarray(estimator.classes_).tolist()) if has_shares else []
