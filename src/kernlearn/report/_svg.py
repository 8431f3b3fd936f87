"""Pictures as SVG that takes the colours of the page around it."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from xml.etree import ElementTree

from kernlearn.inspection._matplotlib import Axes, free_figure, settings
from kernlearn.report._html import Html

# Colours that the page sets, since they must differ on light and on dark paper.
_COLOURS = {"#000000": "currentColor", "#0072b2": "var(--blue)"}
_XLINK = "{http://www.w3.org/1999/xlink}href"
_STYLE = {
    "svg.fonttype": "none",  # text stays text: it can be searched, copied and read aloud
    "text.parse_math": False,  # a dollar sign in a column's name is a dollar sign
    "font.family": "sans-serif",
    "font.size": 10.0,
}


def draw_svg(
    draw: Callable[[Axes], object], name: str, description: str, size: tuple[float, float]
) -> Html:
    """Let `draw` draw on axes of this size in inches, and return the picture.

    Black becomes the colour of the page's text, so that one picture serves light and dark. The
    name goes before all identifiers, which must differ between the pictures of a page.
    """
    buffer = io.BytesIO()
    with settings({**_STYLE, "svg.hashsalt": name}), warnings.catch_warnings():
        # The reader's browser has glyphs that matplotlib's own font lacks.
        warnings.filterwarnings("ignore", message=".*Glyph .* missing.*")
        figure = free_figure(*size)
        draw(figure.subplots())
        # Tight: no name is cut off, however long it is.
        metadata = {"Date": None}
        figure.savefig(
            buffer, format="svg", transparent=True, bbox_inches="tight", metadata=metadata
        )
    root = ElementTree.fromstring(buffer.getvalue())
    _adapt(root, name)
    root.attrib.update({"role": "img", "aria-label": description, "id": name})
    for key in ("width", "height", "version"):
        root.attrib.pop(key, None)
    return Html(ElementTree.tostring(root, encoding="unicode"))


def _adapt(root: ElementTree.Element, name: str) -> None:
    """Plain names, identifiers of its own, ink instead of black; no style for the whole page."""
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        if _XLINK in element.attrib:
            element.attrib["href"] = element.attrib.pop(_XLINK)
        for key, value in element.attrib.items():
            element.attrib[key] = _adapted(key, value, name)
        for child in list(element):
            if child.tag.rpartition("}")[2] in ("metadata", "style"):
                element.remove(child)


def _adapted(key: str, value: str, name: str) -> str:
    if key == "id":
        return f"{name}-{value}"
    if key == "href" and value.startswith("#"):
        return f"#{name}-{value[1:]}"
    if key != "style":
        return value.replace("url(#", f"url(#{name}-")
    for colour, replacement in _COLOURS.items():
        value = value.replace(colour, replacement)
    return value
