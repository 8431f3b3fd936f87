"""A picture of the eigenvalues of a learned kernel."""

from __future__ import annotations

from typing import Self

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from kernlearn.gram import center, check_gram
from kernlearn.inspection._display import Display
from kernlearn.inspection._learned import learned_gram
from kernlearn.inspection._matplotlib import Axes, ink, new_axes
from kernlearn.inspection._text import power_of_ten
from kernlearn.inspection.kernel_weights import POSITIVE
from kernlearn.typing import Array

# Below this part of the largest, an eigenvalue is rounding.
NULL = 1e-12


class SpectrumDisplay(Display):
    r"""Eigenvalues of a Gram matrix from large to small: how many directions the kernel uses.

    The effective rank is :math:`\exp(-\sum_i p_i \log p_i)` with
    :math:`p_i = \lambda_i / \sum_j \lambda_j` (Roy and Vetterli 2007): 1 for a matrix of rank
    one, n for a multiple of the identity.

    The positive ones are drawn on a logarithmic scale. After `plot`, there is ``line_``.

    Parameters
    ----------
    gram : array-like of shape (n, n)
        The matrix.
    centered : bool, default=True
        Whether to move the origin to the mean of the points first, as kernel PCA does: the
        eigenvalues are then n times the variances along the components.

    Attributes
    ----------
    eigenvalues : ndarray of shape (n,)
        From large to small.
    effective_rank : float
        Zero for a matrix of zeros. Negative eigenvalues do not count.

    Examples
    --------
    >>> import numpy as np
    >>> display = SpectrumDisplay(2.0 * np.eye(4), centered=False)
    >>> display.eigenvalues, round(display.effective_rank, 6)
    (array([2., 2., 2., 2.]), 4.0)
    """

    def __init__(self, gram: ArrayLike, centered: bool = True) -> None:
        matrix = check_gram(gram, psd="trust")
        self.centered = centered
        matrix = center(matrix) if centered else matrix
        self.eigenvalues: Array = scipy.linalg.eigvalsh(matrix)[::-1].copy()
        self.effective_rank = _effective_rank(self.eigenvalues)

    @classmethod
    def from_estimator(
        cls, estimator: BaseEstimator, X: ArrayLike, centered: bool = True, ax: Axes | None = None
    ) -> Self:
        """Draw the spectrum of the learned kernel on points.

        Parameters
        ----------
        estimator : estimator with ``kernel_``, or a Pipeline that ends in one
            Fitted.
        X : array-like of shape (n, n_features)
            The points.
        centered : bool, default=True
            Whether to move the origin to the mean of the points first.
        ax : matplotlib axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        SpectrumDisplay
            With ``ax_`` and ``figure_``.
        """
        return cls(learned_gram(estimator, X), centered).plot(ax=ax)

    def _draw(self, ax: Axes | None) -> Axes:
        ax = new_axes(ax)
        shown = self.eigenvalues[self.eigenvalues > NULL * max(self.eigenvalues[0], 0.0)]
        places = np.arange(1, len(shown) + 1)
        (self.line_,) = ax.plot(places, shown, color=POSITIVE, marker="o", markersize=3)
        if len(shown):
            ax.set_yscale("log")
            ax.yaxis.set_major_formatter(power_of_ten)
            # Labels of the ticks between two powers of ten would be read as markup.
            ax.yaxis.set_minor_formatter("")
        ax.axvline(self.effective_rank, color=ink(), linewidth=0.8, linestyle=":")
        ax.set_xlabel("number of the eigenvalue")
        ax.set_ylabel("eigenvalue, centred" if self.centered else "eigenvalue")
        ax.set_title(f"effective rank {self.effective_rank:.3g} (dotted)", fontsize="medium")
        ax.spines[["top", "right"]].set_visible(False)
        return ax


def _effective_rank(eigenvalues: Array) -> float:
    positive = eigenvalues[eigenvalues > NULL * max(float(eigenvalues[0]), 0.0)]
    if not len(positive):
        return 0.0
    shares = positive / positive.sum()
    return float(np.exp(-np.sum(shares * np.log(shares))))
