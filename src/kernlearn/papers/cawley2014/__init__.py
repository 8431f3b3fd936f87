"""Cawley and Talbot (2014), Kernel learning at the first level of inference."""

from functools import partial

from kernlearn.papers.cawley2014.figure1 import reproduce_figure1
from kernlearn.papers.cawley2014.parameter_figures import reproduce_figure4, reproduce_figure5
from kernlearn.papers.cawley2014.rank_figures import reproduce_rank_figure
from kernlearn.papers.cawley2014.selection_table import reproduce_selection_table
from kernlearn.papers.cawley2014.tables import (
    reproduce_error_table,
    reproduce_table1,
    reproduce_table4,
)
from kernlearn.papers.exhibits import Exhibit, Paper

__all__ = ["PAPER"]

PAPER = Paper(
    name="cawley2014",
    citation=(
        "G. C. Cawley, N. L. C. Talbot: Kernel learning at the first level of inference, "
        "Neural Networks 53, 2014"
    ),
    exhibits=(
        Exhibit("table", 1, reproduce_table1),
        Exhibit("figure", 1, reproduce_figure1),
        *(Exhibit("table", n, partial(reproduce_error_table, n)) for n in (2, 3)),
        *(Exhibit("figure", n, partial(reproduce_rank_figure, n)) for n in (2, 3)),
        Exhibit("figure", 4, reproduce_figure4),
        Exhibit("figure", 5, reproduce_figure5),
        *(Exhibit("figure", n, partial(reproduce_rank_figure, n)) for n in (6, 7)),
        Exhibit("table", 4, reproduce_table4),
        Exhibit("figure", 8, partial(reproduce_rank_figure, 8)),
        Exhibit("table", 5, reproduce_selection_table),  # not in the paper
    ),
    uses_devices=True,
)
