"""Least-squares machines of one kernel through landmarks, as their estimators store them."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn.estimators.inputs.dask_rows import select_rows
from kernlearn.estimators.inputs.ownership import own_kernel, own_rows
from kernlearn.estimators.mkl.low_rank import LandmarkFolds
from kernlearn.families.factor_rows import FactorRows
from kernlearn.gram.landmarks import left_out
from kernlearn.solvers.engine.refits import least_squares_refits
from kernlearn.solvers.nystroem.kernel_fit import ExactFit, KernelFit, TrainingTable
from kernlearn.typing import Array, Indices


def store_kernel_fit(
    estimator: Any, fit: KernelFit, theta: Array | None, table: TrainingTable, kept: Indices
) -> None:
    """Set the fitted attributes: with one kernel the landmarks are the support vectors."""
    factors, moments = fit.seen.factors, fit.seen.moments
    only = factors.maps[0]
    estimator.theta_ = fit.theta if theta is None else theta
    estimator.lam_ = fit.lam
    estimator.kernel_ = own_kernel(fit.kernel)
    estimator.support_ = kept[only.rows]
    estimator.support_vectors_ = only.points
    estimator.dual_coef_ = np.ascontiguousarray(factors.expansion(fit.coef)[0].T)
    estimator.intercept_ = fit.intercept
    estimator.n_iter_, estimator.n_evaluations_ = fit.n_iter, fit.n_evaluations
    estimator.status_ = fit.status
    estimator.rank_ = only.rank
    estimator.landmarks_ = [only.points]
    estimator.residual_trace_ = np.array([left_out(*moments.traces[:, 0])])
    estimator.loss_by_rank_ = {"rank": fit.ranks, "loss": fit.losses}
    squares = ((table.Y - fit.left_out) ** 2).sum(axis=1)
    estimator.loo_loss_ = float(np.average(squares, weights=table.weight))
    estimator.objective_ = float(table.weight @ squares)


def store_exact_fit(
    estimator: Any, fit: ExactFit, rows: Any, table: TrainingTable, kept: Indices
) -> None:
    """Set the fitted attributes of a machine on all rows: these are the support vectors."""
    estimator.theta_, estimator.lam_ = fit.theta, fit.lam
    estimator.kernel_ = own_kernel(fit.kernel)
    estimator.support_, estimator.support_vectors_ = kept, own_rows(rows)
    estimator.dual_coef_ = np.ascontiguousarray(fit.dual_coef.T)
    estimator.intercept_ = fit.intercept
    estimator.n_iter_, estimator.n_evaluations_ = fit.n_iter, fit.n_evaluations
    estimator.status_ = fit.status
    estimator._ridge = fit.lam / table.weight
    squares = ((table.Y - fit.left_out) ** 2).sum(axis=1)
    estimator.loo_loss_ = float(np.average(squares, weights=table.weight))
    estimator.objective_ = float(table.weight @ squares)


def store_left_out(
    estimator: Any, fit: KernelFit | ExactFit, X: Any, Y: Array, kept: Indices
) -> None:
    """Leave-one-out predictions; a row of no weight was never in: it is predicted as any other."""
    predictions = np.empty_like(Y)
    predictions[kept] = fit.left_out
    others = np.setdiff1d(np.arange(len(Y)), kept)
    if len(others):
        predictions[others] = estimator._values(select_rows(X, others))
    estimator.loo_predictions_ = predictions[:, 0] if Y.shape[1] == 1 else predictions


def fold_machines(fit: KernelFit, table: TrainingTable) -> list[dict[str, Any]]:
    """What intervals need of machines that miss a fold each, for every target, in plain types."""
    rows = FactorRows(table.source, fit.seen.factors, keep=False)
    refits = least_squares_refits(rows, fit.seen, np.ones(1), fit.coef, fit.lam)
    kept = []
    for j in range(table.Y.shape[1]):
        coefs = fit.seen.factors.expansion(refits.coef[:, :, j].T)
        intercept = refits.intercept[:, j] + fit.offset[j]
        residuals = table.Y[refits.rows, j] - refits.values[:, j] - fit.offset[j]
        kept.append(vars(LandmarkFolds(coefs, intercept, refits.fold, residuals)))
    return kept
