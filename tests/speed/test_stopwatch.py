"""Short calls are repeated, long ones are not."""

from __future__ import annotations

import warnings

import pytest

from kernlearn import Status
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.runtime.warnings import warn_if_unfinished
from kernlearn.speed.stopwatch import seconds_of


class Clock:
    """Stands still but for what the calls take."""

    def __init__(self, *takes):
        self.takes = iter(takes)
        self.now = 100.0

    def __call__(self):
        return self.now

    def work(self):
        self.now += next(self.takes)


@pytest.mark.parametrize(
    ("takes", "expected"),
    [
        ((0.4, 0.2, 0.3), 0.2),  # the first also loads what it needs
        ((0.4, 0.3, 0.1), 0.1),
        ((0.5,), 0.5),
        ((7.0,), 7.0),
    ],
)
def test_the_best_of_three_short_calls(takes, expected):
    clock = Clock(*takes)
    assert seconds_of(clock.work, clock) == pytest.approx(expected)
    assert next(clock.takes, None) is None


def test_warnings_of_what_is_timed_are_not_shown():
    def work():
        warnings.warn("not converged", stacklevel=1)

    assert seconds_of(work) >= 0.0


def test_an_interrupted_fit_is_not_timed():
    """Fits catch interrupts, warn, and return what they have."""

    def work():
        stopping = StoppingControl()
        stopping.stopped = Status.INTERRUPTED
        warn_if_unfinished("a fit", Status.INTERRUPTED, stopping)

    with pytest.raises(KeyboardInterrupt):
        seconds_of(work)
