"""A bound on the share of errors among the unlabelled rows of a fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from kernlearn.bound import ErrorBound, transductive_error_bound
from kernlearn.estimators.mkl.candidates import repair
from kernlearn.estimators.mkl.indefinite import FittedKernel
from kernlearn.estimators.mkl.parameters import CombinationParameters
from kernlearn.gram import gram_stack
from kernlearn.kernels import Kernel
from kernlearn.runtime.phrases import counted
from kernlearn.solvers.core.solution import Solution
from kernlearn.typing import Array, Indices, Rows


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

    def extended_grams(
        self, kernels: Sequence[Kernel], new: Rows, extended: TransductiveFit
    ) -> Array:
        """Gram matrices of the rows of an extended fit; kept matrices are reused."""
        known = _GRAMS.get(self)
        if known is None:
            grams = gram_stack(kernels, extended.rows)
        else:
            n = known.shape[1]
            cross, corner = gram_stack(kernels, new, self.rows), gram_stack(kernels, new)
            grams = np.empty((len(known), n + len(corner[0]), n + len(corner[0])))
            grams[:, :n, :n], grams[:, n:, n:] = known, corner
            grams[:, n:, :n], grams[:, :n, n:] = cross, cross.transpose(0, 2, 1)
        return grams

    def keep(self, grams: Array) -> None:
        """Keep the Gram matrices for the next extension, if they are not very large."""
        if grams.nbytes <= KEPT:
            _GRAMS[self] = grams

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
_GRAMS: WeakKeyDictionary[TransductiveFit, Array] = WeakKeyDictionary()
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
