"""Make hostile files, read them, and tell what went wrong."""

from __future__ import annotations

import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kernlearn.persistence import ModelFileError
from kernlearn.runtime.optional import load_pandas
from kernlearn.tables import TableError
from kernlearn.testing.hostile.models import file_case, payload_case, predict_case
from kernlearn.testing.hostile.mutations import Random
from kernlearn.testing.hostile.tables import (
    matrix_case,
    parquet_case,
    results_case,
    table_case,
    views_case,
)

FileCase = Callable[[Random, Path], None]

CASES: tuple[FileCase, ...] = (
    table_case,
    parquet_case,
    matrix_case,
    views_case,
    results_case,
    file_case,
    payload_case,
    predict_case,
)
LONGEST = 20.0


@dataclass(frozen=True)
class FileFailure:
    """A file that was neither read nor refused in a sentence.

    Attributes
    ----------
    seed : int
        ``run(1, seed)`` makes it again.
    case : str
        Which kind of file.
    error : str
        What happened instead.
    """

    seed: int
    case: str
    error: str


def run(
    n: int, seed: int = 0, cases: Sequence[FileCase] = CASES, longest: float = LONGEST
) -> list[FileFailure]:
    """Make `n` hostile files and read them.

    Every file is either read or refused by an error whose message is a sentence; anything else, a
    wrong reading that a case can tell, and a file that takes long, are failures.

    Parameters
    ----------
    n : int
        How many files.
    seed : int, default=0
        Of the first; the others follow.
    cases : sequence of callable
        Kinds of files, each made and read by ``case(generator, folder)``.
    longest : float
        Seconds of the processor that no small file may take.

    Returns
    -------
    list of FileFailure
        Empty if all went well.

    Examples
    --------
    >>> from kernlearn.testing.hostile import run
    >>> run(4, seed=1)
    []
    """
    load_pandas("reading hostile files")
    found = [
        _tried(number, cases[number % len(cases)], longest) for number in range(seed, seed + n)
    ]
    return [failure for failure in found if failure is not None]


def _tried(seed: int, case: FileCase, longest: float) -> FileFailure | None:
    start = time.process_time()
    error = ""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            case(np.random.default_rng(seed), Path(folder))
        except (TableError, ModelFileError) as refused:
            error = "" if _is_sentence(str(refused)) else f"no sentence: {refused}"
        except Exception:
            error = traceback.format_exc(limit=-4)
    if not error and time.process_time() - start > longest:
        error = f"it took {time.process_time() - start:.0f} s"
    return FileFailure(seed, getattr(case, "__name__", "case"), error) if error else None


def _is_sentence(text: str) -> bool:
    """Something to read, and not the whole file."""
    return 15 < len(text) < 2000
