"""The intercept of a regressor in units of the targets, and the cost of rounding it."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from kernlearn.runtime.status import Status
from kernlearn.solvers.core.solution import relative_gap
from kernlearn.typing import Array


def move_intercept(estimator: BaseEstimator, offset: float, weight: Array) -> None:
    r"""Add the offset, and add to the objective the possible cost of rounding the sum.

    Beside a large offset the intercept is moved by some δ, and every prediction with it. With
    c the sum of what multiplies the losses, absolute ones grow by cδ at most, Huber's by cεδ.
    Halves of squares grow by :math:`|\sum_i α_i| δ + c δ^2/2`, the coefficients being their
    slopes; through landmarks these are not known, but the sum is at most :math:`\sqrt{2cv}` at the
    value v.
    """
    intercept = estimator.intercept_ + offset
    moved = float(np.abs((intercept - offset) - estimator.intercept_).max())
    estimator.intercept_ = intercept
    if estimator.quality == "nu_svr":
        return
    total = float(estimator.C_ * weight.sum())
    lost = total * moved
    if estimator.quality == "huber":
        lost *= estimator.epsilon_
    if estimator.quality == "least_squares":
        if estimator.rank_ is None:
            slope = abs(float(estimator.dual_coef_.sum()))
        else:
            slope = float(np.sqrt(2.0 * total * abs(estimator.objective_)))
        lost = slope * moved + 0.5 * lost * moved
    # A change below the rounding of the objective is no change.
    if lost > 4.0 * np.finfo(float).eps * abs(estimator.objective_):
        estimator.objective_ += lost
        estimator.duality_gap_ = relative_gap(estimator.objective_, estimator.lower_bound_)
        if estimator.status_.is_optimal and estimator.duality_gap_ > estimator.tol:
            estimator.status_ = Status.INACCURATE
