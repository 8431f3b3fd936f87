r"""A family of candidates: kernels of one kind, from wide to narrow.

A search climbs the ladder of widths from the middle as long as the held-out loss falls; on every
rung λ is found along a line. So a family costs about three kernel matrices and a dozen
factorisations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from kernlearn.estimators.mixture.candidates.machine import EXACT_ROWS
from kernlearn.estimators.mixture.candidates.problem import Problem
from kernlearn.estimators.mixture.candidates.view import Judged, LearnedView, View
from kernlearn.estimators.mixture.preparation import STANDARD
from kernlearn.kernels import Kernel
from kernlearn.numerics.rounding import first_least, is_less
from kernlearn.quality.predictive import LoggedLoss, PredictiveLoss
from kernlearn.runtime.stopping import Stopped
from kernlearn.typing import Array


@dataclass(frozen=True)
class Family:
    """Kernels of one kind.

    Attributes
    ----------
    name : str
        What a user reads and types.
    kernel : callable or None
        ``kernel(X, c)``: the kernel whose width is that of the data over c.
    ladder : tuple of float
        The values of c.
    stretches : bool
        Whether to try it on stretched columns too.
    max_columns : int
        With more prepared columns than that it takes too long.
    ranks : bool
        Whether to try it on ranks too.
    has_margin : bool
        Whether its machines have a soft margin; they then learn labels only.
    learn : callable or None
        ``learn(problem, table)``: a view that learns the kernel itself, instead of `kernel`.
    is_given : bool
        Whether it is a kernel of the user's, which must not be left out without a word.
    """

    name: str
    kernel: Callable[[Array, float], Kernel] | None
    ladder: tuple[float, ...] = (1.0,)
    stretches: bool = False
    max_columns: int = 100_000
    ranks: bool = True
    has_margin: bool = False
    learn: Callable[[Problem, str], View] | None = None
    is_given: bool = False

    def suits(self, problem: Problem, table: str) -> bool:
        """Whether to try it on a prepared table."""
        is_small = not self.limit(len(problem), problem.tables[table].shape[1])
        sees = self.ranks or table == STANDARD
        return is_small and sees and (problem.loss.is_of_labels or not self.has_margin)

    def limit(self, n_rows: int, n_columns: int) -> str:
        """How many rows or columns it takes, in words, where that is less; else nothing."""
        if n_columns > self.max_columns:
            return f"{self.max_columns:,} prepared columns"
        # Landmarks are for least squares.
        return f"{EXACT_ROWS:,} rows" if self.has_margin and n_rows > EXACT_ROWS else ""

    def search(self, problem: Problem, view: View, near: Found | None = None) -> Found:
        """Climb the ladder from the middle, or from where another search ended.

        If that was on fewer rows, upwards only: the more there are, the narrower the kernels that
        they can tell apart.
        """
        if self.learn is not None and near is None:
            view = self.learn(problem, view.table)
        known: dict[int, Found] = {}
        place = len(self.ladder) // 2 if near is None else near.place
        has_more_rows = near is not None and len(near.judged.held_out) < len(problem)
        if has_more_rows:
            view = view.of_more(problem)

        def at(rung: int) -> float:
            if not 0 <= rung < len(self.ladder):
                return np.inf
            if rung not in known:
                if known:  # there is something to keep
                    problem.stopping.check()
                nearest = min(known.values(), key=lambda f: abs(f.place - rung), default=near)
                start = None if nearest is None else nearest.judged.lam
                kernel_of = self.at(rung)
                if self.has_margin:
                    judged = view.judge_margin(kernel_of, problem)
                else:
                    judged = view.judge(kernel_of, problem, start)
                loss = problem.loss
                known[rung] = Found(self, view, rung, judged, loss, loss.value(judged.held_out))
            return known[rung].loss

        try:
            here = at(place)  # before its neighbours, which begin at its λ
            step = -1 if not has_more_rows and is_less(at(place - 1), here) else 1
            while is_less(at(place + step), at(place)):
                place += step
        except (Stopped, KeyboardInterrupt) as stop:
            if not known:
                raise
            problem.stopping.accept(stop)
        return list(known.values())[first_least(found.loss for found in known.values())]

    def at(self, rung: int) -> Callable[[Array], Kernel]:
        """What makes the kernel of a rung for a table."""

        def kernel_of(X: Array) -> Kernel:
            assert self.kernel is not None  # learned views do not ask
            return self.kernel(X, self.ladder[rung])

        return kernel_of


@dataclass(frozen=True, eq=False)
class Found:
    """What a search came to.

    Attributes
    ----------
    family, view, place : Family, View, int
        Who, on what, on which rung.
    judged : Judged
        The kernel, with its predictions for rows held out.
    judge : PredictiveLoss
        By what it was searched: of the targets, or of their logarithms.
    loss : float
        What that is.
    seconds : float
        How long it took.
    """

    family: Family
    view: View
    place: int
    judged: Judged
    judge: PredictiveLoss
    loss: float
    seconds: float = 0.0

    @property
    def title(self) -> str:
        """What a user reads.

        >>> from kernlearn.quality.predictive import SquaredLoss
        >>> loss = SquaredLoss(np.zeros((1, 1)), np.ones(1))
        >>> Found(Family("Gaussian", None), View("ranked"), 0, None, loss, 0.0).title
        'Gaussian, ranked'
        """
        return self.family.name + self.view.title + self.judge.title

    @property
    def compared(self) -> Array:
        """Predictions for rows held out, as all are compared by and mixed from."""
        return self.judge.linked(self.judged.held_out)

    def of_more(self, problem: Problem) -> Found:
        """With the kernel for a problem of more rows, where they tell more."""
        view = self.view.of_more(problem)
        if view is self.view:
            return self
        assert isinstance(view, LearnedView)  # there is nothing to be told of others
        kernel = view.learned(self.family.at(self.place), problem.tables[view.table], None)
        return replace(self, view=view, judged=replace(self.judged, kernel=kernel))

    def trained_on_more(self, problem: Problem) -> Found:
        """The same with the ridge for them."""
        one = self.of_more(problem)
        if one is self:
            return self
        assert isinstance(one.view, LearnedView)
        lam = one.view.larger_ridge(self.family.at(self.place), problem, self.judged.lam)
        return replace(one, judged=replace(one.judged, lam=lam))

    @property
    def told(self) -> float:
        """The loss that a user is told, whatever was learned."""
        if not isinstance(self.judge, LoggedLoss):
            return self.loss
        return self.judge.of_linked.value(self.compared)
