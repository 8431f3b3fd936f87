"""What :class:`~kernlearn.KernelClassifier` and :class:`~kernlearn.KernelRegressor` share."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from kernlearn._checks import check_count, check_flag
from kernlearn._device import HOST, Place, device_memory_errors, place_of
from kernlearn.estimators.held_out.folds import make_folds
from kernlearn.estimators.held_out.relevance import ShuffledScores
from kernlearn.estimators.held_out.scoring import check_scoring
from kernlearn.estimators.inputs.dask_rows import in_memory, select_rows
from kernlearn.estimators.mixture.candidate_table import CandidateTable
from kernlearn.estimators.mixture.candidates.choice import CandidateChoice, chosen_families
from kernlearn.estimators.mixture.candidates.directions import screen_outcomes
from kernlearn.estimators.mixture.candidates.outcomes import relate_outcomes
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem, sample_of_folds
from kernlearn.estimators.mixture.candidates.rescreening import rescreen
from kernlearn.estimators.mixture.candidates.screening import (
    NEGLIGIBLE,
    Screening,
)
from kernlearn.estimators.mixture.candidates.training import FoldedRows, TrainingRows
from kernlearn.estimators.mixture.compression import compressed
from kernlearn.estimators.mixture.effort import checked_effort, choice_at, options_at
from kernlearn.estimators.mixture.encoding import tree_contest
from kernlearn.estimators.mixture.expected_time import affordable, announce
from kernlearn.estimators.mixture.extrapolation import beyond_training, linear_beyond
from kernlearn.estimators.mixture.input_checks import (
    TrainingInput,
    check_cell_sizes,
    check_known,
    checked_rows,
    feature_names,
)
from kernlearn.estimators.mixture.members import Members, columns_and_sets
from kernlearn.estimators.mixture.nested_predictions import held_out_predictions
from kernlearn.estimators.mixture.options import MixtureOptions
from kernlearn.estimators.mixture.parameters import MixtureParameters
from kernlearn.estimators.mixture.preparation.column_kinds import kinds_html
from kernlearn.estimators.mixture.preparation.outside_rows import OutsideRows
from kernlearn.estimators.mixture.preparation.sources import SourcesPreparation, prepare
from kernlearn.estimators.mixture.preparation.table import STANDARD, PreparedTable, prepared_source
from kernlearn.gram.rows import map_rows
from kernlearn.kernels import Features, Kernel
from kernlearn.quality.predictive import PredictiveLoss
from kernlearn.runtime.convergence_warnings import warn_if_unfinished
from kernlearn.runtime.memory import matrices, require
from kernlearn.runtime.phrases import counted
from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.runtime.threads import threads_for, threads_of_jobs
from kernlearn.typing import Array, Indices, Rows, Targets

# Matrices of the size of the kernel's that exist together, at most.
_MATRICES = 8
# Numbers that a row of sparse features may well take.
_SPARSE_WIDTH = 256


class KernelMixture(MixtureParameters):
    """Prepares the table, judges candidates on rows held out, mixes the best, trains on all rows.

    Subclasses store the parameters and say what is lost by a prediction. They read values of the
    mixture as predictions (``_predictions``), and targets of its machines as the user's
    (``_truth``).
    """

    _predictions: Callable[[Array], BaseEstimator]
    _truth: Callable[[Array], Targets]

    @property
    def candidates_(self) -> dict[str, Targets]:
        """What was tried, the best first: columns by name, as in ``cv_results_``."""
        check_is_fitted(self)
        return self._tried.columns()

    @property
    def relevance_(self) -> dict[str, Targets]:
        """By column, how much held-out predictions lose when the column is shuffled."""
        check_is_fitted(self)
        members, preparation = self._members, self.preparation_
        with threads_for(len(members.Y)):
            names, columns = columns_and_sets(members, preparation)
            rows, before, after = members.shuffled(columns, preparation.origins_of)
        shuffled = [[self._predictions(values) for values in shuffles] for shuffles in after]
        groups = None if members.groups is None else members.groups[rows]
        scores = ShuffledScores(self._truth(members.observed[rows]), self.scoring, groups)
        return scores.relevance(names, self._predictions(before), shuffled)

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
        if hasattr(self, "source_names_"):
            raise AttributeError(
                "expected a mixture of one table for kernel_, got several sources; MKLClassifier "
                "and MKLRegressor learn a kernel of sources"
            )
        transformer = PreparedTable(self.preparation_, machines[0].table)
        return Features(FrozenEstimator(transformer), machines[0].kernel)

    def _formula_html(self) -> str:
        """Below the diagram: what columns were taken for, and what was mixed."""
        if "_tried" not in vars(self):
            return ""
        return kinds_html(self.preparation_.kinds) + self._tried.html()

    def _learn(
        self,
        inputs: TrainingInput,
        loss: PredictiveLoss,
        stratify: bool,
        stopping: StoppingControl | None = None,
    ) -> tuple[Array, PredictiveLoss]:
        """Fit everything but the targets, which `loss` holds.

        Predictions for held-out rows by candidates that were searched with them are returned, and
        the loss of the rows that these are.
        """
        effort = checked_effort(self.effort)
        options = options_at(self._options, effort)
        choice = chosen_families(self.candidates, loss.is_of_labels)
        choice = choice_at(choice, effort, is_large=len(inputs.target) > options.exact_rows)
        max_members = check_count("max_members", self.max_members, usual=5)
        self._check_parameters(loss.is_of_labels)
        stopping = self._stopping_control() if stopping is None else stopping
        random_state = check_random_state(self._seed)
        training = self._prepared_training(inputs, loss, stratify, stopping, random_state)
        table = training.sample.tables[STANDARD]
        choice = choice.suited(self, len(training), table, self._options.exact_rows)
        has_trees = choice.has_trees and not isinstance(self.preparation_, SourcesPreparation)
        announce(training, options, effort, max_members, has_trees)
        with device_memory_errors(), threads_of_jobs(self.n_jobs):
            screening, max_members, min_weight = self._screened(
                training, choice, max_members, options, effort, random_state
            )
            max_members = affordable(max_members, training, options)
            screening = relate_outcomes(screening, len(training), max_members, min_weight)
            weights = self._mix(screening, max_members, min_weight)
            with threads_for(len(training)):
                usual, held_out = held_out_predictions(
                    screening, choice, max_members, min_weight, options
                )
                self._members = Members.trained(
                    screening, weights, held_out, training, options, random_state
                )
                self.compression_: dict[str, float] | None = None
                if self.compress:
                    self._compress(len(training), loss, random_state)
                law = linear_beyond(screening.problem, choice, self.preparation_, usual)
                self._extrapolation = law
        self._store_end(training.sample.notes, stopping)
        return usual, screening.problem.loss

    def _check_parameters(self, is_of_labels: bool) -> None:
        """Refuse a wrong parameter before anything is learned."""
        checked_effort(self.effort)
        chosen_families(self.candidates, is_of_labels)
        check_count("max_members", self.max_members, usual=5)
        check_flag("standardize", self.standardize)
        check_flag("compress", self.compress)
        if self.scoring is not None:
            check_scoring(self.scoring)

    def _prepared_training(
        self,
        inputs: TrainingInput,
        loss: PredictiveLoss,
        stratify: bool,
        stopping: StoppingControl,
        random_state: np.random.RandomState,
    ) -> TrainingRows:
        """All rows, prepared by a sample of them that is in memory: all, unless they are many."""
        options, n, rows = self._options, len(inputs.target), inputs.rows
        exact = min(n, options.exact_rows)
        if n <= exact:
            self.device_ = HOST
        require(
            matrices(_MATRICES, exact),
            f"{type(self).__name__} on {counted(exact, 'row')}",
            "use fewer rows",
        )
        folds = self._folds(inputs, stratify, random_state)
        chosen = sample_of_folds(folds, options.sample_size(rows.shape[1]), random_state)
        is_all = len(chosen) == n
        some = in_memory(rows if is_all else select_rows(rows, chosen))
        check_known(self, some)
        self.preparation_ = preparation = prepare(
            some, feature_names(self), bool(self.standardize), self.columns
        )
        tables = preparation.apply_all(some, preparation.tables)
        check_cell_sizes(self, tables[STANDARD])
        part = loss.subset(chosen)
        kept = [np.searchsorted(chosen, np.intersect1d(fold, chosen)) for fold in folds]
        codes = inputs.groups.subset(chosen).known
        known = preparation.origins, codes, inputs.folds is not None, chosen
        sample = CandidateProblem(tables, part, kept, stopping, *known)
        if isinstance(preparation, SourcesPreparation):
            blocks, has_columns = preparation.blocks, preparation.has_columns
            sample = replace(sample, source_blocks=blocks, has_columns=has_columns)
        sources: Mapping[str, Rows] = tables
        if not is_all:
            sources = {table: prepared_source(preparation, rows, table) for table in tables}
        place = None if self.device_ == HOST else Place.named(self.device_)
        folded = FoldedRows(rows, folds, chosen)
        return TrainingRows(sources, loss.Y, loss.weight, sample, place, folded)

    def _folds(
        self, inputs: TrainingInput, stratify: bool, random_state: np.random.RandomState
    ) -> list[Indices]:
        """Those that the user gave, or as many as asked for; no more than there are rows."""
        groups, n = inputs.groups, len(inputs.target)
        self.n_duplicates_ = groups.n_duplicates
        if inputs.folds is not None:
            return inputs.folds
        cv: Any = self.cv
        if groups.user_codes is None and cv >= 2:
            cv = min(cv, len(groups))
        return make_folds(
            cv,
            inputs.rows,
            inputs.target,
            np.arange(n),
            stratify=stratify,
            random_state=random_state,
            groups=groups,
        )

    def _screened(
        self,
        training: TrainingRows,
        choice: CandidateChoice,
        max_members: int,
        options: MixtureOptions,
        effort: float,
        random_state: np.random.RandomState,
    ) -> tuple[Screening, int, float]:
        """The candidates, how many of them may be members, and the least relative weight."""
        sample = training.sample
        self.preparation_, contest = tree_contest(
            self.preparation_, training, choice, options, random_state
        )
        if contest is not None and contest.is_decided:
            # The mean of several models is better than the one that was judged: no kernel helps.
            return contest.screening, 1, NEGLIGIBLE
        if contest is not None:
            announce(training, options, effort, max_members, has_trees=False)
        # With this many rows each member takes long to train, and weights are well known.
        few, min_weight = min(max_members, options.few_members), options.least_weight
        judged = sample.rows(sample.sample(options.judged_rows, random_state))
        screening = screen_outcomes(judged, choice, random_state, sample, options=options.screening)
        if len(training) <= options.exact_rows:
            return screening, max_members, NEGLIGIBLE
        best = [screening.fits[i] for i in np.flatnonzero(self._mix(screening, few, NEGLIGIBLE))]
        with threads_for(len(training)):
            screening = rescreen(screening, best, training, choice, options, random_state, contest)
        return screening, few, min_weight

    def _store_end(self, notes: Sequence[str], stopping: StoppingControl) -> None:
        """Keep what was left out and how the search ended."""
        name = type(self).__name__
        self.candidate_notes_ = list(dict.fromkeys(notes))
        for note in self.candidate_notes_ if self.verbose else []:
            print(f"{name}: {note}")
        self.status_ = stopping.stopped or Status.CONVERGED
        warn_if_unfinished(name, self.status_, stopping, stacklevel=4, has_tol=False)

    def _compress(
        self, n_rows: int, loss: PredictiveLoss, random_state: np.random.RandomState
    ) -> None:
        """Replace the members by one machine of few points, or warn that it would lose too much."""
        members, change, options = self._members, None, self._options.compression
        places = members.places
        if n_rows <= self._options.exact_rows and not issparse(next(iter(members.tables.values()))):
            limits = None if loss.is_of_labels else loss.link(members.held_out)
            one, change = compressed(
                members,
                self.preparation_.origins_of,
                lambda rows: loss.subset(rows if places is None else places[rows]).of_linked,
                limits,
                random_state,
                options,
            )
            if one is not None and change is not None:
                self._members = one
                self.compression_ = change.facts()
                return
        found = (
            "none that could be tried: the table is sparse, has too few or too many rows, or no "
            "member has a kernel of distances"
            if change is None
            else f"a growth of {max(change.loss, change.wrong):.2g} ± {change.error:.2g}"
        )
        warnings.warn(
            f"{type(self).__name__} with compress=True expected one expansion on at most "
            f"{options.sizes[-1]} rows with which held-out loss and errors grow by less than "
            f"{options.tolerance:g} of their standard errors, got {found}; the mixture is kept: "
            "use compress=False, or max_members=1",
            UserWarning,
            stacklevel=4,
        )

    def _mix(self, screening: Screening, max_members: int, min_weight: float) -> Array:
        """Weights of the candidates at their best scale, none below a part of the largest."""
        if not screening.fits:
            notes = screening.problem.notes
            reason = f" ({notes[0]})" if notes else ""
            raise ValueError(
                f"{type(self).__name__} expected a candidate whose kernel can be computed on these "
                f"rows, got none{reason}; leave standardize=True, rescale the columns, or name "
                "more candidates"
            )
        weights = screening.weights(max_members, min_weight)
        self._tried = CandidateTable.of(screening, weights)
        self.n_iter_ = len(screening.fits)
        return weights

    def _values(self, X: Rows) -> Array:
        """Predictions of the mixture, of shape (n, k)."""
        check_is_fitted(self)
        place = place_of(self.device, X)
        outside = OutsideRows(self.preparation_, self._members.n_independent)
        # Features of trees and words are sparse, and stay on the host.
        has_points = any(machine.points is not None for machine in self._members.machines)

        def mixture(tables: dict[str, Rows]) -> Array:
            if place is not None and has_points:
                tables = {name: place.put(table) for name, table in tables.items()}
            return self._members.predict(tables)

        def values(tables: dict[str, Rows]) -> Array:
            found, beyond = mixture(tables), outside.beyond(tables[STANDARD])
            return found + beyond_training(self._extrapolation, tables, beyond, found, mixture)

        found = self._each_block(X, values)
        outside.warn(self, stacklevel=4)
        return found

    def _each_block(self, X: Rows, function: Callable[[dict[str, Rows]], Array]) -> Array:
        """Results of a function of the prepared tables, block by block, for all rows."""
        rows = checked_rows(self, X, reset=False)
        machines = self._members.machines

        def block_values(block: Rows, _: slice) -> Array:
            used = {STANDARD, *(one.table for one in machines)}
            return function(self.preparation_.apply_all(block, used))

        # A row of sparse features has few numbers, however many coefficients there are.
        points = [len(machine.coef) for machine in machines if machine.points is not None]
        width = max(rows.shape[1], *points, _SPARSE_WIDTH)
        with threads_for(max(len(machines[0].coef), rows.shape[0])), device_memory_errors():
            return map_rows(rows, block_values, width, checked=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags
