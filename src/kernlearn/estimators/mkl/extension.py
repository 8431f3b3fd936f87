"""Rows that come after a fit with weights of free signs: the kernel kept, or learned with cuts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from kernlearn._checks import learns_C
from kernlearn.estimators.inputs.decision_values import decision_values
from kernlearn.estimators.inputs.ownership import rollback_on_error
from kernlearn.estimators.inputs.row_kinds import stack_rows
from kernlearn.estimators.mkl.candidates import repair, require_memory
from kernlearn.estimators.mkl.combination import (
    CombinationFit,
    KernelCombination,
    store_certificate,
    store_machines,
    warn_unless_finished,
)
from kernlearn.estimators.mkl.parameters import Labelled, control_of, state
from kernlearn.estimators.mkl.transduction import TransductiveFit
from kernlearn.families.matrices import GramStack
from kernlearn.gram import check_stack, gram_stack
from kernlearn.quality.registry import CRITERIA
from kernlearn.runtime.phrases import counted
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.core.solution import Solution
from kernlearn.solvers.engine.backend import Learned
from kernlearn.solvers.engine.exact import ExactBackend
from kernlearn.solvers.weights.recursive_transduction import LowestEigenpairs
from kernlearn.typing import Array, Rows


@dataclass(frozen=True)
class Extension:
    """What became of the weights when rows were added to K(w) ⪰ 0.

    Attributes
    ----------
    n_rows : int
        Number of rows that were added.
    kept : bool
        Whether the weights stayed what they were: K(w) was positive semidefinite on the new rows,
        so the weights are still optimal, with the same certificate.
    smallest_eigenvalue : float
        Of K(w) on all rows, at the weights before; zero if it was negative by no more than
        rounding.
    n_cuts : int
        Eigenvector cuts with which the weights were learned again; zero if they were kept.
    n_machine_solves : int
        Machines that this took.
    """

    n_rows: int
    kept: bool
    smallest_eigenvalue: float = 0.0
    n_cuts: int = 0
    n_machine_solves: int = 0

    def __str__(self) -> str:
        further = f"on {counted(self.n_rows, 'further row')}"
        if self.kept:
            return f"the weights stay optimal: {further} the kernel is positive semidefinite"
        return (
            f"the weights were learned again with {counted(self.n_cuts, 'cut')} and "
            f"{counted(self.n_machine_solves, 'machine solve')}: {further} the kernel had an "
            f"eigenvalue of {self.smallest_eigenvalue:.3g}"
        )


class ExtendableCombination(KernelCombination):
    """A combination with weights of free signs that takes further rows after its fit."""

    extension_: Extension

    def extend(self, X: Rows) -> Self:
        """Add rows without targets to those on which the kernel is positive semidefinite.

        Weights of free signs are learned so that K(w) ⪰ 0 on the rows of the fit. If K(w) ⪰ 0 on
        the new rows too, the weights are still optimal, and their certificate stays. If not, the
        weights are learned again with eigenvector cuts, from where they are. Rows may come in
        batches or one by one; ``extension_`` tells what became of the weights. The quality, the
        trace and its total stay those of the rows of the fit.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Points, as for ``predict``.

        Returns
        -------
        self : estimator
            With K(w) ⪰ 0 on the new rows.
        """
        check_is_fitted(self)
        fit = _extendable(self)
        new = self._checked(X, reset=False)
        if hasattr(new, "iloc") != hasattr(fit.rows, "iloc"):
            raise ValueError(
                "expected X of the same kind as in fit, got a data frame and an array; convert "
                "one of them"
            )
        with rollback_on_error(self):
            extended = replace(fit, rows=stack_rows(fit.rows, new))
            n_new = extended.n_unlabelled - fit.n_unlabelled
            require_memory(self, extended.rows, len(extended.targets))
            rows = GramStack(gram_stack(self.kernels_, extended.rows), fit.n_labelled)
            with threads_for(rows.n_points):
                lowest = LowestEigenpairs.of(rows.combine(self.weights_, labelled_only=False))
            self.__dict__.pop("_error_bound", None)
            self.extension_ = Extension(n_new, kept=True)
            if lowest is not None:
                extended, n_cuts = _learned_again(self, extended, rows, lowest)
                solves, smallest = self.n_machine_solves_, float(lowest.values[0])
                self.extension_ = Extension(n_new, False, smallest, n_cuts, solves)
            self._transduction = extended
            self._transduce(_values_of_unlabelled(self, extended))
        return self

    def _finish(self, fit: CombinationFit) -> None:
        """Set what depends on the machines of a fit that is stored."""
        raise NotImplementedError

    def _transduce(self, values: Array) -> None:
        """Keep predictions of the rows without targets, from decision values (l, k)."""


def _extendable(estimator: KernelCombination) -> TransductiveFit:
    """The rows of the fit; refused where none can be added to them."""
    refused = None
    if estimator._weight_signs != "free":
        refused = (
            f"weights='free', got {estimator._weight_signs!r}, whose kernel is positive "
            "semidefinite on any rows; call predict"
        )
    elif estimator.rank_ is not None:
        refused = "Gram matrices of all rows, got landmarks; fit with rank=None"
    elif estimator.quality in CRITERIA or learns_C(estimator.quality, estimator.C):
        got = f"quality={estimator.quality!r}" if estimator.quality in CRITERIA else "C='learn'"
        refused = f"a machine with a given C, got {got}; fit again with X_unlabeled"
    elif estimator._options.psd in ("clip", "shift"):
        refused = (
            f"kernels as they are, got psd={estimator._options.psd!r}, which changes the matrices "
            "of the fit; fit again with X_unlabeled"
        )
    if refused is not None:
        raise ValueError(f"extend expected {refused}")
    known: TransductiveFit = vars(estimator)["_transduction"]
    return known


def _learned_again(
    estimator: ExtendableCombination,
    extended: TransductiveFit,
    rows: GramStack,
    lowest: LowestEigenpairs,
) -> tuple[TransductiveFit, int]:
    """Learn weights that are feasible on all rows, and store them; the number of cuts, too."""
    options = estimator._options
    if options.penalty is not None or options.constraints:
        raise ValueError(
            "extend expected rows on which the learned kernel is positive semidefinite, or a fit "
            f"without penalty and constraints, got an eigenvalue of {float(lowest.values[0]):.3g} "
            "on these rows; fit again with X_unlabeled"
        )
    control = control_of(estimator)
    if repair(estimator) == "raise":
        check_stack(rows.grams, psd="raise")
    n, n_fitted = extended.n_labelled, extended.n_fitted
    family = GramStack(np.ascontiguousarray(rows.grams[:, :n_fitted, :n_fitted]), n)
    labelled = _safe_indexing(extended.rows, np.arange(n))
    data = Labelled(labelled, extended.targets, extended.weight, extended.fold, extended.groups)
    statement = state(estimator, data, family.n_matrices, extended.total)
    backend = ExactBackend(statement, family)
    known = Solution(
        weights=estimator.weights_,
        objective=estimator.objective_,
        lower_bound=estimator.lower_bound_,
        dual_coef=extended.dual_coef,
        intercept=None,
        n_machine_solves=0,
        status=estimator.status_,
    )
    found = backend.extend(estimator.C_, rows, lowest, known, control)
    solution = found.solution
    held_out = None
    if statement.hold_out is not None:
        held_out = backend.hold_out(estimator.C_, solution, control)
    share = float(vars(estimator).get("equal_share_", 0.0))
    none = np.empty((0, 2))
    learned = Learned(estimator.C_, share, solution, none, held_out, None, None)
    fit = CombinationFit(data, learned)
    estimator.kernel_ = estimator._combined(solution.weights)
    store_machines(estimator, fit, extended.kept)
    store_certificate(estimator, learned)
    warn_unless_finished(estimator, solution, control)
    estimator._finish(fit)
    coefs = np.atleast_2d(np.asarray(solution.dual_coef))
    return replace(extended, dual_coef=coefs), found.n_cuts


def _values_of_unlabelled(estimator: KernelCombination, fit: TransductiveFit) -> Array:
    """Decision values (l, k) of all rows without targets."""
    rows = _safe_indexing(fit.rows, np.arange(fit.n_labelled, fit.n_labelled + fit.n_unlabelled))
    if len(estimator.support_) == 0:
        return np.tile(estimator.intercept_, (fit.n_unlabelled, 1))
    known = estimator.support_vectors_, estimator.dual_coef_
    return np.asarray(decision_values(estimator.kernel_, rows, *known) + estimator.intercept_)
