"""A picture of the learned weights along a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone

from kernlearn.estimators.mkl.parameters import CombinationParameters
from kernlearn.inspection._classes import class_colour, class_marker
from kernlearn.inspection._display import Display
from kernlearn.inspection._learned import last_step, learned
from kernlearn.inspection._matplotlib import Axes, Line2D, ink, new_axes
from kernlearn.inspection._text import legend_label, plain_legend, power_of_ten
from kernlearn.inspection.labels import kernel_label
from kernlearn.runtime.convergence_warnings import interrupts_end_everything
from kernlearn.typing import Array, Indices

# Most curves with distinct colours; the rest is drawn grey.
MOST_NAMED = 7
_GREY = "#999999"


class WeightPathDisplay(Display):
    """One curve per kernel: its weight against a parameter, say C or λ_Q.

    After `plot`, ``lines_`` holds the curves, those of `named` first.

    Parameters
    ----------
    values : array-like of shape (n_values,)
        Values of the parameter, positive and ascending.
    weights : array-like of shape (n_values, m)
        The weights learned at each.
    labels : sequence of str
        Names of the m kernels.
    parameter : str, default="C"
        Name of the parameter.

    Attributes
    ----------
    named : ndarray
        The kernels with a colour and a name of their own: those that reach the largest weights, at
        most seven. The other ones that have weight are grey.

    Examples
    --------
    >>> display = WeightPathDisplay([0.1, 1.0], [[2.0, 0.0], [0.5, 0.0]], ["linear", "Gaussian"])
    >>> display.weights.shape, display.named
    ((2, 2), array([0]))
    """

    def __init__(
        self,
        values: ArrayLike,
        weights: ArrayLike,
        labels: Sequence[str],
        parameter: str = "C",
    ) -> None:
        self.values: Array = np.asarray(values, dtype=float)
        self.weights: Array = np.asarray(weights, dtype=float)
        self.labels = list(labels)
        self.parameter = parameter
        if self.weights.shape != (len(self.values), len(self.labels)):
            raise ValueError(
                f"expected weights of shape {(len(self.values), len(self.labels))}, values by "
                f"labels, got {self.weights.shape}; pass one row for each value"
            )
        largest = np.abs(self.weights).max(axis=0, initial=0.0)
        self._used = np.argsort(-largest, kind="stable")[: np.count_nonzero(largest)]
        self.named: Indices = self._used[:MOST_NAMED]

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: ArrayLike,
        y: ArrayLike,
        parameter: str = "C",
        values: ArrayLike = (0.01, 0.1, 1.0, 10.0, 100.0),
        ax: Axes | None = None,
    ) -> Self:
        """Fit for every value, each time from the last one's solution, and draw the weights.

        A random choice of sections must be fixed by an integer ``random_state`` for the curves to
        be of the same kernels.

        Parameters
        ----------
        estimator : estimator with ``weights_`` once fitted
            For example an MKLClassifier or a HyperkernelClassifier, or a Pipeline that ends in one;
            it is not changed.
        X, y : array-like
            Data to fit.
        parameter : str, default="C"
            The parameter to vary, for example ``"lambda_q"``, or ``"mklclassifier__C"`` of a
            pipeline.
        values : array-like, default=(0.01, 0.1, 1, 10, 100)
            Values of the parameter, positive.
        ax : matplotlib axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        WeightPathDisplay
            With ``ax_`` and ``figure_``.
        """
        grid = _checked_values(values)
        model = clone(estimator)
        if isinstance(model, CombinationParameters):
            model.set_params(options__warm_start=True)
        path = []
        with interrupts_end_everything():
            for value in grid:
                model.set_params(**{parameter: float(value)}).fit(X, y)
                path.append(learned(model, "weights_"))
        sizes = sorted({len(weights) for weights in path})
        if len(sizes) > 1:
            raise ValueError(
                f"expected as many kernels at every value, got {sizes}; vary a parameter that "
                "leaves the kernels alone, such as C or lambda_q"
            )
        shown = np.arange(sizes[0])
        fit = last_step(model)
        if not hasattr(fit, "pivots_") and not isinstance(fit.kernels_, list):
            # Only the kernels of a family that have weight somewhere are shown.
            shown = np.flatnonzero(np.any(path, axis=0))
        labels = _labels(fit, shown)
        return cls(grid, [weights[shown] for weights in path], labels, parameter).plot(ax=ax)

    def _draw(self, ax: Axes | None) -> Axes:
        ax = new_axes(ax, width=8.0)
        labels = [self.labels[i] for i in self._used]
        named = np.arange(len(self.named))
        self.lines_ = draw_parameter_curves(
            ax, self.values, self.weights[:, self._used], labels, named
        )
        ax.axhline(0.0, color=ink(), linewidth=0.8)
        ax.set_xlabel(self.parameter, parse_math=False)
        ax.set_ylabel("learned weight")
        ax.spines[["top", "right"]].set_visible(False)
        if self.lines_:
            plain_legend(ax, loc="center left", bbox_to_anchor=(1.0, 0.5))
        return ax


def _checked_values(values: ArrayLike) -> Array:
    grid = np.sort(np.asarray(values, dtype=float).ravel())
    if not len(grid) or not (np.isfinite(grid).all() and grid[0] > 0):
        raise ValueError(
            f"expected positive values of the parameter, got {values!r}; pass for example "
            "[0.1, 1, 10]"
        )
    return grid


def _labels(fit: BaseEstimator, shown: Indices) -> list[str]:
    if hasattr(fit, "pivots_"):
        return [f"section at pair {p} of {len(fit.weights_)}" for p in shown + 1]
    return [kernel_label(fit.kernels_[i]) for i in shown]


def draw_parameter_curves(
    ax: Axes, x: Array, curves: Array, labels: Sequence[str], named: Indices
) -> list[Line2D]:
    """A line for each column over a logarithmic axis: some with a name, the others grey."""
    places = {int(j): place for place, j in enumerate(named)}
    lines: list[Line2D] = []
    for j, label in enumerate(labels):
        style: dict[str, Any] = {"color": _GREY, "linewidth": 0.8, "zorder": 1}
        if j in places:
            style = {"color": class_colour(places[j]), "marker": class_marker(places[j])}
            style["label"] = legend_label(label)
        lines += ax.plot(x, curves[:, j], markersize=5, **style)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(power_of_ten)
    ax.xaxis.set_minor_formatter("")
    return lines
