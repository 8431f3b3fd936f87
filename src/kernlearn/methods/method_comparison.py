"""Which method the data support: nested cross-validation, on more and more rows.

A few hundred rows cost little but do not separate good methods. So methods are compared in
rounds: those that are not clearly worse than the best go on to a sample of four times as many rows,
until one is clearly ahead, or all rows or the time were used. Within a round, a method that is
clearly behind after a fold skips the next folds. On all rows, so does a method that will hardly
come out ahead in the folds that are left. Every method is given at most as many rows of a sample as
of the table, so that the method is compared as it would be used.
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

import numpy as np
from scipy.stats import norm

from kernlearn.estimators.inputs.stopping import set_callback
from kernlearn.methods.errors import MethodError
from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.learner import Learner
from kernlearn.methods.method import Plan, Setting
from kernlearn.methods.metrics import Metric
from kernlearn.methods.paired import paired_test
from kernlearn.methods.splits import Split, fold_splits
from kernlearn.runtime.convergence_warnings import interrupts_end_everything
from kernlearn.runtime.processes import run_in_processes
from kernlearn.runtime.stopping import Stopped
from kernlearn.typing import Indices, Json, PandasFrame, Targets

Advance = Callable[[], object]


@dataclass(frozen=True)
class ComparisonOptions:
    """Limits of time and rows for comparing methods."""

    n_folds: int = 3
    """Number of folds, to which the time is proportional; every row is predicted once."""
    sizes: tuple[int, ...] = (400, 1600, 6400, 25_600)
    """Rows of the rounds."""
    first_share: int = 16
    """The first round takes at most one row in this number, unless rows are few."""
    least_share: float = 0.1
    """Methods that take a smaller share of the rows than this are not compared."""
    few_rows: int = 2000
    """Rows above which one fold is enough to test on."""
    seconds: float = 120.0
    """Seconds after which no round begins."""
    seconds_of_a_fit: float = 45.0
    """Time limit of one fit, for estimators that have one; they end with the best so far."""
    level: float = 0.01
    """Below this p-value, the better of two is clearly better at the end of a round."""
    early_level: float = 0.001
    """The level before the end of a round, stricter since tests are repeated after every fold."""
    chance: float = 0.05
    """In the last round, methods with a smaller chance of the highest mean are dropped."""

    def rounds(self, n_rows: int) -> tuple[int, ...]:
        """Rows of each round; large tables begin with larger samples."""
        sizes = self.sizes
        first = max((s for s in sizes if s * self.first_share <= n_rows), default=sizes[0])
        return tuple(size for size in sizes if size >= first)

    def folds(self, size: int) -> int:
        """Number of folds to test on in a round of `size` rows."""
        return self.n_folds if size <= self.few_rows else 1


COMPARISON = ComparisonOptions()


@dataclass(frozen=True)
class _FoldResult:
    """A method's predictions of one fold, or a note on why the method failed."""

    predictions: HeldOutPredictions | None
    score: float
    seconds: float
    note: str


@dataclass(frozen=True, eq=False)
class ComparedMethod:
    """One method in its last round; without scores, the note says why it was skipped."""

    learner: Learner
    scores: tuple[float, ...] = ()
    """Scores of the tested folds."""
    predictions: tuple[HeldOutPredictions, ...] = ()
    """Predictions of the rows of the tested folds."""
    n_rows: int = 0
    """Rows of the round, tested on or not."""
    seconds: float = 0.0
    """Seconds of all its rounds."""
    note: str = ""

    @property
    def mean(self) -> float | None:
        """The mean over outer folds, the same in any order of them."""
        return math.fsum(self.scores) / len(self.scores) if self.scores else None

    @property
    def standard_error(self) -> float | None:
        """Standard error of the mean, as if folds were independent."""
        n = len(self.scores)
        return float(np.std(self.scores, ddof=1) / np.sqrt(n)) if n > 1 else None

    def after(self, result: _FoldResult) -> ComparedMethod:
        """The method with one more fold; a failure in one fold clears its scores."""
        seconds = self.seconds + result.seconds
        if result.predictions is None:
            return replace(self, scores=(), predictions=(), seconds=seconds, note=result.note)
        scores = (*self.scores, result.score)
        predictions = (*self.predictions, result.predictions)
        return replace(self, scores=scores, predictions=predictions, seconds=seconds)

    def is_clearly_worse(self, best: ComparedMethod, level: float) -> bool:
        """Whether a paired test favours `best`, on the folds that both have predicted."""
        if self is best or not self.scores:
            return self is not best
        n = min(len(self.predictions), len(best.predictions))
        pair = (
            HeldOutPredictions.joined(best.predictions[:n]),
            HeldOutPredictions.joined(self.predictions[:n]),
        )
        setting = best.learner.setting
        n_train = best.n_rows - len(best.predictions[0])
        p = paired_test(setting.judge, [pair], n_train, setting.seed).p_value
        return p is not None and p < level


@dataclass(frozen=True)
class MethodComparison:
    """The entries, best first, and the number of rows of the last round."""

    entries: tuple[ComparedMethod, ...]
    n_rows: int
    notes: tuple[str, ...] = field(default=())

    @property
    def winner(self) -> Learner:
        """The method with the highest mean score on rows that it had not seen."""
        return self.entries[0].learner

    def facts(self, sign: float = 1.0) -> list[Json]:
        """The table as JSON values; a sign of −1 where less is better."""
        return [
            {
                "method": entry.learner.method.name,
                "name": entry.learner.title,
                "score": None if entry.mean is None else sign * entry.mean,
                "standard_error": entry.standard_error,
                "folds": [sign * score for score in entry.scores],
                "rows": entry.n_rows,
                "tested": sum(map(len, entry.predictions)),
                "seconds": entry.seconds,
                "kept": entry is self.entries[0],
                "note": entry.note,
            }
            for entry in self.entries
        ]


class _Steps:
    """Counts the reported steps, so that steps of skipped rounds can be reported at the end.

    The attribute `n_jobs` is the number of processes of a round.
    """

    def __init__(self, advance: Advance, total: int, n_jobs: int) -> None:
        self._advance, self._left, self.n_jobs = advance, total, n_jobs

    def __call__(self) -> None:
        self._left -= 1
        self._advance()

    def finish(self) -> None:
        """Report all steps that are left."""
        while self._left > 0:
            self()


def comparison_steps(n_methods: int, n_rows: int, options: ComparisonOptions = COMPARISON) -> int:
    """Number of times that `compare_methods` reports progress."""
    return n_methods * sum(options.folds(size) for size in options.rounds(n_rows))


def compare_methods(
    learners: Sequence[Learner],
    X: PandasFrame,
    y: Targets,
    advance: Advance,
    n_jobs: int = 1,
    options: ComparisonOptions = COMPARISON,
    units: Indices | None = None,
) -> MethodComparison:
    """Compare methods on typed rows by nested cross-validation, in `n_jobs` processes.

    Every method is fitted, its own tuning included, to the rows outside of a fold and scored on
    the fold, so no score was seen when anything was chosen. The best of several such means is
    still a little optimistic: the score to report is one on further rows. Folds hold out the rows
    of one of the `units` together. `advance` is called `comparison_steps` times.
    """
    n, start = len(y), time.perf_counter()
    steps = _Steps(advance, comparison_steps(len(learners), n, options), n_jobs)
    few = options.least_share * n
    # Methods that are out of the race, the first to leave last.
    ended = [_left_out(learner, n) for learner in learners if learner.method.max_rows < few]
    race = [ComparedMethod(one) for one in learners if one.method.max_rows >= few]
    with _quiet():
        for size in options.rounds(n) if race else ():
            race, left = _round(race, X, y, units, size, steps, options)
            ended, best = [*left, *ended], race[0]
            is_late = time.perf_counter() - start > options.seconds
            if best.mean is None or len(race) == 1 or best.n_rows == n or is_late:
                break
    steps.finish()
    return _concluded([*race, *ended], len(race), n)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence warnings of models that are not kept; an interrupt ends everything."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with interrupts_end_everything():
            yield


def _left_out(learner: Learner, n_rows: int) -> ComparedMethod:
    note = f"it learns from {learner.method.max_rows} rows at most, and there are {n_rows}"
    return ComparedMethod(learner, note=note)


def _concluded(entries: list[ComparedMethod], n_left: int, n_all: int) -> MethodComparison:
    best = entries[0]
    if best.mean is None:
        raise MethodError(f"no method can be used on this table: {best.note}")
    notes = [f"{e.learner.method.name} was skipped: {e.note}" for e in entries if e.note]
    if best.n_rows < n_all:
        result = "which tell the best from all others"
        if n_left > 1:
            names = ", ".join(entry.learner.method.name for entry in entries[1:n_left])
            result = f"which do not tell {best.learner.method.name} from {names}"
        notes.append(f"methods were compared on a random {best.n_rows} of {n_all} rows, {result}")
    return MethodComparison(tuple(entries), best.n_rows, tuple(notes))


def _ranked(entries: list[ComparedMethod]) -> list[ComparedMethod]:
    # A stable sort: among methods with the same mean, the one named first leads.
    return sorted(entries, key=lambda entry: np.inf if entry.mean is None else -entry.mean)


def _round(
    race: Sequence[ComparedMethod],
    X: PandasFrame,
    y: Targets,
    units: Indices | None,
    size: int,
    steps: _Steps,
    options: ComparisonOptions,
) -> tuple[list[ComparedMethod], list[ComparedMethod]]:
    """Compare methods on a sample of rows; returns methods that stay, and methods that leave.

    Methods that stay have the best first; the method that leaves first is last.
    """
    setting = race[0].learner.setting
    some = race[0].learner.rows(y, size)
    is_last = len(some) == len(y)
    X, y = X.iloc[some].reset_index(drop=True), y[some]
    units = None if units is None else units[some]
    race = [replace(entry, scores=(), predictions=(), n_rows=len(y)) for entry in race]
    left: list[ComparedMethod] = []
    every = fold_splits(y, setting.task, options.n_folds, setting.seed, units)
    folds = every[: options.folds(size)]
    for number, split in enumerate(folds, start=1):
        # The slowest method begins first, so that no process waits for it in the end.
        order = sorted(range(len(race)), key=lambda place: -race[place].seconds)
        given = X, y, units, split, options
        tasks = [partial(_evaluated, race[place].learner, *given) for place in order]
        results = run_in_processes(tasks, steps.n_jobs, steps)
        for place, result in zip(order, results, strict=True):
            race[place] = race[place].after(result)
        race = _ranked(race)
        level = options.level if number == len(folds) else options.early_level
        if is_last and number < len(folds):
            level = chance_to_lead(number, len(folds), options.chance)
        out = [entry for entry in race if entry.is_clearly_worse(race[0], level)]
        left = [*out, *left]
        race = [entry for entry in race if entry not in out]
        if len(race) == 1 and left:  # the others differ from it significantly already
            break
    return race, left


def chance_to_lead(n_done: int, n_folds: int, chance: float) -> float:
    r"""The p-value below which a method is too far behind to win in the folds that are left.

    Let the difference between two methods have mean m and variance s² in every fold, with a flat
    prior on m. After k of K folds with a sum of differences D, the sum of all K differences is
    normal with mean DK/k and variance s²(K − k)K/k, and so changes its sign with probability

    .. math:: \Phi\bigl(-z \sqrt{K / (K - k)}\bigr), \quad z = D / (s \sqrt k) .
    """
    z = norm.isf(chance) * np.sqrt((n_folds - n_done) / n_folds)
    return float(2.0 * norm.sf(z))


def _evaluated(
    learner: Learner,
    X: PandasFrame,
    y: Targets,
    units: Indices | None,
    split: Split,
    options: ComparisonOptions,
) -> _FoldResult:
    """A method on one fold."""
    plan = partial(_plan_with_time_limit, learner, options.seconds_of_a_fit)
    # A sample is small enough for this machine.
    limited = replace(learner, method=replace(learner.method, plan=plan), client=None)
    start, (train, test) = time.perf_counter(), split
    predictions, score, note = None, np.nan, ""
    try:
        train_units, test_units = (None if units is None else units[part] for part in split)
        model = limited.fit(X.iloc[train].reset_index(drop=True), y[train], train_units)
        rows = X.iloc[test].reset_index(drop=True)
        found = HeldOutPredictions.of(
            model, rows, y[test], learner.setting.classes_or_times, test_units, has_interval=False
        )
        predictions, score = found, _score(learner.setting.judge, found)
    except (ValueError, MemoryError) as error:
        predictions, note = None, str(error)
    except Stopped:
        note = f"its time was over before it had learned anything from {len(train)} rows"
    return _FoldResult(predictions, score, time.perf_counter() - start, note)


def _plan_with_time_limit(learner: Learner, seconds: float, setting: Setting) -> Plan:
    """The method's plan, with time limits of at most `seconds` for its estimators."""
    plan = learner.method.plan(setting)
    for _, step in plan.steps:
        params = step.get_params(deep=False)
        if multiprocessing.parent_process() is not None:
            set_callback(step, None)  # the listener is in another process
        if "time_limit" in params and (params["time_limit"] or np.inf) > seconds:
            step.set_params(time_limit=seconds)
    return plan


def _score(metric: Metric, predictions: HeldOutPredictions) -> float:
    value = metric.goodness(predictions)
    if not np.isfinite(value):
        raise MethodError(f"it does not say what {metric.title} asks for")
    return value
