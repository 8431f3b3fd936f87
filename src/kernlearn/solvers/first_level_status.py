"""How first-level learning ended; the value is the sentence that a user reads."""

from __future__ import annotations

from enum import Enum


class FirstLevelStatus(Enum):
    """How first-level learning ended."""

    CONVERGED = "converged: a local minimum, to the tolerance"
    STALLED = "stopped where rounding lets no step lower the criterion further"
    ITERATION_LIMIT = "stopped at the iteration limit, before the tolerance was reached"

    @property
    def has_converged(self) -> bool:
        """Whether the tolerance was reached."""
        return self is FirstLevelStatus.CONVERGED

    def __str__(self) -> str:
        return self.value
