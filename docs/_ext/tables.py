"""Where the cells of a table may break into lines, and where not.

A number keeps its standard error beside it: 84.3 ± 1.0. A long name, such as a path, may break
after a slash, a dot, an underscore, a bracket, a comma or an equals sign, and nowhere else.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes

LONG = 12  # letters; shorter names stay whole
JOINT = re.compile(r"(?<=[/._(,=])(?<!/_)(?!py\b)(?=[^\s/._(),=\"'])")
ERROR = re.compile(r" ± ")


def pieces(name: str) -> list[str]:
    """Return the parts of a name between which a line may end.

    >>> pieces("solvers/weights/search.py")
    ['solvers/', 'weights/', 'search.py']
    >>> pieces("fit(X, y)")
    ['fit(X, y)']
    """
    return [part for part in JOINT.split(name) if part] if len(name) > LONG else [name]


def _break_names(cell: nodes.Element) -> None:
    for literal in cell.findall(nodes.literal):
        first, *others = pieces(literal.astext())
        literal.children = []
        literal += nodes.Text(first)
        for part in others:
            literal += [nodes.raw("", "<wbr>", format="html"), nodes.Text(part)]


def _keep_errors(cell: nodes.Element) -> None:
    for text in list(cell.findall(nodes.Text)):
        joined = ERROR.sub("\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}", text)
        if joined != text and text.parent is not None:
            text.parent.replace(text, nodes.Text(joined))


def _prepare(app: Any, doctree: nodes.document) -> None:
    for cell in list(doctree.findall(nodes.entry)):
        _keep_errors(cell)
        _break_names(cell)


def setup(app: Any) -> dict[str, bool]:
    """Prepare the tables of every page that was read."""
    app.connect("doctree-read", _prepare)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
