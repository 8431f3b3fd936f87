"""Rows that come after a fit with weights of free signs: the kernel kept, or learned with cuts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from kernlearn._checks import learns_C
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
from kernlearn.estimators.mkl.transduction import FitMatrices, TransductiveFit
from kernlearn.gram import check_stack
from kernlearn.quality.registry import CRITERIA
from kernlearn.runtime.phrases import counted
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.core.solution import Solution
from kernlearn.solvers.engine.backend import EngineFit
from kernlearn.solvers.engine.exact import ExactBackend
from kernlearn.solvers.weights.recursive_transduction import (
    ExtendedSolution,
    FurtherRows,
    LowestEigenpairs,
)
from kernlearn.typing import Array, Rows


@dataclass(frozen=True)
class Extension:
    """The change of the weights after rows were added to K(w) ⪰ 0.

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
    """A combination with weights of free signs that takes further rows after its fit.

    Parameters
    ----------
    kernels : list of Kernel, or a family of kernels, optional
        The kernels to combine. By default a linear, a quadratic and four Gaussian kernels, whose
        bandwidths lie around the one at which a least-squares machine has the smallest
        leave-one-out loss on a sample of the rows; on columns scaled one by one if that predicts
        clearly better; through landmarks also kernels on the pairs of columns that predict most
        together. Kernels that are nearly constant or nearly the identity are left out. If X holds
        several views, every kernel is on each of them, and ``Columns("genes", kernel)`` on the view
        of that name alone. A family, :class:`kernlearn.kernels.PerColumn`,
        :class:`kernlearn.kernels.Grid` or any object with a length that makes its i-th kernel on
        demand, may have hundreds of thousands: they are evaluated one by one and never stored. It
        takes positive weights of a machine at a given C, or at ``C="auto"``.
        :class:`kernlearn.kernels.GaussianRange` has every bandwidth of an interval.
    weights : {"positive", "free"}, default="positive"
        Positive weights, or any sign with K(w) ⪰ 0 on the points given to ``fit``. On other points
        the kernel may be indefinite; then :class:`kernlearn.exceptions.IndefiniteKernelWarning` is
        raised, and ``extend`` is the cure.
    normalize : bool, default=False
        Give every kernel a unit diagonal, k(x, z)/√(k(x, x) k(z, z)). It is on by default for
        :class:`kernlearn.MKLNoveltyDetector` alone.
    tol : float, default=1e-6
        Relative duality gap to reach. The least-squares estimators, such as
        :class:`kernlearn.LSSVMClassifier`, solve no convex problem: their ``tol`` is on a slope.
    missing : {None, "mean", "complete"}, default=None
        How to treat rows that lack a whole source, that is, all cells of a kernel's `Columns`, or
        its text or other thing. None refuses them. "mean" puts them at the mean of the rows that
        have the source, where their kernel with every row is zero
        (:class:`kernlearn.kernels.WhereKnown`). "complete" places them by what they have of the
        other sources (:class:`kernlearn.kernels.Completed`). Any pattern of gaps can be predicted;
        a row without any source is at the mean of each. Centring and the unit diagonal come after.
    random_state : int, RandomState or None, default=0
        Seed of the sample from which the default kernels take their bandwidths, of landmarks, and
        of folds.
    device : None, "cpu", "cuda" or the like of "cuda:1", default=None
        Device of the kernels and products over rows when learning through landmarks, of predictions
        from them, and of the pricing of a :class:`kernlearn.kernels.Grid` on Gram matrices. None is
        the device of X, if it is an array of PyTorch or CuPy, else the host. Fitted attributes and
        predictions are arrays of NumPy.
    options : MKLOptions, optional
        Options that few fits need, such as centring, constraints or a penalty on the weights, a
        share that is equal for all sources, or a callback: see :class:`kernlearn.MKLOptions`.

    Attributes
    ----------
    kernel_ : Kernel
        The learned kernel, to be called on new data or handed to ``SVC(kernel=...)``.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        Signed dual coefficients.
    intercept_ : ndarray of shape (n_machines,)
        Intercepts.
    landmarks_, landmark_coef_ : list of m arrays
        The landmarks of each kernel, and the coefficients of k(x, landmark) for each machine. A
        kernel whose sparse features were taken as they are has None, and coefficients of these.
    rank_ : int or None
        Columns of the largest factor through landmarks, 0 if no kernel needs any; None on Gram
        matrices. With landmarks there are no ``dual_coef_``, ``support_`` and
        ``support_vectors_``, but what follows.
    exact_lower_bound_ : float
        With the option ``certify="exact"``: a lower bound for any weights of the exact kernels.
    residual_trace_ : ndarray of shape (m,)
        The part of each kernel's trace that its landmarks leave out.
    """

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
            Rows, as for ``predict``.

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
            matrices = fit.extended_matrices(self.kernels_, new, extended)
            with threads_for(matrices.rows.n_points):
                K = matrices.rows.combine(self.weights_, labelled_only=False)
                lowest = LowestEigenpairs.of(K)
            self.__dict__.pop("_error_bound", None)
            self.extension_ = Extension(n_new, kept=True)
            if lowest is not None:
                found = _relearned(self, extended, matrices, lowest)
                solution, smallest = found.solution, float(lowest.values[0])
                solves = solution.n_machine_solves
                self.extension_ = Extension(n_new, False, smallest, found.n_cuts, solves)
                coefs = np.atleast_2d(np.asarray(solution.dual_coef))
                extended = replace(extended, dual_coef=coefs)
                matrices = replace(matrices, coordinates=found.coordinates)
                K = matrices.rows.combine(self.weights_, labelled_only=False)
            self._transduction = extended
            extended.keep(matrices)
            n = extended.n_labelled
            self._transduce(K[n:, :n] @ extended.dual_coef.T + self.intercept_)
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


def _relearned(
    estimator: ExtendableCombination,
    extended: TransductiveFit,
    matrices: FitMatrices,
    lowest: LowestEigenpairs,
) -> ExtendedSolution:
    """Learn weights that are feasible on all rows, and store them."""
    _check_weights_are_free(estimator, lowest)
    control = control_of(estimator)
    if repair(estimator) == "raise":
        check_stack(matrices.rows.grams, psd="raise")
    family = matrices.family
    labelled = _safe_indexing(extended.rows, np.arange(extended.n_labelled))
    data = Labelled(labelled, extended.targets, extended.weight, extended.fold, extended.groups)
    statement = state(estimator, data, family.n_matrices, extended.total)
    backend = ExactBackend(statement, family)
    earlier = _fitted_solution(estimator, extended)
    rows = FurtherRows(matrices.rows, lowest, matrices.coordinates)
    found = backend.extend(estimator.C_, rows, earlier, control)
    solution = found.solution
    held_out = None
    if statement.hold_out is not None:
        held_out = backend.hold_out(estimator.C_, solution, control)
    share = float(vars(estimator).get("equal_share_", 0.0))
    none = np.empty((0, 2))
    engine_fit = EngineFit(estimator.C_, share, solution, none, held_out, None, None)
    fit = CombinationFit(data, engine_fit)
    estimator.kernel_ = estimator._combined(solution.weights)
    store_machines(estimator, fit, extended.kept)
    store_certificate(estimator, engine_fit)
    warn_unless_finished(estimator, solution, control)
    estimator._finish(fit)
    return found


def _check_weights_are_free(estimator: ExtendableCombination, lowest: LowestEigenpairs) -> None:
    """Refuse further rows that need other weights, which a penalty or constraints fix."""
    options = estimator._options
    if options.penalty is not None or options.constraints:
        raise ValueError(
            "extend expected rows on which the learned kernel is positive semidefinite, or a fit "
            f"without penalty and constraints, got an eigenvalue of {float(lowest.values[0]):.3g} "
            "on these rows; fit again with X_unlabeled"
        )


def _fitted_solution(estimator: ExtendableCombination, extended: TransductiveFit) -> Solution:
    """The solution that the estimator has stored."""
    return Solution(
        weights=estimator.weights_,
        objective=estimator.objective_,
        lower_bound=estimator.lower_bound_,
        dual_coef=extended.dual_coef,
        intercept=None,
        n_machine_solves=0,
        status=estimator.status_,
    )
