"""Learning and predicting through landmarks, for the estimators that combine kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils import check_random_state

from kernlearn._checks import check_count
from kernlearn._device import beside, device_memory_errors, to_host
from kernlearn.estimators.held_out.intervals import in_blocks, plus_interval
from kernlearn.estimators.mkl.parameters import CombinationParameters
from kernlearn.families.factors import Factors
from kernlearn.gram.landmarks import NystroemMap
from kernlearn.gram.rows import map_rows
from kernlearn.kernels import Kernel
from kernlearn.kernels._sharing import sharing
from kernlearn.kernels._validation import take_rows
from kernlearn.solvers.engine.backend import EngineFit
from kernlearn.solvers.engine.refits import FoldMachines
from kernlearn.solvers.nystroem.certificate import LowRankSolution
from kernlearn.typing import Array, Indices, Rows

# Rows whose mean in feature space is known well enough; they are looked at often.
_CENTRE_ROWS = 1000
# Numbers that a row of sparse features may well have.
_WORDS = 256
_FITTED = ("residual_trace_", "landmarks_", "landmark_coef_", "loss_by_rank_", "exact_lower_bound_")


@dataclass(frozen=True, eq=False)
class LandmarkFolds:
    """CV+ intervals from machines through landmarks that miss a fold each."""

    coefs: list[Array]  # (r, n_folds): coefficients of k(x, landmark), for each kernel
    intercept: Array  # (n_folds,): the intercepts
    fold: Indices  # (n,): the machine that was trained without a row
    residuals: Array  # (n,): residuals of that machine at the row

    @classmethod
    def of(cls, machines: FoldMachines, factors: Factors, target: Array, offset: float) -> Self:
        """The parts of machines that are stored, for one target less an offset."""
        coefs = factors.expansion(machines.coef[:, :, 0].T)
        residuals = target[machines.rows] - machines.values[:, 0]
        known = ~np.isnan(residuals)  # a fit that ended early has trained some folds only
        intercept = machines.intercept[:, 0] + offset
        return cls(coefs, intercept, machines.fold[known], residuals[known])

    def interval(
        self, kernels: Sequence[Kernel], landmarks: Sequence[Rows], X: Rows, coverage: float
    ) -> Array:
        """Intervals of shape (n_new, 2)."""

        def ends(some: Rows) -> Array:
            values = landmark_values(kernels, landmarks, self.coefs, some) + self.intercept
            return plus_interval(values[:, self.fold], self.residuals, coverage)

        return in_blocks(X, len(self.residuals), ends)


def is_exact(rank: object, n_rows: int, exact_rows: int) -> bool:
    """Whether a fit with this rank has all Gram matrices, as far as rows decide it."""
    return rank is None or (isinstance(rank, str) and rank == "auto" and n_rows <= exact_rows)


def chosen_rank(
    rank: object,  # the user's parameter
    n_rows: int,  # rows to learn from
    obstacle: str | None,  # the parameter that landmarks do not support
    exact_rows: int,  # most rows for which "auto" is exact
) -> int | str | None:
    """None for the exact solver, else the columns of each factor or "auto"."""
    if rank is None:
        return None
    if isinstance(rank, str) and rank == "auto":
        return None if n_rows <= exact_rows or obstacle is not None else "auto"
    count = check_count("rank", rank, others=", 'auto' or None")
    if obstacle is not None:
        raise ValueError(
            f"expected rank=None with {obstacle}, got {rank!r}: there is no solver through "
            "landmarks for it; use rank=None, or the default"
        )
    return min(count, n_rows)


def centre_of(rows: Rows, seed: int) -> Rows:
    """A sample whose mean in feature space stands for that of all rows."""
    if len(rows) <= _CENTRE_ROWS:
        return take_rows(rows, slice(None))
    generator = check_random_state(seed)
    return take_rows(rows, np.sort(generator.choice(len(rows), _CENTRE_ROWS, replace=False)))


def store_low_rank(
    estimator: CombinationParameters, engine_fit: EngineFit[LowRankSolution]
) -> None:
    """Set the fitted attributes of the landmarks."""
    solution = engine_fit.solution
    maps = solution.factors.maps
    # Kernels with sparse features have no landmarks.
    estimator.rank_ = max((each.rank for each in maps if each.points is not None), default=0)
    estimator.residual_trace_ = solution.residual_trace
    estimator.landmarks_ = [each.points for each in maps]
    estimator.landmark_coef_ = solution.factors.expansion(solution.coef)
    estimator.intercept_ = np.atleast_1d(np.asarray(solution.intercept, dtype=float))
    assert engine_fit.loss_by_rank is not None
    ranks, losses = engine_fit.loss_by_rank
    estimator.loss_by_rank_ = {"rank": ranks, "loss": losses}
    if engine_fit.exact_bound is not None:
        estimator.exact_lower_bound_ = engine_fit.exact_bound


def with_points_of(solution: LowRankSolution, rows: Rows) -> LowRankSolution:
    """A solution learned from row numbers, with these rows as its landmarks."""
    maps = [
        replace(each, points=take_rows(rows, each.rows)) if isinstance(each, NystroemMap) else each
        for each in solution.factors.maps
    ]
    return replace(solution, factors=Factors(maps))


def forget_low_rank(estimator: CombinationParameters) -> None:
    """Remove attributes of an earlier fit through landmarks."""
    for name in _FITTED:
        estimator.__dict__.pop(name, None)
    estimator.rank_ = None


def landmark_values(
    kernels: Sequence[Kernel], landmarks: Sequence[Any], coefs: Sequence[Array], X: Rows
) -> Array:
    """Σᵢ kᵢ(X, Sᵢ)βᵢ, a block of rows at a time, of shape (n, machines).

    If a kernel has no landmarks, β are coefficients of its sparse features.
    """
    parts = [part for part in zip(kernels, landmarks, coefs, strict=True) if part[2].any()]
    if not parts:
        n = X.shape[0] if issparse(X) else len(X)
        return np.zeros((n, coefs[0].shape[1]))

    def block_values(block: Rows, rows: slice) -> Array:
        with sharing():
            found = [
                _sparse_values(kernel, block, coef)
                if points is None
                else to_host(kernel(block, points) @ beside(coef, block))
                for kernel, points, coef in parts
            ]
        return np.asarray(sum(found[1:], start=found[0]))

    most = max(_WORDS if points is None else len(coef) for _, points, coef in parts)
    with device_memory_errors():
        return map_rows(X, block_values, most)


def _sparse_values(kernel: Kernel, X: Rows, coef: Array) -> Array:
    """The function of coefficients of sparse features."""
    rows = kernel.sparse_rows(to_host(X))
    if rows is None:  # dense rows, after a fit to sparse ones
        rows = kernel.sparse_rows(csr_array(to_host(X)))
    assert rows is not None
    return rows.times(coef)
