"""Base of all displays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

from kernlearn.inspection._matplotlib import Axes, Figure


class Display(ABC):
    """A picture by scikit-learn's convention: it keeps arrays, and `plot` draws them."""

    ax_: Axes
    figure_: Figure

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        Display
            This object, with ``ax_``, ``figure_`` and what else was drawn.
        """
        self.ax_ = self._draw(ax)
        self.figure_ = self.ax_.figure  # type: ignore[assignment]  # or a SubFigure
        return self

    @abstractmethod
    def _draw(self, ax: Axes | None) -> Axes:
        """Draw into these axes, or into new ones, and return them."""
