"""Follow a method until its certificate is good enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kernlearn._patience import Patience
from kernlearn.solvers.pairs.certificate import Certificate
from kernlearn.solvers.solution import relative_gap
from kernlearn.solvers.status import Status

# After every iteration: whether its certificate is worth its price, and the certificate.
Candidates = Iterator[tuple[bool, Callable[[], Certificate]]]

# Certified gaps that may fail to improve before a method has stopped.
_PATIENCE = 3


@dataclass
class Search:
    """The best certificate so far, and what it took."""

    best: Certificate
    tol: float
    max_iter: int
    patience: Patience
    n_iter: int = 0
    status: Status = Status.INACCURATE
    latest: Callable[[], Certificate] | None = None
    learned: bool = False

    def follow(self, candidates: Candidates) -> bool:
        """Follow a method to its end, and tell whether that of the search is reached too."""
        idle, unseen = 0, None
        for promising, certificate in candidates:
            self.n_iter += 1
            self.latest = certificate
            self._tell(certificate)
            if self.n_iter >= self.max_iter:
                self.status = Status.ITERATION_LIMIT
                self._look(certificate())
                return True
            if not promising:
                unseen = certificate
                continue
            unseen = None
            idle = 0 if self._look(certificate()) else idle + 1
            if idle >= _PATIENCE or gap_of(self.best) <= self.tol:
                break
        if unseen is not None:
            self._look(unseen())
        return gap_of(self.best) <= self.tol

    def end(self, status: Status) -> None:
        """End early: the latest certificate counts too, whatever it promised."""
        self.status = status
        if self.latest is not None:
            self._look(self.latest())

    def _tell(self, certificate: Callable[[], Certificate]) -> None:
        """A certificate takes a small part of a step's time; where nobody hears of it, none."""
        if not self.patience.listens:
            self.patience.check()
            return
        found = certificate()
        if self.learned:
            found = min(self.best, found, key=gap_of)
        message = (
            f"{self.n_iter} steps, objective {found.objective:.6g}, lower bound "
            f"{found.lower_bound:.6g}"
        )
        self.patience.tell(message, found.objective, found.lower_bound, gap_of(found))

    def _look(self, found: Certificate) -> bool:
        """Whether it is better than all before; anything learned is better than nothing."""
        better = not self.learned or gap_of(found) < gap_of(self.best)
        self.learned = True
        if better:
            self.best = found
        return better


def gap_of(found: Certificate) -> float:
    """The relative duality gap."""
    return relative_gap(found.objective, found.lower_bound)
