"""Searches that ask for what they need, so that those of many problems can be answered together.

A search is written once, as a generator: it yields questions, is sent the answers, and returns its
result. Run by itself, every question is answered when it comes. Run side by side, the questions of
all searches that have not ended are answered in one go, which is what a device is good at; each
search still takes its own steps and ends when it would have ended alone.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar

Q = TypeVar("Q")
A = TypeVar("A")
R = TypeVar("R")


def answered(search: Generator[list[Q], list[A], R], answer: Callable[[list[Q]], Sequence[A]]) -> R:
    """The result of a search whose questions, in lists, are answered by a function.

    What the function raises is raised where the search has asked, which may catch it.
    """
    try:
        questions = next(search)
        while True:
            try:
                answers = list(answer(questions))
            except BaseException as error:
                questions = search.throw(error)
            else:
                questions = search.send(answers)
    except StopIteration as end:
        result: R = end.value
        return result


def side_by_side(
    searches: Sequence[Generator[list[Q], list[A], R]],
) -> Generator[list[Q], list[A], list[R]]:
    """The results of several searches, as one that asks for all that still go on."""
    results: dict[int, R] = {}
    asked: dict[int, list[Q]] = {}

    def go_on(number: int, step: Callable[..., list[Q]], *sent: Any) -> None:
        try:
            asked[number] = step(*sent)
        except StopIteration as end:
            asked.pop(number, None)
            results[number] = end.value

    for number, search in enumerate(searches):
        go_on(number, search.__next__)
    while asked:
        counts = {number: len(questions) for number, questions in asked.items()}
        try:
            answers = yield [question for questions in asked.values() for question in questions]
        except BaseException as error:
            for number in counts:
                go_on(number, searches[number].throw, error)
            continue
        start = 0
        for number, count in counts.items():
            go_on(number, searches[number].send, answers[start : start + count])
            start += count
    return [results[number] for number in range(len(searches))]


def in_turn(
    searches: Sequence[Generator[list[Q], list[A], R]],
) -> Generator[list[Q], list[A], list[R]]:
    """The same one after the other: no more than one has answers that it keeps."""
    results = []
    for search in searches:
        results.append((yield from search))
    return results
