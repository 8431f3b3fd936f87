"""How a model selection ended; the value is the sentence that a user reads."""

from __future__ import annotations

from enum import Enum


class SelectionStatus(Enum):
    """How a model selection ended."""

    CONVERGED = "converged: a local minimum of the criterion, to the tolerance"
    STALLED = "stopped where rounding lets no step lower the criterion further"
    ITERATION_LIMIT = "stopped at the iteration limit, before the tolerance was reached"
    GIVEN = "given: the parameters were set by the user, nothing was selected"

    @property
    def has_converged(self) -> bool:
        """Whether nothing more could be done."""
        return self in (SelectionStatus.CONVERGED, SelectionStatus.GIVEN)

    def __str__(self) -> str:
        return self.value
