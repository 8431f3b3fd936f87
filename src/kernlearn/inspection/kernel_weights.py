"""A picture of learned kernel weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from kernlearn.inspection._matplotlib import new_axes
from kernlearn.inspection.labels import kernel_label

POSITIVE, NEGATIVE = "#0072b2", "#d55e00"  # told apart with any kind of colour vision


class KernelWeightsDisplay:
    """Bars of the learned weights, one per kernel.

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
        self.weights: NDArray[np.float64] = np.asarray(weights, dtype=float)
        self.labels = list(labels)

    @classmethod
    def from_estimator(cls, estimator: Any, ax: Any = None) -> KernelWeightsDisplay:
        """Draw the weights of a fitted estimator.

        Parameters
        ----------
        estimator : estimator with ``weights_`` and ``kernels_`` or ``pivots_``
            Fitted. Of the sections of a hyperkernel, those that have weight are drawn.
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        KernelWeightsDisplay
            With ``ax_`` and ``figure_``.
        """
        check_is_fitted(estimator, "weights_")
        if hasattr(estimator, "pivots_"):
            weights = np.asarray(estimator.weights_)
            kept = np.flatnonzero(weights)
            labels = [f"section at pair {p} of {len(weights)}" for p in kept + 1]
            return cls(weights[kept], labels).plot(ax=ax)
        labels = [kernel_label(kernel) for kernel in estimator.kernels_]
        return cls(estimator.weights_, labels).plot(ax=ax)

    def plot(self, ax: Any = None) -> KernelWeightsDisplay:
        """Draw the bars.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        KernelWeightsDisplay
            This object, with ``ax_`` and ``figure_``.
        """
        ax = new_axes(ax, height=0.8 + 0.35 * len(self.weights))
        places = np.arange(len(self.weights))
        colours = [NEGATIVE if w < 0 else POSITIVE for w in self.weights]
        self.bars_ = ax.barh(places, self.weights, color=colours)
        ax.bar_label(self.bars_, [f"{w:.3g}" for w in self.weights], padding=3)
        ax.set_yticks(places, self.labels)
        ax.invert_yaxis()
        ax.axvline(0.0, color="black", linewidth=0.8)
        ax.margins(x=0.15)
        ax.set_xlabel("learned weight")
        ax.spines[["top", "right"]].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self
