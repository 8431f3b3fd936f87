"""What the estimators that combine kernels share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from kernlearn._checks import check_choice, check_count, check_positive, check_settings, learns_C
from kernlearn._memory import combination_bytes, matrices, require
from kernlearn._optional import load_pandas
from kernlearn._unfinished import warn_if_unfinished
from kernlearn.estimators._blocks import decision_values
from kernlearn.estimators._patient import Patient
from kernlearn.estimators._shows_kernel import ShowsKernel
from kernlearn.families.stack import GramStack
from kernlearn.gram import check_stack, gram_stack
from kernlearn.gram.psd import Repair
from kernlearn.kernels import (
    Centered,
    Kernel,
    Normalized,
    Precomputed,
    Sum,
    WeightedSum,
    default_bank,
)
from kernlearn.learn import learn_from_family
from kernlearn.quality.registry import ALIGNMENTS, Settings
from kernlearn.solvers.oracle import Penalty
from kernlearn.solvers.problem import Control
from kernlearn.solvers.solution import Solution
from kernlearn.solvers.status import Status

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Candidates:
    """What weights are learned for: Gram matrices on all points, their total, a penalty."""

    grams: Array
    total: float | None
    penalty: Penalty | None


class KernelCombination(Patient, ShowsKernel):
    """Learns weights of kernels, then predicts with K(w) @ dual_coef + intercept.

    Subclasses store the parameters, state the targets, and turn decision values into predictions.
    """

    kernels: Any
    quality: str
    weights: str
    C: Any
    nu: float = 0.3
    epsilon: float = 0.1
    normalize: bool
    center: bool
    constraint: str
    total: float | None
    psd: str
    tol: float
    max_iter: int
    random_state: Any
    warm_start: bool = False

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; ``kernels__0__gamma`` is γ of the first kernel of a list."""
        params: dict[str, Any] = super().get_params(deep)
        if deep and isinstance(self.kernels, list | tuple):
            for i, kernel in enumerate(self.kernels):
                params[f"kernels__{i}"] = kernel
                if isinstance(kernel, Kernel):
                    nested = kernel.get_params(deep=True)
                    params.update({f"kernels__{i}__{key}": value for key, value in nested.items()})
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by the names of ``get_params``; a list passed earlier is not changed."""
        if "kernels" in params:
            self.kernels = params.pop("kernels")
        within = {key: params.pop(key) for key in list(params) if key.startswith("kernels__")}
        if within and isinstance(self.kernels, list | tuple):
            # A combination of kernels knows how to set its parts, numbered as here.
            combination = Sum([clone(kernel) for kernel in self.kernels])
            names = {f"kernel_{key.removeprefix('kernels__')}": v for key, v in within.items()}
            self.kernels = list(combination.set_params(**names).kernels)
        elif within:
            params.update(within)
        super().set_params(**params)
        return self

    def _learn(
        self,
        X: Any,
        targets: Callable[[NDArray[np.intp]], Sequence[Array]],
        sample_weight: Array,
        X_unlabeled: Any,
        qualities: Sequence[str],
    ) -> None:
        """Validate the parameters, build the Gram matrices, state the problem, solve, store."""
        self._check_choices(qualities)
        control = self._control()
        self.__dict__.pop("transduction_", None)  # of an earlier fit
        kept = np.flatnonzero(sample_weight > 0)
        rows = _safe_indexing(X, kept)
        points = rows if X_unlabeled is None else _stack_rows(rows, X_unlabeled)
        ys = targets(kept)
        candidates = self._candidates(points, ys)
        grams = candidates.grams
        family = GramStack(grams, len(kept))
        settings = check_settings(
            self.quality, self.C, self.nu, self.epsilon, sample_weight[kept], ys
        )
        solution = learn_from_family(
            family,
            ys,
            quality=self.quality,
            settings=settings,
            learn_C=learns_C(self.quality, self.C),
            free_sign=self.weights == "free",
            constraint=self.constraint,
            total=candidates.total,
            penalty=candidates.penalty,
            control=control,
            start=self._warm_start(len(grams)),
        )
        self._check_solved(solution)
        trained = solution
        if self.quality in ALIGNMENTS:
            trained = self._train_machine(family, solution.weights, ys, settings, control)
        self._store(solution, trained, rows, kept)
        gap = (trained if solution.status.is_optimal else solution).gap
        warn_if_unfinished(
            type(self).__name__, self.status_, control.patience, gap, control.tol, stacklevel=3
        )
        if X_unlabeled is not None:
            mixed = np.tensordot(solution.weights, grams[:, len(kept) :, : len(kept)], 1)
            self._transduced = mixed @ np.atleast_2d(np.asarray(trained.dual_coef)).T
            self._transduced += self.intercept_

    def _warm_start(self, m: int) -> Array | None:
        """The weights of the last fit, if they are to be used and of as many kernels."""
        weights = vars(self).get("weights_") if self.warm_start else None
        return weights if weights is not None and len(weights) == m else None

    def _candidates(self, points: Any, ys: Sequence[Array]) -> Candidates:
        """The matrices to combine, from the kernels; for other families this is overridden."""
        self.kernels_ = self._prepared_kernels(points)
        self._require_memory(len(self.kernels_), points, ys)
        grams = check_stack(gram_stack(self.kernels_, points), psd=self._psd())
        return Candidates(grams, self._checked_total(), None)

    def _require_memory(self, n_kernels: int, points: Any, ys: Sequence[Array]) -> None:
        n, d = np.shape(points)
        require(
            combination_bytes(n_kernels, n, len(ys)) + matrices(4, n, d),
            f"{type(self).__name__} with {n_kernels} kernels on {n:,} points",
            "use fewer points or kernels",
        )

    def _combined(self, weights: Array) -> Kernel:
        """The learned kernel as a function."""
        return WeightedSum(self.kernels_, weights)

    def _checked_total(self) -> float | None:
        return None if self.total is None else check_positive("total", self.total)

    def _train_machine(
        self,
        family: GramStack,
        weights: Array,
        ys: Sequence[Array],
        settings: Settings,
        control: Control,
    ) -> Solution:
        """A soft margin machine on the aligned kernel, which came without one."""
        K = family.combine(weights)
        trained = learn_from_family(
            GramStack(K[None]),
            ys,
            quality="soft_margin",
            settings=settings,
            learn_C=False,
            free_sign=False,
            constraint="sum",
            total=1.0,
            penalty=None,
            control=control,
        )
        self._check_solved(trained)
        return trained

    def _store(
        self, solution: Solution, trained: Solution, rows: Any, kept: NDArray[np.intp]
    ) -> None:
        coefs = np.atleast_2d(np.asarray(trained.dual_coef))
        support = np.flatnonzero(np.any(coefs != 0, axis=0))
        self.weights_ = solution.weights
        self.kernel_ = self._combined(self.weights_)
        self.dual_coef_ = coefs[:, support]
        self.intercept_ = np.atleast_1d(np.asarray(trained.intercept, dtype=float))
        self.support_ = kept[support]
        self.support_vectors_ = _safe_indexing(rows, support)
        self.objective_ = solution.objective
        self.lower_bound_ = solution.lower_bound
        self.duality_gap_ = solution.gap
        self.n_machine_solves_ = solution.n_machine_solves + (
            trained.n_machine_solves if trained is not solution else 0
        )
        self.n_iter_ = max(len(solution.history), 1)
        self.history_ = solution.history
        self.status_ = trained.status if solution.status.is_optimal else solution.status
        self.C_ = self.C if solution.learned_C is None else solution.learned_C

    def _decision(self, X: Any) -> Array:
        """Decision values of shape (n, number of machines)."""
        check_is_fitted(self)
        rows = self._checked(X, reset=False)
        if len(self.support_) == 0:
            return np.tile(self.intercept_, (_n_rows(rows), 1))
        values = decision_values(self.kernel_, rows, self.support_vectors_, self.dual_coef_)
        return np.asarray(values + self.intercept_)

    def _checked(self, X: Any, reset: bool) -> Any:
        """Check X as scikit-learn does; kernels see a data frame where one came."""
        if _has_text(X) and self.kernels is not None:
            # Kernels look at the columns they read; text in the others does no harm.
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        checked = validate_data(self, X, reset=reset, dtype="numeric", ensure_min_samples=1)
        return X if hasattr(X, "iloc") else np.asarray(checked, dtype=float)

    def _checked_with_target(self, X: Any, y: Any, **options: Any) -> tuple[Any, NDArray[Any]]:
        """X as :meth:`_checked` gives it, and y of the same length."""
        if _has_text(X) and self.kernels is not None:
            rows = self._checked(X, reset=True)
            target = column_or_1d(y, warn=True)
            check_consistent_length(rows, target)
            return rows, target
        _, target = validate_data(self, X, y, dtype="numeric", **options)
        return self._checked(X, reset=False), target

    def _checked_unlabeled(self, X: Any, X_unlabeled: Any) -> Any:
        if X_unlabeled is None:
            return None
        if hasattr(X, "iloc") != hasattr(X_unlabeled, "iloc"):
            raise ValueError(
                "expected X_unlabeled of the same kind as X, got a data frame and an array; "
                "convert one of them"
            )
        shape = np.shape(X_unlabeled)
        if len(shape) != 2 or shape[1] != self.n_features_in_:
            raise ValueError(
                f"expected X_unlabeled with {self.n_features_in_} columns, as X has, got shape "
                f"{shape}; pass the same columns for both"
            )
        return self._checked(X_unlabeled, reset=False)

    def _prepared_kernels(self, X: Any) -> list[Kernel]:
        """The kernels with what was asked for on top: centring, then the unit diagonal."""
        kernels = self.kernels
        if kernels is None:
            kernels = default_bank(X, random_state=self.random_state)
        if isinstance(kernels, Kernel):
            kernels = [kernels]
        if not isinstance(kernels, list | tuple):
            raise ValueError(
                f"expected kernels of kernlearn.kernels, got {kernels!r}; pass a list, for example "
                "[Linear(), Gaussian(gamma=0.1)]"
            )
        kernels = list(kernels)
        if not kernels:
            raise ValueError(
                "expected at least one kernel, got an empty list; pass kernels=None for a "
                "default bank"
            )
        for kernel in kernels:
            if not isinstance(kernel, Kernel):
                raise ValueError(
                    f"expected kernels of kernlearn.kernels, got {kernel!r}; derive your own from "
                    "kernlearn.kernels.Kernel"
                )
        if self.center:
            kernels = [Centered(kernel, X) for kernel in kernels]
        if self.normalize:
            kernels = [Normalized(kernel) for kernel in kernels]
        return kernels

    def _psd(self) -> Repair:
        """Our kernels are positive semidefinite; matrices and classes from elsewhere may not be."""
        if self.psd == "auto":
            return "trust" if _is_surely_psd(self.kernels) else "raise"
        return cast(Repair, self.psd)

    def _check_choices(self, qualities: Sequence[str]) -> None:
        check_choice("quality", self.quality, qualities)
        check_choice("weights", self.weights, ["positive", "free"])
        check_choice("constraint", self.constraint, ["trace", "sum"])
        check_choice("psd", self.psd, ["auto", "raise", "clip", "shift", "trust"])

    def _control(self) -> Control:
        return Control(
            check_positive("tol", self.tol),
            check_count("max_iter", self.max_iter),
            self._patience(),
        )

    def _check_solved(self, solution: Solution) -> None:
        if solution.status is Status.NO_SOLUTION:
            raise ValueError(f"{type(self).__name__} found {solution.status}")

    def _sample_weight(self, sample_weight: Any, X: Any) -> Array:
        values: Array = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if (values < 0).any() or not (values > 0).any():
            raise ValueError(
                "expected non-negative sample weights, not all zero, got a smallest of "
                f"{values.min():g} and a largest of {values.max():g}; drop rows that should not "
                "count"
            )
        return values


def _is_surely_psd(kernel: Any) -> bool:
    """Whether a kernel with all its parts, or all of a list, is of this library and no matrix."""
    if isinstance(kernel, list | tuple):
        return all(_is_surely_psd(part) for part in kernel)
    if isinstance(kernel, Kernel):
        ours = type(kernel).__module__.startswith("kernlearn.")
        parts = kernel.get_params(deep=False).values()
        return ours and not isinstance(kernel, Precomputed) and all(map(_is_surely_psd, parts))
    return True


def _has_text(X: Any) -> bool:
    """Whether a data frame has columns that are not numbers."""
    return hasattr(X, "iloc") and any(dtype.kind not in "biuf" for dtype in X.dtypes)


def _n_rows(X: Any) -> int:
    return int(np.shape(X)[0])


def _stack_rows(top: Any, bottom: Any) -> Any:
    if hasattr(top, "iloc"):
        return load_pandas("stacking data frames").concat([top, bottom], ignore_index=True)
    return np.vstack([top, bottom])
