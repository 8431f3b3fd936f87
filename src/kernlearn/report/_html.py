"""HTML in which text stays text: everything that is not made by `tag` is escaped."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from kernlearn.inspection._text import plain

_WITHOUT_CONTENT = {"meta", "br"}


@dataclass(frozen=True)
class Html:
    """A finished piece of HTML; anything else is text."""

    source: str


Child = Html | str | None


def tag(name: str, /, *children: Child, **attributes: object) -> Html:
    """An element; text among its children and in its attributes is escaped here and only here.

    ``class_`` is written ``class``, an underscore in a name is a hyphen, None leaves out.

    >>> tag("p", "1 < 2 ", tag("b", "&"), class_="note").source
    '<p class="note">1 &lt; 2 <b>&amp;</b></p>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(plain(value), quote=True)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _WITHOUT_CONTENT:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{join(*children).source}</{name}>")


def join(*children: Child) -> Html:
    """Pieces one after the other."""
    return Html("".join(_source(child) for child in children if child is not None))


def table(header: list[str], rows: list[list[Child]], numbers: set[int] | None = None) -> Html:
    """A table that can be scrolled on a phone; the columns in `numbers` stand flush right."""
    flush = numbers or set()

    def cells(kind: str, row: Sequence[Child]) -> Html:
        return join(
            *(
                tag(kind, cell, class_="number" if j in flush else None)
                for j, cell in enumerate(row)
            )
        )

    head = tag("thead", tag("tr", cells("th", header)))
    body = tag("tbody", *(tag("tr", cells("td", row)) for row in rows))
    return tag("div", tag("table", head, body), class_="scroll")


def _source(child: Html | str) -> str:
    return child.source if isinstance(child, Html) else html.escape(plain(child), quote=True)
