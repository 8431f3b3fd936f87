"""Learned scales as a function of their regularisation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils.multiclass import type_of_target

from kernlearn._checks import check_count
from kernlearn.estimators import FirstLevelClassifier, FirstLevelOptions, FirstLevelRegressor
from kernlearn.families.parametric import ParametricKernel, parametric_kernel
from kernlearn.inspection._classes import class_legend
from kernlearn.inspection._display import Display
from kernlearn.inspection._matplotlib import Axes, ink, new_axes
from kernlearn.inspection.theta import theta_names
from kernlearn.inspection.weight_path import MOST_NAMED, draw_parameter_curves
from kernlearn.runtime.convergence_warnings import interrupts_end_everything
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.first_level.problem import FirstLevelProblem
from kernlearn.typing import Array, Indices

# Decades of μ drawn on either side of the chosen one.
_DECADES = 3.0
_TOL = 1e-10


class ThetaPathDisplay(Display):
    """Lines of θ over μ, one per column.

    After `plot`, ``lines_`` holds a line for each column.

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

    Attributes
    ----------
    named : ndarray
        The columns with a colour and a name of their own: those that reach the largest θ, at most
        seven. The others are grey.

    Examples
    --------
    >>> display = ThetaPathDisplay([1.0, 0.1], [[0.1, 0.1], [0.8, 0.0]], ["age", "weight"])
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
        largest = self.thetas.max(axis=0, initial=0.0)
        order = np.argsort(-largest, kind="stable")
        self.named: Indices = order[: min(MOST_NAMED, np.count_nonzero(largest))]

    def _draw(self, ax: Axes | None) -> Axes:
        ax = new_axes(ax, width=8.0)
        self.lines_ = draw_parameter_curves(ax, self.mus, self.thetas, self.labels, self.named)
        ax.invert_xaxis()
        ax.set_ylim(bottom=0.0)
        if self.mu is not None:
            ax.axvline(self.mu, color=ink(), linewidth=0.8, linestyle="--")
        ax.set_xlabel("regularisation μ of the scales")
        ax.set_ylabel("learned scale θ")
        ax.spines[["top", "right"]].set_visible(False)
        if self.named.size:
            class_legend(ax, [self.lines_[j] for j in self.named])
        return ax


def theta_path(
    X: ArrayLike,
    y: ArrayLike,
    mus: ArrayLike | None = None,
    *,
    lam: float | str = "cv",
    kernel: str | ParametricKernel = "ard",
    n_mus: int = 31,
    cv: int | BaseCrossValidator = 5,
    random_state: int | np.random.RandomState | None = 0,
) -> ThetaPathDisplay:
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
        Number of values of μ, if they are not given.
    cv : int or splitter, default=5
        Number of folds, shuffled and stratified, or a splitter.
    random_state : int, RandomState or None, default=0
        For shuffling rows into folds.

    Returns
    -------
    ThetaPathDisplay
        With ``mus`` in falling order and ``thetas``; call its ``plot``.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.inspection import theta_path
    >>> X = np.random.default_rng(0).normal(size=(40, 2))
    >>> path = theta_path(X, X[:, 0] > 0, mus=[100.0, 1.0], lam=0.1)
    >>> bool((path.thetas[:, 0] > path.thetas[:, 1]).all())
    True
    """
    values = None if mus is None else _falling(mus)
    is_class = type_of_target(y) in ("binary", "multiclass")
    kind = FirstLevelClassifier if is_class else FirstLevelRegressor
    first_mu: float | str = "cv" if values is None else float(values[0])
    with interrupts_end_everything():
        # Not from several starts: one of them has no μ.
        options = FirstLevelOptions(starts="one")
        model = kind(kernel, lam, first_mu, options=options, cv=cv, random_state=random_state)
        model.fit(X, y)
    chosen, names = None, theta_names(model)
    if values is None:
        chosen = model.mu_
        reach = np.linspace(_DECADES, -_DECADES, check_count("n_mus", n_mus))
        values = chosen * 10.0**reach
    thetas = _follow_path(model, parametric_kernel(kernel), _targets(model, y, is_class), values)
    return ThetaPathDisplay(values, thetas, names, chosen)


def _follow_path(model: BaseEstimator, family: ParametricKernel, Y: Array, mus: Array) -> Array:
    """θ at every μ, from one to the next."""
    family = family.fitted_to(model.support_vectors_)
    points, theta, thetas = family.read(model.support_vectors_), model.theta_, []
    problem = FirstLevelProblem(family, points, Y, np.ones(len(points)), family.start(points))
    with threads_for(len(points)):
        for mu in mus:
            descent = problem.minimise(theta, model.lam_, float(mu), _TOL, 200)
            # If no machine can be trained, the scales stay as they were.
            theta = theta if descent is None else descent.point.theta
            thetas.append(theta)
    return np.array(thetas)


def _targets(model: BaseEstimator, y: ArrayLike, is_class: bool) -> Array:
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
