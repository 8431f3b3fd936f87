"""All candidates on one problem."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from kernlearn.estimators.mixture.candidates.choice import CandidateChoice
from kernlearn.estimators.mixture.candidates.family import CandidateFit, KernelFamily
from kernlearn.estimators.mixture.candidates.first_level import first_level_scales
from kernlearn.estimators.mixture.candidates.gradients import gradient_scales
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.representation import Representation, ScaledColumns
from kernlearn.estimators.mixture.options import ScreeningOptions
from kernlearn.estimators.mixture.preparation.sources import SOURCES, is_source_table
from kernlearn.numerics.positions import complement
from kernlearn.quality.predictive import PredictiveLoss
from kernlearn.runtime.numerical_errors import BREAKDOWNS
from kernlearn.runtime.phrases import counted
from kernlearn.runtime.stopping import Stopped
from kernlearn.runtime.threads import map_in_threads, n_threads
from kernlearn.solvers.selection.mixture import Mixing, weights_by_errors
from kernlearn.solvers.weights.output_kernel import OutputKernel
from kernlearn.typing import Array, Indices

# κ of the mixture: the prior standard deviation of a weight is about 0.15.
_PRIOR = 20.0
# Share of the largest weight below which a member is dropped: it changes little, and takes as long
# as any other. For labels, such a member errs more than the best by three standard errors.
NEGLIGIBLE = 0.01
_OPTIONS = ScreeningOptions()


@dataclass(frozen=True, eq=False)
class Screening:
    """The result of a screening."""

    problem: CandidateProblem  # the rows on which candidates were judged
    fits: list[CandidateFit]  # the best of every family and representation
    outputs: OutputKernel | None = None  # the kernel over several targets

    @cached_property
    def compared(self) -> Array:
        """Held-out predictions, by which candidates are compared and mixed, (m, n, k)."""
        return np.stack([one.compared for one in self.fits])

    def weights(
        self,
        max_members: int,
        min_weight: float = NEGLIGIBLE,
        rows: Indices | slice = slice(None),
    ) -> Array:
        """Weights of a mixture of few candidates, each at its best scale.

        At most `max_members` have a weight, none below `min_weight` times the largest. Candidates
        are judged by `rows`, by default all.
        """
        loss, compared = self._loss(rows), self.compared[:, rows]
        if loss.is_of_labels:
            groups = self.problem.groups
            together = None if groups is None else groups[rows]
            weights = weights_by_errors(loss, compared, max_members, together)
        else:
            weights = Mixing(loss, compared, _PRIOR).weights(max_members)
        enough: Array = np.where(weights >= min_weight * weights.max(), weights, 0.0)
        return np.asarray(enough * (weights.sum() / enough.sum()))

    def factors(self, weights: Array, rows: Indices | slice = slice(None)) -> Array:
        """Factors of the predictions: weights times the scales that are best on `rows`."""
        loss, factors = self._loss(rows), weights.copy()
        for i in np.flatnonzero(weights):
            factors[i] *= loss.scale(self.compared[i, rows])
        return factors

    def held_out(self, max_members: int, min_weight: float = NEGLIGIBLE) -> Array:
        """Predictions of mixtures for the rows of each fold, by weights found without it, (n, k).

        Weights of all rows suit the errors of these rows best, by chance too, so that the errors of
        the mixture are optimistic. A single fold, held out of many rows, has no other rows, and is
        judged by its own weights; its members are few.
        """
        values, all_rows = np.empty_like(self.problem.Y), np.arange(len(self.problem))
        for fold in self.problem.folds:
            others = complement(len(all_rows), fold)
            rows = others if len(others) else all_rows
            factors = self.factors(self.weights(max_members, min_weight, rows), rows)
            values[fold] = np.tensordot(factors, self.compared[:, fold], axes=1)
        return values

    def _loss(self, rows: Indices | slice) -> PredictiveLoss:
        return self.problem.loss.of_linked.subset(rows)


def screen_candidates(
    problem: CandidateProblem,
    choice: CandidateChoice,
    random_state: np.random.RandomState,
    whole: CandidateProblem | None = None,
    options: ScreeningOptions = _OPTIONS,
) -> Screening:
    """Search all families, several at a time; after an early end, with what was found before it.

    The problem has the rows to judge by, which may be a sample of `whole`.
    """
    whole = problem if whole is None else whole
    sample = problem
    if len(problem) > options.rows:
        sample = problem.rows(problem.sample(options.rows, random_state))
    problem.stopping.expect(_n_searches(sample, choice, options))
    screening = collect_screening(sample, _search_all(sample, choice, whole, random_state, options))
    if sample is not problem and _may_continue(screening):
        shortlist = _shortlist(screening, options)
        problem.stopping.expect(len(shortlist))
        large = collect_screening(problem, search_again(shortlist, problem))
        screening = large if large.fits else screening
    rescreens = choice.logarithms or problem.loss.is_of_labels
    if screening.problem is not problem or not (rescreens and _may_continue(screening)):
        return screening
    loss = problem.loss.other
    if loss is None:
        return screening
    # The best candidates on the logarithms of skewed amounts, and with thresholds of grades.
    shortlist = _shortlist(screening, options)
    problem.stopping.expect(len(shortlist))
    again = search_again(shortlist, replace(problem, loss=loss))
    return collect_screening(problem, again, screening.fits)


def _n_searches(
    problem: CandidateProblem, choice: CandidateChoice, options: ScreeningOptions
) -> int:
    """About the number of searches on a sample and for its shortlist."""
    first, *others = (
        sum(family.suits(problem, table) for family in choice.families)
        for table in _whole_tables(problem)
    )
    again = sum(others) if options.tries_all else -(-first // 2) * len(others)
    again += len(_searches_of_sources(problem, choice.families))
    stretched = sum(family.stretches for family in choice.families) if choice.stretches else 0
    return first + again + stretched + options.shortlist


def _may_continue(screening: Screening) -> bool:
    return bool(screening.fits) and screening.problem.stopping.stopped is None


def _shortlist(screening: Screening, options: ScreeningOptions) -> list[CandidateFit]:
    """The candidates that a mixture of a sample would have."""
    return [screening.fits[i] for i in np.flatnonzero(screening.weights(options.shortlist))]


def search_again(fits: Sequence[CandidateFit], problem: CandidateProblem) -> Iterator[CandidateFit]:
    """Candidates searched on another problem, from where they ended before."""
    return _results_of(
        [_FamilySearch(one.family, problem, one.representation, one) for one in fits]
    )


def _search_all(
    problem: CandidateProblem,
    choice: CandidateChoice,
    whole: CandidateProblem,
    random_state: np.random.RandomState,
    options: ScreeningOptions,
) -> Iterator[CandidateFit]:
    """Every family on every table, then on the stretched columns of the best one.

    The problem may be a sample of `whole`, from which stretches may be learned.
    """
    families, found = list(choice.families), list[CandidateFit]()
    for table in _whole_tables(problem):
        searches = [
            _FamilySearch(family, problem, Representation(table))
            for family in families
            if family.suits(problem, table)
        ]
        for one in _results_of(searches):
            found.append(one)
            yield one
        if not options.tries_all:  # the worse half of the families is not tried on the next table
            ordered = _families(one for one in found if one.representation.table == table)
            families = ordered[: -(-len(ordered) // 2)]
    yield from _results_of(_searches_of_sources(problem, choice.families))
    best = min(found, key=lambda one: one.loss, default=None)
    stretching = [family for family in _families(found) if family.stretches and choice.stretches]
    if best is None or not stretching or len(problem) < options.fewest_rows:
        return
    if problem.tables[best.representation.table].shape[1] > 1:
        representations = scaled_columns(
            problem, whole, best.representation.table, random_state, options
        )
        yield from search_stretched(problem, stretching, representations, best)


def _whole_tables(problem: CandidateProblem) -> list[str]:
    """The prepared tables of all columns, not those of sources."""
    return [table for table in problem.tables if not (is_source_table(table) or table == SOURCES)]


def _searches_of_sources(
    problem: CandidateProblem, families: Sequence[KernelFamily]
) -> list[_FamilySearch]:
    """The families on every source alone, and on all sources together."""
    whole = _whole_tables(problem)
    return [
        _FamilySearch(family, problem, Representation(table))
        for table in problem.tables
        if table not in whole
        for family in families
        if family.suits(problem, table)
    ]


def _families(fits: Iterable[CandidateFit]) -> list[KernelFamily]:
    """The families of candidates, the one of the least loss first."""
    ordered = sorted(fits, key=lambda one: one.loss)
    return list({one.family.name: one.family for one in ordered}.values())


def search_stretched(
    problem: CandidateProblem,
    families: Sequence[KernelFamily],
    representations: Iterable[Sequence[ScaledColumns]],
    plain: CandidateFit | None = None,
) -> Iterator[CandidateFit]:
    """The first family on all representations, the others on the one that is best with it.

    No more scales are learned and no other family is tried once the best so far is clearly worse
    than `plain`, the best candidate on columns as they are.
    """
    first, *others = families
    best: CandidateFit | None = None
    start = time.perf_counter()
    try:
        for learned in representations:
            for representation in learned:
                for found in _results_of([_FamilySearch(first, problem, representation, best)]):
                    best = found if best is None or found.loss < best.loss else best
            if _is_clearly_worse(best, plain):
                others = []
                break
    except (Stopped, KeyboardInterrupt) as stop:
        if best is None:
            raise
        problem.stopping.accept(stop)
    if best is None:
        return
    yield replace(best, seconds=time.perf_counter() - start)
    if problem.stopping.stopped is not None:
        return
    yield from _results_of([_FamilySearch(one, problem, best.representation) for one in others])


def _is_clearly_worse(one: CandidateFit | None, other: CandidateFit | None) -> bool:
    """Whether the held-out loss is larger by more than the standard error of the difference."""
    if one is None or other is None:
        return False
    loss, held_out = one.judge, [each.judged.held_out for each in (one, other)]
    rows, others = (loss.rows(loss.scale(values) * values) for values in held_out)
    difference = rows - others
    mean = float(loss.share @ difference)
    return mean > float(np.linalg.norm(loss.share * (difference - mean)))


def scaled_columns(
    problem: CandidateProblem,
    whole: CandidateProblem,
    table: str,
    random_state: np.random.RandomState,
    options: ScreeningOptions = _OPTIONS,
) -> Iterator[list[ScaledColumns]]:
    """Lazily learn scales from slopes, then at the first level if columns are few.

    If columns are many, slopes take more rows: a few hundred do not tell which columns matter.
    """
    n_columns = problem.tables[table].shape[1]
    if n_columns <= options.first_level_columns:
        sample = whole.rows(whole.sample(options.scale_rows, random_state))
        learners = [partial(gradient_scales, sample, table), partial(_first_level, sample, table)]
    else:
        n_rows = min(options.slope_rows, options.slope_rows_per_column * n_columns)
        many = whole.rows(whole.sample(n_rows, random_state))
        learners = [partial(gradient_scales, many, table)]
    for learn in learners:
        problem.stopping.check()
        yield until_breakdown(learn, problem)


def _first_level(problem: CandidateProblem, table: str) -> Iterator[ScaledColumns]:
    yield first_level_scales(problem, table)


def until_breakdown(
    learn: Callable[[], Iterator[ScaledColumns]], problem: CandidateProblem
) -> list[ScaledColumns]:
    """The representations that are learned before a machine breaks down."""
    representations = []
    try:
        for scaled in learn():
            representations.append(scaled)
    except BREAKDOWNS as error:
        problem.notes.append(f"columns have fewer scales, since one machine broke down: {error}")
    return representations


@dataclass(frozen=True, eq=False)
class _FamilySearch:
    """One family on one representation, perhaps from where another search ended."""

    family: KernelFamily
    problem: CandidateProblem
    representation: Representation
    start: CandidateFit | None = None

    def result(self) -> CandidateFit | None:
        """The result of the search; None, and a note, if the kernel breaks down on these rows."""
        try:
            return timed(lambda: self.family.search(self.problem, self.representation, self.start))
        except (ValueError, *BREAKDOWNS) as error:
            if not self.family.is_given:
                if not isinstance(error, BREAKDOWNS):
                    raise
                title = f"{self.family.name}{self.representation.title}"
                self.problem.notes.append(f"{title} was left out: {error}")
                return None
            n_columns = self.problem.tables[self.representation.table].shape[1]
            raise ValueError(
                f"expected the candidate {self.family.name} to be a kernel on the prepared table, "
                f"of {counted(n_columns, 'column')} without names, got an error: {error}; correct "
                "the kernel, or leave it out"
            ) from error


def _results_of(searches: Sequence[_FamilySearch]) -> Iterator[CandidateFit]:
    """Results of searches that run side by side, in their order.

    The matrices of a search are too small for its linear algebra to gain by more threads.
    """
    results = map_in_threads(_FamilySearch.result, searches, n_threads(), lambda: None)
    return (found for found in results if found is not None)


def timed(search: Callable[[], CandidateFit]) -> CandidateFit:
    """The result of a search, and its time."""
    start = time.perf_counter()
    found = search()
    return replace(found, seconds=time.perf_counter() - start)


def collect_screening(
    problem: CandidateProblem,
    candidates: Iterator[CandidateFit],
    before: Sequence[CandidateFit] = (),
) -> Screening:
    """The screening of an iterator of searches, up to an early end, after earlier results."""
    screening = Screening(problem, list(before))
    best = min((one.reported_loss for one in before), default=np.inf)
    try:
        for found in candidates:
            screening.fits.append(found)
            best = min(best, found.reported_loss)
            problem.stopping.report(f"{found.title}: held-out loss {found.reported_loss:.6g}", best)
    except (Stopped, KeyboardInterrupt) as stop:
        if not screening.fits:
            raise
        problem.stopping.accept(stop)
    return screening
