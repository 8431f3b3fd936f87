"""Screen the best candidates again on thousands of rows.

Candidates are found on 1500 rows, where kernels of one width over all columns do best. More rows
support narrower kernels and interactions of two columns. So the best candidates are trained again
on thousands of rows, as they are and narrower, beside a learned combination whose bank has kernels
on pairs of columns. All of them are judged and mixed by rows held out from these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from scipy.sparse import issparse

from kernlearn.estimators.mixture.candidates.choice import CandidateChoice
from kernlearn.estimators.mixture.candidates.family import CandidateFit, KernelFamily
from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.registry import COMBINATION
from kernlearn.estimators.mixture.candidates.representation import (
    JudgedKernel,
    LearnedRepresentation,
    Representation,
)
from kernlearn.estimators.mixture.candidates.screening import Screening, collected, timed
from kernlearn.estimators.mixture.candidates.training import TrainingRows
from kernlearn.estimators.mixture.options import MixtureOptions
from kernlearn.estimators.mixture.preparation import STANDARD
from kernlearn.estimators.mkl.column_pairs import columns_of_pairs
from kernlearn.estimators.mkl.options import MKLOptions
from kernlearn.estimators.mkl.regressor import MKLRegressor
from kernlearn.kernels import Kernel
from kernlearn.runtime.numerical_errors import BREAKDOWNS
from kernlearn.runtime.stopping import Progress, Stopped
from kernlearn.runtime.warning_filters import quiet_about
from kernlearn.typing import Array, Indices

_PAIRS = KernelFamily("combination with pairs", None)


def rescreen(
    small: Screening,
    kept: Sequence[CandidateFit],
    training: TrainingRows,
    choice: CandidateChoice,
    options: MixtureOptions,
    random_state: np.random.RandomState,
) -> Screening:
    """Judge the best candidates again, on thousands of rows.

    `kept` are the best of the small screening. With "combination" among the families of the choice,
    a combination with pairs of columns is learned, too. After an early end the small screening is
    returned.
    """
    whole = training.sample
    if whole.stopping.stopped is not None:
        return small
    sample = whole.rows(whole.sample(options.rescreening.rows, random_state))
    split = _Split(sample, training, options, random_state)
    combines = any(family.name == COMBINATION for family in choice.families)
    large = collected(split.problem, split.candidates(kept, combines))
    return large if large.found else small


@dataclass(frozen=True, eq=False)
class _Split:
    """A sample in two parts: its first fold is held out, the others train."""

    sample: CandidateProblem
    training: TrainingRows
    options: MixtureOptions
    random_state: np.random.RandomState

    @cached_property
    def train(self) -> Indices:
        """The rows that train."""
        return np.setdiff1d(np.arange(len(self.sample)), self.sample.folds[0])

    @cached_property
    def problem(self) -> CandidateProblem:
        """The rows that are held out."""
        return self.sample.rows(self.sample.folds[0])

    def candidates(self, kept: Sequence[CandidateFit], combines: bool) -> Iterator[CandidateFit]:
        """Those of the small screening, narrower while that helps; then the combination."""
        for one in kept:
            with self._noting(one.title):
                yield timed(partial(self._narrowed, one))
        if combines and self.sample.Y.shape[1] == 1 and self._has_few_columns():
            with self._noting(_PAIRS.name):
                yield timed(self._combination)

    @contextmanager
    def _noting(self, title: str) -> Iterator[None]:
        """Leave a candidate out where it breaks down, with a note."""
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
        more = one.of_more(self.sample.rows(self.train))
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
                kernel = representation.learned(kernel_of, X, None)
            else:
                kernel = kernel_of(X)
            narrower = self._judged(replace(best, place=best.place + 1), kernel)
            if not narrower.loss < best.loss:
                break
            best = narrower
        return best

    def _judged(self, one: CandidateFit, kernel: Kernel) -> CandidateFit:
        """A candidate with another kernel, trained and held out."""
        table, lam = one.representation.table, one.judged.lam
        X, weight = self.sample.tables[table][self.train], self.sample.weight[self.train]
        Y = one.judge.learned(self.sample.Y[self.train])
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
        with quiet_about(Warning):  # it is one candidate of several
            rows = X if place is None else place.put(X)
            model.fit(rows, train.Y[:, 0], sample_weight=train.weight)
        values = model.predict(new)[:, None]
        judged = JudgedKernel(model.kernel_, 1.0, values)
        first = CandidateFit(_PAIRS, Representation(STANDARD), 0, judged, self.problem.loss, np.inf)
        return self._held_out(first, model.kernel_, 1.0 / model.C_, values)

    def _held_out(
        self, one: CandidateFit, kernel: Kernel, lam: float, values: Array
    ) -> CandidateFit:
        judged = replace(one.judged, kernel=kernel, lam=lam, held_out=values)
        loss = self.problem.loss
        judge = replace(one.judge, Y=one.judge.learned(loss.Y), weight=loss.weight)
        return replace(one, judged=judged, judge=judge, loss=judge.value(values))

    def _is_over(self, told: Progress) -> bool:
        try:
            self.sample.stopping.check()
        except Stopped:
            return True
        return False
