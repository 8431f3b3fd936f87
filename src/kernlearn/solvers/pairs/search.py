"""Follow a method until the certificate of what it hands in is good enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.solvers.pairs.certificate import Candidate, Certificate, certify
from kernlearn.solvers.pairs.program import PairProgram

# After every iteration: whether a certificate is worth its price, and what it would be of.
Candidates = Iterator[tuple[bool, Callable[[], Candidate]]]

# Certified gaps that may fail to improve before a method has stopped.
_PATIENCE = 3


@dataclass
class Search:
    """The best certificate so far, and what it took."""

    program: PairProgram
    tol: float
    max_iter: int
    stopping: StoppingControl
    n_iter: int = 0
    status: Status = Status.INACCURATE
    """How it ended, if not with a certificate that is good enough."""
    latest: Callable[[], Candidate] | None = None
    best: Certificate | None = None

    def follow(self, candidates: Candidates) -> bool:
        """Follow a method to its end, and tell whether that of the search is reached too."""
        idle, unseen = 0, None
        for promising, candidate in candidates:
            self.n_iter += 1
            self.latest = candidate
            self._tell(candidate)
            if self.n_iter >= self.max_iter:
                self.status = Status.ITERATION_LIMIT
                self.look(candidate())
                return True
            if not promising:
                unseen = candidate
                continue
            unseen = None
            idle = 0 if self.look(candidate()) else idle + 1
            if idle >= _PATIENCE or self._over:
                break
        if unseen is not None:
            self.look(unseen())
        return self._over

    @property
    def _over(self) -> bool:
        return self.best is not None and self.best.gap <= self.tol

    def end(self, status: Status) -> None:
        """End early: the latest candidate counts too, whatever it promised."""
        self.status = status
        if self.latest is not None:
            self.look(self.latest())

    def look(self, candidate: Candidate) -> bool:
        """Whether it is better than all before; anything learned is better than nothing."""
        found = certify(self.program, candidate)
        better = self.best is None or found.gap < self.best.gap
        if better:
            self.best = found
        return better

    def _tell(self, candidate: Callable[[], Candidate]) -> None:
        """A certificate takes a small part of a step's time; where nobody hears of it, none."""
        if not self.stopping.listens:
            self.stopping.check()
            return
        found = certify(self.program, candidate())
        if self.best is not None:
            found = min(self.best, found, key=lambda one: one.gap)
        message = (
            f"{self.n_iter} steps, objective {found.objective:.6g}, lower bound "
            f"{found.lower_bound:.6g}"
        )
        self.stopping.tell(message, found.objective, found.lower_bound, found.gap)
