"""A picture of which columns matter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, is_regressor

from kernlearn.estimators.held_out.scoring import Scoring
from kernlearn.inspection._bars import (
    MOST_BARS,
    bars_height,
    draw_bars_with_errors,
    with_the_rest,
)
from kernlearn.inspection._display import Display
from kernlearn.inspection._learned import last_step, learned
from kernlearn.inspection._matplotlib import Axes, new_axes
from kernlearn.inspection.kernel_weights import NEGATIVE, POSITIVE
from kernlearn.inspection.shuffled_columns import relevance
from kernlearn.typing import Array, RandomState, Rows


class RelevanceDisplay(Display):
    """Relevance of every column: the fall of the held-out score when the column is shuffled.

    Lines are two standard errors either way. After `plot`, ``bars_`` holds the bars; of more than
    thirty columns, the longest are drawn.

    Parameters
    ----------
    relevance : array-like of shape (d,)
        The falls of the score.
    standard_error : array-like of shape (d,)
        Standard errors of the relevance.
    labels : sequence of str
        Names of the columns.
    quantity : str, default="lost score"
        Name of the quantity that is lost, for the axis.

    Attributes
    ----------
    relevance, standard_error, labels : ndarray, ndarray and list
        From large to small; at most the first thirty are drawn.

    See Also
    --------
    kernlearn.inspection.relevance : The numbers.
    ThetaDisplay : The learned scales of first-level estimators.

    Examples
    --------
    >>> display = RelevanceDisplay([-0.001, 0.2], [0.002, 0.03], ["age", "weight"])
    >>> display.labels
    ['weight', 'age']
    """

    def __init__(
        self,
        relevance: ArrayLike,
        standard_error: ArrayLike,
        labels: Sequence[str],
        quantity: str = "lost score",
    ) -> None:
        values = np.asarray(relevance, dtype=float)
        order = np.argsort(-values, kind="stable")
        self.relevance: Array = values[order]
        self.standard_error: Array = np.asarray(standard_error, dtype=float)[order]
        self.labels = [str(labels[j]) for j in order]
        self.quantity = quantity

    @classmethod
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: Rows = None,
        y: Rows = None,
        *,
        groups: Rows = None,
        scoring: Scoring = None,
        n_repeats: int = 5,
        random_state: RandomState = 0,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the relevance of the columns of a fitted estimator.

        Parameters
        ----------
        estimator : estimator with ``predict``, or a Pipeline that ends in one
            Fitted. Without X it has ``relevance_``, as KernelClassifier and KernelRegressor have.
        X : array-like, sparse matrix, data frame or dict of sources, optional
            Rows that the model has not seen.
        y : array-like of shape (n,) or (n, n_targets), optional
            Labels or targets of the rows.
        groups : array-like of shape (n,), optional
            Labels of the rows that belong together; groups then count as independent.
        scoring : str, callable or None, default=None
            The score, by a name or a scorer of scikit-learn's. None: accuracy of labels, R² of
            numbers.
        n_repeats : int, default=5
            Number of times that each column is shuffled.
        random_state : int, RandomState or None, default=0
            Seed of the shuffles.
        ax : matplotlib axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        RelevanceDisplay
            With ``ax_`` and ``figure_``.
        """
        if X is None:
            found = learned(estimator, "relevance_")
            scoring = last_step(estimator).scoring
        else:
            how = {"groups": groups, "scoring": scoring, "n_repeats": n_repeats}
            found = relevance(estimator, X, y, **how, random_state=random_state)
        names = [str(name) for name in found["column"]]
        usual = "R²" if is_regressor(estimator) else "accuracy"
        is_survival = hasattr(last_step(estimator), "predict_survival_function")
        usual = "concordance" if is_survival else usual
        quantity = f"lost {scoring if isinstance(scoring, str) else 'score' if scoring else usual}"
        return cls(found["relevance"], found["standard_error"], names, quantity).plot(ax=ax)

    def _draw(self, ax: Axes | None) -> Axes:
        shown = self.relevance[:MOST_BARS]
        ax = new_axes(ax, height=bars_height(len(shown)))
        colours = [POSITIVE if value >= 0 else NEGATIVE for value in shown]
        errors = self.standard_error[:MOST_BARS].tolist()
        self.bars_ = draw_bars_with_errors(ax, shown, errors, self.labels[:MOST_BARS], colours)
        hidden = len(self.relevance) - len(shown)
        ax.set_xlabel(with_the_rest(self.quantity, hidden, "columns"))
        return ax
