"""What :class:`~kernlearn.KernelClassifier` and :class:`~kernlearn.KernelRegressor` share."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.frozen import FrozenEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import (
    assert_all_finite,
    check_array,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from kernlearn._checks import check_count, check_flag
from kernlearn.estimators.held_out.folds import make_folds
from kernlearn.estimators.inputs.cells import is_frame
from kernlearn.estimators.inputs.row_order import row_order
from kernlearn.estimators.inputs.shows_kernel import ShowsKernel
from kernlearn.estimators.inputs.stopping import StoppingParameters
from kernlearn.estimators.inputs.validated import (
    as_floats,
    check_every_target,
    sample_weights,
    validated,
)
from kernlearn.estimators.mixture.candidate_table import CandidateTable
from kernlearn.estimators.mixture.candidates.choice import chosen_families
from kernlearn.estimators.mixture.candidates.family import Family
from kernlearn.estimators.mixture.candidates.machine import EXACT_ROWS
from kernlearn.estimators.mixture.candidates.many_rows import screen_more_rows
from kernlearn.estimators.mixture.candidates.problem import Problem
from kernlearn.estimators.mixture.candidates.registry import COMBINATION
from kernlearn.estimators.mixture.candidates.screening import (
    NEGLIGIBLE,
    Screening,
    screen_candidates,
)
from kernlearn.estimators.mixture.members import Members
from kernlearn.estimators.mixture.preparation import STANDARD, Preparation, PreparedTable
from kernlearn.kernels import Features, Kernel
from kernlearn.kernels._frames import known_frame
from kernlearn.kernels._validation import take_rows
from kernlearn.quality.predictive import PredictiveLoss
from kernlearn.runtime.phrases import counted
from kernlearn.runtime.status import Status
from kernlearn.runtime.threads import threads_for
from kernlearn.runtime.warnings import warn_if_unfinished
from kernlearn.typing import Array

N_FOLDS = 5
# Rows by which candidates are judged; all rows train the members.
_JUDGED = 1500
# Members of a mixture that is trained through landmarks, and the least part of the largest weight
# for which it is worth it.
_FEW, _LEAST = 3, 0.1
# Of cells as they came: the squares of the cubes of their squares are still numbers.
_SMALLEST, _LARGEST = 1e-25, 1e20
# Of the largest weight: a row with less has no say, and would have a ridge beyond all numbers.
_WEIGHTLESS = 1e-15


class KernelMixture(StoppingParameters, ShowsKernel):
    """Prepares the table, judges candidates on rows held out, mixes the best, trains on all rows.

    Subclasses store the parameters and say what is lost by a prediction.
    """

    candidates: Any
    scale: bool
    max_members: int
    _seed: int
    n_features_in_: int

    @property
    def candidates_(self) -> Any:
        """What was tried, the best first: a data frame, or a list of dicts without pandas."""
        check_is_fitted(self)
        return self._tried.shown()

    @property
    def relevance_(self) -> dict[str, float]:
        """By column, how much of what the mixture explains is lost when the column is shuffled."""
        check_is_fitted(self)
        names = self.preparation_.names
        with threads_for(len(self._members.Y)):
            found = self._members.relevance(self.preparation_)
        return dict(zip(names, found.tolist(), strict=True))

    @property
    def kernel_(self) -> Kernel:
        """The learned kernel, where the mixture has one member, on rows as the user has them."""
        members: Members | None = vars(self).get("_members")
        machines = [] if members is None else members.machines
        if len(machines) != 1:
            raise AttributeError(
                f"expected a mixture of one member for kernel_, got {len(machines)} members; fit "
                "with max_members=1"
            )
        prepare = PreparedTable(self.preparation_, machines[0].table)
        return Features(FrozenEstimator(prepare), machines[0].kernel)

    def _formula_html(self) -> str:
        """Below the diagram: what was mixed."""
        return self._tried.html() if "_tried" in vars(self) else ""

    def _learn(self, X: Any, y: NDArray[Any], loss: PredictiveLoss, stratify: bool) -> None:
        """Everything but the targets, which `loss` knows; `y` is what folds are balanced by."""
        chosen = chosen_families(self.candidates, loss.is_of_labels)
        max_members = check_count("max_members", self.max_members, usual=5)
        check_flag("scale", self.scale)
        stopping = self._stopping_control()
        random_state = check_random_state(self._seed)
        self.preparation_ = Preparation.learned(X, self._column_names(), bool(self.scale))
        prepare = self.preparation_
        tables = {table: prepare.apply(X, table) for table in prepare.tables}
        self._check_sizes(tables[STANDARD])
        rows = np.arange(len(y))
        n_folds = min(N_FOLDS, len(y))
        families = self._suited(chosen.families, len(y), tables[STANDARD].shape[1])
        chosen = replace(chosen, families=families)
        folds = make_folds(n_folds, X, y, rows, stratify=stratify, random_state=random_state)
        whole = Problem(tables, loss, folds, stopping, prepare.origins)
        judged = whole.sample(_JUDGED, random_state)
        screening = screen_candidates(whole.rows(judged), chosen, random_state, whole)
        with threads_for(len(y)):
            least = NEGLIGIBLE
            if len(y) > EXACT_ROWS:
                # Each takes long to train on so many rows, and weights are well known.
                max_members, least = min(max_members, _FEW), _LEAST
                best = np.flatnonzero(self._mix(screening, _FEW))
                kept = [screening.found[i] for i in best]
                combines = any(family.name == COMBINATION for family in families)
                screening = screen_more_rows(screening, kept, whole, combines, random_state)
            weights = self._mix(screening, max_members, least)
            held_out = screening.held_out(max_members, least)
            self._members = Members.trained(screening, weights, held_out, whole, random_state)
        self.candidate_notes_ = list(dict.fromkeys(whole.notes))
        for note in self.candidate_notes_ if self.verbose else []:
            print(f"{type(self).__name__}: {note}")
        self.status_ = stopping.stopped or Status.CONVERGED
        name = type(self).__name__
        warn_if_unfinished(name, self.status_, stopping, stacklevel=3, has_tol=False)

    def _suited(self, families: list[Family], n_rows: int, n_columns: int) -> list[Family]:
        """Those for so many rows and prepared columns; of others that were named, a warning."""
        limits = {family.name: family.limit(n_rows, n_columns) for family in families}
        suited = [family for family in families if not limits[family.name]]
        left_out = [f"{name!r} takes up to {limit}" for name, limit in limits.items() if limit]
        if left_out and not isinstance(self.candidates, str):
            sentence = (
                f"{type(self).__name__} expected candidates for {n_rows:,} rows and {n_columns:,} "
                f"prepared columns, got some for fewer: {', '.join(left_out)}"
            )
            if not suited:
                raise ValueError(f"{sentence}; name others, or leave candidates='auto'")
            warnings.warn(f"{sentence}; they are left out", UserWarning, stacklevel=4)
        return suited

    def _check_sizes(self, table: Array) -> None:
        """Refuse cells whose powers are no numbers, which only tables as they came can have."""
        largest = float(np.abs(table).max(initial=0.0))
        if not self.scale and largest and not _SMALLEST <= largest <= _LARGEST:
            raise ValueError(
                f"{type(self).__name__} with scale=False expected the largest cell to be between "
                f"{_SMALLEST:g} and {_LARGEST:g}, got {largest:.3g}; leave scale=True, or rescale "
                "the columns"
            )

    def _mix(self, screening: Screening, max_members: int, least: float = NEGLIGIBLE) -> Array:
        """Weights of the candidates at their best scale, none below a part of the largest."""
        if not screening.found:
            said = f" ({screening.problem.notes[0]})" if screening.problem.notes else ""
            raise ValueError(
                f"{type(self).__name__} expected a candidate whose kernel can be computed on these "
                f"rows, got none{said}; leave scale=True, rescale the columns, or name more "
                "candidates"
            )
        weights = screening.weights(max_members, least)
        self._tried = CandidateTable.of(screening, weights)
        self.n_iter_ = len(screening.found)
        return weights

    def _checked_target(self, X: Any, y: Any, multi_output: bool = False) -> NDArray[Any]:
        """Targets of as many rows as X, finite where they are numbers."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None; pass "
                "what is to be predicted for every row of X"
            )
        check_every_target(self, y, numeric=multi_output)
        if multi_output:
            target = check_array(y, ensure_2d=False, dtype="numeric", input_name="y")
        else:
            target = column_or_1d(y, warn=True)
            if target.dtype.kind == "f":
                assert_all_finite(target, input_name="y")
        check_consistent_length(X, target)
        return np.asarray(target)

    def _counted(
        self, rows: Any, target: NDArray[Any], sample_weight: Any
    ) -> tuple[Any, NDArray[Any], Array]:
        """Rows, targets and weights of mean one, without the rows that do not count.

        Small tables are sorted: the order in which their rows came changes nothing then.
        """
        weight = sample_weights(sample_weight, target)
        kept = np.flatnonzero(weight > _WEIGHTLESS * weight.max())
        if len(kept) < len(target):
            rows, target, weight = take_rows(rows, kept), target[kept], weight[kept]
        if len(target) < 2:
            raise ValueError(
                f"{type(self).__name__} expected two rows of positive weight at least, got "
                "n_samples = 1; add rows"
            )
        if bool(np.all(rows.isna() if is_frame(rows) else np.isnan(rows))):
            raise ValueError(
                f"{type(self).__name__} expected a table with some known cells, got "
                f"{counted(len(target), 'row')} in which every cell is missing; look at how the "
                "table was read, or pass other columns"
            )
        order = row_order(rows, target, np.arange(len(target)), is_classifier(self))
        rows, target, weight = take_rows(rows, order), target[order], weight[order]
        weight = weight / weight.max()  # equal ones are then exactly one, in any unit
        return rows, target, weight / weight.mean()

    def _column_names(self) -> list[str]:
        names: Sequence[Any] = getattr(self, "feature_names_in_", ())
        return [str(name) for name in names] or [f"x{j}" for j in range(self.n_features_in_)]

    def _values(self, X: Any) -> Array:
        """Predictions of the mixture, of shape (n, k)."""
        check_is_fitted(self)
        rows = self._checked(X, reset=False)
        with threads_for(len(self._members.machines[0].rows)):
            return self._members.predict(self._prepared(rows))

    def _prepared(self, rows: Any) -> dict[str, Array]:
        tables = {machine.table for machine in self._members.machines}
        return {table: self.preparation_.apply(rows, table) for table in tables}

    def _checked(self, X: Any, reset: bool) -> Any:
        """A data frame as it is, anything else as an array of numbers with NaN where missing."""
        X = known_frame(X)
        if is_frame(X):
            validate_data(self, X, reset=reset, skip_check_array=True)
            if len(X) == 0:
                raise ValueError("expected rows in X, got 0 rows; pass one at least")
            if X.shape[1] == 0:
                raise ValueError("expected columns in X, got 0 columns; pass one at least")
            return X
        table = validated(self, X, reset=reset, dtype="numeric", ensure_all_finite="allow-nan")
        return as_floats(self, np.asarray(table))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
