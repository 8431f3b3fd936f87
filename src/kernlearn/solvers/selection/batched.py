r"""Selection criteria of least-squares machines evaluated together, as stacks on a device.

Each member of a stack has its own table, λ and θ; its kernel matrix, the inverse and the derivative
are made on the device, from which its loss and as many slopes as there are parameters come back.
The machine is that of :mod:`kernlearn.quality.ls_svm`: K is centred, lifted along 1 and factorised
as :math:`LL^\top` with its ridge. With :math:`u = (LL^\top)^{-1} 1`,

.. math:: P = L^{-\top} L^{-1} - \frac{u u^\top}{1^\top u}, \qquad
          \alpha = (LL^\top)^{-1} y - u\, \frac{1^\top (LL^\top)^{-1} y}{1^\top u} .

The loss and its derivative W with respect to K are those of :mod:`kernlearn.quality.held_out`. For
folds of any sizes at once, let E hold a column of zeros and ones for every fold, so that
:math:`M = EE^\top` is one where two points are in one fold. In the order of the folds
:math:`P \circ M` is block diagonal with the blocks :math:`P_{FF}`, so all residuals, and all
:math:`g_F`, come from one factorisation:

.. math:: r = (P \circ M)^{-1} \alpha, \qquad g = (P \circ M)^{-1} S r .

The columns of :math:`V = P (g \circ E)` and :math:`A = \alpha - P (r \circ E)` are the
:math:`v_F` and :math:`a_F`, and :math:`W = -(VA^\top + AV^\top)`, summed over targets.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import cast

import numpy as np

from kernlearn._device import (
    beside,
    eye_beside,
    lower_factors,
    matrix_transpose,
    namespace,
    solve_lower,
    to_host,
)
from kernlearn.families.parametric import ParametricKernel
from kernlearn.quality.held_out import KFoldLoss, LeaveGroupsOut, LeaveOneOut
from kernlearn.quality.ls_svm import RIDGE_FLOORS
from kernlearn.solvers.optimize.batches import Stacks
from kernlearn.solvers.selection.objective import (
    EvaluationRequest,
    SelectionObjective,
    ValueAndSlopes,
)
from kernlearn.typing import Array, DeviceArray, Mask

# Matrices of the size of the kernel's that a member has at most in a stack.
_MATRICES = 12
# Losses with folds, of any sizes.
_FOLDED = (KFoldLoss, LeaveGroupsOut)


class SelectionStacks(Stacks[EvaluationRequest, ValueAndSlopes]):
    """Evaluates the criteria of several selections in stacks.

    The host evaluates one by one: families and losses that cannot be stacked, tables that are no
    arrays, and points where the ridge has to be raised or where a number is not finite.
    """

    def _size(self, request: EvaluationRequest) -> Hashable:
        objective = request.objective
        loss, X = objective.criterion.loss, cast(object, objective.X)
        return (
            type(objective.kernel),
            X.shape if isinstance(X, np.ndarray) else type(X),
            objective.Y.shape,
            len(request.z),
            type(loss),
            len(loss.folds) if isinstance(loss, _FOLDED) else 0,
        )

    def _bytes_of(self, request: EvaluationRequest) -> float:
        loss, Y = request.objective.criterion.loss, request.objective.Y
        n_folds = len(loss.folds) if isinstance(loss, _FOLDED) else 1
        numbers: int = _MATRICES * len(Y) ** 2 + 6 * Y.size * n_folds
        return 8.0 * numbers

    def _family(self, requests: Sequence[EvaluationRequest]) -> ParametricKernel | None:
        kernels = [request.objective.kernel for request in requests]
        objective = requests[0].objective
        known = type(objective.criterion.loss) in (LeaveOneOut, *_FOLDED)
        if not (known and isinstance(objective.X, np.ndarray)):
            return None
        return kernels[0].stack(kernels)

    def _compute_alone(self, request: EvaluationRequest) -> ValueAndSlopes:
        return request.alone()

    def _stacked(
        self, requests: Sequence[EvaluationRequest], family: ParametricKernel
    ) -> list[ValueAndSlopes]:
        points = np.exp([request.z for request in requests])
        theta = points[:, 1:]
        objectives = [request.objective for request in requests]
        X, Y, weight, *folds = self._cached(self._size(requests[0]), objectives, _parts)
        K = family.matrix(X, None, theta)
        xp = namespace(K)
        ridge = beside(points[:, :1], weight) / weight
        dual_coef, P, fine = _machines(K, ridge, Y)
        if folds:
            residuals, W, also_fine = _folds_out(dual_coef, P, weight, folds[0])
            fine &= also_fine
        else:
            residuals, W = _leave_one_out(dual_coef, P, weight)
        noise = xp.mean(xp.abs(xp.linalg.diagonal(K)), axis=-1)
        numbers = [
            xp.min(ridge, axis=-1) - RIDGE_FLOORS[0] * noise,
            xp.sum(weight[..., None] * residuals**2, axis=(-2, -1)),
            xp.sum(ridge * xp.linalg.diagonal(W), axis=-1),
        ]
        slopes = family.gradient(X, theta, K, W)
        # All in one array, since every transfer waits for the device.
        found = to_host(xp.concat([*(number[:, None] for number in numbers), slopes], axis=-1))
        spare = found[:, 0]
        fine &= np.isfinite(found).all(axis=-1) & (spare >= 0)
        return [
            _logarithmic(request, row[1], row[2:]) if good else request.alone()
            for request, row, good in zip(requests, found, fine, strict=True)
        ]


def _parts(objective: SelectionObjective) -> tuple[Array, ...]:
    """The arrays of a table on the device: X, Y, the weights and the membership of folds."""
    loss = objective.criterion.loss
    parts = (objective.X, objective.Y, loss.weight)
    if not isinstance(loss, _FOLDED):
        return parts
    folds = loss.folds
    members = np.zeros((len(loss.weight), len(folds)))
    for column, rows in enumerate(folds):
        members[rows, column] = 1.0
    return (*parts, members)


def _logarithmic(request: EvaluationRequest, loss: float, slopes: Array) -> ValueAndSlopes:
    """The logarithmic criterion, and its gradient from the slopes of the loss by log λ and θ."""
    criterion, n_residuals = request.objective.criterion, request.objective.Y.size
    theta = np.exp(request.z[1:])
    gradient = slopes / (loss + criterion.negligible)
    gradient[1:] = theta * gradient[1:] + criterion.penalty_slope(n_residuals, theta)
    return criterion.logarithm(loss, n_residuals, theta), gradient


def _machines(K: Array, ridge: Array, Y: Array) -> tuple[Array, Array, Mask]:
    """α, P, and which members have them."""
    xp, n = namespace(K), K.shape[-1]
    means = xp.mean(K, axis=-1)
    A = K - means[:, None, :]
    A -= (means - xp.mean(means, axis=-1, keepdims=True))[:, :, None]
    mean_eigenvalue = xp.mean(xp.linalg.diagonal(A), axis=-1)
    A += (xp.maximum(mean_eigenvalue, xp.min(ridge, axis=-1)) / n)[:, None, None]
    eye = eye_beside(n, n, K)
    factor, fine = _factors(A + ridge[:, None, :] * eye)
    right = [xp.broadcast_to(eye, K.shape), Y - xp.mean(Y, axis=-2, keepdims=True)]
    half = solve_lower(factor, xp.concat([*right, xp.ones_like(K[..., :1])], axis=-1))
    # α from the factor and not from P, whose large entries would cancel for a small ridge.
    solved = solve_lower(factor, half[..., n:], transposed=True)
    towards_one, dual_coef = solved[..., -1:], solved[..., :-1]
    total = xp.sum(towards_one, axis=-2, keepdims=True)
    # Twice: where ridges are very unequal, the first sum is rounding of large terms.
    for _ in range(2):
        dual_coef = dual_coef - towards_one * (xp.sum(dual_coef, axis=-2, keepdims=True) / total)
    inverse = half[..., :n]
    P = matrix_transpose(inverse) @ inverse
    P -= towards_one * (matrix_transpose(towards_one) / total)
    return dual_coef, P, fine


def _leave_one_out(dual_coef: Array, P: Array, weight: Array) -> tuple[Array, Array]:
    """Residuals and W, as :class:`kernlearn.quality.held_out.LeaveOneOut` has them."""
    xp = namespace(P)
    diagonal = xp.linalg.diagonal(P)[..., None]
    r = dual_coef / diagonal
    scaled = weight[..., None] * r / diagonal
    rooted = P * xp.sqrt(xp.sum(scaled * r, axis=-1))[:, None, :]
    product = (P @ scaled) @ matrix_transpose(dual_coef)
    W = 2.0 * (rooted @ matrix_transpose(rooted))
    W -= product + matrix_transpose(product)
    return r, W


def _folds_out(
    dual_coef: Array, P: Array, weight: Array, members: Array
) -> tuple[Array, Array, Mask]:
    """Residuals, W, and which members have them."""
    xp = namespace(P)
    factor, fine = _factors(P * (members @ matrix_transpose(members)))
    r = _cholesky_solve(factor, dual_coef)
    g = _cholesky_solve(factor, weight[..., None] * r)
    # A column for every target and fold.
    shape = (*P.shape[:-1], r.shape[-1], members.shape[-1])
    flat = (*P.shape[:-1], shape[-2] * shape[-1])
    towards = P @ xp.reshape(g[..., None] * members[..., None, :], flat)
    without = xp.reshape(xp.broadcast_to(dual_coef[..., None], shape), flat)
    without = without - P @ xp.reshape(r[..., None] * members[..., None, :], flat)
    product = towards @ matrix_transpose(without)
    return r, -(product + matrix_transpose(product)), fine


def _factors(A: Array) -> tuple[Array, Mask]:
    """Lower factors, and a mask of the matrices that have one; the identity for the others."""
    factors, fine = lower_factors(A)
    if not fine.all():
        n, xp = A.shape[-1], namespace(factors)
        there = beside(fine.astype(float)[:, None, None], factors) > 0
        factors = xp.where(there, factors, eye_beside(n, n, factors))
    return factors, fine


def _cholesky_solve(factor: Array, right: Array) -> DeviceArray:
    return solve_lower(factor, solve_lower(factor, right), transposed=True)
