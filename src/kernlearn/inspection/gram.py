"""A picture of the Gram matrix of a learned kernel."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform
from sklearn.base import BaseEstimator, is_regressor

from kernlearn.gram import check_gram
from kernlearn.inspection._classes import names_width
from kernlearn.inspection._display import Display
from kernlearn.inspection._learned import learned_gram
from kernlearn.inspection._matplotlib import Axes, new_axes, points_high, row_size
from kernlearn.inspection._text import AS_TEXT, axis_label
from kernlearn.typing import Array, Indices

# In points; with less than this, names are left out.
SMALLEST_TEXT = 6.0


class GramDisplay(Display):
    r"""The Gram matrix as an image, points of one class next to each other.

    Inside a class, points that are alike in the kernel stand together: they follow the leaves of
    a tree of average linkage on the distances :math:`d_{ij}^2 = K_{ii} - 2K_{ij} + K_{jj}`.

    After `plot`, there are ``image_`` and ``colorbar_``.

    Parameters
    ----------
    gram : array-like of shape (n, n)
        The matrix, in any order.
    y : array-like of shape (n,), optional
        The classes, or the targets of a regression.
    by_class : bool, default=True
        Whether `y` holds classes; otherwise points are put in the order of `y`.

    Attributes
    ----------
    gram : ndarray of shape (n, n)
        The matrix in the order drawn.
    order : ndarray of shape (n,)
        Row of the given matrix in each place.
    classes, counts : list
        The classes from the top, and the number of points of each; empty without classes.
    limits : tuple of float
        The values at the ends of the colours. Colours are spent on the entries off the diagonal,
        without the half per cent at either end, so that a few large ones do not hide the rest.

    Examples
    --------
    >>> display = GramDisplay([[2, 0, 1], [0, 3, 0], [1, 0, 2]], y=["b", "a", "b"])
    >>> display.order.tolist(), display.classes, display.counts
    ([1, 0, 2], ['a', 'b'], [1, 2])
    >>> display.gram.diagonal()
    array([3., 2., 2.])
    """

    def __init__(self, gram: ArrayLike, y: ArrayLike | None = None, by_class: bool = True) -> None:
        matrix = check_gram(gram, psd="trust")
        target = None if y is None else np.asarray(y)
        if target is not None and target.shape != (len(matrix),):
            raise ValueError(
                f"expected one entry of y for each of the {len(matrix)} points, got shape "
                f"{target.shape}; pass as many as the matrix has rows"
            )
        self.classes: list[object] = []
        self.counts: list[int] = []
        if target is None:
            self.order = _clustered_order(matrix)
        elif not by_class:
            self.order = np.argsort(target, kind="stable")
        else:
            self.order = self._order_by_class(matrix, target)
        self.gram: Array = matrix[np.ix_(self.order, self.order)]
        self.limits = _limits(matrix)

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: ArrayLike,
        y: ArrayLike | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the learned kernel on points.

        Parameters
        ----------
        estimator : estimator with ``kernel_``, or a Pipeline that ends in one
            Fitted.
        X : array-like of shape (n, n_features)
            The points; a few hundred make a picture.
        y : array-like of shape (n,), optional
            Classes of the points or, for a regressor, targets.
        ax : matplotlib axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        GramDisplay
            With ``ax_`` and ``figure_``.
        """
        gram = learned_gram(estimator, X)
        return cls(gram, y, by_class=not is_regressor(estimator)).plot(ax=ax)

    def _draw(self, ax: Axes | None) -> Axes:
        ax = new_axes(ax, height=4.4, width=6.2 + names_width(self.classes))
        low, high = self.limits
        self.image_ = ax.imshow(
            self.gram, cmap="cividis", interpolation="none", vmin=low, vmax=high
        )
        beyond = {(False, False): "neither", (True, False): "min", (False, True): "max"}
        ends = beyond.get((self.gram.min() < low, self.gram.max() > high), "both")
        # A bar as high as the matrix, and one that leaves room for the names of the classes.
        bar = ax.inset_axes((1.04, 0.0, 0.05, 1.0))
        self.colorbar_ = ax.figure.colorbar(self.image_, cax=bar, extend=ends)
        self.colorbar_.set_label("k(x, z)")
        self.colorbar_.outline.set_visible(False)
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
        last = np.cumsum(self.counts)
        for edge in last[:-1] - 0.5:
            ax.axhline(edge, color="white", linewidth=1.2)
            ax.axvline(edge, color="white", linewidth=1.2)
        if self.classes:
            self._name_classes(ax, last - np.array(self.counts) / 2.0 - 0.5)
        return ax

    def _name_classes(self, ax: Axes, middles: Array) -> None:
        """Names beside their blocks, the largest first, as far as they do not overlap."""
        size = max(SMALLEST_TEXT, row_size(ax, len(middles)))
        height = 1.2 * size * len(self.gram) / points_high(ax)  # of a name, in rows of the matrix
        named: list[int] = []
        for i in np.argsort(-np.array(self.counts), kind="stable"):
            if all(abs(middles[i] - middles[j]) >= height for j in named):
                named.append(int(i))
        named.sort()
        names = [axis_label(self.classes[i]) for i in named]
        ax.set_yticks(middles[named], names, fontsize=size, **AS_TEXT)
        ax.tick_params(length=0)

    def _order_by_class(self, matrix: Array, y: NDArray[np.generic]) -> Indices:
        order = []
        for label in np.unique(y):
            rows = np.flatnonzero(y == label)
            order.append(rows[_clustered_order(matrix[np.ix_(rows, rows)])])
            self.classes.append(label.item() if isinstance(label, np.generic) else label)
            self.counts.append(len(rows))
        return np.concatenate(order)


def _limits(matrix: Array) -> tuple[float, float]:
    off = matrix[~np.eye(len(matrix), dtype=bool)]
    low, high = np.quantile(off if off.size else matrix, [0.005, 0.995])
    # Equal entries still need a range of colours.
    return (float(low), float(high)) if high > low else (float(matrix.min()), float(matrix.max()))


def _clustered_order(matrix: Array) -> Indices:
    """An order in which neighbours are close in the kernel's distance."""
    if len(matrix) < 3:
        return np.arange(len(matrix))
    squares = np.add.outer(matrix.diagonal(), matrix.diagonal()) - 2.0 * matrix
    distances = np.sqrt(np.maximum(squares, 0.0))
    tree = linkage(squareform(distances, checks=False), method="average")
    return np.asarray(leaves_list(tree), dtype=np.intp)
