"""A picture of the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kernlearn.inspection._matplotlib import Axes
from kernlearn.inspection._text import plain
from kernlearn.report._html import Html, tag
from kernlearn.report._subject import Subject
from kernlearn.report._svg import draw_svg

# Narrow, since a phone shrinks a picture with all its texts.
WIDTH = 4.8
MOST_LISTED = 5


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture that applies to some models."""

    name: str
    """A word for identifiers and file names."""
    section: str
    """Identifier of the section that shows the picture."""
    title: str
    caption: str
    """Explanation of the picture, in a sentence or two."""
    describe: Callable[[Subject], str]
    """Description of a subject's picture, in words for those who do not see it."""
    applies: Callable[[Subject], bool]
    height: Callable[[Subject], float]
    """Inches for a subject."""
    draw: Callable[[Subject, Axes], object]

    def html(self, subject: Subject) -> Html:
        """The picture with its title and caption."""
        size = (WIDTH, self.height(subject))
        label = f"{self.title}: {plain(self.describe(subject))}."
        svg = draw_svg(lambda ax: self.draw(subject, ax), f"picture-{self.name}", label, size)
        caption = tag("figcaption", tag("strong", f"{self.title}. "), self.caption)
        return tag("figure", svg, caption, class_="picture")


def listed_values(names: Sequence[str], values: Sequence[float]) -> str:
    """The largest with their numbers, as words.

    >>> listed_values(["age", "weight"], [0.5, 2.0])
    'weight 2, age 0.5'
    """
    order = sorted(range(len(values)), key=lambda i: -abs(values[i]))
    entries = [f"{names[i]} {values[i]:.3g}" for i in order[:MOST_LISTED]]
    return ", ".join(entries) + (", …" if len(order) > MOST_LISTED else "")


def bar_height(n_bars: int) -> float:
    """Inches for horizontal bars."""
    return 0.9 + 0.3 * n_bars
