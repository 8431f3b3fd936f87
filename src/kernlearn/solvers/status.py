"""How a solution ended; the value is the sentence that a user reads."""

from __future__ import annotations

from enum import Enum


class Status(Enum):
    """How a solution ended."""

    OPTIMAL = "optimal: the duality gap is within the tolerance"
    INACCURATE = "inaccurate: no further progress, the duality gap says how far it may be off"
    ITERATION_LIMIT = "stopped at the iteration limit, the duality gap says how far it may be off"
    NO_SOLUTION = (
        "no solution: the classes cannot be separated by any combination of these kernels; "
        "use a soft margin, or add a Gaussian kernel"
    )

    @property
    def is_optimal(self) -> bool:
        """True only if the certificate bears it out."""
        return self is Status.OPTIMAL

    def __str__(self) -> str:
        return self.value
