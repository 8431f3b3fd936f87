"""Hostile files: whatever they hold, they are read or refused in a sentence."""

from __future__ import annotations

import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.hostile.models import file_case, payload_case, predict_case
from benchmarks.hostile.mutations import Random
from benchmarks.hostile.run import Verdict
from benchmarks.hostile.tables import (
    matrix_case,
    parquet_case,
    results_case,
    table_case,
    views_case,
)
from kernlearn.persistence import ModelFileError
from kernlearn.runtime.optional import load_pandas
from kernlearn.tables import TableError

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
LONGEST = 20.0  # seconds of the processor that no small file may take


def judge_seed(seed: int, cases: Sequence[FileCase] = CASES, longest: float = LONGEST) -> Verdict:
    """Make the file of this seed and read it.

    A file is either read or refused by an error whose message is a sentence. Anything else, a
    wrong reading that a case can tell, and a file that takes long, are complaints.
    """
    load_pandas("reading hostile files")
    case = cases[seed % len(cases)]
    status, said, start = "read", [], time.process_time()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            case(np.random.default_rng(seed), Path(folder))
        except (TableError, ModelFileError) as refused:
            status = "refused"
            if not 15 < len(str(refused)) < 2000:  # something to read, and not the whole file
                said.append(f"no sentence: {refused}")
        except Exception:
            said.append(traceback.format_exc(limit=-4))
    seconds = time.process_time() - start
    if seconds > longest:
        said.append(f"it took {seconds:.0f} s")
    kind = getattr(case, "__name__", "case")
    return Verdict(f"seed {seed}, {kind}", kind, status, seconds, said)
