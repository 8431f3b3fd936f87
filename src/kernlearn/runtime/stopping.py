"""Time limit, progress reports and early end of a fit."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernlearn.runtime.status import Status

# Two interrupts within this time, in seconds, end the whole program, not one fit.
_TWICE = 2.0

_now: Callable[[], float] = time.monotonic
# Time of the last interrupt that a fit caught: the only state of the process that this library
# keeps. A search would otherwise go on with its next fit, after every interrupt.
_last_caught = -np.inf


@dataclass(frozen=True)
class Progress:
    """Progress of a fit, as its ``callback`` receives it.

    Attributes
    ----------
    step : int
        Number of this call of the callback in the fit, from one.
    seconds : float
        Seconds since the fit began.
    objective : float
        Lowest value so far of the function being minimised, which `message` names.
    lower_bound : float or None
        A value that no solution can go below, if one is known.
    gap : float or None
        Relative difference of objective and lower bound, which ``tol`` bounds.
    message : str
        The progress in words.
    expected_steps : int or None
        Approximate number of calls at the end of the fit, if known.
    """

    step: int
    seconds: float
    objective: float
    lower_bound: float | None
    gap: float | None
    message: str
    expected_steps: int | None = None


class Stopped(Exception):
    """Raised within a solver when the time is over, or when the callback returned True."""


class StoppingControl:
    """Clock, callback and end of one fit.

    Solvers call :meth:`report` after every step, or :meth:`check` within one. Both raise
    :class:`Stopped` once it is time to end, and again whenever they are called from then on, so
    that what still has to follow is cut short too. A solver that holds a solution catches that and
    ``KeyboardInterrupt``, and calls :meth:`accept` for the status.

    The fit ends when `callback` returns True, or `time_limit` seconds from now. With `shown_as`,
    every message is printed after this name; `keeps` says whether an interrupt ends the fit with
    what it has, rather than passing through.
    """

    def __init__(
        self,
        callback: Callable[[Progress], Any] | None = None,
        time_limit: float | None = None,
        shown_as: str | None = None,
        keeps: bool = False,
    ) -> None:
        self._callback, self._shown_as, self._keeps = callback, shown_as, keeps
        self._limit = np.inf if time_limit is None else time_limit
        self._start, self._step = _now(), 0
        self.stopped: Status | None = None
        self._reserve, self._expected_steps = 0.0, 0

    def reserve(self, seconds: float) -> None:
        """End the search `seconds` before the limit: what follows it takes as long."""
        self._reserve = seconds

    def expect(self, n_steps: int) -> None:
        """About `n_steps` steps are still to come."""
        self._expected_steps = self._step + n_steps

    @property
    def listens(self) -> bool:
        """Whether steps are passed to a callback, or shown."""
        return self._callback is not None or self._shown_as is not None

    @property
    def seconds_left(self) -> float:
        """Seconds until the time is over, negative afterwards; infinite without a limit."""
        return float(self._limit - (_now() - self._start))

    def report(
        self,
        message: str,
        objective: float,
        lower_bound: float | None = None,
        gap: float | None = None,
    ) -> None:
        """Report a step, then check."""
        if self.stopped is None and self.listens:
            self._step += 1
            seconds = _now() - self._start
            if self._shown_as is not None:
                print(f"{self._shown_as}: {message}", flush=True)
            expected = max(self._expected_steps, self._step) if self._expected_steps else None
            progress = Progress(self._step, seconds, objective, lower_bound, gap, message, expected)
            result = None if self._callback is None else self._callback(progress)
            # Nothing but True: a progress bar's update may return other values.
            if isinstance(result, bool | np.bool_) and result:
                self.stopped = Status.STOPPED
        self.check()

    def check(self) -> None:
        """Raise :class:`Stopped` if the fit is to end."""
        if self.stopped is None and _now() - self._start > self._limit - self._reserve:
            self.stopped = Status.TIME_LIMIT
        if self.stopped is not None:
            raise Stopped

    def accept(self, stop: BaseException) -> Status:
        """Status of the ended fit; an interrupt that is not to be caught is raised again."""
        global _last_caught
        if isinstance(stop, KeyboardInterrupt):
            again = _now() - _last_caught < _TWICE
            if not self._keeps or self.stopped is not None or again:
                raise stop
            _last_caught = _now()
            self.stopped = Status.INTERRUPTED
        assert self.stopped is not None
        return self.stopped


def stopping_control(
    callback: Callable[[Progress], object] | None,
    time_limit: float | None,
    shown_as: str | None = None,
) -> StoppingControl:
    """Check the two parameters, and start the clock of a fit that keeps what it has."""
    if callback is not None and not callable(callback):
        raise ValueError(
            f"expected callback to be a function of one argument, or None, got {callback!r}; try "
            "callback=print"
        )
    is_number = isinstance(time_limit, int | float | np.integer | np.floating)
    if time_limit is not None and (
        not is_number or isinstance(time_limit, bool) or not time_limit > 0
    ):
        raise ValueError(
            "expected time_limit to be a positive number of seconds, or None for no limit, got "
            f"{time_limit!r}; try time_limit=60"
        )
    return StoppingControl(callback, time_limit, shown_as, keeps=True)
