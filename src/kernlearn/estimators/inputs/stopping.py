"""What every estimator with a long fit shares."""

from __future__ import annotations

from collections.abc import Callable

from kernlearn.runtime.stopping import Progress, StoppingControl, stopping_control


class StoppingParameters:
    """Mixed into an estimator with these parameters; the values are for those without them."""

    callback: Callable[[Progress], object] | None = None
    time_limit: float | None = None
    verbose: int = 0

    def _stopping_control(self) -> StoppingControl:
        """The clock and the listeners of one fit, from now."""
        shown_as = type(self).__name__ if self.verbose else None
        return stopping_control(self.callback, self.time_limit, shown_as)
