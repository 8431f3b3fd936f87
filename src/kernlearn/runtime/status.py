"""Status of a solution; the value is the sentence that a user reads."""

from __future__ import annotations

from enum import Enum

_CHANCE = "; but held-out rows are predicted no better than by guessing"


class Status(Enum):
    """Status of a solution at the end of a fit."""

    OPTIMAL = "optimal: the duality gap is within the tolerance"
    CONVERGED = "converged: a local minimum, to the tolerance"
    GIVEN = "given: the parameters were set by the user, nothing was selected"
    TRIVIAL = (
        "trivial: the best function is zero but for rounding, because no combination of these "
        "kernels separates the points from the origin, or the two classes at this nu"
    )
    INACCURATE = "inaccurate: no further progress, before the tolerance was reached"
    STALLED = "stopped where rounding lets no step lower the criterion further"
    ITERATION_LIMIT = "stopped at the iteration limit, before the tolerance was reached"
    NO_ROOM = (
        "stopped where memory has no room for all kernels that would lower the objective, before "
        "the tolerance was reached"
    )
    TIME_LIMIT = "stopped at the time limit, before the tolerance was reached"
    INTERRUPTED = "interrupted from the keyboard, before the tolerance was reached"
    STOPPED = "stopped by the callback, before the tolerance was reached"
    ONE_BANDWIDTH = (
        "converged: a local minimum, to the tolerance; but one or two columns alone predict "
        "held-out rows better, because one bandwidth for all columns blurs them"
    )
    NO_SOLUTION = (
        "no solution: the classes cannot be separated by any combination of these kernels; "
        "use a soft margin, or add a Gaussian kernel"
    )
    OPTIMAL_AT_CHANCE = OPTIMAL + _CHANCE
    CONVERGED_AT_CHANCE = CONVERGED + _CHANCE
    GIVEN_AT_CHANCE = GIVEN + _CHANCE
    INACCURATE_AT_CHANCE = INACCURATE + _CHANCE
    STALLED_AT_CHANCE = STALLED + _CHANCE
    ITERATION_LIMIT_AT_CHANCE = ITERATION_LIMIT + _CHANCE
    NO_ROOM_AT_CHANCE = NO_ROOM + _CHANCE
    TIME_LIMIT_AT_CHANCE = TIME_LIMIT + _CHANCE
    INTERRUPTED_AT_CHANCE = INTERRUPTED + _CHANCE
    STOPPED_AT_CHANCE = STOPPED + _CHANCE
    ONE_BANDWIDTH_AT_CHANCE = ONE_BANDWIDTH + _CHANCE

    @property
    def is_optimal(self) -> bool:
        """True only if a certificate proves it; a local minimum has none."""
        return self in (Status.OPTIMAL, Status.OPTIMAL_AT_CHANCE)

    @property
    def has_converged(self) -> bool:
        """Whether the tolerance was reached, or nothing was left to be done."""
        ends = ("OPTIMAL", "CONVERGED", "GIVEN", "TRIVIAL", "ONE_BANDWIDTH")
        return self.name.removesuffix("_AT_CHANCE") in ends

    @property
    def is_at_chance(self) -> bool:
        """Whether held-out rows are predicted no better than by a constant."""
        return self.name.endswith("_AT_CHANCE")

    @property
    def at_chance(self) -> Status:
        """The status of the same end of a fit that is no better than guessing, if there is one."""
        return Status.__members__.get(f"{self.name}_AT_CHANCE", self)

    def __str__(self) -> str:
        return self.value
