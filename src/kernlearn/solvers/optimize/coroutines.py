"""Searches that ask for what they need, so that those of many problems can be answered together.

A search is written once, as a generator: it yields questions, is sent the answers, and returns its
result. Run by itself, every question is answered when it comes. Run side by side, the questions of
all searches that have not ended are answered in one go, which is what a device is good at; each
search still takes its own steps and ends when it would have ended alone.

Where somebody else's code has the loop, as an optimiser of SciPy has, the search calls for its
answers instead of yielding its questions; `from_callback` makes such a generator of it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from contextvars import copy_context
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import Any, TypeVar

Q = TypeVar("Q")
A = TypeVar("A")
R = TypeVar("R")


def drive(search: Generator[list[Q], list[A], R], answer: Callable[[list[Q]], Sequence[A]]) -> R:
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


def gather(
    searches: Sequence[Generator[list[Q], list[A], R]],
) -> Generator[list[Q], list[A], list[R]]:
    """The results of several searches, as one that asks for all that still go on.

    If one of them fails, the others are closed.
    """
    results: dict[int, R] = {}
    asked: dict[int, list[Q]] = {}

    def go_on(number: int, step: Callable[..., list[Q]], *sent: Any) -> None:
        try:
            asked[number] = step(*sent)
        except StopIteration as end:
            asked.pop(number, None)
            results[number] = end.value

    try:
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
    finally:
        for search in searches:
            search.close()
    return [results[number] for number in range(len(searches))]


def in_turn(
    searches: Sequence[Generator[list[Q], list[A], R]],
) -> Generator[list[Q], list[A], list[R]]:
    """The same one after the other: no more than one has answers that it keeps."""
    results = []
    for search in searches:
        results.append((yield from search))
    return results


def from_callback(
    search: Callable[[Callable[[list[Q]], Sequence[A]]], R],
) -> Generator[list[Q], Sequence[A], R]:
    """A search that calls a function for its answers, as one that yields its questions.

    The search runs in a thread of its own, which waits while the generator does not, and the other
    way round: what is not meant for threads is safe in it. What is thrown into the generator is
    raised where the search has called, and so a generator that is closed ends the thread. An
    interrupt that comes while the search is at work is raised where it calls next.

    ``search(ask)`` returns the result; ``ask(questions)`` returns as many answers.
    """
    asked: list[list[Q]] = []
    spoken = Semaphore(0)
    replies: SimpleQueue[tuple[Sequence[A], BaseException | None]] = SimpleQueue()
    end: Future[R] = Future()

    def ask(questions: list[Q]) -> Sequence[A]:
        asked.append(questions)
        spoken.release()
        answers, error = replies.get()
        if error is not None:
            raise error
        return answers

    def run() -> None:
        try:
            end.set_result(search(ask))
        except BaseException as error:
            end.set_exception(error)
        spoken.release()

    # What is set for this context, as the handling of overflows is, is to hold in the search too.
    thread = Thread(target=copy_context().run, args=(run,), daemon=True)
    thread.start()
    while True:
        interrupt = _interrupt_until(lambda: bool(asked) or end.done(), spoken)
        if not asked:
            break
        try:
            if interrupt is not None:
                raise interrupt
            answers = yield asked.pop()
        except BaseException as error:
            asked.clear()
            replies.put(((), error))
        else:
            replies.put((answers, None))
    thread.join()
    if interrupt is not None:
        raise interrupt
    return end.result()


def _interrupt_until(done: Callable[[], bool], told: Semaphore) -> KeyboardInterrupt | None:
    """Wait until something is done, looking again when told; the interrupt that came meanwhile."""
    interrupt = None
    while not done():
        try:
            told.acquire()
        except KeyboardInterrupt as error:
            interrupt = error
    return interrupt
