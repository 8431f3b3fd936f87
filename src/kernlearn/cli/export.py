"""`kernlearn export`: a model as a file that predicts without kernlearn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kernlearn.cli.bundles import DAMAGED, read_predictor
from kernlearn.cli.failure import BAD_USAGE, fail, failures
from kernlearn.cli.options import Quietly
from kernlearn.cli.output import check_outputs, goes_to_stdout, say
from kernlearn.cli.predict import ModelFile

OnnxFile = Annotated[
    Path | None,
    typer.Option(help="Write an ONNX file, for any of its runtimes.", show_default="none"),
]
PythonFile = Annotated[
    Path | None,
    typer.Option(
        "--python",
        help="Write a Python file that needs NumPy only.",
        show_default="none",
    ),
]


def export(
    model: ModelFile,
    onnx: OnnxFile = None,
    python: PythonFile = None,
    quiet: Quietly = False,
) -> None:
    """Write a model as a file that predicts from the columns of a table, without kernlearn.

    For example: kernlearn export wine.model --onnx wine.onnx --python wine.py
    """
    requested = [path for path in (onnx, python) if path is not None]
    if not requested:
        fail("expected --onnx FILE, --python FILE or both, got none; name a file", BAD_USAGE)
    check_outputs(requested, [model])
    # Other commands do not need the export.
    from kernlearn.export import to_numpy_code, to_onnx

    with failures(f"export {model.name}", model, otherwise=DAMAGED):
        bundle = read_predictor(model)
        if onnx is not None:
            to_onnx(bundle, onnx)
        if python is not None:
            to_numpy_code(bundle, python)
    for path in requested if not quiet else []:
        say(f"written: {path}", err=goes_to_stdout(path))
