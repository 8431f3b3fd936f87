"""How far a method is taken."""

from __future__ import annotations

import pytest

from kernlearn.runtime.memory import require
from kernlearn.speed.ladder import Ladder, climb

SIZES = (100, 200, 400, 800)


def cubic(n):
    return (n / 100) ** 3


def climbed(seconds_of, limit, sizes=SIZES):
    passed = []
    found = climb(seconds_of, sizes, limit, passed.append)
    assert passed == list(sizes)
    return found


def test_everything_within_the_limit_is_measured():
    assert climbed(cubic, 512.1) == (SIZES, (1.0, 8.0, 64.0, 512.0), "")


def test_it_stops_before_what_would_go_over_the_limit():
    asked = []

    def seconds_of(n):
        asked.append(n)
        return cubic(n)

    rows, seconds, note = climbed(seconds_of, 511.0)
    assert (rows, seconds) == ((100, 200, 400), (1.0, 8.0, 64.0))
    assert asked == [100, 200, 400]
    assert note == "stopped before 800 rows, which would take about 510 s, over the limit of 511 s"


def test_after_one_size_a_cubic_is_feared():
    assert climbed(lambda n: n / 100, 7.9)[0] == (100,)
    assert climbed(lambda n: n / 100, 8.01)[0] == SIZES


def test_the_first_size_is_measured_whatever_it_takes():
    rows, seconds, note = climbed(lambda _: 99.0, 1.0)
    assert (rows, seconds) == ((100,), (99.0,))
    assert "would take about 790 s" in note


def test_times_that_fall_are_not_believed():
    """From 0.25 s at 200 rows, twenty times the rows take at least twenty times that."""
    times = {100: 0.5, 200: 0.25, 4000: 1.0}
    assert climbed(times.__getitem__, 5.1, (100, 200, 4000))[0] == (100, 200, 4000)
    rows, _, note = climbed(times.__getitem__, 4.9, (100, 200, 4000))
    assert rows == (100, 200)
    assert "4000 rows, which would take about 5 s" in note


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("too many columns"), "too many columns"),
        (MemoryError(), "it needs more memory than there is"),
    ],
)
def test_a_fit_that_fails_ends_the_climb(error, reason):
    def seconds_of(n):
        if n == 200:
            raise error
        return 1e-3

    assert climbed(seconds_of, 60.0) == ((100,), (1e-3,), f"no fit to 200 rows: {reason}")


def test_a_refusal_for_want_of_memory_says_how_much():
    def seconds_of(n):
        if n == 400:
            require(1e30, "a test", "use fewer rows")
        return 1e-3

    note = climbed(seconds_of, 60.0)[2]
    assert note.startswith("no fit to 400 rows: expected 1,000,000,000,000,000,000,000 GB of free")


def test_rows_that_fit_into_memory():
    ladder = Ladder("a", "", (100, 200), (1.0, 1.0), memory=(8e4, 32e4))
    assert ladder.rows_in_memory(128e4) == 400
    assert ladder.rows_in_memory(None) is None
    assert Ladder("a", "", (100, 200), (1.0, 1.0)).rows_in_memory(1e9) is None


def test_times_the_unit_at_the_largest_common_size():
    unit = Ladder("SVC", "", (100, 200), (0.1, 0.4))
    assert Ladder("a", "", (100,), (1.0,)).times(unit) == pytest.approx(10.0)
    assert Ladder("a", "", (100, 200), (1.0, 1.0)).times(unit) == pytest.approx(2.5)
    assert Ladder("a", "", (), ()).times(unit) is None
    assert Ladder("a", "", (100, 400), (1.0, 1.0)).times(unit) is None
    assert unit.times(unit) == 1.0
