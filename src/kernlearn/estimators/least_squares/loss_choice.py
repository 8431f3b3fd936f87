"""The loss and the penalty of a first-level estimator as users name them, checked."""

from __future__ import annotations

from typing import cast

import numpy as np

from kernlearn._checks import check_choice, check_settings
from kernlearn.estimators.least_squares.parameters import FirstLevelParameters
from kernlearn.estimators.mkl.spread import robust_spread
from kernlearn.families.parametric import ParametricKernel
from kernlearn.families.penalties import WeightPenalty
from kernlearn.quality.held_out import leave_out
from kernlearn.quality.ls_svm import train_ls_svm
from kernlearn.quality.registry import Settings
from kernlearn.solvers.first_level.loss_point import LossPoint, MachineLoss
from kernlearn.solvers.first_level.problem import FirstLevelProblem
from kernlearn.typing import Array

# Huber's loss is linear beyond so many standard deviations of the errors (Huber 1981): where these
# are normal, it loses a twentieth of the efficiency of squares.
_HUBER = 1.345
# λ of the machine whose residuals estimate the size of errors, relative to the kernel's diagonal.
_PILOT_LAM = 0.3
_ROUNDS = 3


def check_loss(estimator: FirstLevelParameters, losses: tuple[str, ...]) -> None:
    """Refuse a loss that the estimator has not, or has not together with other parameters."""
    check_choice("loss", estimator.loss, losses)
    known = estimator.loss in ("squared", "logistic")
    if estimator._by_evidence and not (known and estimator.penalty is None):
        what = "a penalty" if known else f"loss={estimator.loss!r}"
        raise ValueError(
            "expected the squared or the logistic loss and penalty=None with 'evidence', got "
            f"{what}: the evidence has a likelihood for these alone, and a normal prior of θ; use "
            "lam='cv' and mu='cv'"
        )


def machine_loss(
    estimator: FirstLevelParameters, family: ParametricKernel, X: Array, Y: Array, weight: Array
) -> MachineLoss | None:
    """The loss with its numbers; None for squares."""
    if estimator.loss == "squared":
        return None
    epsilon, ones = estimator.epsilon, np.ones(len(Y))
    if estimator.loss == "huber" and isinstance(epsilon, str) and epsilon == "auto":
        epsilon = _HUBER * _error_size(family, X, Y, weight)
    known = cast(float, epsilon), ones, [Y[:, 0]], estimator._search.quantile  # checked below
    settings = check_settings(estimator.loss, 1.0, 0.5, *known)
    return MachineLoss(estimator.loss, settings)


def _error_size(family: ParametricKernel, X: Array, Y: Array, weight: Array) -> float:
    """The robust spread of leave-one-out residuals at the family's start.

    They are those of squares first, which outlying targets pull along, and then those of Huber's
    loss with the spread found before.
    """
    K = family.matrix(X, None, family.start(X))
    lam = _PILOT_LAM * float(np.abs(K.diagonal()).mean())
    weights, rule = np.repeat(weight, Y.shape[1]), leave_out(weight, [])
    residuals = rule.residuals(train_ls_svm(K, Y, lam, weight)[1])
    spread = robust_spread(residuals.ravel(), weights)
    for _ in range(_ROUNDS):
        settings = Settings(1.0, 0.5, _HUBER * spread, weight)
        pilot = FirstLevelProblem(
            family, X, Y, weight, family.start(X), loss=MachineLoss("huber", settings)
        )
        point = pilot.at(family.start(X), lam, 0.0)
        if not isinstance(point, LossPoint):
            break
        spread = robust_spread((Y - point.left_out(rule)).ravel(), weights)
    return spread


def parameter_penalty(
    penalty: object, family: ParametricKernel, n_parameters: int
) -> WeightPenalty | None:
    """Ω(θ) for a number of parameters; None for that of the family."""
    if penalty is None:
        return None
    if not isinstance(penalty, WeightPenalty):
        raise ValueError(
            f"expected a penalty of kernlearn.penalties on θ, or None, got {penalty!r}; try "
            "kernlearn.penalties.L1Norm()"
        )
    if family.signed:
        raise ValueError(
            f"expected penalty=None with a kernel whose parameters have any sign, got {penalty!r} "
            f"with {family!r}, which has a penalty of its own; leave penalty out"
        )
    found = penalty.with_strength(1.0) if penalty.is_open else penalty  # μ takes its place
    # A family for another number of parameters raises.
    slopes = np.shape(found.gradient(np.ones(n_parameters)))
    if slopes != (n_parameters,):
        raise ValueError(
            f"expected a penalty on {n_parameters} parameters, got {penalty!r} for {slopes[0]}; "
            "give it one number for each parameter"
        )
    return found
