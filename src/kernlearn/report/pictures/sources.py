"""What each view adds."""

from __future__ import annotations

from kernlearn.inspection._bars import MOST_BARS
from kernlearn.report.pictures._importance import added, draw_added
from kernlearn.report.pictures.picture import Picture, bar_height, listed

PICTURE = Picture(
    name="views",
    section="columns",
    title="What each source adds",
    caption="What is lost on held-out rows without a source: a view whose columns are shuffled "
    "together, or a kernel matrix that is left out of the fit.",
    describe=lambda subject: listed(*added(subject, "views")),
    applies=lambda subject: len(added(subject, "views")[0]) > 1,
    height=lambda subject: bar_height(min(len(added(subject, "views")[0]), MOST_BARS)),
    draw=lambda subject, ax: draw_added(subject, ax, "views"),
)
