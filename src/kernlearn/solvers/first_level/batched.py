"""Machines of first-level learning trained together, as stacks of matrices on a device.

Each machine of a stack has its own θ, λ and μ. What comes back for it has the size of θ, apart from
its coefficients. The derivatives are those of
:class:`kernlearn.solvers.first_level.problem.FirstLevelPoint`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from kernlearn._device import beside, eye_beside, lower_factors, namespace, to_host
from kernlearn.families.parametric import ParametricKernel
from kernlearn.solvers.first_level.outside_loss import Outside
from kernlearn.solvers.first_level.problem import (
    LEAST_RIDGES,
    BatchedPoint,
    FirstLevelPoint,
    FirstLevelProblem,
    Trained,
    TrainingRequest,
)
from kernlearn.solvers.machine.least_squares import Bordered
from kernlearn.solvers.optimize.batches import Stacks
from kernlearn.solvers.optimize.descent import QuadraticModel
from kernlearn.typing import Array

# Matrices of the size of the kernel's that a machine has at most in a stack, and columns of pairs
# of parameters that exist together.
_MATRICES, _PAIRS = 10, 4 * 512


class FirstLevelStacks(Stacks[TrainingRequest, Trained | None]):
    """Answers the questions of searches for machines by training them in stacks.

    Those that a stack cannot train, since they need a larger ridge, are trained alone.
    """

    def _size(self, question: TrainingRequest) -> Hashable:
        problem, others = question.problem, question.others
        return (
            type(problem.family),
            problem.X.shape,
            problem.Y.shape,
            len(question.theta),
            None if others is None else others.X.shape,
        )

    def _bytes_of(self, question: TrainingRequest) -> float:
        n = len(question.problem.X)
        n_others = 0 if question.others is None else len(question.others.X)
        return 8.0 * n * (_MATRICES * n + _PAIRS + 4 * n_others)

    def _family(self, questions: Sequence[TrainingRequest]) -> ParametricKernel | None:
        return questions[0].problem.family.stack([ask.problem.family for ask in questions])

    def _alone(self, question: TrainingRequest) -> Trained | None:
        return question.alone()

    def _stacked(
        self, questions: Sequence[TrainingRequest], family: ParametricKernel
    ) -> list[Trained | None]:
        theta = np.stack([ask.theta for ask in questions])
        lam, mu = np.array([[ask.lam, ask.mu] for ask in questions]).T
        X, Y, weight = self._tables([ask.problem for ask in questions])
        scale = np.stack([ask.problem.scale for ask in questions])
        problem = FirstLevelProblem(family, X, Y, weight, scale)
        K = family.matrix(X, None, theta)
        mean = to_host(namespace(K).mean(namespace(K).linalg.diagonal(K), axis=-1))
        used = np.fmax(lam, LEAST_RIDGES[0] * mean)
        ridge = beside(used[:, None], weight) / weight
        n = K.shape[-1]
        factors, fine = lower_factors(K + ridge[:, None, :] * eye_beside(n, n, K))
        factor = Bordered(factors)
        dual_coef, intercept = factor.solve(Y)
        point = FirstLevelPoint(problem, theta, used, mu, K, factor, dual_coef, intercept)
        others = [ask.others for ask in questions if ask.others is not None]
        judged = None
        if others:
            judged = point.outside(FirstLevelProblem(family, *self._tables(others), scale))
        return _members(questions, point, judged, fine)

    def _tables(self, problems: Sequence[FirstLevelProblem]) -> tuple[Array, Array, Array]:
        size = (problems[0].X.shape, problems[0].Y.shape)
        X, Y, weight = self._cached(size, problems, lambda each: (each.X, each.Y, each.weight))
        return X, Y, weight


def _members(
    asks: Sequence[TrainingRequest],
    point: FirstLevelPoint,
    judged: Outside | None,
    fine: NDArray[np.bool_],
) -> list[Trained | None]:
    """The machines of a stack one by one; those that are none are trained alone."""
    objective, gradient, hessian = point.objective, point.gradient, point.hessian
    fine = fine & np.isfinite(objective) & np.isfinite(hessian).all(axis=(1, 2))
    scale = point.problem.scale
    models = QuadraticModel.of(
        np.where(fine[:, None], point.theta, scale),
        np.where(fine, objective, 1.0),
        np.where(fine[:, None], gradient, 0.0),
        np.where(fine[:, None, None], hessian, np.eye(hessian.shape[-1])),
        scale,
    )
    dual_coef, intercept = to_host(point.dual_coef), to_host(point.intercept)
    return [
        BatchedPoint(
            ask.problem,
            ask.theta,
            float(point.lam[i]),
            ask.mu,
            float(objective[i]),
            gradient[i],
            hessian[i],
            models[i],
            dual_coef[i].copy(),  # a fitted model is not to keep those of others
            intercept[i],
            None if judged is None else judged[i],
        )
        if fine[i]
        else ask.alone()
        for i, ask in enumerate(asks)
    ]
