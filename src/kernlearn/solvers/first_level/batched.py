"""Machines of first-level learning trained together, as stacks of matrices on a device.

Each machine of a stack has its own θ, λ and μ. The results for it have the size of θ, apart from
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
    """Trains the machines that several searches request in stacks.

    Machines that a stack cannot train, since they need a larger ridge, are trained alone.
    """

    def _size(self, request: TrainingRequest) -> Hashable:
        problem, others = request.problem, request.others
        return (
            type(problem.family),
            problem.X.shape,
            problem.Y.shape,
            len(request.theta),
            None if others is None else others.X.shape,
        )

    def _bytes_of(self, request: TrainingRequest) -> float:
        n = len(request.problem.X)
        n_others = 0 if request.others is None else len(request.others.X)
        return 8.0 * n * (_MATRICES * n + _PAIRS + 4 * n_others)

    def _family(self, requests: Sequence[TrainingRequest]) -> ParametricKernel | None:
        return requests[0].problem.family.stack([request.problem.family for request in requests])

    def _compute_alone(self, request: TrainingRequest) -> Trained | None:
        return request.alone()

    def _stacked(
        self, requests: Sequence[TrainingRequest], family: ParametricKernel
    ) -> list[Trained | None]:
        theta = np.stack([request.theta for request in requests])
        lam, mu = np.array([[request.lam, request.mu] for request in requests]).T
        X, Y, weight = self._tables([request.problem for request in requests])
        scale = np.stack([request.problem.scale for request in requests])
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
        others = [request.others for request in requests if request.others is not None]
        judged = None
        if others:
            judged = point.outside(FirstLevelProblem(family, *self._tables(others), scale))
        return _members(requests, point, judged, fine)

    def _tables(self, problems: Sequence[FirstLevelProblem]) -> tuple[Array, Array, Array]:
        size = (problems[0].X.shape, problems[0].Y.shape)
        X, Y, weight = self._cached(size, problems, lambda each: (each.X, each.Y, each.weight))
        return X, Y, weight


def _members(
    requests: Sequence[TrainingRequest],
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
            request.problem,
            request.theta,
            float(point.lam[i]),
            request.mu,
            float(objective[i]),
            gradient[i],
            hessian[i],
            models[i],
            dual_coef[i].copy(),  # a fitted model is not to keep those of others
            intercept[i],
            None if judged is None else judged[i],
        )
        if fine[i]
        else request.alone()
        for i, request in enumerate(requests)
    ]
