"""All candidates on one problem."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any

import numpy as np

from kernlearn.estimators.mixture.candidates.choice import Chosen
from kernlearn.estimators.mixture.candidates.family import Family, Found
from kernlearn.estimators.mixture.candidates.first_level import first_level_view
from kernlearn.estimators.mixture.candidates.gradients import gradient_views
from kernlearn.estimators.mixture.candidates.problem import Problem
from kernlearn.estimators.mixture.candidates.view import StretchedView, View
from kernlearn.quality.predictive import LoggedLoss, PredictiveLoss
from kernlearn.runtime.numerical_errors import BREAKDOWNS
from kernlearn.runtime.phrases import counted
from kernlearn.runtime.stopping import Stopped
from kernlearn.runtime.threads import in_order, n_threads
from kernlearn.solvers.selection.mixture import Mixing, weights_by_errors
from kernlearn.typing import Array, Indices

__all__ = ["NEGLIGIBLE", "Screening", "collected", "screen_candidates", "timed"]


# Beyond so many rows every family is searched on a sample, and only the best ones on all rows.
_SCREENED = 700
_SHORTLIST = 8
# First-level learning is given so many rows at most, since every step costs their cube, and so many
# columns, since it costs their square.
_FIRST_LEVEL_ROWS = 400
_FIRST_LEVEL_COLUMNS = 30
# Slopes along more columns are of so many rows: along 200, of 700 rows, two of the four that matter
# were missed.
_SLOPE_ROWS = 2000
# With fewer rows their folds have nothing to learn from.
_FEWEST_ROWS = 20
# κ of the mixture: weights are thought to differ by about 0.15 before the data are seen.
_PRIOR = 20.0
# Of the largest weight: a member with less changes nothing, and takes as long as any other. Of
# labels it errs more often than the best by three standard errors.
NEGLIGIBLE = 0.01


@dataclass(frozen=True, eq=False)
class Screening:
    """How it ended.

    Attributes
    ----------
    problem : Problem
        The rows on which candidates were judged.
    found : list of Found
        The best of every family and view.
    """

    problem: Problem
    found: list[Found]

    @cached_property
    def compared(self) -> Array:
        """What all are compared by and mixed from: predictions for n rows held out, (m, n, k)."""
        return np.stack([one.compared for one in self.found])

    def weights(
        self, max_members: int, least: float = NEGLIGIBLE, rows: Indices | slice = slice(None)
    ) -> Array:
        """A mixture of few of them, at their best scale, none below a part of the largest weight.

        Parameters
        ----------
        max_members : int
            How many may have a weight.
        least : float, default=0.01
            The part.
        rows : ndarray or slice, default=slice(None)
            The rows to judge by: by default all.
        """
        loss, compared = self._loss(rows), self.compared[:, rows]
        if loss.is_of_labels:
            weights = weights_by_errors(loss, compared, max_members)
        else:
            weights = Mixing(loss, compared, _PRIOR).weights(max_members)
        enough: Array = np.where(weights >= least * weights.max(), weights, 0.0)
        return np.asarray(enough * (weights.sum() / enough.sum()))

    def factors(self, weights: Array, rows: Indices | slice = slice(None)) -> Array:
        """What to multiply predictions by, if weights are meant at the scales best on `rows`."""
        loss, factors = self._loss(rows), weights.copy()
        for i in np.flatnonzero(weights):
            factors[i] *= loss.scale(self.compared[i, rows])
        return factors

    def held_out(self, max_members: int, least: float = NEGLIGIBLE) -> Array:
        """What mixtures predict for the rows of each fold, by weights found without it, (n, k).

        The weights of all rows are those that suit their errors best, by chance too: the errors of
        that mixture look smaller than those on new rows. Rows in one fold have no others, and are
        judged by their own weights; these are rows held out of many, and their members few.
        """
        values, everyone = np.empty_like(self.problem.Y), np.arange(len(self.problem))
        for fold in self.problem.folds:
            others = np.setdiff1d(everyone, fold)
            rows = others if len(others) else everyone
            factors = self.factors(self.weights(max_members, least, rows), rows)
            values[fold] = np.tensordot(factors, self.compared[:, fold], axes=1)
        return values

    def _loss(self, rows: Indices | slice) -> PredictiveLoss:
        loss = self.problem.loss.of_linked
        return replace(loss, Y=loss.Y[rows], weight=loss.weight[rows])


def screen_candidates(
    problem: Problem, chosen: Chosen, random_state: Any, whole: Problem | None = None
) -> Screening:
    """Search all families, several at a time; after an early end, with what was found before it.

    Parameters
    ----------
    problem : Problem
        The rows to judge by.
    chosen : Chosen
        Who takes part.
    random_state : RandomState
        For samples of rows.
    whole : Problem, optional
        All rows, of which those to judge by may be a sample.

    Returns
    -------
    screening : Screening
        With one candidate at least.
    """
    whole = problem if whole is None else whole
    if len(problem) <= _SCREENED:
        screening = collected(problem, _all_found(problem, chosen, whole, random_state))
        return _with_logarithms(screening) if chosen.logarithms else screening
    sample = problem.rows(problem.sample(_SCREENED, random_state))
    small = collected(sample, _all_found(sample, chosen, whole, random_state))
    if problem.stopping.stopped is not None or not small.found:
        return small
    large = collected(
        problem,
        _found([_Search(near.family, problem, near.view, near) for near in _shortlist(small)]),
    )
    if not large.found:
        return small
    return _with_logarithms(large) if chosen.logarithms else large


def _with_logarithms(screening: Screening) -> Screening:
    """Where targets are skewed amounts, the best candidates on their logarithms beside all."""
    problem = screening.problem
    loss = LoggedLoss.of(problem.loss)
    if loss is None or not screening.found or problem.stopping.stopped is not None:
        return screening
    logged = replace(problem, loss=loss)
    searches = [_Search(near.family, logged, near.view, near) for near in _shortlist(screening)]
    return collected(problem, _found(searches), screening.found)


def _shortlist(screening: Screening) -> list[Found]:
    """Those that a mixture of a sample would have."""
    return [screening.found[i] for i in np.flatnonzero(screening.weights(_SHORTLIST))]


def _all_found(
    problem: Problem, chosen: Chosen, whole: Problem, random_state: Any
) -> Iterator[Found]:
    """Every family on every table, then on the stretched columns of the best one.

    The problem may be a sample of `whole`, from which stretches may be learned.
    """
    searches = [
        _Search(family, problem, View(table))
        for table in problem.tables
        for family in chosen.families
        if family.suits(problem, table)
    ]
    best: Found | None = None
    for found in _found(searches):
        best = found if best is None or found.loss < best.loss else best
        yield found
    stretching = [family for family in chosen.families if family.stretches and chosen.stretches]
    if best is None or not stretching or len(problem) < _FEWEST_ROWS:
        return
    if problem.tables[best.view.table].shape[1] > 1:
        views = _stretched(problem, whole, best.view.table, random_state)
        yield from _found_stretched(problem, stretching, views)


def _found_stretched(
    problem: Problem, families: Sequence[Family], views: Iterator[StretchedView]
) -> Iterator[Found]:
    """The best of every family on any of these views."""
    best: dict[str, Found] = {}
    start = time.perf_counter()
    try:
        for view in views:
            learning = time.perf_counter() - start
            searches = [_Search(one, problem, view, best.get(one.name)) for one in families]
            for found in _found(searches):
                name = found.family.name
                before = best.get(name, found)
                seconds = found.seconds + learning + (before.seconds if name in best else 0.0)
                learning = 0.0  # the first of them is told to have taken it
                best[name] = replace(found if found.loss < before.loss else before, seconds=seconds)
            start = time.perf_counter()
    except (Stopped, KeyboardInterrupt) as stop:
        if not best:
            raise
        problem.stopping.accept(stop)
    yield from best.values()


def _stretched(
    problem: Problem, whole: Problem, table: str, random_state: Any
) -> Iterator[StretchedView]:
    """Learned at the first level where columns are few, and from slopes, both at a time.

    Where columns are many, slopes are of more rows: a few hundred do not tell which of them matter.
    """
    if problem.tables[table].shape[1] <= _FIRST_LEVEL_COLUMNS:
        sample = problem.rows(problem.sample(_FIRST_LEVEL_ROWS, random_state))
        learners = [partial(_first_level_views, sample, table)]
        learners.append(partial(gradient_views, problem, table))
    else:
        many = whole.rows(whole.sample(_SLOPE_ROWS, random_state))
        learners = [partial(gradient_views, many, table)]
    # All of them before anyone looks, who may then have all threads.
    learn = partial(_as_many_as_may_be, problem=problem)
    views = list(in_order(learn, learners, n_threads(), problem.stopping.check))
    return chain.from_iterable(views)


def _first_level_views(problem: Problem, table: str) -> Iterator[StretchedView]:
    yield first_level_view(problem, table)


def _as_many_as_may_be(
    learn: Callable[[], Iterator[StretchedView]], problem: Problem
) -> list[StretchedView]:
    """What can be learned before a machine breaks down."""
    views = []
    try:
        for view in learn():
            views.append(view)
    except BREAKDOWNS as error:
        problem.notes.append(f"columns have fewer scales, since one machine broke down: {error}")
    return views


@dataclass(frozen=True, eq=False)
class _Search:
    """One family on one view, perhaps from where one on fewer rows or another view ended."""

    family: Family
    problem: Problem
    view: View
    near: Found | None = None

    def found(self) -> Found | None:
        """What it comes to; nothing but a note where the kernel breaks down on these rows."""
        try:
            return timed(lambda: self.family.search(self.problem, self.view, self.near))
        except (ValueError, *BREAKDOWNS) as error:
            if not self.family.is_given:
                if not isinstance(error, BREAKDOWNS):
                    raise
                title = f"{self.family.name}{self.view.title}"
                self.problem.notes.append(f"{title} was left out: {error}")
                return None
            n_columns = self.problem.tables[self.view.table].shape[1]
            raise ValueError(
                f"expected the candidate {self.family.name} to be a kernel on the prepared table, "
                f"of {counted(n_columns, 'column')} without names, got an error: {error}; correct "
                "the kernel, or leave it out"
            ) from error


def _found(searches: Sequence[_Search]) -> Iterator[Found]:
    """What searches come to, in their order, side by side.

    Their matrices are too small for the algebra of one to gain by more threads.
    """
    results = in_order(_Search.found, searches, n_threads(), lambda: None)
    return (found for found in results if found is not None)


def timed(search: Callable[[], Found]) -> Found:
    """What a search comes to, and how long it took."""
    start = time.perf_counter()
    found = search()
    return replace(found, seconds=time.perf_counter() - start)


def collected(
    problem: Problem, candidates: Iterator[Found], before: Sequence[Found] = ()
) -> Screening:
    """What an iterator of searches gives, up to an early end, after those that were told before."""
    screening = Screening(problem, list(before))
    best = min((one.told for one in before), default=np.inf)
    try:
        for found in candidates:
            screening.found.append(found)
            best = min(best, found.told)
            problem.stopping.tell(f"{found.title}: held-out loss {found.told:.6g}", best)
    except (Stopped, KeyboardInterrupt) as stop:
        if not screening.found:
            raise
        problem.stopping.accept(stop)
    return screening
