"""Searches that ask: alone, in turn and side by side."""

from __future__ import annotations

import pytest

from kernlearn.solvers.asking import answered, in_turn, side_by_side


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
    assert answered(halving(5), halves(heard)) == 3
    assert heard == [[5], [2.5], [1.25]]


def test_side_by_side_each_ends_by_itself_and_the_others_go_on():
    heard = []
    searches = [halving(5), halving(0.5), halving(1), halving(2)]
    assert answered(side_by_side(searches), halves(heard)) == [3, 0, 1, 2]
    assert heard == [[5, 1, 2], [2.5, 1.0], [1.25]]


def test_in_turn_one_ends_before_the_next_begins():
    heard = []
    assert answered(in_turn([halving(2), halving(1)]), halves(heard)) == [2, 1]
    assert heard == [[2], [1.0], [1]]


def test_they_nest():
    heard = []
    inner = side_by_side([halving(4), in_turn([halving(1), halving(1)])])
    assert answered(side_by_side([inner, halving(1)]), halves(heard)) == [[3, [1, 1]], 1]
    assert heard == [[4, 1, 1], [2.0, 1], [1.0]]


def test_none_at_all():
    assert answered(side_by_side([]), halves([])) == []


def patient(number):
    """The same, but keeping what it has when it is interrupted."""
    try:
        return (yield from halving(number))
    except KeyboardInterrupt:
        return "kept"


@pytest.mark.parametrize("together", [side_by_side, in_turn])
def test_what_goes_wrong_is_raised_where_it_was_asked(together):
    def interrupted(questions):
        raise KeyboardInterrupt

    assert answered(together([patient(4), halving(0.5), patient(4)]), interrupted) == [
        "kept", 0, "kept"
    ]  # fmt: skip
    with pytest.raises(KeyboardInterrupt):
        answered(together([patient(4), halving(4)]), interrupted)
