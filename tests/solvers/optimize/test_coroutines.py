"""Searches that ask: alone, in turn and side by side."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from kernlearn.solvers.optimize import coroutines
from kernlearn.solvers.optimize.coroutines import drive, from_callback, gather, in_turn


def halving(number):
    """Ask for half of what there is until it is below one; how often that was."""
    count = 0
    while number >= 1:
        (number,) = yield [number]
        count += 1
    return count


def halves(heard):
    def answer(questions):
        heard.append(list(questions))
        return [question / 2 for question in questions]

    return answer


def test_a_search_is_answered_until_it_ends():
    heard = []
    assert drive(halving(5), halves(heard)) == 3
    assert heard == [[5], [2.5], [1.25]]


def test_side_by_side_each_ends_by_itself_and_the_others_go_on():
    heard = []
    searches = [halving(5), halving(0.5), halving(1), halving(2)]
    assert drive(gather(searches), halves(heard)) == [3, 0, 1, 2]
    assert heard == [[5, 1, 2], [2.5, 1.0], [1.25]]


def test_in_turn_one_ends_before_the_next_begins():
    heard = []
    assert drive(in_turn([halving(2), halving(1)]), halves(heard)) == [2, 1]
    assert heard == [[2], [1.0], [1]]


def test_they_nest():
    heard = []
    inner = gather([halving(4), in_turn([halving(1), halving(1)])])
    assert drive(gather([inner, halving(1)]), halves(heard)) == [[3, [1, 1]], 1]
    assert heard == [[4, 1, 1], [2.0, 1], [1.0]]


def test_none_at_all():
    assert drive(gather([]), halves([])) == []


def patient(number):
    """The same, but keeping what it has when it is interrupted."""
    try:
        return (yield from halving(number))
    except KeyboardInterrupt:
        return "kept"


@pytest.mark.parametrize("together", [gather, in_turn])
def test_what_goes_wrong_is_raised_where_it_was_asked(together):
    def interrupted(questions):
        raise KeyboardInterrupt

    assert drive(together([patient(4), halving(0.5), patient(4)]), interrupted) == [
        "kept", 0, "kept"
    ]  # fmt: skip
    with pytest.raises(KeyboardInterrupt):
        drive(together([patient(4), halving(4)]), interrupted)


def called_halving(number):
    """The same search as `halving`, but with a callback for the halves."""

    def search(ask):
        left, count = number, 0
        while left >= 1:
            (left,) = ask([left])
            count += 1
        return count

    return from_callback(search)


@pytest.fixture
def no_thread_left():
    before = threading.active_count()
    yield
    assert threading.active_count() == before


def test_a_search_that_calls_is_one_that_asks(no_thread_left):
    heard = []
    searches = [called_halving(5), called_halving(0.5), halving(2)]
    assert drive(gather(searches), halves(heard)) == [3, 0, 2]
    assert heard == [[5, 2], [2.5, 1.0], [1.25]]


def test_what_was_set_where_a_search_began_holds_in_it(no_thread_left):
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        drive(from_callback(lambda ask: np.ones(1) / np.zeros(1)), halves([]))


def test_what_goes_wrong_is_raised_where_a_search_has_called(no_thread_left):
    def search(ask):
        try:
            ask([1])
        except KeyboardInterrupt:
            return ask([2])

    def answer(questions):
        if questions == [1]:
            raise KeyboardInterrupt
        return ["kept"]

    assert drive(from_callback(search), answer) == ["kept"]


def test_what_a_search_raises_comes_out_and_the_others_are_closed(no_thread_left):
    closed = []

    def waits(ask):
        try:
            ask([4])
            ask([4])
        finally:
            closed.append(True)

    def fails(ask):
        ask([1])
        raise LookupError("nothing")

    searches = [from_callback(waits), from_callback(fails), from_callback(waits), halving(8)]
    with pytest.raises(LookupError, match="nothing"):
        drive(gather(searches), halves([]))
    assert closed == [True, True]


def test_one_that_is_closed_ends_its_thread(no_thread_left):
    search = called_halving(8)
    assert next(search) == [8]
    assert threading.active_count() > 1
    search.close()
    # One that has not begun has no thread.
    called_halving(8).close()


@pytest.fixture
def interrupted(monkeypatch):
    """The first wait for a search is cut short, as by Ctrl-C."""

    class Semaphore(threading.Semaphore):
        was = False

        def acquire(self):
            if not self.was:
                self.was = True
                raise KeyboardInterrupt
            return super().acquire()

    monkeypatch.setattr(coroutines, "Semaphore", Semaphore)


def test_an_interrupt_waits_until_a_search_calls(interrupted, no_thread_left):
    def search(ask):
        time.sleep(0.05)  # it is waited for
        try:
            ask([1])
        except KeyboardInterrupt:
            return "kept"

    assert drive(from_callback(search), halves([])) == "kept"


def test_an_interrupt_at_the_end_of_a_search_is_not_lost(interrupted, no_thread_left):
    with pytest.raises(KeyboardInterrupt):
        drive(from_callback(lambda ask: time.sleep(0.05)), halves([]))
