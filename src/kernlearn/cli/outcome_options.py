"""Options of the target: one column or several, counts, grades in groups, or times."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Annotated

import typer

from kernlearn.cli.failure import BAD_USAGE, fail
from kernlearn.tables import Target, read_target
from kernlearn.tables.outcome_targets import read_counts, read_outcomes, read_ranking
from kernlearn.tables.survival_target import read_survival_target
from kernlearn.typing import Json, PandasFrame

TargetNames = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Name of the column to predict; several outcomes as A,B or by --target A --target B.",
    ),
]
EventName = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="With --time, instead of a target: 1 where the event was seen, 0 where censored.",
    ),
]
TimeName = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="With --event: time of the event, or of censoring."),
]
AreCounts = Annotated[
    bool, typer.Option("--counts", help="The target is a count, scored by its deviance.")
]
ExposureName = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="With --counts: the time, area or population of each count.",
    ),
]
RankName = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Rank the rows with the same value of this column, such as a query, by the target: "
        "larger ones first.",
    ),
]


@dataclass(frozen=True)
class OutcomeRequest:
    """The columns of targets, by their roles."""

    targets: tuple[str, ...]
    """Columns as typed, one or several; for times to an event, the column of times."""
    event: str | None = None
    are_counts: bool = False
    exposure: str | None = None
    rank_by: str | None = None

    @property
    def name(self) -> str:
        """The name of the target, for messages and files."""
        return ", ".join(self.targets)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that have a role, and are no inputs."""
        return (*self.targets, *self.beside)

    @property
    def beside(self) -> tuple[str, ...]:
        """Columns that have a role besides the targets."""
        return tuple(name for name in (self.event, self.exposure, self.rank_by) if name)

    @property
    def kind(self) -> str | None:
        """The kind of the target, in words; None for a column of classes or numbers."""
        for is_asked, words in (
            (self.event is not None, "times to an event"),
            (self.are_counts, "counts"),
            (self.rank_by is not None, "a ranking"),
            (len(self.targets) > 1, "several outcomes"),
        ):
            if is_asked:
                return words
        return None

    def within(self, names: Collection[str]) -> OutcomeRequest:
        """The request with the columns of a list such as A,B, unless a column is called so."""
        if self.event is not None:
            return self
        found: list[str] = []
        for typed in self.targets:
            found += [typed] if typed in names else [part.strip() for part in typed.split(",")]
        return replace(self, targets=tuple(filter(None, found)))

    def read(self, frame: PandasFrame, task: str) -> Target:
        """The targets of a table."""
        first = self.targets[0]
        if self.event is not None:
            return read_survival_target(frame, self.event, first)
        if self.are_counts:
            return read_counts(frame, first, self.exposure)
        if self.rank_by is not None:
            return read_ranking(frame, first, self.rank_by)
        if len(self.targets) > 1:
            return read_outcomes(frame, self.targets)
        return read_target(frame[first], first, task)


def checked_outcome(
    targets: list[str] | None,
    times: tuple[str | None, str | None],
    are_counts: bool,
    exposure: str | None,
    rank_by: str | None,
) -> OutcomeRequest:
    """Refuse options that do not go together; `times` are those of the event and the time."""
    event, time = times
    if event is not None or time is not None:
        _check_times(targets, event, time)
        assert time is not None
        targets = [time]
    if not targets:
        fail(
            "Name the column to predict by --target, or a time to an event by --event and --time.",
            BAD_USAGE,
        )
    outcome = OutcomeRequest(tuple(targets), event, are_counts, exposure, rank_by)
    if exposure is not None and not are_counts:
        fail("--exposure is what counts were counted in: give --counts, too.", BAD_USAGE)
    kinds = ("--event", event is not None), ("--counts", are_counts), ("--rank-by", rank_by)
    options = [option for option, is_given in kinds if is_given]
    if len(options) > 1:
        fail(
            f"{options[0]} and {options[1]} are about unlike targets: give one of them.", BAD_USAGE
        )
    return outcome


def check_targets(outcome: OutcomeRequest) -> None:
    """Refuse no target, several of counts or of rankings, and a column that is named twice."""
    if not outcome.targets:
        fail("--target expects the name of a column, got none: name the one to predict.", BAD_USAGE)
    repeated = [name for name in outcome.targets if outcome.targets.count(name) > 1]
    if repeated:
        fail(f"--target names {repeated[0]!r} more than once: name every column once.", BAD_USAGE)
    if len(outcome.targets) > 1 and (outcome.are_counts or outcome.rank_by is not None):
        option = "--counts" if outcome.are_counts else "--rank-by"
        fail(f"{option} is about one target, got {outcome.name}: name one of them.", BAD_USAGE)
    twice = [name for name in outcome.columns if outcome.columns.count(name) > 1]
    if twice:
        fail(f"{twice[0]!r} is named as the target, too: name another column.", BAD_USAGE)


def _check_times(targets: list[str] | None, event: str | None, time: str | None) -> None:
    if event is None or time is None or targets:
        options = ("--target", targets), ("--event", event), ("--time", time)
        given = " and ".join(option for option, name in options if name)
        fail(
            f"--event and --time go together, in the place of --target, got {given}: give both of "
            "them, or a target alone.",
            BAD_USAGE,
        )
    if event == time:
        fail(f"--event and --time both name {time!r}: name two columns.", BAD_USAGE)


def outcome_facts(outcome: OutcomeRequest) -> Json:
    """The names that a model file keeps."""
    return {
        "target": outcome.name,
        "event": outcome.event,
        "exposure": outcome.exposure,
        "rank_by": outcome.rank_by,
    }
