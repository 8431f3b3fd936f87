"""A picture of which columns matter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from kernlearn.inspection._bars import bars_height, draw_bars, largest, name_rows, with_the_rest
from kernlearn.inspection._display import Display
from kernlearn.inspection._learned import last_step, learned
from kernlearn.inspection._matplotlib import Axes, Line2D, ink, new_axes
from kernlearn.inspection.kernel_weights import POSITIVE
from kernlearn.typing import Array


class RelevanceDisplay(Display):
    """How much every column matters: bars for one model, box plots for several.

    Of first-level estimators these are the learned scales θ, of KernelClassifier and
    KernelRegressor what is lost when a column is shuffled. Box plots of models fitted to bootstrap
    samples or to several splits show how far they can be relied upon (Cawley and Talbot 2014,
    Figures 4 and 5).

    After `plot`, there are ``bars_`` or ``boxes_``; of more than thirty columns, those of the most
    relevant.

    Parameters
    ----------
    relevance : array-like of shape (d,) or (n_models, d)
        Of one model, or of several in rows.
    labels : sequence of str
        Names of the columns.
    quantity : str, default="learned scale θ"
        What it is, for the axis.

    Examples
    --------
    >>> display = RelevanceDisplay([0.5, 0.0], ["age", "weight"])
    >>> display.relevance
    array([[0.5, 0. ]])
    """

    def __init__(
        self, relevance: ArrayLike, labels: Sequence[str], quantity: str = "learned scale θ"
    ) -> None:
        self.relevance: Array = np.atleast_2d(np.asarray(relevance, dtype=float))
        self.labels = list(labels)
        self.quantity = quantity

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        feature_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw ``relevance_`` of a fitted estimator.

        Parameters
        ----------
        estimator : estimator with ``relevance_``, or a Pipeline that ends in one
            Fitted, for example a FirstLevelClassifier or a KernelClassifier.
        feature_names : sequence of str, optional
            Names of the columns; by default those that the estimator saw.
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        RelevanceDisplay
            With ``ax_`` and ``figure_``.
        """
        return cls.from_estimators([estimator], feature_names, ax)

    @classmethod
    def from_estimators(
        cls,
        estimators: Sequence[BaseEstimator],
        feature_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw ``relevance_`` of several fitted estimators, for example of bootstrap samples.

        Parameters
        ----------
        estimators : sequence of estimators with ``relevance_``, or of Pipelines
            Fitted on the same columns.
        feature_names : sequence of str, optional
            Names of the columns; by default those that the first estimator saw.
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        RelevanceDisplay
            With ``ax_`` and ``figure_``.
        """
        if not len(estimators):
            raise ValueError("expected at least one fitted estimator, got none; pass a list")
        found = [learned(estimator, "relevance_") for estimator in estimators]
        sizes = sorted({len(relevance) for relevance in found})
        if len(sizes) > 1:
            raise ValueError(
                f"expected estimators with equally many parameters, got {sizes}; fit them on the "
                "same columns with the same kernel"
            )
        names = list(found[0])
        if feature_names is not None:
            names = _given_names(feature_names, len(names))
        is_scale = hasattr(last_step(estimators[0]), "theta_")
        quantity = "learned scale θ" if is_scale else "part of what is explained, lost by shuffling"
        values = [list(relevance.values()) for relevance in found]
        return cls(values, names, quantity).plot(ax=ax)

    def _draw(self, ax: Axes | None) -> Axes:
        kept = largest(np.median(self.relevance, axis=0))
        ax = new_axes(ax, height=bars_height(len(kept)))
        shown, labels = self.relevance[:, kept], [self.labels[j] for j in kept]
        if len(shown) == 1:
            self.bars_ = draw_bars(ax, shown[0], labels, POSITIVE)
        else:
            self.boxes_ = _draw_boxes(ax, shown)
            name_rows(ax, labels)
        ax.set_xlim(left=0.0)
        hidden = self.relevance.shape[1] - len(kept)
        ax.set_xlabel(with_the_rest(self.quantity, hidden, "columns"))
        return ax


def _draw_boxes(ax: Axes, samples: Array) -> dict[str, list[Line2D]]:
    lines = {"color": ink()}
    return ax.boxplot(
        samples,
        positions=np.arange(samples.shape[1]),
        orientation="horizontal",
        widths=0.6,
        boxprops=lines,
        whiskerprops=lines,
        capprops=lines,
        flierprops={"markeredgecolor": ink(), "markersize": 3},
        medianprops={"color": POSITIVE, "linewidth": 2.0},
    )


def _given_names(names: Sequence[str], n_columns: int) -> list[str]:
    if len(names) != n_columns:
        raise ValueError(
            f"expected {n_columns} feature names, one for each relevance, got {len(names)}; pass a "
            "name for every column"
        )
    return [str(name) for name in names]
