"""The same experiment on several random divisions of one or several data sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kernlearn import __version__
from kernlearn.papers.paper import Request
from kernlearn.papers.results_file import ResultsFile
from kernlearn.papers.runner import run_tasks

__all__ = ["run_repeated"]


def run_repeated(
    function: Callable[..., Any],
    data: Mapping[str, Any],
    repetitions: int,
    request: Request,
    *,
    stem: str,
    description: str,
    settings: Mapping[str, Any],
    jobs: int | None = None,
) -> dict[str, list[Any]]:
    """Call ``function(data, index, seed)`` for every set and repetition.

    What an earlier run has found is read, not computed again.

    Parameters
    ----------
    function : callable
        Importable by name; returns JSON values.
    data : mapping
        The sets by their names.
    repetitions : int
        How often for each of them.
    request : Request
        What the user asked for.
    stem : str
        Name of the file of results.
    description : str
        Shown before the progress bar.
    settings : mapping
        On what, besides seed and version, a result depends: the data among it.
    jobs : int or None
        Number of processes; None takes the user's.

    Returns
    -------
    dict
        One result per repetition, by the name of the set.
    """
    everything = {"exhibit": stem, "seed": request.seed, "version": __version__, **settings}
    # Repetition by repetition, not set by set: the time left is then that of the average set.
    tasks = {
        f"{name}/{index}": (data[name], index, request.seed)
        for index in range(repetitions)
        for name in data
    }
    results = run_tasks(
        function,
        tasks,
        ResultsFile(request.out, stem, everything),
        jobs=request.jobs if jobs is None else jobs,
        cluster=request.cluster if jobs is None else None,
        description=description,
        quiet=request.quiet,
    )
    return {name: [results[f"{name}/{index}"] for index in range(repetitions)] for name in data}
