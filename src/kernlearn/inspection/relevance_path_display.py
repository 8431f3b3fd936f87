"""How the learned scales change with their regularisation: the picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlearn.inspection._matplotlib import new_axes

Array = NDArray[np.float64]


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

    def plot(self, ax: Any = None) -> RelevancePathDisplay:
        """Draw the lines.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        RelevancePathDisplay
            This object, with ``lines_``, ``ax_`` and ``figure_``.
        """
        ax = new_axes(ax)
        self.lines_ = ax.plot(self.mus, self.thetas)
        ax.set_xscale("log")
        ax.invert_xaxis()
        ax.set_ylim(bottom=0.0)
        if self.mu is not None:
            ax.axvline(self.mu, color="black", linewidth=0.8, linestyle="--")
        self._name_lines(ax)
        ax.set_xlabel("regularisation μ of the scales")
        ax.set_ylabel("learned scale θ")
        ax.spines[["top", "right"]].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _name_lines(self, ax: Any) -> None:
        """Names at the ends of the lines, the largest first, as far as they do not overlap."""
        last = int(np.argmin(self.mus))
        ends, top = self.thetas[last], float(self.thetas.max())
        taken: list[float] = []
        for j in np.argsort(ends)[::-1]:
            if all(abs(ends[j] - place) > 0.04 * top for place in taken):
                taken.append(float(ends[j]))
                ax.annotate(
                    self.labels[j],
                    (self.mus[last], ends[j]),
                    xytext=(4, 0),
                    textcoords="offset points",
                    va="center",
                    color=self.lines_[j].get_color(),
                )
