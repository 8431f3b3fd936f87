"""How the learned scales change with their regularisation: the computation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.multiclass import type_of_target

from kernlearn._checks import check_count
from kernlearn.estimators import FirstLevelClassifier, FirstLevelRegressor
from kernlearn.families.parametric import parametric_kernel
from kernlearn.inspection.relevance_path_display import RelevancePathDisplay
from kernlearn.runtime.threads import threads_for
from kernlearn.runtime.warnings import interrupts_end_everything
from kernlearn.solvers.first_level.problem import FirstLevelProblem
from kernlearn.typing import Array

# Decades of μ drawn on either side of the chosen one.
_DECADES = 3.0
_TOL = 1e-10


def relevance_path(
    X: Any,
    y: Any,
    mus: ArrayLike | None = None,
    *,
    lam: float | str = "cv",
    kernel: Any = "ard",
    n_mus: int = 31,
    cv: Any = 5,
    random_state: Any = 0,
) -> RelevancePathDisplay:
    """Learn θ for many values of μ, each started from the last.

    Large μ keep all scales small; as μ falls the scales of the columns that matter grow first.

    Parameters
    ----------
    X : array-like or data frame of shape (n, n_features)
        Points, best standardised.
    y : array-like of shape (n,) or (n, n_targets)
        Labels or targets.
    mus : array-like, optional
        Values of μ; by default three decades on either side of the one that cross-validation
        chooses.
    lam : float or "cv", default="cv"
        λ, or "cv" to have it chosen.
    kernel : str or ParametricKernel, default="ard"
        The family.
    n_mus : int, default=31
        How many values of μ, where they are not given.
    cv, random_state
        As in :class:`kernlearn.FirstLevelClassifier`.

    Returns
    -------
    RelevancePathDisplay
        With ``mus`` in falling order and ``thetas``; call its ``plot``.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.inspection import relevance_path
    >>> X = np.random.default_rng(0).normal(size=(40, 2))
    >>> path = relevance_path(X, X[:, 0] > 0, mus=[100.0, 1.0], lam=0.1)
    >>> bool((path.thetas[:, 0] > path.thetas[:, 1]).all())
    True
    """
    values = None if mus is None else _falling(mus)
    is_class = type_of_target(y) in ("binary", "multiclass")
    kind = FirstLevelClassifier if is_class else FirstLevelRegressor
    first_mu: float | str = "cv" if values is None else float(values[0])
    options = {"cv": cv, "random_state": random_state}
    with interrupts_end_everything():
        # Not from several starts: one of them has no μ.
        model = kind(kernel, lam, first_mu, starts="one", **options).fit(X, y)
    chosen = None
    if values is None:
        chosen = model.mu_
        reach = np.linspace(_DECADES, -_DECADES, check_count("n_mus", n_mus))
        values = chosen * 10.0**reach
    points = model.support_vectors_
    family = parametric_kernel(kernel)
    Y = _targets(model, y, is_class)
    problem = FirstLevelProblem(family, points, Y, np.ones(len(points)), family.start(points))
    thetas = _followed(problem, model.theta_, model.lam_, values)
    return RelevancePathDisplay(values, thetas, list(model.relevance_), chosen)


def _followed(problem: FirstLevelProblem, theta: Array, lam: float, mus: Array) -> Array:
    """θ at every μ, from one to the next."""
    thetas = []
    with threads_for(len(problem.X)):
        for mu in mus:
            descent = problem.minimise(theta, lam, float(mu), _TOL, 200)
            # Where no machine can be trained the scales stay what they were.
            theta = theta if descent is None else descent.point.theta
            thetas.append(theta)
    return np.array(thetas)


def _targets(model: Any, y: Any, is_class: bool) -> Array:
    if not is_class:
        target = np.asarray(y, dtype=float).reshape(len(model.support_), -1)
        return np.asarray(target - target.mean(axis=0))
    positive = model.classes_[1:] if len(model.classes_) == 2 else model.classes_
    return np.where(np.asarray(y).reshape(-1, 1) == positive, 1.0, -1.0)


def _falling(mus: ArrayLike) -> Array:
    values = np.asarray(mus, dtype=float)
    if values.ndim != 1 or not values.size or not (np.isfinite(values) & (values > 0)).all():
        raise ValueError(
            f"expected mus to be a list of positive numbers, got {mus!r}; try np.logspace(2, -2)"
        )
    return np.sort(values)[::-1]
