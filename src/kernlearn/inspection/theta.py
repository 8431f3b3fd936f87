"""A picture of the scales that first-level estimators learn."""

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


class ThetaDisplay(Display):
    """The learned scale θ of every column: bars for one model, box plots for several.

    Box plots of models fitted to bootstrap samples or to several splits show how far the scales can
    be relied upon (Cawley and Talbot 2014, Figures 4 and 5).

    After `plot`, there are ``bars_`` or ``boxes_``; of more than thirty columns, those of the
    largest scales.

    Parameters
    ----------
    thetas : array-like of shape (d,) or (n_models, d)
        Scales of one model, or of several in rows.
    labels : sequence of str
        Names of the columns.

    See Also
    --------
    RelevanceDisplay : Score lost when a column is shuffled, for every estimator.

    Examples
    --------
    >>> display = ThetaDisplay([0.5, 0.0], ["age", "weight"])
    >>> display.thetas
    array([[0.5, 0. ]])
    """

    def __init__(self, thetas: ArrayLike, labels: Sequence[str]) -> None:
        self.thetas: Array = np.atleast_2d(np.asarray(thetas, dtype=float))
        self.labels = list(labels)

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        feature_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw ``theta_`` of a fitted estimator.

        Parameters
        ----------
        estimator : estimator with ``theta_``, or a Pipeline that ends in one
            Fitted, for example a FirstLevelClassifier.
        feature_names : sequence of str, optional
            Names of the columns; by default those that the estimator saw.
        ax : matplotlib axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        ThetaDisplay
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
        """Draw ``theta_`` of several fitted estimators, for example of bootstrap samples.

        Parameters
        ----------
        estimators : sequence of estimators with ``theta_``, or of Pipelines
            Fitted on the same columns.
        feature_names : sequence of str, optional
            Names of the columns; by default those that the first estimator saw.
        ax : matplotlib axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        ThetaDisplay
            With ``ax_`` and ``figure_``.
        """
        if not len(estimators):
            raise ValueError("expected at least one fitted estimator, got none; pass a list")
        found = [learned(estimator, "theta_") for estimator in estimators]
        sizes = sorted({len(theta) for theta in found})
        if len(sizes) > 1:
            raise ValueError(
                f"expected estimators with equally many parameters, got {sizes}; fit them on the "
                "same columns with the same kernel"
            )
        names = theta_names(last_step(estimators[0]))
        if feature_names is not None:
            names = _given_names(feature_names, len(names))
        return cls(found, names).plot(ax=ax)

    def _draw(self, ax: Axes | None) -> Axes:
        kept = largest(np.median(self.thetas, axis=0))
        ax = new_axes(ax, height=bars_height(len(kept)))
        shown, labels = self.thetas[:, kept], [self.labels[j] for j in kept]
        if len(shown) == 1:
            self.bars_ = draw_bars(ax, shown[0], labels, POSITIVE)
        else:
            self.boxes_ = _draw_boxes(ax, shown)
            name_rows(ax, labels)
        ax.set_xlim(left=0.0)
        hidden = self.thetas.shape[1] - len(kept)
        ax.set_xlabel(with_the_rest("learned scale θ", hidden, "columns"))
        return ax


def theta_names(estimator: BaseEstimator) -> list[str]:
    """The columns of θ; numbers where θ is not one for every column."""
    if hasattr(estimator, "substitution_matrix_"):
        raise ValueError(
            "expected an estimator that has learned scales, got one with a substitution matrix, "
            "whose θ is the root; show substitution_matrix_"
        )
    n_features, n = getattr(estimator, "n_features_in_", None), len(estimator.theta_)
    if n != n_features:
        return [f"theta{i}" for i in range(n)]
    return [str(c) for c in getattr(estimator, "feature_names_in_", [f"x{i}" for i in range(n)])]


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
            f"expected {n_columns} feature names, one for each θ, got {len(names)}; pass a "
            "name for every column"
        )
    return [str(name) for name in names]
