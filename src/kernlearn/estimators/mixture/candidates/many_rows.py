"""What a sample of many rows tells that one of a few hundred could not.

Candidates are found on 1500 rows, and machines on so many know kernels of one width over all
columns best. More rows tell narrower kernels apart, and what two columns say together. So the best
candidates are trained once more on thousands of rows, as they are and narrower, beside a learned
combination whose bank has kernels on pairs of columns; and all are judged, and mixed, by rows held
out from these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import numpy as np

from kernlearn.estimators.mixture.candidates.family import Family, Found
from kernlearn.estimators.mixture.candidates.machine import Machine, Training
from kernlearn.estimators.mixture.candidates.problem import Problem
from kernlearn.estimators.mixture.candidates.screening import Screening, collected, timed
from kernlearn.estimators.mixture.candidates.view import Judged, LearnedView, View
from kernlearn.estimators.mixture.preparation import STANDARD
from kernlearn.estimators.mkl.column_pairs import columns_of_pairs
from kernlearn.estimators.mkl.regressor import MKLRegressor
from kernlearn.kernels import Kernel
from kernlearn.runtime.numerical_errors import BREAKDOWNS
from kernlearn.runtime.stopping import Progress, Stopped
from kernlearn.runtime.warning_filters import quiet_about
from kernlearn.typing import Array, Indices

__all__ = ["screen_more_rows"]


# Rows of the sample: four fifths train, one fifth judges.
_ROWS = 10_000
# So many tell candidates apart; machines of all rows have more.
_LANDMARKS = 800
# Of each kernel of the combination; its rank is not looked for, which would take longer than all.
_RANK = 200
# Pairs are looked for in half a second for every column that is no indicator; the bank has kernels
# on all.
_MOST_NUMBERS, _MOST_COLUMNS = 125, 250
_PAIRS = Family("combination with pairs", None)


def screen_more_rows(
    small: Screening,
    kept: Sequence[Found],
    whole: Problem,
    combines: bool,
    random_state: np.random.RandomState,
) -> Screening:
    """Judge the best candidates once more, on thousands of rows.

    Parameters
    ----------
    small : Screening
        How they did on fewer.
    kept : sequence of Found
        Its best.
    whole : Problem
        All rows.
    combines : bool
        Whether to learn a combination with pairs of columns, too.
    random_state : RandomState
        For the sample, and for landmarks.

    Returns
    -------
    screening : Screening
        On the rows held out of the sample; the small one after an early end.
    """
    if whole.stopping.stopped is not None:
        return small
    sample = whole.rows(whole.sample(_ROWS, random_state))
    judges = sample.folds[0]
    trial = _Trial(sample, np.setdiff1d(np.arange(len(sample)), judges), judges, random_state)
    large = collected(trial.problem, trial.candidates(kept, combines))
    return large if large.found else small


class _Trial:
    """A sample in two parts: rows that train, and rows that judge."""

    def __init__(
        self, sample: Problem, train: Indices, judges: Indices, random_state: np.random.RandomState
    ) -> None:
        self._sample, self._train, self._judges = sample, train, judges
        self._random_state = random_state
        self.problem = sample.rows(judges)

    def candidates(self, kept: Sequence[Found], combines: bool) -> Iterator[Found]:
        """Those of the small screening, narrower while that helps; then the combination."""
        for one in kept:
            with self._noting(one.title):
                yield timed(partial(self._climbed, one))
        if combines and self._sample.Y.shape[1] == 1 and self._may_combine():
            with self._noting(_PAIRS.name):
                yield timed(self._combination)

    @contextmanager
    def _noting(self, title: str) -> Iterator[None]:
        """Leave a candidate out where it breaks down, with a note."""
        try:
            yield
        except BREAKDOWNS as error:
            self.problem.notes.append(f"{title} was left out: {error}")

    def _may_combine(self) -> bool:
        """Whether columns are several, and not too many."""
        table = self._sample.tables[STANDARD]
        is_small = 1 < table.shape[1] <= _MOST_COLUMNS
        return is_small and len(columns_of_pairs(table)) <= _MOST_NUMBERS

    def _climbed(self, one: Found) -> Found:
        more = one.of_more(self._sample.rows(self._train))
        best = self._judged(more, more.judged.kernel)
        while more is not one:
            ridge = replace(best.judged, lam=3.0 * best.judged.lam)
            larger = self._judged(replace(best, judged=ridge), best.judged.kernel)
            if not larger.loss < best.loss:
                break
            best = larger
        family, view = one.family, one.view
        while family.kernel is not None and best.place + 1 < len(family.ladder):
            self._sample.stopping.check()
            kernel_of, X = family.at(best.place + 1), self._of(view)[self._train]
            if isinstance(view, LearnedView):
                kernel = view.learned(kernel_of, X, None)
            else:
                kernel = kernel_of(X)
            narrower = self._judged(replace(best, place=best.place + 1), kernel)
            if not narrower.loss < best.loss:
                break
            best = narrower
        return best

    def _judged(self, one: Found, kernel: Kernel) -> Found:
        X, problem, train = self._of(one.view), self._sample, self._train
        Y = one.judge.learned(problem.Y[train])
        training = Training(X[train], Y, problem.weight[train])
        lam = one.judged.lam
        machine = Machine.trained(
            one.view.table, kernel, lam, training, self._random_state, n_landmarks=_LANDMARKS
        )
        return self._found(one, kernel, lam, machine.predict(X[self._judges]))

    def _combination(self) -> Found:
        """Weights of a bank with pairs of columns, by least squares through landmarks."""
        X, problem, train = self._sample.tables[STANDARD], self._sample, self._train
        model = MKLRegressor(
            quality="least_squares", C="auto", random_state=0, rank=_RANK, callback=self._is_over
        )
        with quiet_about(Warning):  # it is one candidate of several
            model.fit(X[train], problem.Y[train, 0], sample_weight=problem.weight[train])
        values = model.predict(X[self._judges])[:, None]
        judged = Judged(model.kernel_, 1.0, values)
        first = Found(_PAIRS, View(STANDARD), 0, judged, self.problem.loss, np.inf)
        return self._found(first, model.kernel_, 1.0 / model.C_, values)

    def _found(self, one: Found, kernel: Kernel, lam: float, values: Array) -> Found:
        judged = replace(one.judged, kernel=kernel, lam=lam, held_out=values)
        loss = self.problem.loss
        judge = replace(one.judge, Y=one.judge.learned(loss.Y), weight=loss.weight)
        return replace(one, judged=judged, judge=judge, loss=judge.value(values))

    def _of(self, view: View) -> Array:
        return self._sample.tables[view.table]

    def _is_over(self, told: Progress) -> bool:
        try:
            self._sample.stopping.check()
        except Stopped:
            return True
        return False
