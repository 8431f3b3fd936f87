"""What a reproduced paper consists of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kernlearn.papers.tables import ComparisonTable

__all__ = ["Exhibit", "Paper", "Request"]


@dataclass(frozen=True)
class Request:
    """What the user asked for.

    Attributes
    ----------
    out : pathlib.Path
        Folder for results and tables.
    data_dir : pathlib.Path or None
        Data folder; None fetches what can be fetched.
    repetitions : int or None
        Random splits; None takes the paper's own number.
    seed : int
        Seed of all randomness.
    jobs : int
        Number of processes.
    cluster : str or None
        Address of a Dask scheduler whose workers take their place.
    quiet : bool
        Show no progress.
    concepts : int
        Size of a latent concept model, where the paper has one.
    methods : tuple of str
        Methods to run, where they can be chosen; none for the usual ones.
    device : str or None
        Device on which fits are made in batches, where the paper has such.
    """

    out: Path
    data_dir: Path | None = None
    repetitions: int | None = None
    seed: int = 0
    jobs: int = 1
    quiet: bool = False
    concepts: int = 500
    methods: tuple[str, ...] = ()
    cluster: str | None = None
    device: str | None = None


@dataclass(frozen=True)
class Exhibit:
    """A table or figure that can be reproduced.

    Attributes
    ----------
    kind : {"table", "figure"}
        What it is.
    number : int
        Its number in the paper.
    reproduce : callable
        Runs the experiment and returns the published numbers beside ours.
    """

    kind: Literal["table", "figure"]
    number: int
    reproduce: Callable[[Request], ComparisonTable]

    @property
    def stem(self) -> str:
        """Name of its files, without the ending."""
        return f"{self.kind}{self.number}"


@dataclass(frozen=True)
class Paper:
    """A paper and what of it can be reproduced.

    Attributes
    ----------
    name : str
        What the user types.
    citation : str
        Authors, title, place and year.
    exhibits : tuple of Exhibit
        Its tables and figures.
    uses_devices : bool
        Whether its fits can be made on a device.
    """

    name: str
    citation: str
    exhibits: tuple[Exhibit, ...]
    uses_devices: bool = False

    def numbers(self, kind: str) -> list[int]:
        """Return the numbers of its tables or of its figures."""
        return [exhibit.number for exhibit in self.exhibits if exhibit.kind == kind]

    def find(self, kind: str, number: int) -> Exhibit:
        """Return one exhibit.

        Raises
        ------
        ValueError
            If the paper has no such table or figure here.
        """
        for exhibit in self.exhibits:
            if (exhibit.kind, exhibit.number) == (kind, number):
                return exhibit
        known = ", ".join(str(n) for n in self.numbers(kind)) or "none"
        raise ValueError(
            f"{self.name} has no {kind} {number} to reproduce: choose from {kind}s {known}."
        )
