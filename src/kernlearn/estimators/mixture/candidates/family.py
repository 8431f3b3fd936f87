r"""A family of candidates: kernels of one kind, from wide to narrow.

A search climbs the ladder of widths from the middle as long as the held-out loss falls; on every
rung λ is found along a line. So a family costs about three kernel matrices and a dozen
factorisations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.sparsefuncs import mean_variance_axis

from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.representation import (
    JudgedKernel,
    LearnedRepresentation,
    Representation,
)
from kernlearn.estimators.mixture.preparation.sources import SOURCES, is_source_table
from kernlearn.estimators.mixture.preparation.table import STANDARD, NumericRows
from kernlearn.kernels import Kernel
from kernlearn.numerics.rounding import first_least, is_less, standard_deviation
from kernlearn.quality.predictive import PredictiveLoss
from kernlearn.runtime.stopping import Stopped
from kernlearn.typing import Array


@dataclass(frozen=True)
class KernelFamily:
    """Kernels of one kind."""

    name: str  # in reports and in the parameter ``candidates``
    # ``kernel(X, c)``: the kernel whose width is that of the data over c.
    kernel: Callable[[Array, float], Kernel] | None
    ladder: tuple[float, ...] = (1.0,)  # the values of c
    stretches: bool = False  # whether to try it on stretched columns too
    max_columns: int = 100_000  # with more prepared columns the family takes too long
    ranks: bool = True  # whether to try it on ranks too
    has_margin: bool = False  # whether its machines have a soft margin; they then learn labels only
    # ``learn(problem, table)``: a representation that learns the kernel, instead of `kernel`.
    learn: Callable[[CandidateProblem, str], Representation] | None = None
    # Whether its kernels, and the units of their widths, take sparse matrices.
    takes_sparse: bool = False
    # Whether the kernel is the user's, which must not be left out silently.
    is_given: bool = False
    of_sources: bool = False  # whether to try it on every source alone, too
    combines_sources: bool = False  # whether it reads all sources side by side, and nothing else

    def suits(self, problem: CandidateProblem, table: str) -> bool:
        """Whether to try it on a prepared table."""
        X = problem.tables[table]
        if X.shape[1] > self.max_columns or (issparse(X) and not self.takes_sparse):
            return False
        if self.has_margin and not problem.loss.is_of_labels:
            return False
        if table == SOURCES:
            return self.combines_sources
        if is_source_table(table):
            return self.of_sources
        reads_table = self.ranks or table == STANDARD
        return reads_table and problem.has_columns and not self.combines_sources

    def limit(self, n_rows: int, n_columns: int, is_sparse: bool, exact_rows: int) -> str:
        """The limit of the family that a table exceeds, in words; empty if none."""
        if is_sparse and not self.takes_sparse:
            return "takes dense tables"
        if n_columns > self.max_columns:
            return f"takes up to {self.max_columns:,} prepared columns"
        # Landmarks are for least squares.
        return f"takes up to {exact_rows:,} rows" if self.has_margin and n_rows > exact_rows else ""

    def search(
        self,
        problem: CandidateProblem,
        representation: Representation,
        near: CandidateFit | None = None,
    ) -> CandidateFit:
        """Climb the ladder from the middle, or from where another search ended.

        After a search on fewer rows, climb to narrower kernels only, and only if the narrower
        neighbour did better there than the wider one: more rows support narrower kernels.
        """
        if self.learn is not None and near is None:
            representation = self.learn(problem, representation.table)
        known: dict[int, CandidateFit] = {}
        place = len(self.ladder) // 2 if near is None else near.place
        has_more_rows = near is not None and len(near.judged.held_out) < len(problem)
        is_settled = has_more_rows and near is not None and not near.leans_narrower
        if has_more_rows:
            representation = representation.with_more_rows(problem)

        def at(rung: int) -> float:
            if not 0 <= rung < len(self.ladder):
                return np.inf
            if rung not in known:
                if known:  # there is something to keep
                    problem.stopping.check()
                nearest = min(known.values(), key=lambda f: abs(f.place - rung), default=near)
                start = None if nearest is None else nearest.judged.lam
                judged = self._judged(rung, problem, representation, start, has_more_rows)
                loss = problem.loss
                known[rung] = CandidateFit(
                    self, representation, rung, judged, loss, loss.value(judged.held_out)
                )
            return known[rung].loss

        try:
            here = at(place)  # before its neighbours, which begin at its λ
            step = -1 if not has_more_rows and is_less(at(place - 1), here) else 1
            while not is_settled and is_less(at(place + step), at(place)):
                place += step
        except (Stopped, KeyboardInterrupt) as stop:
            if not known:
                raise
            problem.stopping.accept(stop)
        best = list(known.values())[first_least(found.loss for found in known.values())]
        wider, narrower = (known.get(best.place + step) for step in (-1, 1))
        is_narrower_better = narrower is not None and (wider is None or narrower.loss < wider.loss)
        return replace(best, leans_narrower=is_narrower_better)

    def _judged(
        self,
        rung: int,
        problem: CandidateProblem,
        representation: Representation,
        start: float | None,
        has_more_rows: bool,
    ) -> JudgedKernel:
        """The kernel of a rung, with a λ near the start if this was found on other rows."""
        kernel_of = self.at(rung)
        if self.has_margin:
            known_lam = start if has_more_rows else None
            return representation.judge_margin(kernel_of, problem, known_lam)
        if has_more_rows and start is not None:
            return representation.judge_near(kernel_of, problem, start)
        return representation.judge(kernel_of, problem, start)

    def at(self, rung: int) -> Callable[[Array], Kernel]:
        """The function that makes the kernel of a rung for a table."""

        def kernel_of(X: Array) -> Kernel:
            assert self.kernel is not None  # learned representations do not need it
            return self.kernel(X, self.ladder[rung])

        return kernel_of


@dataclass(frozen=True, eq=False)
class CandidateFit:
    """The result of a search."""

    # The family, its table and its rung.
    family: KernelFamily
    representation: Representation
    place: int
    judged: JudgedKernel  # the kernel, with its predictions for rows held out
    judge: PredictiveLoss  # the loss of the search: of the targets, or of their logarithms
    loss: float  # its value
    seconds: float = 0.0  # time of the search
    # Whether the next narrower kernel did better than the next wider one.
    leans_narrower: bool = False

    @property
    def title(self) -> str:
        """The name in reports.

        >>> from kernlearn.quality.predictive import SquaredLoss
        >>> loss = SquaredLoss(np.zeros((1, 1)), np.ones(1))
        >>> family, representation = KernelFamily("Gaussian", None), Representation("ranked")
        >>> CandidateFit(family, representation, 0, None, loss, 0.0).title
        'Gaussian, ranked'
        """
        return self.family.name + self.representation.title + self.judge.title

    @property
    def compared(self) -> Array:
        """Held-out predictions by which candidates are compared, and which are mixed."""
        return self.judge.linked(self.judged.held_out)

    def with_more_rows(self, problem: CandidateProblem) -> CandidateFit:
        """The candidate with its kernel for a problem of more rows, if they improve the kernel."""
        representation = self.representation.with_more_rows(problem)
        if representation is self.representation:
            return self
        assert isinstance(
            representation, LearnedRepresentation
        )  # other representations do not depend on the rows
        kernel = representation.kernel_for(
            self.family.at(self.place), problem.tables[representation.table], None
        )
        return replace(
            self, representation=representation, judged=replace(self.judged, kernel=kernel)
        )

    def trained_on_more(self, problem: CandidateProblem) -> CandidateFit:
        """The candidate with its kernel and its ridge for a problem of more rows."""
        one = self.with_more_rows(problem)
        if one is self or self.judged.has_margin:
            return one
        assert isinstance(one.representation, LearnedRepresentation)
        lam = one.representation.larger_ridge(self.family.at(self.place), problem, self.judged.lam)
        return replace(one, judged=replace(one.judged, lam=lam))

    @property
    def reported_loss(self) -> float:
        """The loss in the units of the predictions."""
        if not self.judge.title:
            return self.loss
        return self.judge.of_linked.value(self.compared)


def mean_squared_distance(X: NumericRows) -> float:
    """The mean squared distance of two rows; one if all rows are equal."""
    variances = mean_variance_axis(X, 0)[1] if issparse(X) else standard_deviation(X) ** 2
    return 2.0 * float(variances.sum()) or 1.0
