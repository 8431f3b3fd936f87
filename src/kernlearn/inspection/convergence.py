"""A picture of how a fit closed its duality gap."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from kernlearn._checks import check_choice
from kernlearn.inspection._learned import last_step, learned
from kernlearn.inspection._matplotlib import Axes, Line2D, new_axes
from kernlearn.inspection._text import plain_legend, power_of_ten
from kernlearn.inspection.kernel_weights import NEGATIVE, POSITIVE
from kernlearn.typing import Array

# Gap shown on a logarithmic axis in place of an exact zero: half a unit of the last digit.
SMALLEST = np.finfo(float).eps / 2.0


class ConvergenceDisplay:
    r"""Objective and lower bound against the number of machine solves.

    The relative gap is :math:`(\text{objective} - \text{bound}) / |\text{objective}|`, of the
    best of both so far, as the fit's tolerance bounds it.

    Parameters
    ----------
    n_machine_solves, objective, lower_bound : array-like of shape (n_steps,)
        The history of a fit; a bound that is not known yet is minus infinity.

    Examples
    --------
    >>> display = ConvergenceDisplay([1, 2, 3], [4.0, 2.0, 2.0], [-4.0, 1.0, 2.0])
    >>> display.gap
    array([2. , 0.5, 0. ])
    """

    def __init__(
        self, n_machine_solves: ArrayLike, objective: ArrayLike, lower_bound: ArrayLike
    ) -> None:
        self.n_machine_solves: Array = np.asarray(n_machine_solves, dtype=float)
        self.objective: Array = np.asarray(objective, dtype=float)
        self.lower_bound: Array = np.asarray(lower_bound, dtype=float)

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, kind: str = "gap", ax: Axes | None = None
    ) -> Self:
        """Draw the history of a fitted estimator.

        Parameters
        ----------
        estimator : estimator with ``history_``, or a Pipeline that ends in one
            Fitted.
        kind : {"gap", "bounds"}, default="gap"
            See `plot`.
        ax : matplotlib axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        ConvergenceDisplay
            With ``ax_`` and ``figure_``.
        """
        history, step = learned(estimator, "history_"), last_step(estimator)
        rows = [(s.n_machine_solves, s.objective, s.lower_bound) for s in history]
        # The certificate is computed once more at the end, and may be better than the last step.
        rows.append((step.n_machine_solves_, step.objective_, step.lower_bound_))
        solves, objective, lower = np.array(rows, dtype=float).T
        return cls(solves, objective, lower).plot(kind=kind, ax=ax)

    @property
    def gap(self) -> Array:
        """Relative gap after every step."""
        best = np.minimum.accumulate(self.objective)
        bound = np.maximum.accumulate(self.lower_bound)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.maximum(best - bound, 0.0) / np.abs(best))

    def plot(self, kind: str = "gap", ax: Axes | None = None) -> Self:
        """Draw the gap on a logarithmic scale, or both bounds as they close in.

        Parameters
        ----------
        kind : {"gap", "bounds"}, default="gap"
            Quantity to draw.
        ax : matplotlib axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        ConvergenceDisplay
            This object, with ``ax_``, ``figure_`` and ``lines_``.
        """
        check_choice("kind", kind, ["gap", "bounds"])
        ax = new_axes(ax)
        self.lines_ = self._draw_gap(ax) if kind == "gap" else self._draw_bounds(ax)
        ax.set_xlabel("machine solves")
        ax.locator_params(axis="x", integer=True)
        ax.spines[["top", "right"]].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_gap(self, ax: Axes) -> list[Line2D]:
        gap = np.where(np.isfinite(self.gap), np.maximum(self.gap, SMALLEST), np.nan)
        lines = ax.plot(self.n_machine_solves, gap, color=POSITIVE, marker="o", markersize=4)
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter(power_of_ten)
        ax.yaxis.set_minor_formatter("")
        ax.set_ylabel("relative duality gap")
        return list(lines)

    def _draw_bounds(self, ax: Axes) -> list[Line2D]:
        lower = np.where(np.isfinite(self.lower_bound), self.lower_bound, np.nan)
        style: dict[str, Any] = {"marker": "o", "markersize": 4}
        lines = ax.plot(
            self.n_machine_solves, self.objective, color=NEGATIVE, label="objective", **style
        )
        lines += ax.plot(self.n_machine_solves, lower, color=POSITIVE, label="lower bound", **style)
        ax.set_ylabel("objective")
        plain_legend(ax)
        return list(lines)
