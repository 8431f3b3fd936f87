"""Which method the data support: nested cross-validation."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernlearn._unfinished import interrupts_end_everything
from kernlearn.methods.held_out import HeldOut
from kernlearn.methods.learner import Learner
from kernlearn.methods.method import MethodError
from kernlearn.methods.splits import Split, fold_splits

__all__ = ["N_FOLDS", "Contest", "Entry", "hold_contest"]

N_FOLDS = 5
# What is learned from more rows than these is compared on a sample of them.
MOST_ROWS = 400


@dataclass(frozen=True)
class Entry:
    """One method in the contest; without scores, the note says why it was skipped."""

    learner: Learner
    scores: tuple[float, ...]
    seconds: float
    note: str = ""

    @property
    def mean(self) -> float | None:
        """The mean over outer folds."""
        return float(np.mean(self.scores)) if self.scores else None

    @property
    def standard_error(self) -> float | None:
        """Of that mean, as if folds were independent."""
        n = len(self.scores)
        return float(np.std(self.scores, ddof=1) / np.sqrt(n)) if n > 1 else None


@dataclass(frozen=True)
class Contest:
    """The entries, best first, and on how many rows they were compared."""

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
                "seconds": entry.seconds,
                "kept": entry is self.entries[0],
                "note": entry.note,
            }
            for entry in self.entries
        ]


def hold_contest(
    learners: Sequence[Learner], X: Any, y: Any, advance: Callable[[], Any]
) -> Contest:
    """Compare methods by nested cross-validation.

    Every method is fitted, its own tuning included, to the rows outside of each fold and scored on
    the fold, so no score was seen when anything was chosen. The best of several such means is
    still a little hopeful: the score to report is one on further rows.

    Parameters
    ----------
    learners : sequence of Learner
        The methods.
    X, y : DataFrame and ndarray
        Typed rows and targets.
    advance : callable
        Called `N_FOLDS` times for each method.

    Returns
    -------
    Contest
    """
    setting = learners[0].setting
    n_all = len(X)
    some = learners[0].rows(y, MOST_ROWS)
    X, y = X.iloc[some].reset_index(drop=True), y[some]
    folds = fold_splits(y, setting.task, N_FOLDS, setting.seed)
    with interrupts_end_everything():
        entries = [_entered(learner, X, y, folds, advance) for learner in learners]
    # A stable sort: of methods with the same mean, the one that was named first.
    ranked = sorted(entries, key=lambda entry: np.inf if entry.mean is None else -entry.mean)
    if ranked[0].mean is None:
        raise MethodError(f"no method can be used on this table: {ranked[0].note}")
    notes = [f"{e.learner.method.name} was skipped: {e.note}" for e in ranked if e.note]
    if len(X) < n_all:
        notes.append(f"methods were compared on a random {len(X)} of {n_all} rows")
    return Contest(tuple(ranked), len(X), tuple(notes))


def _entered(
    learner: Learner, X: Any, y: Any, folds: Sequence[Split], advance: Callable[[], Any]
) -> Entry:
    start = time.perf_counter()
    scores = []
    try:
        for train, test in folds:
            model = learner.fit(X.iloc[train].reset_index(drop=True), y[train])
            scores.append(_score(learner, model, X.iloc[test].reset_index(drop=True), y[test]))
            advance()
    except (ValueError, MemoryError) as error:
        for _ in folds[len(scores) :]:
            advance()
        return Entry(learner, (), time.perf_counter() - start, str(error))
    return Entry(learner, tuple(scores), time.perf_counter() - start)


def _score(learner: Learner, model: Any, X: Any, y: Any) -> float:
    metric = learner.setting.metric
    if metric is None:
        return float(model.score(X, y))
    value = metric.goodness(HeldOut.of(model, X, y, learner.setting.classes))
    if not np.isfinite(value):
        raise MethodError(f"it does not say what {metric.title} asks for")
    return value
