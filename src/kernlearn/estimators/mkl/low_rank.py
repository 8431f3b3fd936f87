"""Learning and predicting through landmarks, for the estimators that combine kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_random_state

from kernlearn._checks import check_count
from kernlearn._device import beside, telling_of_memory, to_host
from kernlearn.estimators.held_out.intervals import in_blocks, plus_interval
from kernlearn.estimators.inputs.row_limits import EXACT_ROWS
from kernlearn.families.factors import Factors
from kernlearn.gram.landmarks import NystroemMap
from kernlearn.gram.rows import map_rows
from kernlearn.kernels import Kernel
from kernlearn.kernels._sharing import sharing
from kernlearn.kernels._validation import take_rows
from kernlearn.solvers.nystroem.learned import Learned
from kernlearn.solvers.nystroem.refits import FoldMachines
from kernlearn.typing import Array

# What sources share equally is chosen on a sample of so many rows, and so many numbers in its Gram
# matrices: a gigabyte.
C_ROWS, _C_NUMBERS = 1500, 2**27
# The mean of so many rows in feature space is known well enough, and they are looked at often.
_CENTRE_ROWS = 1000
# Numbers that a row of sparse features may well have.
_WORDS = 256
_FITTED = ("residual_trace_", "landmarks_", "landmark_coef_", "loss_by_rank_", "exact_lower_bound_")


@dataclass(frozen=True, eq=False)
class ThroughLandmarks:
    """The machines that were trained through landmarks, for what still has to be done with them."""

    targets: Sequence[Array]
    sample_weight: Array
    kept: NDArray[np.intp]
    learned: Learned

    @property
    def refits(self) -> FoldMachines:
        """The machines that miss a fold each."""
        assert self.learned.held_out is not None
        return self.learned.held_out


class LandmarkFolds:
    """CV+ intervals from machines through landmarks that miss a fold each.

    Parameters
    ----------
    coefs : list of m ndarrays of shape (r, n_folds)
        Coefficients of k(x, landmark), for each kernel.
    intercept : ndarray of shape (n_folds,)
        The intercepts.
    fold : ndarray of integers, shape (n,)
        Which machine has not seen a row.
    residuals : ndarray of shape (n,)
        What that machine is wrong by at the row.
    """

    def __init__(
        self, coefs: list[Array], intercept: Array, fold: NDArray[np.intp], residuals: Array
    ) -> None:
        self.coefs, self.intercept = coefs, intercept
        self.fold, self.residuals = fold, residuals

    @classmethod
    def of(cls, trained: ThroughLandmarks, offset: float) -> LandmarkFolds:
        """What is to be kept of the machines of one target less an offset."""
        refits = trained.refits
        coefs = trained.learned.solution.factors.expansion(refits.coef[:, :, 0].T)
        residuals = trained.targets[0][refits.rows] - refits.values[:, 0]
        return cls(coefs, refits.intercept[:, 0] + offset, refits.fold, residuals)

    def interval(
        self, kernels: Sequence[Kernel], landmarks: Sequence[Any], X: Any, coverage: float
    ) -> Array:
        """Intervals of shape (n_new, 2)."""

        def ends(some: Any) -> Array:
            values = landmark_values(kernels, landmarks, self.coefs, some) + self.intercept
            return plus_interval(values[:, self.fold], self.residuals, coverage)

        return in_blocks(X, len(self.residuals), ends)


def is_exact(rank: Any, n_rows: int) -> bool:
    """Whether a fit with this rank has all Gram matrices, as far as rows decide it."""
    return rank is None or (isinstance(rank, str) and rank == "auto" and n_rows <= EXACT_ROWS)


def chosen_rank(rank: Any, n_rows: int, obstacle: str | None) -> int | str | None:
    """None for the exact solver, else the columns of each factor or "auto".

    Parameters
    ----------
    rank : int, "auto" or None
        What the user asked for.
    n_rows : int
        Rows to learn from.
    obstacle : str or None
        What was asked for that landmarks cannot do.
    """
    if rank is None:
        return None
    if isinstance(rank, str) and rank == "auto":
        return None if n_rows <= EXACT_ROWS or obstacle is not None else "auto"
    count = check_count("rank", rank, others=", 'auto' or None")
    if obstacle is not None:
        raise ValueError(
            f"expected rank=None with {obstacle}, got {rank!r}: there is no solver through "
            "landmarks for it; use rank=None, or the default"
        )
    return min(count, n_rows)


def rows_for_C(
    targets: Sequence[Array], n_kernels: int, seed: int, most: int | None = None
) -> NDArray[np.intp]:
    """The sample on which C is chosen, each class in its share, sorted."""
    n = len(targets[0])
    size = min(C_ROWS if most is None else most, int(np.sqrt(_C_NUMBERS / n_kernels)))
    if n <= size:
        return np.arange(n)
    shuffled = check_random_state(seed).permutation(n)
    order = shuffled[np.lexsort([y[shuffled] for y in targets])]
    return np.sort(order[np.linspace(0, n - 1, size).astype(int)])


def centre_of(rows: Any, seed: int) -> Any:
    """A sample whose mean in feature space stands for that of all rows."""
    if len(rows) <= _CENTRE_ROWS:
        return take_rows(rows, slice(None))
    generator = check_random_state(seed)
    return take_rows(rows, np.sort(generator.choice(len(rows), _CENTRE_ROWS, replace=False)))


def check_certify(certify: Any, free_sign: bool) -> bool:
    """Whether a bound on the exact problem is asked for."""
    if certify is None:
        return False
    if free_sign:
        raise ValueError(
            "expected weights='positive' with certify='exact', got weights='free', for which only "
            "the bound through landmarks is known; use certify=None"
        )
    return True


def store_low_rank(estimator: Any, learned: Learned) -> None:
    """Set the fitted attributes that tell of the landmarks."""
    solution = learned.solution
    maps = solution.factors.maps
    # Kernels with sparse features have no landmarks.
    estimator.rank_ = max((each.rank for each in maps if each.points is not None), default=0)
    estimator.residual_trace_ = solution.residual_trace
    estimator.landmarks_ = [each.points for each in maps]
    estimator.landmark_coef_ = solution.factors.expansion(solution.coef)
    estimator.intercept_ = np.atleast_1d(np.asarray(solution.intercept, dtype=float))
    estimator.loss_by_rank_ = {"rank": learned.ranks, "loss": learned.losses}
    if learned.exact_bound is not None:
        estimator.exact_lower_bound_ = learned.exact_bound


def with_points_of(learned: Learned, rows: Any) -> Learned:
    """What was learned from row numbers, with these rows as its landmarks."""
    solution = learned.solution
    maps = [
        replace(each, points=take_rows(rows, each.rows)) if isinstance(each, NystroemMap) else each
        for each in solution.factors.maps
    ]
    return replace(learned, solution=replace(solution, factors=Factors(maps)))


def forget_low_rank(estimator: Any) -> None:
    """Remove what an earlier fit through landmarks has left."""
    for name in _FITTED:
        estimator.__dict__.pop(name, None)
    estimator.rank_ = None


def landmark_values(
    kernels: Sequence[Kernel], landmarks: Sequence[Any], coefs: Sequence[Array], X: Any
) -> Array:
    """Σᵢ kᵢ(X, Sᵢ)βᵢ, a block of rows at a time, of shape (n, machines).

    Where a kernel has no landmarks, β are coefficients of its sparse features.
    """
    parts = [part for part in zip(kernels, landmarks, coefs, strict=True) if part[2].any()]
    if not parts:
        n = X.shape[0] if issparse(X) else len(X)
        return np.zeros((n, coefs[0].shape[1]))

    def block_values(block: Any, rows: slice) -> Array:
        with sharing():
            found = [
                _sparse_values(kernel, block, coef)
                if points is None
                else to_host(kernel(block, points) @ beside(coef, block))
                for kernel, points, coef in parts
            ]
        return np.asarray(sum(found[1:], start=found[0]))

    most = max(_WORDS if points is None else len(coef) for _, points, coef in parts)
    with telling_of_memory():
        return map_rows(X, block_values, most)


def _sparse_values(kernel: Kernel, X: Any, coef: Array) -> Array:
    """The function of coefficients of sparse features."""
    rows = kernel.sparse_rows(to_host(X))
    assert rows is not None
    return rows.times(coef)
