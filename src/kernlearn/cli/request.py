"""What `kernlearn fit` is asked to learn, as it was typed."""

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
    """What is predicted, and what counts as good."""

    outcome: OutcomeRequest
    task: str
    ordinal: str | None
    class_weight: str | None
    cost: tuple[str, str] | None
    metric: str | None


@dataclass(frozen=True)
class SplitRequest:
    """Which rows are held out."""

    test_size: float | None
    cv: int | None
    repeats: int | None
    groups: str | None
    time_order: str | None
    refit: bool


@dataclass(frozen=True)
class SourceRequest:
    """Where kernels come from, if not from all columns together."""

    views: Path | None
    matrices: tuple[Path, ...]
    psd: str


@dataclass(frozen=True)
class FitRequest:
    """The arguments of `fit` that say what to learn."""

    reading: TableRequest
    goal: GoalRequest
    splits: SplitRequest
    sources: SourceRequest
    method: str | None
    effort: float | str
    seed: int
    has_report: bool
