"""Write the report."""

from __future__ import annotations

import os
from pathlib import Path

from kernlearn.bundle import ModelBundle
from kernlearn.report._page import page
from kernlearn.report._subject import read_subject
from kernlearn.runtime.atomic_files import atomic_file


def write_report(bundle: ModelBundle, path: str | os.PathLike[str]) -> Path:
    """Write what was learned into one HTML file that needs nothing else.

    The file is there whole or not at all. Facts that the bundle lacks leave their sections out.

    Parameters
    ----------
    bundle : ModelBundle
        A fitted pipeline with the facts of its making.
    path : path
        Name of the file; one that exists is replaced.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from kernlearn import MKLClassifier
    >>> model = MKLClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_report(ModelBundle(model), Path(folder) / "report.html")
    ...     path.read_text(encoding="utf-8")[:15]
    '<!DOCTYPE html>'
    """
    document = report_html(bundle)
    with atomic_file(path) as file:
        file.write(document.encode("utf-8"))
    return Path(path)


def report_html(bundle: ModelBundle) -> str:
    """The report as a string, for a notebook or a server.

    Parameters
    ----------
    bundle : ModelBundle
        A fitted pipeline with the facts of its making.

    Returns
    -------
    str
        An HTML document.
    """
    return page(read_subject(bundle))
