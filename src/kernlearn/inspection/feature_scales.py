"""A picture of the learned kernel's length scale along each column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from kernlearn.inspection._bars import MOST_BARS, bars_height, draw_bars, with_the_rest
from kernlearn.inspection._display import Display
from kernlearn.inspection._learned import last_step, learned, transformed_rows
from kernlearn.inspection._matplotlib import Axes, new_axes
from kernlearn.inspection.kernel_weights import POSITIVE
from kernlearn.typing import Array


class FeatureScalesDisplay(Display):
    r"""Bars of each column's spread in units of the learned kernel's width there.

    With σ_j the standard deviation of column j and s_j the distance over which the kernel falls
    off (``feature_scales_`` of a hyperkernel estimator), the bar is :math:`\sigma_j / s_j`: the
    longer, the more the column tells points apart; zero where the kernel does not see it.

    After `plot`, ``bars_`` holds the bars; of more than thirty columns, the longest are drawn.

    Parameters
    ----------
    spread : array-like of shape (d,)
        The ratios σ_j / s_j.
    labels : sequence of str
        Names of the columns.

    Attributes
    ----------
    spread, labels : ndarray and list
        From long to short; at most the first thirty are drawn.

    Examples
    --------
    >>> display = FeatureScalesDisplay([0.1, 2.0], ["age", "weight"])
    >>> display.spread, display.labels
    (array([2. , 0.1]), ['weight', 'age'])
    """

    def __init__(self, spread: ArrayLike, labels: Sequence[str]) -> None:
        ratios = np.asarray(spread, dtype=float)
        if ratios.shape != (len(labels),):
            raise ValueError(
                f"expected one ratio for each of {len(labels)} columns, got shape {ratios.shape}; "
                "pass a name for every column"
            )
        order = np.argsort(-ratios, kind="stable")
        self.spread: Array = ratios[order]
        self.labels = [str(labels[j]) for j in order]

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: ArrayLike,
        feature_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the scales of a fitted estimator on points.

        Parameters
        ----------
        estimator : estimator with ``feature_scales_``, or a Pipeline that ends in one
            Fitted, for example a HyperkernelClassifier.
        X : array-like of shape (n, n_features)
            Points, for the spread of the columns; usually the training data.
        feature_names : sequence of str, optional
            Names of the columns that the estimator sees; by default those it was fitted with.
        ax : matplotlib axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        FeatureScalesDisplay
            With ``ax_`` and ``figure_``.
        """
        scales = np.asarray(learned(estimator, "feature_scales_"), dtype=float)
        # Zero over infinity is zero: a constant column without effect on the kernel.
        spread = np.asarray(transformed_rows(estimator, X), dtype=float).std(axis=0) / scales
        if feature_names is None:
            default = [f"x{j}" for j in range(len(scales))]
            feature_names = list(getattr(last_step(estimator), "feature_names_in_", default))
        return cls(spread, list(feature_names)).plot(ax=ax)

    def _draw(self, ax: Axes | None) -> Axes:
        shown = self.spread[:MOST_BARS]
        ax = new_axes(ax, height=bars_height(len(shown)))
        self.bars_ = draw_bars(ax, shown, self.labels[:MOST_BARS], POSITIVE)
        ax.set_xlim(left=0.0)
        hidden = len(self.spread) - len(shown)
        ax.set_xlabel(with_the_rest("standard deviation / learned width", hidden, "columns"))
        return ax
