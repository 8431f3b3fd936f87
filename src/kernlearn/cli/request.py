"""The request of `kernlearn fit`, as it was typed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kernlearn.cli.outcome_options import OutcomeRequest


@dataclass(frozen=True)
class TableRequest:
    """The table, and how its text is read."""

    table: Path
    delimiter: str | None
    encoding: str | None
    categorical: frozenset[str]
    drop: frozenset[str]


@dataclass(frozen=True)
class GoalRequest:
    """The target and the metric."""

    outcome: OutcomeRequest
    task: str
    ordinal: str | None
    class_weight: str | None
    cost: tuple[str, str] | None
    metric: str | None


@dataclass(frozen=True)
class SplitRequest:
    """Rows to hold out."""

    test_size: float | None
    cv: int | None
    repeats: int | None
    groups: str | None
    time_order: str | None
    refit: bool


@dataclass(frozen=True)
class SourceRequest:
    """The sources of kernels, if not all columns together."""

    views: Path | None
    matrices: tuple[Path, ...]
    psd: str


@dataclass(frozen=True)
class FitRequest:
    """The arguments of `fit` that state the problem."""

    reading: TableRequest
    goal: GoalRequest
    splits: SplitRequest
    sources: SourceRequest
    method: str | None
    effort: float | str
    seed: int
    has_report: bool
