"""The page around the sections."""

from __future__ import annotations

from kernlearn.inspection._text import plain
from kernlearn.report._html import Html, join, tag
from kernlearn.report._style import STYLE
from kernlearn.report._subject import Subject
from kernlearn.report.sections import SECTIONS

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
