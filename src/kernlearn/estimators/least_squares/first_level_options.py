"""Options of the estimators of the first level of inference: parameters that few fits need."""

from __future__ import annotations

from dataclasses import dataclass

from sklearn.base import BaseEstimator

from kernlearn._checks import check_choice
from kernlearn.estimators.least_squares.lssvm import several_starts
from kernlearn.solvers.first_level.search import STRATEGIES

REFITS = ["auto", "exact", "landmarks"]


@dataclass(kw_only=True, eq=False, repr=False)
class FirstLevelOptions(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Options of first-level learning, for the parameter ``options`` of its estimators.

    Values are checked by ``fit``. A search names them ``options__starts`` and so on, also where the
    estimator has ``options=None``.

    Parameters
    ----------
    quantile : float, default=0.5
        The level of ``loss="quantile"``, between 0 and 1. The median is 0.5.
    starts : {"several", "one"}, default="several"
        Where the search for λ and μ starts. "one": from equal scales, as in the paper. "several":
        where μ is chosen, also from the LS-SVM with one bandwidth and from scales that differ by
        column; if that LS-SVM predicts the folds better than all that was learned, it is what is
        returned, with a ``mu_`` of zero. So the loss on the folds is never above its.
    strategy : {"gradient", "nelder-mead"}, default="gradient"
        How the loss on held-out rows is minimised over λ and μ: by descent with its exact slope, or
        by the simplex of the paper, which is slower.
    refit : {"auto", "exact", "landmarks"}, default="auto"
        What is trained at a θ that was learned through landmarks: a machine on the matrix of all
        rows, with λ by leave-one-out, or one through landmarks. "auto" takes the matrix if no rank
        was asked for and it fits: up to 16,000 rows in half of the free memory on the host, and as
        many as the memory holds on a GPU.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn import FirstLevelOptions, FirstLevelRegressor
    >>> X = np.random.default_rng(0).normal(size=(40, 2))
    >>> options = FirstLevelOptions(starts="one")
    >>> FirstLevelRegressor(cv=2, options=options).fit(X, X[:, 0]).score(X, X[:, 0]) > 0.9
    True
    """

    quantile: float = 0.5
    starts: str = "several"
    strategy: str = "gradient"
    refit: str = "auto"

    def _check(self) -> None:
        """Refuse values that no fit can have."""
        several_starts(self.starts)
        check_choice("strategy", self.strategy, STRATEGIES)
        check_choice("refit", self.refit, REFITS)
