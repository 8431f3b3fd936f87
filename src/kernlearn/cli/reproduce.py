"""`kernlearn reproduce`: a paper's numbers beside ours."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from kernlearn._cluster import ClusterLost
from kernlearn.cli.failure import BAD_USAGE, NO_RESULT, fail, failures
from kernlearn.cli.options import NoBar
from kernlearn.cli.output import say
from kernlearn.datasets import DataNotFoundError
from kernlearn.papers import Exhibit, Paper, RunOptions, find_paper
from kernlearn.papers.results_file import ResultsFileError
from kernlearn.papers.tables import print_table, write_table

PaperName = Annotated[str, typer.Argument(help="Name of the paper, for example lanckriet2004.")]
Tables = Annotated[
    list[int] | None, typer.Option(help="Number of a table; may be given several times.")
]
Figures = Annotated[
    list[int] | None, typer.Option(help="Number of a figure; may be given several times.")
]
DataFolder = Annotated[Path | None, typer.Option(help="Data folder; without it, OpenML is asked.")]
Splits = Annotated[
    int | None,
    typer.Option(
        "--splits",
        "--partitions",
        min=1,
        help="Splits of each data set; the paper's number by default.",
    ),
]
OutFolder = Annotated[
    Path | None, typer.Option(help="Folder for results; by default reproduced/PAPER.")
]
Jobs = Annotated[int, typer.Option(help="Processes; -1 for one per core.")]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Run the splits on the workers of the Dask scheduler at this address.",
    ),
]
Device = Annotated[
    str | None,
    typer.Option(
        help="Fit many splits at once on this device, such as cuda: the methods of cawley2014."
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the random splits.")]
Concepts = Annotated[int, typer.Option(min=1, help="Latent concepts, where the paper has them.")]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        min=0.0,
        help="Begin no further table of rivals after this time, and show those that are finished.",
    ),
]
Methods = Annotated[
    list[str] | None,
    typer.Option(help="Method to run, where there is a choice; may be given several times."),
]


def reproduce(
    paper: PaperName,
    table: Tables = None,
    figure: Figures = None,
    data: DataFolder = None,
    splits: Splits = None,
    out: OutFolder = None,
    jobs: Jobs = 1,
    cluster: Cluster = None,
    device: Device = None,
    seed: Seed = 0,
    concepts: Concepts = 500,
    method: Methods = None,
    time_limit: TimeLimit = None,
    quiet: NoBar = False,
) -> None:
    """Run a paper's experiments and print its numbers beside ours.

    Without --table or --figure, everything. Stop it when you like: the same command continues.
    """
    if jobs == 0:
        fail("--jobs must be a positive number or -1, got 0: leave it out for one.", BAD_USAGE)
    if cluster is not None and jobs != 1:
        fail("--jobs is for this machine, --cluster for others: leave one of them out.", BAD_USAGE)
    try:
        found = find_paper(paper)
        exhibits = _chosen(found, table or [], figure or [])
    except ValueError as error:
        fail(str(error), BAD_USAGE)
    if device is not None and not found.uses_devices:
        fail(f"--device is for cawley2014, got {found.name}: leave it out.", BAD_USAGE)
    folder = out or Path("reproduced") / found.name
    options = RunOptions(
        folder, data, splits, seed, jobs, quiet, concepts, tuple(method or ()), cluster, device,
        time_limit,
    )  # fmt: skip
    stopped = f"stopped; what is finished is in {folder}: the same command continues."
    with failures(f"reproduce {paper}", folder, stopped):
        _check_folder(folder)
        try:
            for exhibit in exhibits:
                _run(exhibit, options)
        except (DataNotFoundError, ResultsFileError, ImportError, ValueError) as error:
            fail(str(error), NO_RESULT)
        except ClusterLost as error:
            fail(f"{error}; {stopped.removeprefix('stopped; ')}", NO_RESULT)


def _check_folder(folder: Path) -> None:
    """Make the folder for results, before hours of work rather than after them."""
    if folder.exists() and not folder.is_dir():
        fail(f"--out must name a folder, got the file {folder}: choose another name.", BAD_USAGE)
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK):
        fail(f"could not write into {folder}: it is read-only for you; choose another.", NO_RESULT)


def _chosen(paper: Paper, tables: list[int], figures: list[int]) -> list[Exhibit]:
    chosen = [paper.find("table", n) for n in tables] + [paper.find("figure", n) for n in figures]
    return chosen or list(paper.exhibits)


def _run(exhibit: Exhibit, options: RunOptions) -> None:
    try:
        table = exhibit.reproduce(options)
        paths = write_table(table, options.out, exhibit.stem)
        print_table(table)
    except (TypeError, KeyError, IndexError, AttributeError) as error:
        raise ValueError(
            f"expected results of {exhibit.kind} {exhibit.number} in {options.out} as this version "
            f"writes them, got others ({type(error).__name__}: {error}); move the folder away and "
            "run again"
        ) from error
    say(f"written: {', '.join(str(path) for path in paths)}")
