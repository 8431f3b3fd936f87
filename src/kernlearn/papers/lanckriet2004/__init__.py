"""Lanckriet, Cristianini, Bartlett, El Ghaoui, Jordan (2004): the kernel matrix by SDP."""

from functools import partial

from kernlearn.papers.exhibits import Exhibit, Paper
from kernlearn.papers.lanckriet2004.figure1 import reproduce_figure1
from kernlearn.papers.lanckriet2004.figure2 import reproduce_figure2
from kernlearn.papers.lanckriet2004.tables import reproduce_benchmark_table, reproduce_table4

__all__ = ["PAPER"]

PAPER = Paper(
    name="lanckriet2004",
    citation=(
        "G. Lanckriet, N. Cristianini, P. Bartlett, L. El Ghaoui, M. Jordan: Learning the kernel "
        "matrix with semidefinite programming, Journal of Machine Learning Research 5, 2004"
    ),
    exhibits=(
        *(Exhibit("table", n, partial(reproduce_benchmark_table, n)) for n in (1, 2, 3)),
        Exhibit("table", 4, reproduce_table4),
        Exhibit("figure", 1, reproduce_figure1),
        Exhibit("figure", 2, reproduce_figure2),  # on other proteins
    ),
)
