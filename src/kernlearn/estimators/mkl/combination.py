"""What the estimators that combine kernels share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from kernlearn._checks import (
    check_choice,
    check_count,
    check_flag,
    check_positive,
    check_settings,
    learns_C,
)
from kernlearn._cluster import Chunked, is_lazy, on_this_machine
from kernlearn._device import HOST, Place, telling_of_memory, to_host
from kernlearn.estimators.inputs.blocks import decision_values
from kernlearn.estimators.inputs.on_cluster import chunked_table, gathered, some_rows
from kernlearn.estimators.inputs.ownership import own_kernel
from kernlearn.estimators.inputs.rows import (
    judged_by_kernels,
    rows_as_they_are,
    stack_rows,
    table_options,
    takes_sparse,
    takes_things,
    target_of,
)
from kernlearn.estimators.inputs.shows_kernel import ShowsKernel
from kernlearn.estimators.inputs.stopping import StoppingParameters
from kernlearn.estimators.inputs.validated import as_floats, sample_weights, validated
from kernlearn.estimators.inputs.views import (
    are_views,
    column_names,
    given_kernels,
    hstack_views,
    in_order,
    known_views,
    on_views,
)
from kernlearn.estimators.mkl.equal_share import (
    even_shares,
)
from kernlearn.estimators.mkl.family import check_family_choices
from kernlearn.estimators.mkl.indefinite import warn_if_indefinite
from kernlearn.estimators.mkl.landmark_learning import LearnsThroughLandmarks
from kernlearn.estimators.mkl.low_rank import (
    ThroughLandmarks,
    forget_low_rank,
    landmark_values,
)
from kernlearn.estimators.mkl.numbered_kernels import NumberedKernels
from kernlearn.estimators.mkl.problem import Candidates, CombinationProblem, Labelled, Machines
from kernlearn.estimators.mkl.source_banks import banks_of_views
from kernlearn.families.kernel_pool import KernelPool, bound_family, is_family
from kernlearn.families.stack import GramStack
from kernlearn.gram import check_stack, gram_stack
from kernlearn.gram.psd import Repair
from kernlearn.kernels import (
    Centered,
    Grid,
    Kernel,
    Normalized,
    Precomputed,
    WeightedSum,
)
from kernlearn.kernels._sharing import sharing
from kernlearn.kernels._validation import known_frame
from kernlearn.kernels.completed import completed
from kernlearn.kernels.where_known import with_gaps
from kernlearn.quality.registry import CRITERIA
from kernlearn.runtime.memory import combination_bytes, matrices, require
from kernlearn.runtime.phrases import counted
from kernlearn.runtime.status import Status
from kernlearn.runtime.threads import n_threads
from kernlearn.runtime.warnings import warn_if_unfinished
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.core.solution import Solution, without_function
from kernlearn.typing import Array


class KernelCombination(LearnsThroughLandmarks, StoppingParameters, NumberedKernels, ShowsKernel):
    """Learns weights of kernels, then predicts with K(w) @ dual_coef + intercept.

    Subclasses store the parameters, state the targets, and turn decision values into predictions.
    """

    normalize: bool
    total: float | None
    psd: str
    tol: float
    max_iter: int
    warm_start: bool = False
    views_: dict[str, slice]

    def __sklearn_tags__(self) -> Any:
        """Sparse rows, rows with gaps and rows of things are taken where the kernels take them."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = takes_sparse(self.kernels)
        tags.input_tags.allow_nan = self.missing is not None or takes_things(self.kernels)
        return tags

    @property
    def active_kernels_(self) -> NDArray[np.intp]:
        """Numbers of the kernels that have weight."""
        return np.flatnonzero(self.weights_)

    @property
    def active_weights_(self) -> Array:
        """Their weights."""
        return self.weights_[self.active_kernels_]

    def _learn(
        self,
        X: Any,
        targets: Callable[[NDArray[np.intp]], Sequence[Array]],
        sample_weight: Array,
        X_unlabeled: Any,
        qualities: Sequence[str],
    ) -> Machines | ThroughLandmarks:
        """Validate the parameters, build the Gram matrices, state the problem, solve, store."""
        self._check_choices(qualities)
        control = self._control()
        self.__dict__.pop("transduction_", None)  # of an earlier fit
        forget_low_rank(self)
        kept = np.flatnonzero(sample_weight > 0)
        rows = X if len(kept) == len(sample_weight) else some_rows(X, kept)
        rank = self._chosen_rank(rows, len(kept), X_unlabeled)
        if rank is not None:
            ys, weight = targets(kept), sample_weight[kept]
            learned = self._learn_through_landmarks(rows, ys, weight, rank, control)
            return ThroughLandmarks(ys, weight, kept, learned)
        if not is_family(self.kernels):
            self.device_ = HOST
        rows = gathered(self, rows, "this fit without landmarks")
        points = rows if X_unlabeled is None else stack_rows(rows, X_unlabeled)
        ys = targets(kept)
        with telling_of_memory():
            candidates = self._candidates(points, ys, sample_weight[kept])
            family = candidates.family
            problem = self._problem(ys, sample_weight[kept], candidates)
            C, solution = self._solved(problem, control)
        self._check_solved(solution)
        if solution.status is Status.TRIVIAL:
            solution = without_function(solution)
        trained = solution
        if self.quality in CRITERIA:
            trained = problem.train(C, solution.weights, control)
            self._check_solved(trained)
        self._store(solution, trained, rows, kept)
        self._store_kernel(family)
        self.C_ = C if solution.learned_C is None else solution.learned_C
        gap = (trained if solution.status.is_optimal else solution).gap
        warn_if_unfinished(
            type(self).__name__, self.status_, control.stopping, gap, control.tol, stacklevel=3
        )
        if X_unlabeled is not None:
            mixed = family.combine(solution.weights, labelled_only=False)[len(kept) :, : len(kept)]
            self._transduced = mixed @ np.atleast_2d(np.asarray(trained.dual_coef)).T
            self._transduced += self.intercept_
        machines = problem.machines(self.C_, self.weights_, control.stopping)
        coefs = np.atleast_2d(np.asarray(trained.dual_coef))
        return replace(machines, dual_coef=coefs, intercept=self.intercept_)

    def _problem(
        self, ys: Sequence[Array], weight: Array, candidates: Candidates
    ) -> CombinationProblem:
        """Check the parameters of the machines, and state what is minimised."""
        family = candidates.family
        C = 1.0 if self._chooses_C() else self.C
        total = candidates.total
        if total is None:
            total = _mean_trace(family) if self.constraint == "trace" else 1.0
        return CombinationProblem(
            family,
            ys,
            self.quality,
            check_settings(self.quality, C, self.nu, self.epsilon_, weight, ys),
            learns_C(self.quality, self.C),
            self.weights == "free",
            self.constraint,
            total,
            candidates.penalty,
            even_shares(self.kernels_) if self._wanted_share() else np.zeros(family.n_matrices),
        )

    def _warm_start(self, m: int) -> Array | None:
        """The weights of the last fit, if they are to be used and of as many kernels."""
        weights = vars(self).get("weights_") if self.warm_start else None
        return weights if weights is not None and len(weights) == m else None

    def _candidates(self, points: Any, ys: Sequence[Array], weight: Array) -> Candidates:
        """The matrices to combine, from the kernels; for other families this is overridden."""
        self.__dict__.pop("bank_notes_", None)  # of an earlier fit
        if is_family(self.kernels):
            place = None if self.device_ == HOST else Place.named(self.device_)
            pool = self._pool(points, len(weight), points, place)
            if not pool.parts:  # kernels that are looked at one by one, on the host
                self.device_ = HOST
            return Candidates(pool, self._checked_total(), lambda C: None)
        with sharing():  # what a transformer made of the points to be fitted is not made again
            kernels = self._prepared_kernels(points, Labelled(points, ys, weight))
            if self.missing == "complete":
                kernels = completed(kernels, points)
            elif self.missing is not None:
                kernels = [with_gaps(kernel) for kernel in kernels]
            self.kernels_ = [kernel.fitted_to(points) for kernel in kernels]
            self._require_memory(len(self.kernels_), points, ys)
            grams = gram_stack(self.kernels_, points)
        grams = check_stack(grams, psd=self._psd())
        family = GramStack(grams, len(weight))
        return Candidates(family, self._checked_total(), lambda C: None)

    def _pool(
        self, points: Any, n_labelled: int, centre: Any, place: Place | None = None
    ) -> KernelPool:
        """The kernels of a family, made when they are looked at; centred, if so, around a table."""
        self.kernels_ = bound_family(self.kernels, points)

        def prepared(kernel: Kernel) -> Kernel:
            return self._on_top([kernel], centre)[0]

        wraps = prepared if self.center or self.normalize else None
        workers, psd = n_threads(), self._psd()
        return KernelPool(self.kernels_, points, n_labelled, psd, workers, wraps, place)

    def _require_memory(self, n_kernels: int, points: Any, ys: Sequence[Array]) -> None:
        n = len(points) if isinstance(points, list) else points.shape[0]
        d = points.shape[1] if isinstance(points, np.ndarray) and points.ndim == 2 else 1
        n_recombined = n_kernels if self.weights == "free" else 0
        require(
            combination_bytes(n_kernels, n, len(ys), n_recombined) + matrices(4, n, d),
            f"{type(self).__name__} with {counted(n_kernels, 'kernel')} on {counted(n, 'point')}",
            "use fewer points or kernels",
        )

    def _combined(self, weights: Array) -> Kernel:
        """The learned kernel as a function."""
        return WeightedSum(self.kernels_, weights)

    def _checked_total(self) -> float | None:
        return None if self.total is None else check_positive("total", self.total)

    def _store(
        self, solution: Solution, trained: Solution, rows: Any, kept: NDArray[np.intp]
    ) -> None:
        coefs = np.atleast_2d(np.asarray(trained.dual_coef))
        # A least-squares machine has no support vectors: a coefficient of zero is chance.
        used = np.any(coefs != 0, axis=0) | (self.quality == "least_squares")
        support = np.flatnonzero(used)
        self.dual_coef_ = coefs[:, support]
        self.intercept_ = np.atleast_1d(np.asarray(trained.intercept, dtype=float))
        self.support_ = kept[support]
        plain = isinstance(rows, np.ndarray)
        self.support_vectors_ = rows[support] if plain else _safe_indexing(rows, support)
        self._store_certificate(solution, trained)

    def _store_kernel(self, family: GramStack | KernelPool) -> None:
        if isinstance(family, KernelPool):
            self.kernel_ = family.combined(self.weights_)
        else:
            self.kernel_ = self._combined(self.weights_)

    def _store_certificate(self, solution: Solution, trained: Solution) -> None:
        self.weights_ = solution.weights
        self.objective_ = solution.objective
        self.lower_bound_ = solution.lower_bound
        self.duality_gap_ = solution.gap
        self.n_machine_solves_ = solution.n_machine_solves + (
            trained.n_machine_solves if trained is not solution else 0
        )
        self.n_iter_ = max(len(solution.history), 1)
        self.history_ = solution.history
        self.status_ = trained.status if solution.status.is_optimal else solution.status

    def _decision(self, X: Any) -> Array:
        """Decision values of shape (n, number of machines)."""
        check_is_fitted(self)
        rows = self._checked(X, reset=False)
        if self.rank_ is not None:
            source = self._on_device_of(X, rows)
            kernels = self.kernel_.kernels
            values = landmark_values(kernels, self.landmarks_, self.landmark_coef_, source)
            return np.asarray(values + self.intercept_)
        if len(self.support_) == 0:
            return np.tile(self.intercept_, (rows.shape[0], 1))
        if self.weights == "free" and (self.weights_ < 0).any():
            warn_if_indefinite(type(self).__name__, self.kernel_, rows, self.support_vectors_)
        values = decision_values(self.kernel_, rows, self.support_vectors_, self.dual_coef_)
        return np.asarray(values + self.intercept_)

    def _checked(self, X: Any, reset: bool) -> Any:
        """Check X as scikit-learn does; kernels see a data frame where one came."""
        if reset:
            self._note_device(X)
        if reset and is_lazy(X):
            return self._on_cluster(X)
        X = self._one_table(X, reset)
        if self._judged_by_kernels(X):
            return rows_as_they_are(self, X, reset)
        options = table_options(self.kernels, self.missing is not None)
        return self._as_kernels_see(X, validated(self, X, reset=reset, dtype="numeric", **options))

    def _as_kernels_see(self, X: Any, checked: Any) -> Any:
        """A data frame as it came; a memory map, too, which is read and converted in blocks."""
        kept = hasattr(X, "iloc") or isinstance(X, np.memmap)
        return X if kept else as_floats(self, checked)

    def _checked_with_target(self, X: Any, y: Any, **options: Any) -> tuple[Any, NDArray[Any]]:
        """X as :meth:`_checked` gives it, and y of the same length."""
        self._note_device(X)
        y = to_host(on_this_machine(y))
        if is_lazy(X):
            rows = self._on_cluster(X)
            return rows, target_of(self, rows, y, **options)
        X = self._one_table(X, reset=True)
        if self._judged_by_kernels(X):
            rows = rows_as_they_are(self, X, reset=True)
            return rows, target_of(self, rows, y, **options)
        options = {**options, **table_options(self.kernels, self.missing is not None)}
        checked, target = validated(self, X, y, dtype="numeric", **options)
        return self._as_kernels_see(X, checked), target

    def _on_cluster(self, X: Any) -> Chunked:
        """The rows of a Dask collection, which stay where they are."""
        self._forget_views()
        if self.missing is not None:
            raise ValueError(
                f"expected missing=None with a Dask collection, got {self.missing!r}, for which "
                "all rows have to be on one machine; fit to X.compute()"
            )
        return chunked_table(self, X, as_frame=self.kernels is not None)

    def _judged_by_kernels(self, X: Any) -> bool:
        """Whether the kernels look at the entries of X, not scikit-learn."""
        return judged_by_kernels(self.kernels, X)

    def _one_table(self, X: Any, reset: bool) -> Any:
        """X, or its views side by side; frames of other makers as those of pandas."""
        if reset:
            self._forget_views()
        if not are_views(X, self.kernels):
            return known_frame(X)
        takes_them = "kernels" in self.get_params(deep=False) and (reset or hasattr(self, "views_"))
        if not takes_them:
            raise ValueError(
                f"{type(self).__name__} expected one table, got several views; fit an estimator of "
                "combinations, such as MKLClassifier, to the same views, or put them side by side"
            )
        X = known_views(X)
        if not reset:
            # Files of earlier versions have no names of columns.
            X = in_order(X, self.views_, vars(self).get("_view_columns", {}))
        table, places = hstack_views(X, self.kernels, self.missing is not None)
        if reset:
            self.views_, self._view_columns = places, column_names(X)
        return table

    def _forget_views(self) -> None:
        """Those of an earlier fit."""
        for name in ("views_", "_view_columns"):
            self.__dict__.pop(name, None)

    def _checked_unlabeled(self, X: Any, X_unlabeled: Any) -> Any:
        if X_unlabeled is None:
            return None
        if is_lazy(X) or is_lazy(X_unlabeled):
            raise ValueError(
                "expected X_unlabeled=None with a Dask collection, got some; fit to X.compute() "
                "and X_unlabeled.compute()"
            )
        of_views = are_views(X, self.kernels)
        X, X_unlabeled = known_frame(X), self._one_table(X_unlabeled, reset=False)
        if not of_views and hasattr(X, "iloc") != hasattr(X_unlabeled, "iloc"):
            raise ValueError(
                "expected X_unlabeled of the same kind as X, got a data frame and an array; "
                "convert one of them"
            )
        n_columns = getattr(self, "n_features_in_", None)  # none where the rows are things
        shape = getattr(X_unlabeled, "shape", None) or np.shape(X_unlabeled)
        if n_columns is not None and (len(shape) != 2 or shape[1] != n_columns):
            raise ValueError(
                f"expected X_unlabeled with {counted(n_columns, 'column')}, as X has, got shape "
                f"{shape}; pass the same columns for both"
            )
        return self._checked(X_unlabeled, reset=False)

    def _prepared_kernels(self, X: Any, labelled: Labelled) -> list[Kernel]:
        """The kernels with what was asked for on top: centring, then the unit diagonal.

        Centring is around X; where there are no kernels, ``labelled`` chooses a bank.
        """
        views: dict[str, slice] = getattr(self, "views_", {})
        if self.kernels is None:
            table = np.asarray(labelled.X, dtype=float)
            given = labelled.targets, labelled.weight, self._seed
            kernels, self.bank_notes_ = banks_of_views(table, views, *given)
            for note in self.bank_notes_ if self.verbose else []:
                print(f"{type(self).__name__}: {note}")
        else:
            kernels = on_views(list(map(own_kernel, given_kernels(self.kernels))), views)
        return self._on_top(kernels, X)

    def _on_top(self, kernels: list[Kernel], X: Any) -> list[Kernel]:
        """Kernels with centring around X and the unit diagonal, where asked for."""
        if self.center:
            kernels = [Centered(kernel, X) for kernel in kernels]
        if self.normalize:
            kernels = [Normalized(kernel) for kernel in kernels]
        return kernels

    def _psd(self) -> Repair:
        """Our kernels are positive semidefinite; matrices and classes from elsewhere may not be."""
        if self.psd == "auto":
            kernels = self.kernels
            if is_family(kernels):  # of others, nothing is known before they are looked at
                kernels = kernels.kernels if isinstance(kernels, Grid) else None
                return "trust" if kernels is not None and _is_surely_psd(kernels) else "raise"
            return "trust" if _is_surely_psd(kernels) else "raise"
        return cast(Repair, self.psd)

    def _check_choices(self, qualities: Sequence[str]) -> None:
        check_choice("quality", self.quality, qualities)
        check_choice("weights", self.weights, ["positive", "free"])
        check_choice("constraint", self.constraint, ["trace", "sum"])
        if self.missing is not None:
            check_choice("missing", self.missing, ["mean", "complete"])
        if self.missing is not None and self.kernels is None and not self._n_views():
            raise ValueError(
                f"expected several views, or kernels, with missing={self.missing!r}, got one table "
                "and None; pass a dictionary of tables, or a list with a kernel for every source, "
                "such as Columns(['a', 'b'], Gaussian())"
            )
        if self.certify is not None:
            check_choice("certify", self.certify, ["exact"])
        for name in ("normalize", "center", "warm_start"):
            check_flag(name, getattr(self, name))
        check_choice("psd", self.psd, ["auto", "raise", "clip", "shift", "trust"])
        if is_family(self.kernels):
            check_family_choices(self)

    def _control(self) -> Control:
        return Control(
            check_positive("tol", self.tol),
            check_count("max_iter", self.max_iter),
            self._stopping_control(),
        )

    def _check_solved(self, solution: Solution) -> None:
        if solution.status is Status.NO_SOLUTION:
            raise ValueError(f"{type(self).__name__} found {solution.status}")

    def _sample_weight(self, sample_weight: Any, X: Any) -> Array:
        return sample_weights(to_host(on_this_machine(sample_weight)), X)


def _is_surely_psd(kernel: Any) -> bool:
    """Whether a kernel with all its parts, or all of a list, is of this library and no matrix."""
    if isinstance(kernel, list | tuple):
        return all(_is_surely_psd(part) for part in kernel)
    if isinstance(kernel, Kernel):
        ours = type(kernel).__module__.startswith("kernlearn.")
        parts = kernel.get_params(deep=False).values()
        return ours and not isinstance(kernel, Precomputed) and all(map(_is_surely_psd, parts))
    return True


def _mean_trace(family: GramStack | KernelPool) -> float:
    """So that C is that of one machine with one of the kernels, whatever their number."""
    positive = family.traces[family.traces > 0]
    return float(positive.mean()) if len(positive) else 1.0  # all zero: refused by the solver
