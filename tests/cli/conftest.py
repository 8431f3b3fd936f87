"""What all tests of commands do without."""

from __future__ import annotations

import pytest

from kernlearn.inspection._matplotlib import free_figure
from kernlearn.report._html import tag
from kernlearn.report.pictures import picture


def _texts(draw, name, description, size):
    """What is written in a picture, in the place of the picture."""
    figure = free_figure(*size)
    from matplotlib.text import Text

    draw(figure.subplots())
    found = " ".join(text.get_text() for text in figure.findobj(Text))
    return tag("svg", found, id=name, role="img", aria_label=description)


@pytest.fixture(autouse=True, scope="module")
def unrendered_pictures():
    """Let the pictures of reports be drawn up to their layout and their lines, which take longest.

    Those in tests/report are drawn to the end.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(picture, "draw_svg", _texts)
        yield
