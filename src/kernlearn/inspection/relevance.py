"""A picture of which columns matter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from kernlearn.inspection._matplotlib import new_axes

COLOUR = "#0072b2"


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
        """Draw the bars or boxes.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        RelevanceDisplay
            This object, with ``ax_`` and ``figure_``, and ``bars_`` or ``boxes_``.
        """
        n_models, n_columns = self.relevance.shape
        ax = new_axes(ax, height=0.8 + 0.3 * n_columns)
        places = np.arange(n_columns)
        if n_models == 1:
            self.bars_ = ax.barh(places, self.relevance[0], color=COLOUR)
            ax.bar_label(self.bars_, [f"{value:.3g}" for value in self.relevance[0]], padding=3)
            ax.margins(x=0.15)
        else:
            self.boxes_ = ax.boxplot(
                self.relevance,
                positions=places,
                orientation="horizontal",
                widths=0.6,
                medianprops={"color": COLOUR},
            )
        ax.set_yticks(places, self.labels)
        ax.invert_yaxis()
        ax.set_xlim(left=0.0)
        ax.set_xlabel("learned scale θ")
        ax.spines[["top", "right"]].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self


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
