"""What each column adds."""

from __future__ import annotations

from kernlearn.inspection._bars import MOST_BARS
from kernlearn.report.pictures._importance import added, draw_added
from kernlearn.report.pictures.picture import Picture, bar_height, listed

PICTURE = Picture(
    name="columns",
    section="columns",
    title="Which columns matter",
    caption="The longer the bar, the more the model makes of the column; about zero, or below it "
    "by chance, means that it makes nothing of it. Columns that say the same can stand in for each "
    "other, so that each alone seems to matter little.",
    describe=lambda subject: listed(*added(subject, "columns")),
    applies=lambda subject: len(added(subject, "columns")[0]) > 1,
    height=lambda subject: bar_height(min(len(added(subject, "columns")[0]), MOST_BARS)),
    draw=lambda subject, ax: draw_added(subject, ax, "columns"),
)
