"""Base of every estimator with a long fit."""

from __future__ import annotations

from collections.abc import Callable

from sklearn.base import BaseEstimator

from kernlearn.runtime.stopping import Progress, StoppingControl, stopping_control


class StoppingParameters:
    """Mixin for estimators with these parameters; the values are for estimators without them."""

    callback: Callable[[Progress], object] | None = None
    time_limit: float | None = None
    verbose: int = 0
    _callback_name = "callback"  # its name in ``set_params``

    def _listener(self) -> Callable[[Progress], object] | None:
        """The callback, wherever the estimator keeps it."""
        return self.callback

    def _stopping_control(self) -> StoppingControl:
        """The clock and the listeners of one fit, from now."""
        shown_as = type(self).__name__ if self.verbose else None
        return stopping_control(self._listener(), self.time_limit, shown_as)


def set_callback(estimator: BaseEstimator, callback: Callable[[Progress], object] | None) -> None:
    """Set the callback of an estimator of this library; other estimators have none."""
    name = getattr(estimator, "_callback_name", None)
    if name is not None:
        estimator.set_params(**{name: callback})
