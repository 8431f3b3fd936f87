"""A picture of learned kernel weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from kernlearn.inspection._bars import bars_height, draw_bars, largest, with_the_rest
from kernlearn.inspection._display import Display
from kernlearn.inspection._learned import last_step, learned
from kernlearn.inspection._matplotlib import Axes, ink, new_axes
from kernlearn.inspection.labels import kernel_label, shown_kernels
from kernlearn.typing import Array

POSITIVE, NEGATIVE = "#0072b2", "#d55e00"  # distinct with any kind of colour vision


class KernelWeightsDisplay(Display):
    """Bars of the learned weights, one per kernel.

    After `plot`, ``bars_`` holds the bars; of more than thirty kernels, the largest are drawn.

    Parameters
    ----------
    weights : array-like of shape (m,)
        The weights.
    labels : sequence of str
        Names of the kernels.

    Examples
    --------
    >>> display = KernelWeightsDisplay([0.5, 0.0, 2.0], ["linear", "quadratic", "Gaussian"])
    >>> display.weights
    array([0.5, 0. , 2. ])
    """

    def __init__(self, weights: ArrayLike, labels: Sequence[str]) -> None:
        self.weights: Array = np.asarray(weights, dtype=float)
        self.labels = list(labels)

    @classmethod
    def from_estimator(cls, estimator: BaseEstimator, ax: Axes | None = None) -> Self:
        """Draw the weights of a fitted estimator.

        Parameters
        ----------
        estimator : estimator with ``weights_`` and ``kernels_`` or ``pivots_``, or a Pipeline
            Fitted; the last step of a pipeline is drawn. Sections of a hyperkernel, and kernels of
            a family such as :class:`kernlearn.kernels.Grid`, are drawn if they have weight.
        ax : matplotlib axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        KernelWeightsDisplay
            With ``ax_`` and ``figure_``.
        """
        weights, step = np.asarray(learned(estimator, "weights_")), last_step(estimator)
        if hasattr(step, "pivots_"):
            kept = np.flatnonzero(weights)
            labels = [f"section at pair {p} of {len(weights)}" for p in kept + 1]
            return cls(weights[kept], labels).plot(ax=ax)
        numbers = shown_kernels(step)
        labels = [kernel_label(step.kernels_[i]) for i in numbers]
        return cls(weights[numbers], labels).plot(ax=ax)

    def _draw(self, ax: Axes | None) -> Axes:
        kept = largest(np.abs(self.weights))
        ax = new_axes(ax, height=bars_height(len(kept)))
        shown = self.weights[kept]
        colours = [NEGATIVE if w < 0 else POSITIVE for w in shown]
        self.bars_ = draw_bars(ax, shown, [self.labels[i] for i in kept], colours)
        ax.axvline(0.0, color=ink(), linewidth=0.8)
        ax.set_xlabel(with_the_rest("learned weight", len(self.weights) - len(kept), "kernels"))
        return ax
