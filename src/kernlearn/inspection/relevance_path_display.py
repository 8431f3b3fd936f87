"""How the learned scales change with their regularisation: the picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlearn.inspection._classes import class_colour, class_legend, class_marker
from kernlearn.inspection._matplotlib import ink, new_axes
from kernlearn.inspection._text import legend_label, power_of_ten
from kernlearn.inspection.weight_path import GREY, MOST_NAMED
from kernlearn.typing import Array


class RelevancePathDisplay:
    """Lines of θ over μ, one per column.

    Parameters
    ----------
    mus : array-like of shape (m,)
        Values of μ.
    thetas : array-like of shape (m, p)
        θ at each of them.
    labels : sequence of str
        Names of the columns.
    mu : float, optional
        The μ that cross-validation chose, marked in the picture.

    Attributes
    ----------
    named : ndarray
        The columns with a colour and a name of their own: those that reach the largest θ, at most
        seven. The others are grey.

    Examples
    --------
    >>> display = RelevancePathDisplay([1.0, 0.1], [[0.1, 0.1], [0.8, 0.0]], ["age", "weight"])
    >>> display.thetas.shape
    (2, 2)
    """

    def __init__(
        self, mus: ArrayLike, thetas: ArrayLike, labels: Sequence[str], mu: float | None = None
    ) -> None:
        self.mus: Array = np.asarray(mus, dtype=float)
        self.thetas: Array = np.asarray(thetas, dtype=float)
        self.labels = list(labels)
        self.mu = mu
        largest = self.thetas.max(axis=0, initial=0.0)
        order = np.argsort(-largest, kind="stable")
        self.named: NDArray[np.intp] = order[: min(MOST_NAMED, np.count_nonzero(largest))]

    def plot(self, ax: Any = None) -> RelevancePathDisplay:
        """Draw the lines.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        RelevancePathDisplay
            This object, with ``lines_``, one per column, ``ax_`` and ``figure_``.
        """
        ax = new_axes(ax, width=8.0)
        self.lines_ = self._draw_lines(ax)
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(power_of_ten)
        ax.xaxis.set_minor_formatter("")
        ax.invert_xaxis()
        ax.set_ylim(bottom=0.0)
        if self.mu is not None:
            ax.axvline(self.mu, color=ink(), linewidth=0.8, linestyle="--")
        ax.set_xlabel("regularisation μ of the scales")
        ax.set_ylabel("learned scale θ")
        ax.spines[["top", "right"]].set_visible(False)
        if self.named.size:
            class_legend(ax, [self.lines_[j] for j in self.named])
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_lines(self, ax: Any) -> list[Any]:
        places = {int(j): place for place, j in enumerate(self.named)}
        lines = []
        for j, label in enumerate(self.labels):
            style: dict[str, Any] = {"color": GREY, "linewidth": 0.8, "zorder": 1}
            if j in places:
                style = {"color": class_colour(places[j]), "marker": class_marker(places[j])}
                style["label"] = legend_label(label)
            lines += ax.plot(self.mus, self.thetas[:, j], markersize=4, **style)
        return lines
