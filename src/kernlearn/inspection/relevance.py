"""A picture of which columns matter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from kernlearn.inspection._bars import bars_height, draw_bars, largest, name_rows, with_the_rest
from kernlearn.inspection._matplotlib import ink, new_axes
from kernlearn.inspection.kernel_weights import POSITIVE


class RelevanceDisplay:
    """Learned scales θ, one per column: bars for one model, box plots for several.

    Box plots of models fitted to bootstrap samples or to several splits show how far a scale can
    be relied upon (Cawley and Talbot 2014, Figures 4 and 5).

    Parameters
    ----------
    relevance : array-like of shape (d,) or (n_models, d)
        θ of one model, or of several in rows.
    labels : sequence of str
        Names of the columns.

    Examples
    --------
    >>> display = RelevanceDisplay([0.5, 0.0], ["age", "weight"])
    >>> display.relevance
    array([[0.5, 0. ]])
    """

    def __init__(self, relevance: ArrayLike, labels: Sequence[str]) -> None:
        self.relevance: NDArray[np.float64] = np.atleast_2d(np.asarray(relevance, dtype=float))
        self.labels = list(labels)

    @classmethod
    def from_estimator(
        cls, estimator: Any, feature_names: Sequence[str] | None = None, ax: Any = None
    ) -> RelevanceDisplay:
        """Draw ``theta_`` of a fitted estimator.

        Parameters
        ----------
        estimator : estimator with ``theta_``
            Fitted, for example a FirstLevelClassifier.
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
        estimators: Sequence[Any],
        feature_names: Sequence[str] | None = None,
        ax: Any = None,
    ) -> RelevanceDisplay:
        """Draw ``theta_`` of several fitted estimators, for example of bootstrap samples.

        Parameters
        ----------
        estimators : sequence of estimators with ``theta_``
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
        for estimator in estimators:
            check_is_fitted(estimator, ["theta_"])
        sizes = sorted({len(estimator.theta_) for estimator in estimators})
        if len(sizes) > 1:
            raise ValueError(
                f"expected estimators with equally many parameters, got {sizes}; fit them on the "
                "same columns with the same kernel"
            )
        names = _names(estimators[0], feature_names)
        return cls([estimator.theta_ for estimator in estimators], names).plot(ax=ax)

    def plot(self, ax: Any = None) -> RelevanceDisplay:
        """Draw the bars or boxes; of more than thirty columns, those with the largest scales.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        RelevanceDisplay
            This object, with ``ax_`` and ``figure_``, and ``bars_`` or ``boxes_``.
        """
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
        ax.set_xlabel(with_the_rest("learned scale θ", hidden, "columns"))
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _draw_boxes(ax: Any, samples: NDArray[np.float64]) -> Any:
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


def _names(estimator: Any, feature_names: Sequence[str] | None) -> list[str]:
    n_parameters = len(estimator.theta_)
    if feature_names is not None:
        names = [str(name) for name in feature_names]
        if len(names) != n_parameters:
            raise ValueError(
                f"expected {n_parameters} feature names, one for each θ, got {len(names)}; pass a "
                "name for every column"
            )
        return names
    seen = getattr(estimator, "feature_names_in_", None)
    if seen is not None and len(seen) == n_parameters:
        return [str(name) for name in seen]
    letter = "x" if getattr(estimator, "n_features_in_", n_parameters) == n_parameters else "θ"
    return [f"{letter}{i}" for i in range(n_parameters)]
