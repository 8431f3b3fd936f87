"""A picture of what was tried, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from kernlearn.inspection._bars import bars_height, name_rows
from kernlearn.inspection._display import Display
from kernlearn.inspection._learned import learned
from kernlearn.inspection._matplotlib import Axes, ink, new_axes
from kernlearn.inspection.kernel_weights import POSITIVE
from kernlearn.typing import Array


class CandidatesDisplay(Display):
    """Held-out losses of candidates with their standard errors, and their weights in the mixture.

    Parameters
    ----------
    labels : sequence of str
        Names of the candidates, the best first.
    losses : array-like of shape (m,)
        Held-out losses.
    errors : array-like of shape (m,)
        Standard errors of the losses.
    weights : array-like of shape (m,)
        Weights in the mixture; members are drawn in colour.

    Examples
    --------
    >>> display = CandidatesDisplay(["Gaussian", "linear"], [0.2, 0.4], [0.02, 0.03], [1.0, 0.0])
    >>> display.weights
    array([1., 0.])
    """

    def __init__(
        self, labels: Sequence[str], losses: ArrayLike, errors: ArrayLike, weights: ArrayLike
    ) -> None:
        self.labels = list(labels)
        self.losses: Array = np.asarray(losses, dtype=float)
        self.errors: Array = np.asarray(errors, dtype=float)
        self.weights: Array = np.asarray(weights, dtype=float)

    @classmethod
    def from_estimator(cls, estimator: BaseEstimator, ax: Axes | None = None) -> Self:
        """Draw ``candidates_`` of a fitted estimator.

        Parameters
        ----------
        estimator : KernelClassifier or KernelRegressor, or a Pipeline that ends in one
            Fitted.
        ax : matplotlib axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        CandidatesDisplay
            With ``ax_`` and ``figure_``.
        """
        table = learned(estimator, "candidates_")
        columns = ("candidate", "held_out_loss", "standard_error", "weight")
        return cls(*(table[name].tolist() for name in columns)).plot(ax=ax)

    def _draw(self, ax: Axes | None) -> Axes:
        ax = new_axes(ax, height=bars_height(len(self.labels)))
        places = np.arange(len(self.labels))
        for chosen, color in ((self.weights <= 0, ink()), (self.weights > 0, POSITIVE)):
            ax.errorbar(
                self.losses[chosen],
                places[chosen],
                xerr=self.errors[chosen],
                fmt="o",
                color=color,
                markersize=5,
                elinewidth=1.2,
            )
        for place in places[self.weights > 0]:
            end = (self.losses[place] + self.errors[place], place)
            ax.annotate(
                f"{self.weights[place]:.2f}",
                end,
                xytext=(6, 0),
                textcoords="offset points",
                va="center",
                color=POSITIVE,
                fontsize="small",
            )
        name_rows(ax, self.labels)
        ax.margins(x=0.12)
        ax.set_xlabel("held-out loss ± standard error")
        return ax
