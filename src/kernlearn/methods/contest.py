"""Which method the data support: nested cross-validation, on more and more rows.

A few hundred rows cost little and do not tell good methods apart. So methods are compared in
rounds: those that are not clearly worse than the best go on to a sample of four times as many rows,
until one is clearly ahead, or all rows or the time were used. Within a round, who is clearly behind
after a fold is not asked about the next one; nor is, once there are no more rows to come, who will
hardly come out ahead in the folds that are left. Every method is given at most as many rows of a
sample as it would be given of the table, so that it is compared as it would be used.
"""

from __future__ import annotations

import math
import multiprocessing
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import norm

from kernlearn.methods.held_out import HeldOut
from kernlearn.methods.learner import Learner
from kernlearn.methods.method import MethodError, Plan, Setting
from kernlearn.methods.metrics import DEFAULTS, Metric
from kernlearn.methods.paired import paired_test
from kernlearn.methods.splits import Split, fold_splits
from kernlearn.runtime.processes import run_in_processes
from kernlearn.runtime.stopping import Stopped
from kernlearn.runtime.warnings import interrupts_end_everything

__all__ = ["Entry", "MethodComparison", "compare_methods", "comparison_steps"]

# Every row is predicted once, whatever their number; it is what the methods cost.
N_FOLDS = 3
# Rows of the rounds; the first one takes a sixteenth of all rows or less, unless these are few.
SIZES = (400, 1600, 6400, 25_600)
FIRST_SHARE = 16
# Who would be given a smaller part of the rows than this is not compared.
LEAST_SHARE = 0.1
# Of more rows than these, one fold is enough to test on.
FEW_ROWS = 2000
# No round begins after so many seconds, and no fit goes on for longer than some: estimators that
# can then end with the best so far.
SECONDS, SECONDS_OF_A_FIT = 120.0, 45.0
# Below this, the better of two is clearly better; and before the end of a round, since it is looked
# at after every fold.
LEVEL, EARLY_LEVEL = 0.01, 0.001
# In the last round the highest mean wins: a chance of it below this is not followed up.
CHANCE = 0.05

Advance = Callable[[], Any]


@dataclass(frozen=True)
class _Answer:
    """What a method said of one fold, its score and seconds; or nothing, and why it failed."""

    said: HeldOut | None
    score: float
    seconds: float
    note: str


@dataclass(frozen=True, eq=False)
class Entry:
    """One method in its last round; without scores, the note says why it was skipped.

    Attributes
    ----------
    learner : Learner
        The method.
    scores : tuple of float
        Of every fold that was tested.
    said : tuple of HeldOut
        What it said there.
    n_rows, n_tested : int
        Rows of the round, and those among them that were tested on.
    seconds : float
        Of all its rounds.
    note : str
        Why it was skipped.
    """

    learner: Learner
    scores: tuple[float, ...]
    said: tuple[HeldOut, ...]
    n_rows: int
    n_tested: int
    seconds: float
    note: str = ""

    @property
    def mean(self) -> float | None:
        """The mean over outer folds, the same in any order of them."""
        return math.fsum(self.scores) / len(self.scores) if self.scores else None

    @property
    def standard_error(self) -> float | None:
        """Of that mean, as if folds were independent."""
        n = len(self.scores)
        return float(np.std(self.scores, ddof=1) / np.sqrt(n)) if n > 1 else None

    def after(self, answer: _Answer) -> Entry:
        """With one more fold; a method that fails in one of them has no scores."""
        seconds = self.seconds + answer.seconds
        if answer.said is None:
            note = answer.note
            return replace(self, scores=(), said=(), n_tested=0, seconds=seconds, note=note)
        scores, said = (*self.scores, answer.score), (*self.said, answer.said)
        return replace(
            self, scores=scores, said=said, n_tested=sum(map(len, said)), seconds=seconds
        )

    def is_clearly_behind(self, best: Entry, level: float) -> bool:
        """By a paired test on the same rows, in as many folds as both were asked about."""
        if self is best or not self.scores:
            return self is not best
        n = min(len(self.said), len(best.said))
        pair = HeldOut.joined(best.said[:n]), HeldOut.joined(self.said[:n])
        setting = best.learner.setting
        n_learned = best.n_rows - len(best.said[0])
        p = paired_test(_metric(best.learner), [pair], n_learned, setting.seed).p_value
        return p is not None and p < level


@dataclass(frozen=True)
class MethodComparison:
    """The entries, best first, and on how many rows the last ones were compared."""

    entries: tuple[Entry, ...]
    n_rows: int
    notes: tuple[str, ...] = field(default=())

    @property
    def winner(self) -> Learner:
        """The method with the highest mean score on rows that it had not seen."""
        return self.entries[0].learner

    def facts(self, sign: float = 1.0) -> list[dict[str, Any]]:
        """The table as JSON values; a sign of −1 where less is better."""
        return [
            {
                "method": entry.learner.method.name,
                "name": entry.learner.title,
                "score": None if entry.mean is None else sign * entry.mean,
                "standard_error": entry.standard_error,
                "folds": [sign * score for score in entry.scores],
                "rows": entry.n_rows,
                "tested": entry.n_tested,
                "seconds": entry.seconds,
                "kept": entry is self.entries[0],
                "note": entry.note,
            }
            for entry in self.entries
        ]


class _Steps:
    """Counts the steps that were told, so that those of rounds not held can be made up for.

    It also knows in how many processes rounds are held.
    """

    def __init__(self, advance: Advance, total: int, n_jobs: int) -> None:
        self._advance, self._left, self.n_jobs = advance, total, n_jobs

    def __call__(self) -> None:
        self._left -= 1
        self._advance()

    def finish(self) -> None:
        """Tell of all that are left."""
        while self._left > 0:
            self()


def comparison_steps(n_methods: int, n_rows: int) -> int:
    """How often `compare_methods` reports progress."""
    return n_methods * sum(_n_folds(size) for size in _sizes(n_rows))


def _sizes(n_rows: int) -> tuple[int, ...]:
    """Of many rows, a few hundred tell nothing."""
    first = max((size for size in SIZES if size * FIRST_SHARE <= n_rows), default=SIZES[0])
    return tuple(size for size in SIZES if size >= first)


def compare_methods(
    learners: Sequence[Learner], X: Any, y: Any, advance: Advance, n_jobs: int = 1
) -> MethodComparison:
    """Compare methods by nested cross-validation.

    Every method is fitted, its own tuning included, to the rows outside of a fold and scored on
    the fold, so no score was seen when anything was chosen. The best of several such means is
    still a little hopeful: the score to report is one on further rows.

    Parameters
    ----------
    learners : sequence of Learner
        The methods.
    X, y : DataFrame and ndarray
        Typed rows and targets.
    advance : callable
        Called `comparison_steps` times.
    n_jobs : int
        How many processes compare methods at once.

    Returns
    -------
    MethodComparison
    """
    n = len(y)
    start, steps = time.perf_counter(), _Steps(advance, comparison_steps(len(learners), n), n_jobs)
    # Methods that are out of the race, the first to leave last.
    ended = [_left_out(learner, n) for learner in learners if _is_given_too_few(learner, n)]
    race = [Entry(one, (), (), 0, 0, 0.0) for one in learners if not _is_given_too_few(one, n)]
    with _quiet():
        for size in _sizes(n) if race else ():
            race, left = _round(race, X, y, size, steps)
            ended, best = [*left, *ended], race[0]
            is_late = time.perf_counter() - start > SECONDS
            if best.mean is None or len(race) == 1 or best.n_rows == n or is_late:
                break
    steps.finish()
    return _concluded([*race, *ended], len(race), n)


@contextmanager
def _quiet() -> Iterator[None]:
    """Nothing is told of models that are not kept, and an interrupt ends everything."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with interrupts_end_everything():
            yield


def _is_given_too_few(learner: Learner, n_rows: int) -> bool:
    return learner.method.max_rows < LEAST_SHARE * n_rows


def _left_out(learner: Learner, n_rows: int) -> Entry:
    note = f"it learns from {learner.method.max_rows} rows at most, and there are {n_rows}"
    return Entry(learner, (), (), 0, 0, 0.0, note)


def _concluded(entries: list[Entry], n_left: int, n_all: int) -> MethodComparison:
    best = entries[0]
    if best.mean is None:
        raise MethodError(f"no method can be used on this table: {best.note}")
    notes = [f"{e.learner.method.name} was skipped: {e.note}" for e in entries if e.note]
    if best.n_rows < n_all:
        told = "which tell the best from all others"
        if n_left > 1:
            names = ", ".join(entry.learner.method.name for entry in entries[1:n_left])
            told = f"which do not tell {best.learner.method.name} from {names}"
        notes.append(f"methods were compared on a random {best.n_rows} of {n_all} rows, {told}")
    return MethodComparison(tuple(entries), best.n_rows, tuple(notes))


def _n_folds(size: int) -> int:
    return N_FOLDS if size <= FEW_ROWS else 1


def _ranked(entries: list[Entry]) -> list[Entry]:
    # A stable sort: of methods with the same mean, the one that was named first.
    return sorted(entries, key=lambda entry: np.inf if entry.mean is None else -entry.mean)


def _round(
    race: Sequence[Entry], X: Any, y: Any, size: int, steps: _Steps
) -> tuple[list[Entry], list[Entry]]:
    """All that are in the race, on a sample of so many rows: who stays, best first, and who leaves.

    Who leaves first is last.
    """
    setting = race[0].learner.setting
    some = race[0].learner.rows(y, size)
    is_last = len(some) == len(y)
    X, y = X.iloc[some].reset_index(drop=True), y[some]
    race = [replace(entry, scores=(), said=(), n_rows=len(y), n_tested=0) for entry in race]
    left: list[Entry] = []
    folds = fold_splits(y, setting.task, N_FOLDS, setting.seed)[: _n_folds(size)]
    for number, split in enumerate(folds, start=1):
        # What takes longest begins first, so that no process waits for it in the end.
        order = sorted(range(len(race)), key=lambda place: -race[place].seconds)
        tasks = [partial(_asked, race[place].learner, X, y, split) for place in order]
        answers = run_in_processes(tasks, steps.n_jobs, steps)
        for place, answer in zip(order, answers, strict=True):
            race[place] = race[place].after(answer)
        race = _ranked(race)
        level = LEVEL if number == len(folds) else EARLY_LEVEL
        if is_last and number < len(folds):
            level = _hopeless(number, len(folds))
        out = [entry for entry in race if entry.is_clearly_behind(race[0], level)]
        left = [*out, *left]
        race = [entry for entry in race if entry not in out]
        if len(race) == 1 and left:  # the others are told apart from it already
            break
    return race, left


def _hopeless(n_done: int, n_folds: int) -> float:
    r"""The p-value of who is too far behind to come out ahead in the folds that are left.

    Let a difference between two methods have the mean m and the variance s² in every fold, and
    nothing be known of m before. After k of K folds with a sum of differences D, the sum of all is
    normal with the mean DK/k and the variance s²(K − k)K/k, and so changes its sign with the chance

    .. math:: \Phi\bigl(-z \sqrt{K / (K - k)}\bigr), \quad z = D / (s \sqrt k) .
    """
    z = norm.isf(CHANCE) * np.sqrt((n_folds - n_done) / n_folds)
    return float(2.0 * norm.sf(z))


def _asked(learner: Learner, X: Any, y: Any, split: Split) -> _Answer:
    """A method on one fold."""
    method = replace(learner.method, plan=partial(_hurried, learner))
    hurried = replace(learner, method=method, client=None)  # a sample is small enough for here
    start, (train, test) = time.perf_counter(), split
    try:
        model = hurried.fit(X.iloc[train].reset_index(drop=True), y[train])
        rows = X.iloc[test].reset_index(drop=True)
        said = HeldOut.of(model, rows, y[test], learner.setting.classes)
        score, note = _score(learner, said), ""
    except (ValueError, MemoryError) as error:
        said, score, note = None, np.nan, str(error)
    except Stopped:
        said, score = None, np.nan
        note = f"its time was over before it had learned anything from {len(train)} rows"
    return _Answer(said, score, time.perf_counter() - start, note)


def _hurried(learner: Learner, setting: Setting) -> Plan:
    """The method's plan, its estimators with a limit of time where they have none that is less."""
    plan = learner.method.plan(setting)
    for _, step in plan.steps:
        params = step.get_params(deep=False)
        if "callback" in params and multiprocessing.parent_process() is not None:
            step.set_params(callback=None)  # who would hear of it is in another process
        if "time_limit" in params and (params["time_limit"] or np.inf) > SECONDS_OF_A_FIT:
            step.set_params(time_limit=SECONDS_OF_A_FIT)
    return plan


def _metric(learner: Learner) -> Metric:
    return learner.setting.metric or Metric(DEFAULTS[learner.setting.task])


def _score(learner: Learner, said: HeldOut) -> float:
    metric = _metric(learner)
    value = metric.goodness(said)
    if not np.isfinite(value):
        raise MethodError(f"it does not say what {metric.title} asks for")
    return value
