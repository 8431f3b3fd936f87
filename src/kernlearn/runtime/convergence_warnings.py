"""Warnings about fits that ended before their tolerance was reached."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sklearn.exceptions import ConvergenceWarning

from kernlearn.runtime.memory import ALLOWANCE
from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import StoppingControl

_CURES = {
    Status.TRIVIAL: "every decision value is zero; pass center=False, a Gaussian kernel or a "
    "larger nu",
    Status.INACCURATE: "raise max_iter or tol, or rescale the data",
    Status.ITERATION_LIMIT: "raise max_iter or tol, or rescale the data",
    Status.NO_ROOM: "pass a smaller C, fewer landmarks by rank=, or fewer rows, raise tol, or set "
    f"the environment variable {ALLOWANCE} if there is more memory",
    Status.TIME_LIMIT: "raise time_limit",
    Status.STOPPED: "let the callback return False to go on",
}
_interrupts_end: ContextVar[bool] = ContextVar("kernlearn_interrupts_end", default=False)


class InterruptedWarning(ConvergenceWarning):  # type: ignore[misc]  # scikit-learn has no types
    """A fit has caught an interrupt, and returned the best solution so far."""


def warn_if_unfinished(
    name: str,
    status: Status,
    stopping: StoppingControl,
    gap: float | None = None,
    tol: float = 0.0,
    stacklevel: int = 2,
    has_tol: bool = True,
    options: str | None = None,
) -> None:
    """Warn of an end before the tolerance was reached, with the gap and the cure.

    `stacklevel` counts from the caller of this function, as that of ``warnings.warn`` does;
    `has_tol` says whether there is a tolerance that could be raised, `options` what holds the
    parameters that a cure names, if not the estimator itself.

    Raises
    ------
    KeyboardInterrupt
        Instead of a warning of an interrupt, within :func:`interrupts_end_everything`.
    """
    sentence, cure, kind = f"{name} {status}", _CURES.get(status), ConvergenceWarning
    if stopping.stopped is Status.INTERRUPTED:
        if _interrupts_end.get():
            raise KeyboardInterrupt
        cure, kind = "press Ctrl-C twice to stop everything", InterruptedWarning
        if status is not Status.INTERRUPTED:  # it came after the last step
            sentence = f"{name} was interrupted at its end, {status}"
    elif status is Status.TIME_LIMIT and has_tol:
        cure = f"{cure} or tol"
    elif cure is not None and options is not None and ("max_iter" in cure or "center" in cure):
        cure = f"{cure} (see {options})"
    if gap is not None and status is not Status.TRIVIAL:
        sentence += f": the relative duality gap is {gap:.1e}, expected {tol:.1e}"
    if cure is not None:
        warnings.warn(f"{sentence}; {cure}", kind, stacklevel=stacklevel + 1)


@contextmanager
def interrupts_end_everything() -> Iterator[None]:
    """End interrupted fits with a ``KeyboardInterrupt``, if their results are of no use.

    The filters of warnings stay as they are: they belong to all threads.
    """
    token = _interrupts_end.set(True)
    try:
        yield
    finally:
        _interrupts_end.reset(token)
