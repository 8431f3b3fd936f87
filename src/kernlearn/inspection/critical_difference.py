"""The critical-difference diagram: mean ranks, and which of them differ significantly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.comparison import Comparison, compare
from kernlearn.inspection._display import Display
from kernlearn.inspection._matplotlib import Axes, ink, new_axes
from kernlearn.inspection._text import AS_TEXT, axis_label
from kernlearn.typing import Array

# Heights, in lines of text below the axis of ranks.
BAR_STEP, LABEL_GAP, LABEL_STEP, RULER, CEILING = 0.5, 1.0, 1.0, -2.0, -3.2
INCHES_PER_LINE = 0.24
# Width of the axis of ranks, and of a character of a name to either side of it.
AXIS_INCHES, INCHES_PER_CHARACTER = 4.0, 0.09


class CriticalDifferenceDisplay(Display):
    """Mean ranks on a line, with heavy bars over methods that are not significantly different.

    As in Figures 2 and 3 of Cawley and Talbot (2014), with the best method to the left.

    After `plot`, ``bars_`` holds the lines and ``labels_`` the texts.

    Parameters
    ----------
    mean_ranks : array-like of shape (k,)
        Mean ranks, 1 = best.
    labels : sequence of str
        Names of the methods.
    critical_difference : float
        Length of the ruler.
    groups : iterable of sequences of str
        Names of the methods under each bar.

    Examples
    --------
    >>> display = CriticalDifferenceDisplay([2.6, 1.2, 2.1], ["a", "b", "c"], 0.8, [("c", "a")])
    >>> display.bars
    array([[2.1, 2.6]])
    """

    def __init__(
        self,
        mean_ranks: ArrayLike,
        labels: Sequence[str],
        critical_difference: float,
        groups: Iterable[Sequence[str]],
    ) -> None:
        self.mean_ranks: Array = np.asarray(mean_ranks, dtype=float)
        self.labels = list(labels)
        self.critical_difference = float(critical_difference)
        self.groups = [tuple(group) for group in groups]

    @classmethod
    def from_comparison(
        cls, comparison: Comparison, alpha: float = 0.1, ax: Axes | None = None
    ) -> Self:
        """Draw the diagram of a comparison.

        Parameters
        ----------
        comparison : Comparison
            From `kernlearn.comparison.compare`.
        alpha : float, default=0.1
            Level of the tests.
        ax : matplotlib axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        CriticalDifferenceDisplay
            With ``ax_`` and ``figure_``.
        """
        ranks = comparison.ranks
        groups = [[str(name) for name in group] for group in comparison.groups(alpha)]
        labels = [str(name) for name in ranks.index]
        cd = comparison.critical_difference(alpha)
        return cls(ranks.to_numpy(), labels, cd, groups).plot(ax=ax)

    @classmethod
    def from_table(
        cls,
        table: object,
        lower_is_better: bool = True,
        *,
        alpha: float = 0.1,
        ax: Axes | None = None,
    ) -> Self:
        """Compare the methods of a table and draw the diagram.

        Parameters
        ----------
        table : DataFrame, dict or array-like
            Scores: rows are data sets, columns methods.
        lower_is_better : bool, default=True
            True for errors, False for accuracies.
        alpha : float, default=0.1
            Level of the tests.
        ax : matplotlib axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        CriticalDifferenceDisplay
            With ``ax_`` and ``figure_``.
        """
        return cls.from_comparison(compare(table, lower_is_better), alpha, ax)

    @property
    def bars(self) -> Array:
        """First and last mean rank under each bar, of shape (bars, 2)."""
        rank = dict(zip(self.labels, self.mean_ranks, strict=True))
        members = [[float(rank[name]) for name in group] for group in self.groups]
        return np.array([[min(m), max(m)] for m in members], dtype=float).reshape(-1, 2)

    def _draw(self, ax: Axes | None) -> Axes:
        k = len(self.labels)
        names = [len(axis_label(name)) for name in self.labels]
        width = AXIS_INCHES + 2.0 * INCHES_PER_CHARACTER * (max(names, default=0) + 6)
        top = LABEL_GAP + BAR_STEP * len(self.groups)
        depth = top + LABEL_STEP * ((k + 1) // 2)
        ax = new_axes(ax, height=INCHES_PER_LINE * (depth - CEILING), width=width)
        ax.set(xlim=(1, k), ylim=(depth, CEILING), yticks=[], xticks=range(1, k + 1))
        ax.xaxis.tick_top()
        ax.spines["top"].set_position(("data", 0.0))
        ax.spines[["left", "right", "bottom"]].set_visible(False)
        self.labels_ = self._draw_labels(ax, top)
        # The marker keeps a bar over equal ranks in sight.
        style: dict[str, Any] = {"color": ink(), "linewidth": 4, "marker": "s", "markersize": 4}
        self.bars_ = [
            ax.plot(ends, [BAR_STEP * (i + 1)] * 2, clip_on=False, **style)[0]
            for i, ends in enumerate(self.bars)
        ]
        self._draw_ruler(ax)
        return ax

    def _draw_labels(self, ax: Axes, top: float) -> list[object]:
        """A stem from each rank to its name: the better half to the left, best on top."""
        k, texts = len(self.labels), {}
        for place, j in enumerate(np.argsort(self.mean_ranks, kind="stable")):
            on_left = place < (k + 1) // 2
            y = top + LABEL_STEP * (place if on_left else k - 1 - place)
            edge, rank = (1 if on_left else k), self.mean_ranks[j]
            ax.plot([rank, rank, edge], [0, y, y], color=ink(), linewidth=0.8, clip_on=False)
            name, value = axis_label(self.labels[j]), f"{rank:.2f}"
            text = f"{name}  {value}" if on_left else f"{value}  {name}"
            offset, side = ((-4, 0), "right") if on_left else ((4, 0), "left")
            style = {"textcoords": "offset points", "ha": side, "va": "center", **AS_TEXT}
            texts[j] = ax.annotate(text, (edge, y), offset, **style)
        return [texts[j] for j in range(k)]

    def _draw_ruler(self, ax: Axes) -> None:
        ends = [1.0, 1.0 + self.critical_difference]
        style: dict[str, Any] = {"color": ink(), "linewidth": 1.2, "clip_on": False}
        (self.ruler_,) = ax.plot(ends, [RULER] * 2, marker="|", **style)
        ax.annotate(
            f"critical difference {self.critical_difference:.2f}",
            (ends[0], RULER),
            (0, 4),
            textcoords="offset points",
        )
