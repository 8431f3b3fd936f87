"""Ong, Smola and Williamson (2005): learning the kernel with hyperkernels."""

from kernlearn.papers.exhibits import Exhibit, Paper
from kernlearn.papers.ong2005.figure1 import reproduce_figure1
from kernlearn.papers.ong2005.figure4 import reproduce_figure4
from kernlearn.papers.ong2005.figure5 import reproduce_figure5
from kernlearn.papers.ong2005.tables import reproduce_table3, reproduce_table4, reproduce_table5

__all__ = ["PAPER"]

PAPER = Paper(
    name="ong2005",
    citation=(
        "C. S. Ong, A. J. Smola, R. C. Williamson: Learning the kernel with hyperkernels, "
        "Journal of Machine Learning Research 6, 2005"
    ),
    exhibits=(
        Exhibit("figure", 1, reproduce_figure1),
        Exhibit("table", 3, reproduce_table3),
        Exhibit("table", 4, reproduce_table4),
        Exhibit("figure", 4, reproduce_figure4),
        Exhibit("table", 5, reproduce_table5),
        Exhibit("figure", 5, reproduce_figure5),
    ),
    without_numbers={
        ("table", 1): "it names approaches to kernel learning, and has no numbers",
        ("table", 2): "it lists power series, which kernlearn.hyperkernels.PowerSeries takes",
        ("figure", 2): "it draws a graphical model, and has no numbers",
        ("figure", 3): "it draws a graphical model, and has no numbers",
    },
)
