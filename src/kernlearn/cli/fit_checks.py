"""Checks of the options of `kernlearn fit` before anything is read."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from kernlearn._device import place_of
from kernlearn.cli.failure import BAD_USAGE, fail
from kernlearn.cli.output import check_outputs
from kernlearn.cli.problem import METHOD_NAMES
from kernlearn.cli.request import FitRequest, GoalRequest, SplitRequest
from kernlearn.estimators.mixture.effort import EFFORTS, LARGEST, LEAST, checked_effort
from kernlearn.methods.registry import KERNEL
from kernlearn.methods.task import AUTO, THROUGH_LANDMARKS
from kernlearn.runtime.memory import in_words, limited_to, parse_size, resident
from kernlearn.tables import TableError
from kernlearn.tables.writing import format_to_write

# Least memory beside the bytes that the program takes before it has read anything.
LEAST_MEMORY = 200_000_000


@dataclass(frozen=True)
class FitLimits:
    """Limits of a fit: seconds for each, bytes for all, and the device."""

    seconds: float | None
    memory: int | None
    device: str | None

    def memory_kept(self) -> AbstractContextManager[None]:
        """Keeps everything within below the bytes allowed."""
        return nullcontext() if self.memory is None else limited_to(self.memory)


def checked_time(seconds: float | None) -> float | None:
    """Seconds above zero."""
    if seconds is not None and not seconds > 0:
        fail(f"--time-limit must be above zero, got {seconds:g}: 60 is a minute.", BAD_USAGE)
    return seconds


def checked_fit_effort(text: str, method: str | None) -> float | str:
    """A name or a number, for the method that has such a scale."""
    try:
        effort = text if text in EFFORTS else float(text)
        checked_effort(effort)
    except ValueError:
        fail(
            f"--effort must be {', '.join(EFFORTS)} or a number from {LEAST:g} to {LARGEST:g}, got "
            f"{text}: 1 is the default, and 2 takes about twice as long.",
            BAD_USAGE,
        )
    if effort != "default" and method not in (None, AUTO, KERNEL.name):
        fail(
            f"--effort belongs to the method {KERNEL.name}, got --method {method}: leave one out.",
            BAD_USAGE,
        )
    return effort


def checked_memory(text: str | None) -> int | None:
    """The size in bytes, with room for something beside the program itself."""
    if text is None:
        return None
    try:
        size = parse_size(text, "--memory")
    except ValueError as error:
        fail(f"{error}.", BAD_USAGE)
    if size < resident() + LEAST_MEMORY:
        needed = in_words(resident() + LEAST_MEMORY)
        fail(
            f"--memory must be {needed} at least, of which the program itself takes "
            f"{in_words(resident())}, got {text}.",
            BAD_USAGE,
        )
    return size


def check_request(request: FitRequest) -> None:
    """Refuse choices that do not exist, or do not go together."""
    for name, value, choices in (
        ("--method", request.method, METHOD_NAMES),
        ("--task", request.goal.task, ("auto", "classification", "regression")),
        ("--psd", request.sources.psd, ("raise", "clip", "shift", "trust")),
    ):
        if value is not None and value not in choices:
            fail(f"{name} must be one of {', '.join(choices)}, got {value!r}.", BAD_USAGE)
    _check_held_out(request.splits)
    _check_outcome(request.goal, request.splits)
    for option, names in (
        ("--drop", request.reading.drop),
        ("--groups", {request.splits.groups}),
        ("--time-order", {request.splits.time_order}),
    ):
        targets = set(request.goal.outcome.columns)
        if targets & names:
            named = repr((targets & names).pop())
            fail(f"{option} names the target, {named}: name another column.", BAD_USAGE)
    if request.reading.delimiter is not None and len(request.reading.delimiter) != 1:
        fail(f"--delimiter must be one character, got {request.reading.delimiter!r}.", BAD_USAGE)
    if request.sources.views is not None and request.sources.matrices:
        fail("--views groups columns, --kernel-matrix replaces them: give one of them.", BAD_USAGE)
    if request.sources.psd != "raise" and not request.sources.matrices:
        fail("--psd is about kernel matrices: give one by --kernel-matrix.", BAD_USAGE)
    if request.method not in (None, "mkl") and (
        request.sources.views is not None or request.sources.matrices
    ):
        fail(
            f"--views and --kernel-matrix combine kernels, so --method must be mkl, got "
            f"{request.method!r}.",
            BAD_USAGE,
        )


def _check_outcome(goal: GoalRequest, splits: SplitRequest) -> None:
    """Refuse options for classes or numbers, and groups that are held out twice."""
    kind = goal.outcome.kind
    for option, is_given in (
        ("--task", goal.task != "auto"),
        ("--ordinal", goal.ordinal is not None),
        ("--class-weight", goal.class_weight is not None),
        ("--cost", goal.cost is not None),
    ):
        if kind is not None and is_given:
            fail(f"{option} is not for {kind}: leave it out.", BAD_USAGE)
    if goal.outcome.rank_by is not None:
        for option, name in (("--groups", splits.groups), ("--time-order", splits.time_order)):
            if name is not None:
                fail(f"--rank-by holds out whole groups already: leave {option} out.", BAD_USAGE)


def _check_held_out(splits: SplitRequest) -> None:
    size = splits.test_size
    if size is not None and not 0.0 < size < 1.0:
        fail(f"--test-size must lie between 0 and 1, got {size:g}: 0.25 is usual.", BAD_USAGE)
    if splits.cv is not None and size is not None:
        fail(
            "--cv holds out every row in turn, --test-size some once: give one of them.", BAD_USAGE
        )
    if splits.cv is not None and not splits.refit:
        fail(
            "--no-refit keeps the model that was judged, --cv judges several: give one of them.",
            BAD_USAGE,
        )
    if splits.repeats is not None:
        for option, is_given in (
            ("--test-size", size is not None),
            ("--no-refit", not splits.refit),
            ("--time-order", splits.time_order is not None),
        ):
            if is_given:
                reason = f"--repeats is about folds, {option} holds out rows once"
                fail(f"{reason}: give one of them.", BAD_USAGE)
    if splits.groups is not None and splits.time_order is not None:
        fail(
            "--groups holds out whole groups, --time-order the latest rows: give one of them.",
            BAD_USAGE,
        )


def check_fit_outputs(
    outputs: Sequence[Path | None], inputs: Sequence[Path | None], held_out: Path | None
) -> None:
    """Refuse what could not be written, and a table in a format that is not known."""
    check_outputs(outputs, inputs)
    if held_out is not None:
        try:
            format_to_write(held_out)
        except TableError as error:
            fail(f"{error}.", BAD_USAGE)


def check_device(device: str | None, request: FitRequest) -> None:
    """Refuse a device that is not there, or that nothing would be done on."""
    if device is None:
        return
    _check_rows_go_elsewhere("--device", request)
    try:
        place_of(device, None)
    except (ImportError, ValueError) as error:
        fail(f"--device {device}: {error}.", BAD_USAGE)


def check_cluster(cluster: str | None, device: str | None, request: FitRequest) -> None:
    """Refuse a cluster on which nothing would be done."""
    if cluster is None:
        return
    if device is not None:
        fail("--device is for this machine, --cluster for others: leave one out.", BAD_USAGE)
    _check_rows_go_elsewhere("--cluster", request)


def _check_rows_go_elsewhere(option: str, request: FitRequest) -> None:
    """Refuse what works on this machine alone."""
    combines = request.sources.views is not None or request.sources.matrices
    method = request.method or "kernel"
    if combines or method not in (*THROUGH_LANDMARKS, AUTO):
        found = "--views or --kernel-matrix" if combines else f"--method {method}"
        fail(
            f"{option} is for tables and {', '.join(THROUGH_LANDMARKS)}, got {found}: choose one "
            "of these by --method, or auto.",
            BAD_USAGE,
        )
