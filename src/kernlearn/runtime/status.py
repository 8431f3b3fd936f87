"""How a solution ended; the value is the sentence that a user reads."""

from __future__ import annotations

from enum import Enum


class Status(Enum):
    """How a solution ended."""

    OPTIMAL = "optimal: the duality gap is within the tolerance"
    CONVERGED = "converged: a local minimum, to the tolerance"
    GIVEN = "given: the parameters were set by the user, nothing was selected"
    OPTIMAL_AT_CHANCE = (
        "optimal: the duality gap is within the tolerance; but held-out rows are predicted no "
        "better than by guessing"
    )
    CONVERGED_AT_CHANCE = (
        "converged: a local minimum, to the tolerance; but held-out rows are predicted no better "
        "than by guessing"
    )
    GIVEN_AT_CHANCE = (
        "given: the parameters were set by the user, nothing was selected; held-out rows are "
        "predicted no better than by guessing"
    )
    TRIVIAL = (
        "trivial: the best function is zero but for rounding, because no combination of these "
        "kernels separates the points from the origin, or the two classes at this nu"
    )
    INACCURATE = "inaccurate: no further progress, before the tolerance was reached"
    STALLED = "stopped where rounding lets no step lower the criterion further"
    ITERATION_LIMIT = "stopped at the iteration limit, before the tolerance was reached"
    NO_ROOM = (
        "stopped where memory has no room for all kernels that want weight, before the tolerance "
        "was reached"
    )
    TIME_LIMIT = "stopped at the time limit, before the tolerance was reached"
    INTERRUPTED = "interrupted from the keyboard, before the tolerance was reached"
    STOPPED = "stopped by the callback, before the tolerance was reached"
    NO_SOLUTION = (
        "no solution: the classes cannot be separated by any combination of these kernels; "
        "use a soft margin, or add a Gaussian kernel"
    )

    @property
    def is_optimal(self) -> bool:
        """True only if a certificate bears it out; a local minimum has none."""
        return self in (Status.OPTIMAL, Status.OPTIMAL_AT_CHANCE)

    @property
    def has_converged(self) -> bool:
        """Whether the tolerance was reached, or nothing was left to be done."""
        return self in _AT_CHANCE or self.is_at_chance or self is Status.TRIVIAL

    @property
    def is_at_chance(self) -> bool:
        """Whether held-out rows are predicted no better than by a constant."""
        return self in _AT_CHANCE.values()

    @property
    def at_chance(self) -> Status:
        """The status of the same end of a fit that is no better than guessing, if there is one."""
        return _AT_CHANCE.get(self, self)

    def __str__(self) -> str:
        return self.value


_AT_CHANCE = {
    Status.OPTIMAL: Status.OPTIMAL_AT_CHANCE,
    Status.CONVERGED: Status.CONVERGED_AT_CHANCE,
    Status.GIVEN: Status.GIVEN_AT_CHANCE,
}
