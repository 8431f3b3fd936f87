"""Fitted attributes of least-squares machines of one kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.estimators.inputs.dask_rows import select_rows
from kernlearn.estimators.inputs.ownership import copied_kernel, copied_rows
from kernlearn.estimators.least_squares.learning_data import LeastSquaresData
from kernlearn.estimators.least_squares.parameters import LeastSquaresParameters
from kernlearn.estimators.mkl.low_rank import LandmarkFolds
from kernlearn.families.factor_rows import FactorRows
from kernlearn.families.parametric import ParametricKernel
from kernlearn.gram.landmarks import left_out
from kernlearn.kernels import Kernel
from kernlearn.solvers.engine.refits import least_squares_refits
from kernlearn.solvers.first_level.loss_point import LossPoint
from kernlearn.solvers.nystroem.kernel_fit import ExactFit, KernelFit, TrainingTable
from kernlearn.solvers.selection.select import Selection
from kernlearn.typing import Array, Indices, Rows


def store_selection(
    estimator: LeastSquaresParameters,
    selection: Selection,
    family: ParametricKernel,
    theta: Array | None,
    rows: Rows,
    kept: Indices,
) -> None:
    """Set the fitted attributes of a machine whose λ and θ were selected on all rows."""
    _store(estimator, selection, family.kernel(selection.theta), selection.fit.dual_coef)
    estimator.theta_ = selection.theta if theta is None else theta
    estimator.intercept_ = selection.fit.intercept
    estimator.support_, estimator.support_vectors_ = kept, copied_rows(rows)
    estimator.objective_ = selection.objective
    estimator.n_iter_ = max(selection.n_iter, 1)


def store_kernel_fit(
    estimator: LeastSquaresParameters,
    fit: KernelFit,
    theta: Array | None,
    table: TrainingTable,
    kept: Indices,
) -> None:
    """Set the fitted attributes: with one kernel the landmarks are the support vectors."""
    factors, moments = fit.statistics.factors, fit.statistics.moments
    only = factors.maps[0]
    _store(estimator, fit, fit.kernel, factors.expansion(fit.coef)[0])
    estimator.theta_ = fit.theta if theta is None else theta
    estimator.intercept_ = fit.intercept
    estimator.support_, estimator.support_vectors_ = kept[only.rows], only.points
    estimator.rank_ = only.rank
    estimator.landmarks_ = [only.points]
    estimator.residual_trace_ = np.array([left_out(*moments.traces[:, 0])])
    estimator.loss_by_rank_ = {"rank": fit.ranks, "loss": fit.losses}
    _store_loss(estimator, fit, table)


def store_exact_fit(
    estimator: LeastSquaresParameters,
    fit: ExactFit,
    rows: Rows,
    table: TrainingTable,
    kept: Indices,
) -> None:
    """Set the fitted attributes of a machine on all rows: these are the support vectors."""
    _store(estimator, fit, fit.kernel, fit.dual_coef)
    estimator.intercept_ = fit.intercept
    estimator.support_, estimator.support_vectors_ = kept, copied_rows(rows)
    estimator._ridge = fit.lam / table.weight
    _store_loss(estimator, fit, table)


def _store(
    estimator: LeastSquaresParameters,
    fit: Selection | KernelFit | ExactFit,
    kernel: Kernel,
    dual_coef: Array,
) -> None:
    estimator.theta_, estimator.lam_ = fit.theta, fit.lam
    estimator.kernel_ = copied_kernel(kernel)
    estimator.dual_coef_ = np.ascontiguousarray(dual_coef.T)
    estimator.n_iter_, estimator.n_evaluations_ = fit.n_iter, fit.n_evaluations
    estimator.status_ = fit.status


def _store_loss(
    estimator: LeastSquaresParameters, fit: KernelFit | ExactFit, table: TrainingTable
) -> None:
    squares = ((table.Y - fit.left_out) ** 2).sum(axis=1)
    estimator.loo_loss_ = float(np.average(squares, weights=table.weight))
    estimator.objective_ = float(table.weight @ squares)


def store_left_out(
    estimator: LeastSquaresParameters, values: Array, X: Rows, Y: Array, kept: Indices
) -> None:
    """Leave-one-out predictions; a row of no weight was never in: it is predicted as any other."""
    predictions = np.empty_like(Y)
    predictions[kept] = values
    others = np.setdiff1d(np.arange(len(Y)), kept)
    if len(others):
        predictions[others] = estimator._values(select_rows(X, others))
    estimator.loo_predictions_ = predictions[:, 0] if Y.shape[1] == 1 else predictions


def store_loss_left_out(
    estimator: LeastSquaresParameters, point: LossPoint, offset: Array, data: LeastSquaresData
) -> None:
    """Approximate leave-one-out values of another loss than squares, and the loss of them."""
    kept, problem = data.kept, point.problem
    assert problem.loss is not None
    left = point.left_out(data.leave_out)
    estimator._groups = data.groups.subset(kept).known
    estimator._ridge = np.full(len(kept), np.nan)  # of squares alone
    store_left_out(estimator, left + offset, data.X, data.Y, kept)
    estimator._left_out_residuals = problem.Y - left
    losses = problem.loss.values(problem.Y, left)
    estimator.loo_loss_ = float(np.average(losses, weights=problem.weight))


def fold_machines(fit: KernelFit, table: TrainingTable) -> list[dict[str, Any]]:
    """Machines without a fold each, as intervals need them, for every target, in plain types."""
    rows = FactorRows(table.source, fit.statistics.factors, keep=False)
    refits = least_squares_refits(rows, fit.statistics, np.ones(1), fit.coef, fit.lam)
    kept = []
    for j in range(table.Y.shape[1]):
        coefs = fit.statistics.factors.expansion(refits.coef[:, :, j].T)
        intercept = refits.intercept[:, j] + fit.offset[j]
        residuals = table.Y[refits.rows, j] - refits.values[:, j] - fit.offset[j]
        kept.append(vars(LandmarkFolds(coefs, intercept, refits.fold, residuals)))
    return kept
