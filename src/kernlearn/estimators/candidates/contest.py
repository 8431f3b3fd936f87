"""All candidates on one problem."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from kernlearn._patience import Stopped
from kernlearn.estimators.candidates.family import Family, Found
from kernlearn.estimators.candidates.problem import Problem
from kernlearn.estimators.candidates.relevance import stretched_view
from kernlearn.estimators.candidates.view import View

__all__ = ["Contest", "hold_contest"]

# Beyond so many rows every family is searched on a sample, and only the best ones on all rows.
_SCREENED = 600
_SHORTLIST = 6
# θ is learned from so many rows at most, since every step costs their cube, and for so many
# columns, since it costs their square.
_RELEVANCE_ROWS = 400
_RELEVANCE_COLUMNS = 100
# With fewer rows their folds have nothing to learn from.
_FEWEST_ROWS = 20


@dataclass(frozen=True, eq=False)
class Contest:
    """How it ended.

    Attributes
    ----------
    problem : Problem
        The rows on which candidates were judged.
    found : list of Found
        The best of every family and view.
    seconds : list of float
        How long each took.
    """

    problem: Problem
    found: list[Found]
    seconds: list[float]


def hold_contest(
    problem: Problem, families: Sequence[Family], stretch: bool, random_state: Any
) -> Contest:
    """Search all families; after an early end, with what was found before it.

    Parameters
    ----------
    problem : Problem
        The rows to judge by.
    families : sequence of Family
        Who takes part.
    stretch : bool
        Whether to learn scales of columns.
    random_state : RandomState
        For samples of rows.

    Returns
    -------
    contest : Contest
        With one candidate at least.
    """
    if len(problem) <= _SCREENED:
        return _collected(problem, _all_found(problem, families, stretch, random_state))
    sample = problem.rows(problem.sample(_SCREENED, random_state))
    small = _collected(sample, _all_found(sample, families, stretch, random_state))
    if problem.patience.stopped is not None:
        return small
    best = sorted(small.found, key=lambda found: found.loss)[:_SHORTLIST]
    searches = (_searched(near.family, problem, near.view, near) for near in best)
    large = _collected(problem, chain.from_iterable(searches))
    return large if large.found else small


def _all_found(
    problem: Problem, families: Sequence[Family], stretch: bool, random_state: Any
) -> Iterator[Found]:
    """Every family on every table, then on the stretched columns of the best one."""
    best: Found | None = None
    for table, X in problem.tables.items():
        for family in families:
            if not family.suits(table, X.shape[1]):
                continue
            for found in _searched(family, problem, View(table)):
                best = found if best is None or found.loss < best.loss else best
                yield found
    stretching = [family for family in families if family.stretches and stretch]
    if best is None or not stretching or len(problem) < _FEWEST_ROWS:
        return
    table = best.view.table
    if 2 <= problem.tables[table].shape[1] <= _RELEVANCE_COLUMNS:
        sample = problem.rows(problem.sample(_RELEVANCE_ROWS, random_state))
        with suppress(np.linalg.LinAlgError):
            view = stretched_view(sample, table)
            for family in stretching:
                yield from _searched(family, problem, view)


def _searched(
    family: Family, problem: Problem, view: View, near: Found | None = None
) -> Iterator[Found]:
    """What a search finds; nothing where the kernel breaks down on these rows."""
    with suppress(np.linalg.LinAlgError, ValueError):
        yield family.search(problem, view, near)


def _collected(problem: Problem, candidates: Iterator[Found]) -> Contest:
    """What an iterator of searches gives, with the seconds that each took."""
    contest = Contest(problem, [], [])
    start = time.perf_counter()
    try:
        for found in candidates:
            now = time.perf_counter()
            contest.found.append(found)
            contest.seconds.append(now - start)
            start = now
            best = min(one.loss for one in contest.found)
            problem.patience.tell(f"{found.title}: held-out loss {found.loss:.6g}", best)
    except (Stopped, KeyboardInterrupt) as stop:
        if not contest.found:
            raise
        problem.patience.accept(stop)
    return contest
