"""The papers' tables and figures that can be reproduced, and the options of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from kernlearn.papers.tables import ComparisonTable


@dataclass(frozen=True)
class RunOptions:
    """Options of the run of an exhibit.

    Attributes
    ----------
    out : pathlib.Path
        Folder for results and tables.
    data_dir : pathlib.Path or None
        Data folder; None fetches what can be fetched.
    splits : int or None
        Random train/test splits; None takes the paper's own number.
    seed : int
        Seed of all randomness.
    jobs : int
        Number of processes.
    quiet : bool
        Show no progress.
    concepts : int
        Size of a latent concept model, where the paper has one.
    methods : tuple of str
        Methods to run, where they can be chosen; none for the usual ones.
    cluster : str or None
        Address of a Dask scheduler whose workers replace the processes.
    device : str or None
        Device for batches of fits, where the paper supports one.
    time_limit : float or None
        Seconds after which no further table begins, in the comparison with rivals.
    """

    out: Path
    data_dir: Path | None = None
    splits: int | None = None
    seed: int = 0
    jobs: int = 1
    quiet: bool = False
    concepts: int = 500
    methods: tuple[str, ...] = ()
    cluster: str | None = None
    device: str | None = None
    time_limit: float | None = None


@dataclass(frozen=True)
class Exhibit:
    """A table or figure: its name, and what computes its cells and shows them.

    Attributes
    ----------
    kind : {"table", "figure"}
        Kind of exhibit.
    number : int
        Number in the paper.
    reproduce : callable
        Computes the cells by `run_splits` or `run_tasks`, which resume from a results file, and
        returns them beside the published numbers.
    """

    kind: Literal["table", "figure"]
    number: int
    reproduce: Callable[[RunOptions], ComparisonTable]

    @property
    def stem(self) -> str:
        """Name of its files, without the ending."""
        return f"{self.kind}{self.number}"


@dataclass(frozen=True)
class Paper:
    """A paper and its exhibits.

    Attributes
    ----------
    name : str
        Name that the user types.
    citation : str
        Authors, title, place and year.
    exhibits : tuple of Exhibit
        Tables and figures of the paper.
    uses_devices : bool
        Whether its fits can run on a device.
    without_numbers : mapping
        Content of the other tables and figures, by kind and number: there is nothing to run.
    """

    name: str
    citation: str
    exhibits: tuple[Exhibit, ...]
    uses_devices: bool = False
    without_numbers: Mapping[tuple[str, int], str] = field(default_factory=dict)

    def numbers(self, kind: str) -> list[int]:
        """Return the numbers of its tables or of its figures."""
        return [exhibit.number for exhibit in self.exhibits if exhibit.kind == kind]

    def find(self, kind: str, number: int) -> Exhibit:
        """Return one exhibit, or raise a ValueError that names those there are."""
        for exhibit in self.exhibits:
            if (exhibit.kind, exhibit.number) == (kind, number):
                return exhibit
        reason = self.without_numbers.get((kind, number))
        reason = "" if reason is None else f" ({reason})"
        kinds = [each for each in ("table", "figure") if self.numbers(each)]
        kind_or_other = kind if kind in kinds else kinds[0]
        known = ", ".join(str(n) for n in self.numbers(kind_or_other))
        raise ValueError(
            f"{self.name} has no {kind} {number} to reproduce{reason}: choose from "
            f"{kind_or_other}s {known}."
        )
