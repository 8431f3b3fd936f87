"""A bound on the share of errors among the unlabelled rows of a fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from kernlearn.bound import ErrorBound, transductive_error_bound
from kernlearn.estimators.mkl.candidates import repair
from kernlearn.estimators.mkl.indefinite import FittedKernel
from kernlearn.estimators.mkl.parameters import CombinationParameters
from kernlearn.families.base import Family
from kernlearn.families.matrices import GramStack
from kernlearn.gram import gram_stack
from kernlearn.kernels import Kernel
from kernlearn.runtime.phrases import counted
from kernlearn.solvers.core.solution import Solution
from kernlearn.solvers.weights.search import FreeCoordinates
from kernlearn.typing import Array, Indices, Rows


@dataclass(frozen=True, eq=False)
class FitMatrices:
    """Gram matrices of a fit."""

    family: GramStack  # on the rows of the fit
    rows: GramStack  # and on those that came later, below them
    coordinates: FreeCoordinates | None = None  # of the weights, where an extension needed any

    @property
    def nbytes(self) -> int:
        """Bytes of all matrices."""
        stacks: list[Family] = [self.family, self.rows]
        if self.coordinates is not None:
            stacks += [self.coordinates.family, self.coordinates.cone]
        sizes = {id(one.grams): one.grams.nbytes for one in stacks if isinstance(one, GramStack)}
        return sum(sizes.values())


@dataclass(frozen=True, eq=False)
class TransductiveFit:
    """The rows of a fit that K(w) ⪰ 0 was imposed on, with targets, weights and folds."""

    rows: Rows  # rows with targets, then rows without
    targets: Sequence[Array]  # (n,): one for each machine
    weight: Array  # (n,): sample weights
    dual_coef: Array  # (k, n): coefficients of all rows with targets
    kept: Indices  # (n,): their numbers among the rows that were given
    n_fitted: int  # rows of the fit: the trace is held at its total over them
    total: float  # the total of the constraint
    fold: Indices | None = None  # (n,): as in Labelled
    groups: Indices | None = None

    def on_its_rows(self, kernel: Kernel) -> FittedKernel:
        """The learned kernel on rows of the fit, computed once."""
        known = _FITTED_KERNELS.get(self)
        if known is None:
            known = _FITTED_KERNELS[self] = FittedKernel.of(kernel, self.rows)
        return known

    def extended_matrices(
        self, kernels: Sequence[Kernel], new: Rows, extended: TransductiveFit
    ) -> FitMatrices:
        """The matrices of an extended fit; those that are kept are reused."""
        known = _MATRICES.get(self)
        if known is None:
            rows = GramStack(gram_stack(kernels, extended.rows), self.n_labelled)
            return FitMatrices(rows.leading(self.n_fitted), rows)
        cross, corner = gram_stack(kernels, new, self.rows), gram_stack(kernels, new)
        n, n_all = known.rows.n_points, known.rows.n_points + len(corner[0])
        grams = np.empty((len(corner), n_all, n_all))
        grams[:, :n, :n], grams[:, n:, n:] = known.rows.grams, corner
        grams[:, n:, :n], grams[:, :n, n:] = cross, cross.transpose(0, 2, 1)
        return replace(known, rows=GramStack(grams, self.n_labelled))

    def keep(self, matrices: FitMatrices) -> None:
        """Keep the matrices for the next extension, if they are not very large."""
        if matrices.nbytes > KEPT:
            matrices = replace(matrices, coordinates=None)
        if matrices.nbytes <= KEPT:
            _MATRICES[self] = matrices

    @property
    def n_labelled(self) -> int:
        """The number of rows with targets."""
        return len(self.weight)

    @property
    def n_unlabelled(self) -> int:
        """The number of rows without targets."""
        shape = getattr(self.rows, "shape", None)
        return (len(self.rows) if shape is None else int(shape[0])) - self.n_labelled


# Kept beside the fits, so that no file of a model holds a matrix.
_FITTED_KERNELS: WeakKeyDictionary[TransductiveFit, FittedKernel] = WeakKeyDictionary()
_MATRICES: WeakKeyDictionary[TransductiveFit, FitMatrices] = WeakKeyDictionary()
KEPT = 2**27  # bytes of Gram matrices


def error_bound_of(estimator: CombinationParameters) -> ErrorBound:
    """Theorem 24 for the labels that the fit has predicted for its unlabelled rows."""
    fit: TransductiveFit | None = vars(estimator).get("_transduction")
    refused = _unmet_condition(estimator, fit)
    if fit is None or refused is not None:
        raise AttributeError(
            f"{type(estimator).__name__} has no transductive_bound_: expected {refused}"
        )
    solution = Solution(
        weights=estimator.weights_,
        objective=np.nan,
        lower_bound=np.nan,
        dual_coef=fit.dual_coef[0],
        intercept=float(estimator.intercept_[0]),
        n_machine_solves=0,
        status=estimator.status_,
    )
    return transductive_error_bound(
        gram_stack(estimator.kernels_, fit.rows),
        fit.targets[0],
        solution,
        weights="free" if estimator._weight_signs == "free" else "positive",
        psd=repair(estimator),
        random_state=estimator._seed,
    )


def _unmet_condition(estimator: CombinationParameters, fit: TransductiveFit | None) -> str | None:
    """The unmet condition of the theorem, with the cure; None if there is a bound."""
    if "transduction_" not in vars(estimator):
        return "a fit with X_unlabeled, got one without; pass the rows to be predicted to fit"
    if fit is None:
        return "a list of kernels, got a family; pass a list of kernels that was fixed in advance"
    if len(fit.targets) > 1:
        return (
            f"two classes, got {len(fit.targets)}; call transductive_error_bound for each of them "
            "against the rest"
        )
    if fit.n_unlabelled != fit.n_labelled:
        return (
            "as many rows in X_unlabeled as labelled ones, for the theorem needs halves of equal "
            f"size, got {counted(fit.n_unlabelled, 'row')} and "
            f"{counted(fit.n_labelled, 'labelled one')}; draw as many at random"
        )
    return None
