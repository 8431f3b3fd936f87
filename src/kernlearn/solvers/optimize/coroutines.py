"""Searches as generators of requests, so that the requests of many searches form one batch.

A search yields lists of requests, is sent the responses, and returns its result. `drive` runs one
search and computes each list when it comes. `gather` runs several searches side by side and batches
the requests of all that have not ended, which suits a device; each search takes the same steps, and
ends at the same step, as alone.

If the loop belongs to other code, an optimiser of SciPy for example, the search calls a function
for its responses instead of yielding requests; `from_callback` makes a generator of it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from contextvars import copy_context
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import Any, TypeVar

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")
R = TypeVar("R")


def drive(
    search: Generator[list[RequestT], list[ResponseT], R],
    respond: Callable[[list[RequestT]], Sequence[ResponseT]],
) -> R:
    """The result of a search whose lists of requests are computed by a function.

    An exception of the function is raised where the search yielded, and the search may catch it.
    """
    try:
        requests = next(search)
        while True:
            try:
                responses = list(respond(requests))
            except BaseException as error:
                requests = search.throw(error)
            else:
                requests = search.send(responses)
    except StopIteration as end:
        result: R = end.value
        return result


def gather(
    searches: Sequence[Generator[list[RequestT], list[ResponseT], R]],
) -> Generator[list[RequestT], list[ResponseT], list[R]]:
    """The results of several searches, as one search that batches their requests.

    If one of them fails, the others are closed.
    """
    results: dict[int, R] = {}
    pending: dict[int, list[RequestT]] = {}

    def resume(number: int, step: Callable[..., list[RequestT]], *sent: Any) -> None:
        try:
            pending[number] = step(*sent)
        except StopIteration as end:
            pending.pop(number, None)
            results[number] = end.value

    try:
        for number, search in enumerate(searches):
            resume(number, search.__next__)
        while pending:
            counts = {number: len(requests) for number, requests in pending.items()}
            try:
                responses = yield [request for requests in pending.values() for request in requests]
            except BaseException as error:
                for number in counts:
                    resume(number, searches[number].throw, error)
                continue
            start = 0
            for number, count in counts.items():
                resume(number, searches[number].send, responses[start : start + count])
                start += count
    finally:
        for search in searches:
            search.close()
    return [results[number] for number in range(len(searches))]


def in_turn(
    searches: Sequence[Generator[list[RequestT], list[ResponseT], R]],
) -> Generator[list[RequestT], list[ResponseT], list[R]]:
    """The same one after the other, so that only one search holds responses at a time."""
    results = []
    for search in searches:
        results.append((yield from search))
    return results


def from_callback(
    search: Callable[[Callable[[list[RequestT]], Sequence[ResponseT]]], R],
) -> Generator[list[RequestT], Sequence[ResponseT], R]:
    """A generator of the requests of a search that calls a function for its responses.

    The search runs in a thread of its own. Either the thread or the generator waits, so that code
    which is not thread-safe is safe in it. An exception that is thrown into the generator is raised
    where the search called, so that closing the generator ends the thread. An interrupt while the
    search computes is raised at its next call.

    ``search(respond)`` returns the result; ``respond(requests)`` returns one response for each.
    """
    pending: list[list[RequestT]] = []
    changed = Semaphore(0)
    replies: SimpleQueue[tuple[Sequence[ResponseT], BaseException | None]] = SimpleQueue()
    end: Future[R] = Future()

    def respond(requests: list[RequestT]) -> Sequence[ResponseT]:
        pending.append(requests)
        changed.release()
        responses, error = replies.get()
        if error is not None:
            raise error
        return responses

    def run() -> None:
        try:
            end.set_result(search(respond))
        except BaseException as error:
            end.set_exception(error)
        changed.release()

    # The search inherits the settings of this context, such as the handling of overflows.
    thread = Thread(target=copy_context().run, args=(run,), daemon=True)
    thread.start()
    while True:
        interrupt = _interrupt_until(lambda: bool(pending) or end.done(), changed)
        if not pending:
            break
        try:
            if interrupt is not None:
                raise interrupt
            responses = yield pending.pop()
        except BaseException as error:
            pending.clear()
            replies.put(((), error))
        else:
            replies.put((responses, None))
    thread.join()
    if interrupt is not None:
        raise interrupt
    return end.result()


def _interrupt_until(done: Callable[[], bool], changed: Semaphore) -> KeyboardInterrupt | None:
    """Wait until `done`, checked at each change; return an interrupt that came meanwhile."""
    interrupt = None
    while not done():
        try:
            changed.acquire()
        except KeyboardInterrupt as error:
            interrupt = error
    return interrupt
