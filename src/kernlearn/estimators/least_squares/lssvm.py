"""Base of the least-squares support vector machines."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from kernlearn._checks import check_choice, check_count, check_positive
from kernlearn._cluster import Chunked
from kernlearn._device import HOST, Place, Placed, device_memory_errors
from kernlearn.estimators.held_out.folds import draws_folds
from kernlearn.estimators.inputs.dask_rows import (
    check_takes_dask,
    evenly_spaced_rows,
    gather_rows,
    in_memory,
    select_rows,
)
from kernlearn.estimators.inputs.decision_values import decision_values
from kernlearn.estimators.inputs.row_limits import EXACT_ROWS
from kernlearn.estimators.inputs.row_order import row_order
from kernlearn.estimators.least_squares.fitted_attributes import (
    fold_machines,
    store_kernel_fit,
    store_left_out,
    store_selection,
)
from kernlearn.estimators.least_squares.kernel_choice import (
    FixedKernel,
    check_theta,
    kernel_family,
)
from kernlearn.estimators.least_squares.learning_data import (
    LeastSquaresData,
    LeastSquaresRequest,
)
from kernlearn.estimators.least_squares.one_bandwidth import warn_if_blurred
from kernlearn.estimators.least_squares.parameters import LeastSquaresParameters
from kernlearn.estimators.mkl.low_rank import (
    chosen_rank,
    forget_low_rank,
    is_exact,
    landmark_values,
)
from kernlearn.families.parametric import ParametricKernel
from kernlearn.kernels import Kernel
from kernlearn.kernels._sharing import sharing
from kernlearn.quality.evidence import Evidence
from kernlearn.quality.held_out import KFoldLoss, SelectionCriterion, SelectionLoss
from kernlearn.quality.logistic_evidence import LogisticEvidence
from kernlearn.quality.ls_svm import MachineFit
from kernlearn.runtime.convergence_warnings import warn_if_unfinished
from kernlearn.runtime.memory import matrices, require
from kernlearn.runtime.status import Status
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.nystroem.exact_refit import REFIT, RefitOptions
from kernlearn.solvers.nystroem.kernel_fit import (
    STAGES,
    StageOptions,
    fit_through_landmarks,
)
from kernlearn.solvers.optimize.coroutines import drive, from_callback
from kernlearn.solvers.selection.batched import SelectionStacks
from kernlearn.solvers.selection.objective import DescentLimits, Evaluator, SelectionOptions
from kernlearn.solvers.selection.select import Selection, select
from kernlearn.typing import Array, Indices, Rows, Targets

# A fit that yields requests for a device, as in `kernlearn.solvers.optimize.coroutines`.
Learning: TypeAlias = Generator[list[Any], list[Any], None]

SELECTIONS = ["loo", "cv", "bayes", "evidence"]
STARTS = ["several", "one"]
# Held-out errors of a millionth of the targets' spread are as good as none: where there are more
# parameters than points, nothing else would end the descent.
_NEGLIGIBLE = 1e-12
# Matrices of the size of the kernel's that exist together, at most, with LAPACK's (measured).
MATRICES = 10
# Rows of a table on other machines that determine the number of a kernel's parameters.
FEW_ROWS = 5000


def several_starts(starts: str) -> bool:
    """Whether other starts than equal scales are tried, checked."""
    check_choice("starts", starts, STARTS)
    return starts == "several"


@dataclass(frozen=True)
class LeastSquaresOptions:
    """Options of the selection of λ and θ, and the sizes at which its method changes."""

    exact_rows: int = EXACT_ROWS  # most rows for which Gram matrices are the default
    stages: StageOptions = STAGES  # rows and landmarks that θ is learned from
    refit: RefitOptions = REFIT  # the machine of all rows at that θ
    # ridges, scales and samples of the selection on Gram matrices
    selection: SelectionOptions = field(default_factory=SelectionOptions)
    copies_together: bool = True  # whether copies of a row are held out together, or one by one


@dataclass(frozen=True, eq=False)
class SelectionRequest(LeastSquaresRequest):
    """The selection of λ and θ, if they are not given."""

    loss: SelectionLoss[Any]
    sample: Rows  # rows that determine the number of a kernel's parameters


class LeastSquaresSVM(LeastSquaresParameters):
    """Selects λ and θ, trains (3), and predicts with K @ dual_coef + intercept.

    Subclasses store the parameters and state the targets.
    """

    _ridge: Array
    _groups: Indices | None
    _options = LeastSquaresOptions()

    def _has_several_starts(self) -> bool:
        """Whether other starts than equal scales are looked at."""
        return several_starts(self.starts)

    def _learn(self, data: LeastSquaresData) -> None:
        """Check the parameters, select, store."""
        drive(self._ordered_learning(data), self._trainer())

    def _ordered_learning(self, data: LeastSquaresData) -> Learning:
        """A fit that does not depend on the order of the rows, unless folds are given in it.

        Through landmarks the order stays: a Dask collection, whose rows cannot be sorted, and the
        same rows in an array have the same model.
        """
        self.n_duplicates_ = data.groups.n_duplicates
        kept = data.kept
        exact = is_exact(self.rank, len(kept), self._options.exact_rows)
        if not (draws_folds(self.cv) and exact) or len(kept) < 2:
            yield from self._learning(data)
            return
        order = row_order(data.X, data.y, kept, data.stratify)
        yield from self._learning(data.ordered(order))
        self._return_to(order)

    def _return_to(self, order: Indices) -> None:
        """Store attributes of the rows in the order in which the rows came."""
        self.loo_predictions_ = self.loo_predictions_[np.argsort(order)]
        self.support_ = order[self.support_]
        places = np.argsort(self.support_)
        self.support_ = self.support_[places]
        self.support_vectors_ = select_rows(self.support_vectors_, places)
        self.dual_coef_ = np.ascontiguousarray(self.dual_coef_[:, places])
        self._ridge = self._ridge[places]
        if self._groups is not None:
            self._groups = self._groups[places]

    def _trainer(self) -> Callable[[list[Any]], Sequence[Any]]:
        """The function that computes the requests of a fit on the noted device."""
        return SelectionStacks(None if self.device_ == HOST else Place.named(self.device_))

    def _learning(self, data: LeastSquaresData) -> Learning:
        """The fit as a search: it yields requests for the device; the host computes at once."""
        request = self._request(data)
        family, rows, kept = request.family, request.rows, data.kept
        if request.rank is not None:
            check_takes_dask(self, rows)
            if isinstance(self.kernel, Kernel):
                family = FixedKernel(self.kernel.fitted_to(request.sample))
            if self.selection is None:
                _check_fixed_parameters(request.lam, len(family.start(request.sample)))
            self._learn_through_landmarks(data, replace(request, family=family))
            return
        rows = gather_rows(self, rows, self._options.exact_rows)
        n, columns = len(kept), rows.shape[1] if getattr(rows, "ndim", 1) == 2 else 1
        factors = data.Y.shape[1] if request.loss.keeps_factors else 0
        require(
            matrices(MATRICES + factors, n) + matrices(6, n, columns + data.Y.shape[1]),
            f"{type(self).__name__} on {n:,} points",
            "use fewer points, or let rank be an integer",
        )
        Y = data.Y[kept]
        if self._selects_elsewhere(family, rows):
            work = partial(
                self._selected, family, rows, Y, request.loss, request.lam, request.limits
            )
            with device_memory_errors():
                selection = yield from from_callback(work)
        else:
            self.device_ = HOST
            with sharing():
                if isinstance(self.kernel, Kernel):
                    family = FixedKernel(self.kernel.fitted_to(rows))
                X = family.read(rows)
                selection = self._selected(family, X, Y, request.loss, request.lam, request.limits)
        store_selection(self, selection, family, request.theta, rows, kept)
        self._store_held_out(selection.fit, request.loss, selection.lam / data.weight[kept], data)
        stopping = request.limits.stopping
        warn_if_unfinished(type(self).__name__, self.status_, stopping, stacklevel=6)
        expected = request.loss.expected(self.loo_predictions_.reshape(data.Y.shape))
        warn_if_blurred(self, family, data.X, data.Y, expected, data.weight, kept, stacklevel=6)

    def _request(self, data: LeastSquaresData) -> SelectionRequest:
        """The checked parameters for this table."""
        family = kernel_family(self.kernel)
        if family.signed:
            name = type(self).__name__
            raise ValueError(
                f"{name} expected a kernel of positive parameters, whose logarithms are selected, "
                f"got {family!r}; use {name.replace('LSSVM', 'FirstLevel')}"
            )
        limits = DescentLimits(
            check_positive("tol", self.tol),
            check_count("max_iter", self.max_iter),
            self._stopping_control(),
        )
        kept = data.kept
        if len(kept) < 2:
            raise ValueError(
                f"{type(self).__name__} expected at least two points of positive weight, got "
                f"{len(kept)}; add points"
            )
        rows = data.X if len(kept) == len(data.weight) else select_rows(data.X, kept)
        # Fetched from where they are only if something is to be learned from them.
        needs_few = not (self.theta is None and self.selection) or isinstance(self.kernel, Kernel)
        few = evenly_spaced_rows(rows, FEW_ROWS) if needs_few else rows
        lam = None if self.lam is None else check_positive("lam", self.lam)
        if family.takes_things:
            family = family.fitted_to(rows)
        theta = check_theta(self.theta, family, family.read(few))
        if theta is not None:
            family = FixedKernel(family.kernel(theta))
        if self.selection is not None:
            check_choice("selection", self.selection, SELECTIONS)
        loss: SelectionLoss[Any] = data.leave_out
        if self.selection == "cv":
            loss = KFoldLoss(data.weight[kept], data.folds(self.cv, self._seed))
        elif self.selection == "evidence":
            evidence = LogisticEvidence if data.stratify else Evidence
            loss = evidence(data.weight[kept], data.Y[kept])
        forget_low_rank(self)
        rank = chosen_rank(
            self.rank, len(kept), self._obstacle(data, rows, family), self._options.exact_rows
        )
        return SelectionRequest(family, lam, theta, limits, rows, rank, loss, few)

    def _obstacle(self, data: LeastSquaresData, rows: Rows, family: ParametricKernel) -> str | None:
        """The parameter that landmarks do not support."""
        if family.takes_things or family.signed:
            return f"kernel={self.kernel!r}"
        if data.groups.user_codes is not None:
            return "groups"
        if not (isinstance(rows, np.ndarray | Chunked) or hasattr(rows, "iloc")):
            return f"rows that are a {type(rows).__name__}"
        of_all = self.selection in ("cv", "bayes", "evidence")
        return f"selection={self.selection!r}" if of_all else None

    def _selects_elsewhere(self, family: ParametricKernel, rows: Array) -> bool:
        """Whether the matrices of all rows are worked on elsewhere, in stacks."""
        selects = self.selection is not None and isinstance(rows, np.ndarray)
        return self.device_ != HOST and selects and family.stack([family]) is not None

    def _selected(
        self,
        family: ParametricKernel,
        rows: Array,
        Y: Array,
        loss: SelectionLoss[Any],
        lam: float | None,
        limits: DescentLimits,
        evaluator: Evaluator | None = None,
    ) -> Selection:
        spread = float(loss.weight @ ((Y - Y.mean(axis=0)) ** 2).sum(axis=1))
        criterion = SelectionCriterion(
            loss, self.selection == "bayes", max(_NEGLIGIBLE * spread, np.finfo(float).tiny)
        )
        try:
            with threads_for(len(Y)):
                if self.selection is not None:
                    several = self._has_several_starts()
                    return select(
                        family,
                        rows,
                        Y,
                        criterion,
                        limits,
                        lam,
                        evaluator,
                        several,
                        self._options.selection,
                    )
                return _at_fixed_parameters(family, rows, Y, criterion, lam)
        except np.linalg.LinAlgError as broken:
            raise ValueError(
                f"{type(self).__name__} expected a positive semidefinite kernel matrix of "
                f"finite numbers, got one that cannot be factorised ({broken}); standardise "
                "the columns, or repair a precomputed matrix by kernlearn.gram.check_gram"
            ) from broken

    def _learn_through_landmarks(
        self, data: LeastSquaresData, request: LeastSquaresRequest
    ) -> None:
        """Learn through landmarks, if a matrix of all rows would be too large."""
        selects, several = self.selection is not None, self._has_several_starts()
        kept, rank, limits = data.kept, request.rank, request.limits
        assert rank is not None  # without one, there are no landmarks
        rows, family = self._on_its_device(request.rows), request.family
        table = data.training_table(rows, self._seed, self._options.stages)
        with device_memory_errors():
            fit = fit_through_landmarks(table, family, rank, request.lam, selects, limits, several)
            self._folds = fold_machines(fit, table)
        store_kernel_fit(self, fit, request.theta, table, kept)
        store_left_out(self, fit.left_out, data.X, data.Y, kept)
        warn_if_unfinished(type(self).__name__, self.status_, limits.stopping, stacklevel=7)
        expected = self.loo_predictions_.reshape(data.Y.shape)
        warn_if_blurred(self, family, data.X, data.Y, expected, data.weight, kept, stacklevel=7)

    def _store_held_out(
        self,
        fit: MachineFit,
        loss: SelectionLoss[Any],
        ridge: Array,
        data: LeastSquaresData,
    ) -> None:
        """Store leave-one-out predictions, and attributes that follow from them."""
        kept = data.kept
        self._ridge, self._groups = ridge, data.groups.subset(kept).known
        values, self.loo_loss_ = loss.left_out(fit, data.Y[kept], data.blocks)
        store_left_out(self, values, data.X, data.Y, kept)

    def _checked_with_target(self, X: Rows, y: Rows, **options: Any) -> tuple[Any, Targets]:
        """X and y, with what is to be known of X's device."""
        self._note_device(X)
        rows, target = super()._checked_with_target(X, y, **options)
        most = self._options.exact_rows
        # Few rows are gathered before they are compared and sorted.
        is_gathered = len(target) <= most and is_exact(self.rank, len(target), most)
        return in_memory(rows) if is_gathered else rows, target

    def _decision(self, X: ArrayLike) -> Array:
        """Decision values of shape (n, number of targets)."""
        check_is_fitted(self)
        return self._values(self._on_device_of(X, self._checked(X, reset=False)))

    def _values(self, rows: Array) -> Array:
        points, coefs = self.support_vectors_, self.dual_coef_
        if isinstance(rows, Placed | Chunked):
            values = landmark_values([self.kernel_], [points], [coefs.T], rows)
        else:
            values = decision_values(self.kernel_, rows, points, coefs)
        return np.asarray(values + self.intercept_)


def _at_fixed_parameters(
    family: ParametricKernel,
    rows: Array,
    Y: Array,
    criterion: SelectionCriterion,
    lam: float | None,
) -> Selection:
    theta = family.start(rows)
    lam = _check_fixed_parameters(lam, len(theta))
    lam, fit = criterion.loss.trained(family.matrix(rows, None, theta), Y, lam, None)
    value = criterion.value(fit, theta)
    return Selection(lam, theta, fit, value, 1, 1, Status.GIVEN)


def _check_fixed_parameters(lam: float | None, n_parameters: int) -> float:
    """Refuse a fit without selection unless λ and θ are given; returns λ."""
    if lam is None or n_parameters:
        missing = "lam" if lam is None else "theta"
        raise ValueError(
            f"expected lam and theta with selection=None, got {missing}=None; pass {missing}, "
            "or choose selection='loo'"
        )
    return lam
