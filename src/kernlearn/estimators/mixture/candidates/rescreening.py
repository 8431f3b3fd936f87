"""Screen the best candidates again on thousands of rows.

Candidates are found on 1500 rows, where kernels of one width over all columns do best. More rows
support narrower kernels and interactions of two columns. So the best candidates are trained again
on thousands of rows, as they are and narrower, beside a learned combination whose bank has kernels
on pairs of columns, and beside trees that are grown by boosting from all rows. All of them are
judged and mixed by rows held out from these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from scipy.sparse import issparse

from kernlearn.estimators.mixture.candidates.boosting import (
    BoostedTrees,
    EncodedRows,
    grown,
    mean_machine,
)
from kernlearn.estimators.mixture.candidates.choice import CandidateChoice
from kernlearn.estimators.mixture.candidates.family import CandidateFit, KernelFamily
from kernlearn.estimators.mixture.candidates.gradients import gradient_scales
from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.registry import COMBINATION
from kernlearn.estimators.mixture.candidates.representation import (
    JudgedKernel,
    LearnedRepresentation,
    Representation,
)
from kernlearn.estimators.mixture.candidates.screening import (
    Screening,
    collect_screening,
    screen_candidates,
    search_stretched,
    timed,
    until_breakdown,
)
from kernlearn.estimators.mixture.candidates.training import TrainingRows
from kernlearn.estimators.mixture.options import MixtureOptions
from kernlearn.estimators.mixture.preparation.table import ENCODED, STANDARD
from kernlearn.estimators.mkl.column_pairs import columns_of_pairs
from kernlearn.estimators.mkl.options import MKLOptions
from kernlearn.estimators.mkl.regressor import MKLRegressor
from kernlearn.kernels import Kernel
from kernlearn.runtime.numerical_errors import BREAKDOWNS
from kernlearn.runtime.stopping import Progress, Stopped
from kernlearn.runtime.warning_filters import quiet_about
from kernlearn.typing import Array, Indices

_PAIRS = KernelFamily("combination with pairs", None)
_BOOSTED = KernelFamily("boosted trees", None)
# Folds of the rows by which the ridge of a kernel of trees is found.
_RIDGE_FOLDS = 5


@dataclass(frozen=True, eq=False)
class TreeContest:
    """A comparison of boosted trees with a few kernels."""

    split: LargeSplit
    screening: Screening

    @property
    def is_decided(self) -> bool:
        """Whether no kernel has a smaller loss than the trees, or fewer labels wrong.

        Trees and kernels are judged by the same held-out rows.
        """
        loss = self.split.problem.loss.of_linked
        compared = [one.compared for one in self.screening.fits]
        trees, *kernels = map(loss.value, compared)
        if not all(trees < kernel for kernel in kernels):
            return False
        if not loss.is_of_labels:
            return True
        trees, *kernels = (float(loss.share @ loss.wrong(values)) for values in compared)
        return all(trees <= kernel for kernel in kernels)


def contest_of_trees(
    encoded: EncodedRows,
    training: TrainingRows,
    choice: CandidateChoice,
    options: MixtureOptions,
    random_state: np.random.RandomState,
) -> TreeContest | None:
    """Grow trees by boosting, and compare them with the best kernels on a few hundred rows.

    If rows are many and trees better, a mixture with kernels errs more than the trees alone, and
    the long search for the best kernel gains nothing. None if no tree can be grown.
    """
    split = LargeSplit.of(training, options, random_state, encoded)

    def candidates() -> Iterator[CandidateFit]:
        yield from split.boosted()
        yield from split.narrowed(_first_kernels(training.sample, choice, random_state, options))

    screening = collect_screening(split.problem, candidates())
    trees = [one for one in screening.fits if one.family is _BOOSTED]
    return TreeContest(split, screening) if trees else None


def _first_kernels(
    sample: CandidateProblem,
    choice: CandidateChoice,
    random_state: np.random.RandomState,
    options: MixtureOptions,
) -> Iterator[CandidateFit]:
    """The best kernel on a few rows, and another one with which it has little in common.

    For numbers that is the best one on scaled columns: where few columns matter, or all in their
    own way, the others cannot tell how well a kernel does. For labels it is the best other one that
    has a ladder of widths. Families limited to few columns are left out, since they take long for
    each column.
    """
    families = [
        one
        for one in choice.families
        if one.max_columns == KernelFamily.max_columns and not one.has_margin
    ]
    if not families:
        return
    few = sample.rows(sample.sample(options.screening.rows, random_state))
    some = CandidateChoice(families)
    found = screen_candidates(few, some, random_state, options=options.screening).fits
    best = min(found, key=lambda one: one.loss, default=None)
    if best is None:
        return
    yield best
    stretching = [family for family in families if family.stretches and choice.stretches]
    table = best.representation.table
    if stretching and not sample.loss.is_of_labels and sample.tables[table].shape[1] > 1:
        more = sample.rows(sample.sample(options.rescreening.slope_rows, random_state))
        scaled = until_breakdown(partial(gradient_scales, more, table), more)
        others = list(search_stretched(more, stretching, [scaled]))
    else:
        others = [one for one in found if len(one.family.ladder) > 1 and one is not best]
    yield from sorted(others, key=lambda one: one.loss)[:1]


def rescreen(
    small: Screening,
    kept: Sequence[CandidateFit],
    training: TrainingRows,
    choice: CandidateChoice,
    options: MixtureOptions,
    random_state: np.random.RandomState,
    contest: TreeContest | None = None,
) -> Screening:
    """Judge the best candidates again, on thousands of rows.

    `kept` are the best of the small screening. With "combination" among the families of the choice,
    a combination with pairs of columns is learned, too. The trees of a contest take part. After an
    early end the small screening is returned.
    """
    if training.sample.stopping.stopped is not None:
        return small
    before: list[CandidateFit] = []
    if contest is None:
        split = LargeSplit.of(training, options, random_state, None)
    else:
        split, before = contest.split, contest.screening.fits
    combines = any(family.name == COMBINATION for family in choice.families)
    large = collect_screening(split.problem, split.candidates(kept, combines), before)
    # The same candidate may have come to two kernels, from few rows and from more.
    best = {one.title: one for one in sorted(large.fits, key=lambda one: -one.reported_loss)}
    return replace(large, fits=list(best.values())) if best else small


@dataclass(frozen=True, eq=False)
class LargeSplit:
    """A sample in two parts: its first fold is held out, the others train."""

    sample: CandidateProblem
    training: TrainingRows
    options: MixtureOptions
    random_state: np.random.RandomState
    # Rows that grow boosted trees, and the places of the sample there; None for no trees.
    encoded: tuple[EncodedRows, Indices] | None

    @classmethod
    def of(
        cls,
        training: TrainingRows,
        options: MixtureOptions,
        random_state: np.random.RandomState,
        encoded: EncodedRows | None,
    ) -> LargeSplit:
        """Draw the sample."""
        whole, sizes = training.sample, options.rescreening
        chosen = whole.sample(sizes.rows, random_state)
        if whole.loss.is_of_labels and encoded is not None:
            held_out = random_state.permutation(whole.folds[0])[: sizes.held_out_labels]
            chosen = np.union1d(chosen, held_out)
        places = None if encoded is None else (encoded, encoded.of_sample[chosen])
        return cls(whole.rows(chosen), training, options, random_state, places)

    @cached_property
    def train(self) -> Indices:
        """The rows that train."""
        return np.setdiff1d(np.arange(len(self.sample)), self.sample.folds[0])

    @cached_property
    def problem(self) -> CandidateProblem:
        """The rows that are held out."""
        fold = self.sample.folds[0]
        problem = self.sample.rows(fold)
        if self.encoded is None:
            return problem
        rows, places = self.encoded
        return replace(problem, tables={**problem.tables, ENCODED: rows.X[places[fold]]})

    def candidates(self, kept: Sequence[CandidateFit], combines: bool) -> Iterator[CandidateFit]:
        """Candidates of the small screening, narrower while that helps; then the combination."""
        yield from self.narrowed(kept)
        if combines and self.sample.Y.shape[1] == 1 and self._has_few_columns():
            with self._noting(_PAIRS.name):
                yield timed(self._combination)

    def boosted(self) -> Iterator[CandidateFit]:
        """Trees that are grown by boosting."""
        if self.encoded is not None:
            with self._noting(_BOOSTED.name):
                yield timed(partial(self._boosted, *self.encoded))

    def narrowed(self, kept: Iterable[CandidateFit]) -> Iterator[CandidateFit]:
        """Candidates of fewer rows, narrower while that helps."""
        for one in kept:
            with self._noting(one.title):
                yield timed(partial(self._narrowed, one))

    @contextmanager
    def _noting(self, title: str) -> Iterator[None]:
        """Leave a candidate out if it breaks down, with a note."""
        try:
            yield
        except BREAKDOWNS as error:
            self.problem.notes.append(f"{title} was left out: {error}")

    def _has_few_columns(self) -> bool:
        """Whether there are pairs of columns, and not too many."""
        table, most = self.sample.tables[STANDARD], self.options.rescreening
        if issparse(table) or not 1 < table.shape[1] <= most.max_columns:
            return False
        return len(columns_of_pairs(table)) <= most.max_numeric_columns

    def _narrowed(self, one: CandidateFit) -> CandidateFit:
        """A candidate with a larger ridge, then on narrower kernels, while its loss falls."""
        more = one.with_more_rows(self.sample.rows(self.train))
        best = self._judged(more, more.judged.kernel)
        while more is not one:
            ridge = replace(best.judged, lam=3.0 * best.judged.lam)
            larger = self._judged(replace(best, judged=ridge), best.judged.kernel)
            if not larger.loss < best.loss:
                break
            best = larger
        family, representation = one.family, one.representation
        X = self.sample.tables[representation.table][self.train]
        while family.kernel is not None and best.place + 1 < len(family.ladder):
            self.sample.stopping.check()
            kernel_of = family.at(best.place + 1)
            if isinstance(representation, LearnedRepresentation):
                kernel = representation.kernel_for(kernel_of, X, None)
            else:
                kernel = kernel_of(X)
            try:
                narrower = self._judged(replace(best, place=best.place + 1), kernel)
            except BREAKDOWNS:
                break
            if not narrower.loss < best.loss:
                break
            best = narrower
        return best

    def _judged(self, one: CandidateFit, kernel: Kernel) -> CandidateFit:
        """A candidate with another kernel, trained and held out."""
        table, lam = one.representation.table, one.judged.lam
        X, weight = self.sample.tables[table][self.train], self.sample.weight[self.train]
        Y = one.judge.training_targets(self.sample.Y[self.train])
        if len(Y) <= self.options.exact_rows:
            machine = KernelMachine.trained(table, kernel, lam, X, Y, weight)
        else:
            n_landmarks = self.options.rescreening.landmarks
            place, random_state = self.training.place, self.random_state
            machine = KernelMachine.through_landmarks(
                table, kernel, lam, X, Y, weight, X, n_landmarks, random_state, place
            )
        return self._held_out(one, kernel, lam, machine.predict(self.problem.tables[table]))

    def _combination(self) -> CandidateFit:
        """Weights of a bank with pairs of columns, by least squares through landmarks."""
        train, new = self.sample.rows(self.train), self.problem.tables[STANDARD]
        place, X = self.training.place, train.tables[STANDARD]
        model = MKLRegressor(
            quality="least_squares",
            C="auto",
            random_state=0,
            rank=self.options.rescreening.rank,
            options=MKLOptions(callback=self._is_over),
        )
        with quiet_about(Warning):  # the model is one candidate of several
            rows = X if place is None else place.put(X)
            model.fit(rows, train.Y[:, 0], sample_weight=train.weight, groups=train.groups)
        values = model.predict(new)[:, None]
        judged = JudgedKernel(model.kernel_, 1.0, values)
        first = CandidateFit(_PAIRS, Representation(STANDARD), 0, judged, self.problem.loss, np.inf)
        return self._held_out(first, model.kernel_, 1.0 / model.C_, values)

    def _boosted(self, rows: EncodedRows, places: Indices) -> CandidateFit:
        """Trees that are grown without the fold that is held out, from all other rows."""
        options, stopping = self.options.boosting, self.sample.stopping
        loss = self.problem.loss
        fold = rows.fold_of(places[self.sample.folds[0]][0])
        first = grown(rows, fold, loss.is_of_labels, stopping, options)
        machine = mean_machine(ENCODED, [first], 1.0)
        few = self.problem.rows(self.problem.sample(options.ridge_rows, self.random_state))
        few = replace(few, folds=np.array_split(np.arange(len(few)), _RIDGE_FOLDS))
        lam = Representation(ENCODED).judge(lambda X: machine.kernel, few, None).lam
        representation = BoostedTrees(ENCODED, rows, loss.is_of_labels, fold, first, options)
        values = machine.predict(self.problem.tables[ENCODED])
        judged = JudgedKernel(machine.kernel, lam, values)
        # Values of the trees are log-odds, which need no discriminants for several classes.
        judge = loss.of_linked
        return CandidateFit(_BOOSTED, representation, 0, judged, judge, judge.value(values))

    def _held_out(
        self, one: CandidateFit, kernel: Kernel, lam: float, values: Array
    ) -> CandidateFit:
        judged = replace(one.judged, kernel=kernel, lam=lam, held_out=values)
        judge = one.judge.of_rows(self.problem.loss)
        return replace(one, judged=judged, judge=judge, loss=judge.value(values))

    def _is_over(self, progress: Progress) -> bool:
        try:
            self.sample.stopping.check()
        except Stopped:
            return True
        return False
