"""Write the report: the page around its sections, into one file."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from kernlearn._checks import check_choice
from kernlearn.bundle import ModelBundle
from kernlearn.inspection._text import plain
from kernlearn.report._html import Html, join, tag
from kernlearn.report._style import STYLE
from kernlearn.report._subject import Subject, read_subject
from kernlearn.report.pictures import PICTURES
from kernlearn.report.sections import SECTIONS
from kernlearn.runtime.atomic_files import atomic_file

# Nothing may be fetched and nothing may run, whatever a table brings in.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(subject: Subject) -> str:
    """The whole document."""
    made = [(name, heading, make(subject)) for name, heading, make in SECTIONS]
    kept = [(name, heading, content) for name, heading, content in made if content is not None]
    target, table_name = subject.facts.text("target"), subject.facts.text("table")
    title = f"Predicting {plain(target)}" if target else "A learned kernel"
    body = join(
        tag("header", tag("h1", title), tag("p", table_name) if table_name else None),
        _contents([(name, heading) for name, heading, _ in kept]),
        tag("main", *(_section(*section) for section in kept)),
        tag("footer", "Written by kernlearn. The file is complete in itself: it loads nothing."),
    )
    return f"<!DOCTYPE html>\n{tag('html', _head(title), tag('body', body), lang='en').source}\n"


def _head(title: str) -> Html:
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Html(STYLE)),
    )


def _section(name: str, heading: str, content: Html) -> Html:
    return tag("section", tag("h2", heading), content, id=name)


def _contents(entries: list[tuple[str, str]]) -> Html:
    links = [tag("li", tag("a", heading, href=f"#{name}")) for name, heading in entries]
    return tag("nav", tag("ol", *links), aria_label="Contents")


def write_report(
    bundle: ModelBundle | BaseEstimator,
    path: str | os.PathLike[str],
    pictures: Collection[str] | None = None,
) -> Path:
    """Write what was learned into one HTML file that needs nothing else.

    The file is there whole or not at all. Facts that the bundle lacks leave their sections out.

    Parameters
    ----------
    bundle : ModelBundle or estimator
        A fitted pipeline with the facts of its making, as :func:`kernlearn.load` reads it from the
        file of a model; of a fitted estimator there are no facts, and their sections are left out.
    path : path
        Name of the file; one that exists is replaced.
    pictures : collection of str, optional
        Names of the pictures to draw where they apply, for example ``["roc"]``; by default all.

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
    ...     path = write_report(model, Path(folder) / "report.html")
    ...     path.read_text(encoding="utf-8")[:15]
    '<!DOCTYPE html>'
    """
    document = report_html(bundle, pictures)
    with atomic_file(path) as file:
        file.write(document.encode("utf-8"))
    return Path(path)


def report_html(
    bundle: ModelBundle | BaseEstimator, pictures: Collection[str] | None = None
) -> str:
    """The report as a string, for a notebook or a server.

    Parameters
    ----------
    bundle : ModelBundle or estimator
        What :func:`write_report` takes.
    pictures : collection of str, optional
        Names of the pictures to draw where they apply, for example ``["roc"]``; by default all.

    Returns
    -------
    str
        An HTML document.
    """
    for name in pictures or ():
        check_choice("each of pictures", name, [picture.name for picture in PICTURES])
    if not isinstance(bundle, ModelBundle):
        if not isinstance(bundle, BaseEstimator):
            raise ValueError(
                "expected a fitted estimator or the bundle that kernlearn.load reads, got "
                f"{type(bundle).__name__}; pass one of them"
            )
        check_is_fitted(bundle)
        bundle = ModelBundle(bundle)
    return page(read_subject(bundle, pictures))
