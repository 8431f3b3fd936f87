"""Seconds at increasing sizes: how far a method is taken, and the power law through them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernlearn.results import Status
from kernlearn.runtime.convergence_warnings import warn_if_unfinished
from kernlearn.runtime.memory import require
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.speed.timings import (
    FARTHEST,
    Growth,
    MethodTimings,
    best_of,
    fitted_growth,
    seconds_of,
    time_increasing,
)

MEASURED = [100, 230, 400, 1000]


@given(st.floats(0.5, 4.0), st.floats(1e-6, 10.0))
def test_an_exact_law_is_found_and_inverted(exponent, scale):
    law = fitted_growth(MEASURED, [scale * n**exponent for n in MEASURED])
    assert law.exponent == pytest.approx(exponent)
    assert law.value_at(3000) == pytest.approx(scale * 3000**exponent)
    assert law.value_at(50) == pytest.approx(scale * 50**exponent)
    assert law.rows_in(scale * 3000**exponent) == 3000


def test_the_slope_is_that_of_the_two_largest_sizes():
    seconds = [0.3, 0.2, 4.0, 5.0]
    law = fitted_growth(MEASURED, seconds)
    slope, _ = np.polyfit(np.log(MEASURED[-2:]), np.log(seconds[-2:]), 1)
    assert law.exponent == pytest.approx(slope)
    assert (law.rows, law.value) == (1000, 5.0)


def test_one_size_has_no_slope():
    assert fitted_growth([100], [1.0]) is None
    assert fitted_growth([], []) is None
    assert fitted_growth([100, 200], [0.0, 1.0]) is None


def test_nothing_is_said_of_what_lies_too_far_away():
    law = Growth(100, 1.0, 1.0)
    assert law.rows_in(FARTHEST - 1e-6) == 100 * FARTHEST
    assert law.rows_in(FARTHEST + 1e-6) is None
    assert Growth(100, 1.0, 1e-9).rows_in(60.0) is None
    assert Growth(100, 1.0, 0.0).rows_in(60.0) is None
    assert Growth(100, 1.0, -0.1).rows_in(60.0) is None
    # Fewer rows than were measured are no extrapolation.
    assert Growth(100, 240.0, 2.0).rows_in(60.0) == 50


SIZES = (100, 200, 400, 800)


def cubic(n):
    return (n / 100) ** 3


def timed(seconds_at, limit, sizes=SIZES):
    passed = []
    found = time_increasing(seconds_at, sizes, limit, passed.append)
    assert passed == list(sizes)
    return found


def test_everything_within_the_limit_is_measured():
    assert timed(cubic, 512.1) == (SIZES, (1.0, 8.0, 64.0, 512.0), "")


def test_it_stops_before_what_would_go_over_the_limit():
    asked = []

    def seconds_at(n):
        asked.append(n)
        return cubic(n)

    rows, seconds, note = timed(seconds_at, 511.0)
    assert (rows, seconds) == ((100, 200, 400), (1.0, 8.0, 64.0))
    assert asked == [100, 200, 400]
    assert note == "stopped before 800 rows, which would take about 510 s, over the limit of 511 s"


def test_after_one_size_a_cubic_is_feared():
    assert timed(lambda n: n / 100, 7.9)[0] == (100,)
    assert timed(lambda n: n / 100, 8.01)[0] == SIZES


def test_the_first_size_is_measured_whatever_it_takes():
    rows, seconds, note = timed(lambda _: 99.0, 1.0)
    assert (rows, seconds) == ((100,), (99.0,))
    assert "would take about 790 s" in note


def test_times_that_fall_are_not_believed():
    """From 0.25 s at 200 rows, twenty times the rows take at least twenty times that."""
    times = {100: 0.5, 200: 0.25, 4000: 1.0}
    assert timed(times.__getitem__, 5.1, (100, 200, 4000))[0] == (100, 200, 4000)
    rows, _, note = timed(times.__getitem__, 4.9, (100, 200, 4000))
    assert rows == (100, 200)
    assert "4000 rows, which would take about 5 s" in note


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("too many columns"), "too many columns"),
        (MemoryError(), "it needs more memory than there is"),
    ],
)
def test_a_fit_that_fails_ends_the_measurements(error, reason):
    def seconds_at(n):
        if n == 200:
            raise error
        return 1e-3

    assert timed(seconds_at, 60.0) == ((100,), (1e-3,), f"no fit to 200 rows: {reason}")


def test_a_refusal_for_want_of_memory_says_how_much():
    def seconds_at(n):
        if n == 400:
            require(1e30, "a test", "use fewer rows")
        return 1e-3

    note = timed(seconds_at, 60.0)[2]
    assert note.startswith("no fit to 400 rows: expected 1,000,000,000,000,000,000,000 GB of free")


def test_rows_that_fit_into_memory():
    timings = MethodTimings("a", "", (100, 200), (1.0, 1.0), memory=(8e4, 32e4))
    assert timings.rows_in_memory(128e4) == 400
    assert timings.rows_in_memory(None) is None
    assert MethodTimings("a", "", (100, 200), (1.0, 1.0)).rows_in_memory(1e9) is None


def test_times_the_unit_at_the_largest_common_size():
    unit = MethodTimings("SVC", "", (100, 200), (0.1, 0.4))
    assert MethodTimings("a", "", (100,), (1.0,)).times(unit) == pytest.approx(10.0)
    assert MethodTimings("a", "", (100, 200), (1.0, 1.0)).times(unit) == pytest.approx(2.5)
    assert MethodTimings("a", "", (), ()).times(unit) is None
    assert MethodTimings("a", "", (100, 400), (1.0, 1.0)).times(unit) is None
    assert unit.times(unit) == 1.0


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


def test_the_last_result_comes_with_the_seconds_of_the_fastest_call():
    clock = Clock(3.0, 1.0, 2.0)
    results = iter("abc")
    assert best_of(3, lambda: (clock.work(), next(results)), clock) == (1.0, (None, "c"))
