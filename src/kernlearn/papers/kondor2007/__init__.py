"""Kondor and Jebara (2007): Gaussian and Wishart hyperkernels."""

from kernlearn.papers.exhibits import Exhibit, Paper
from kernlearn.papers.kondor2007.figure1 import reproduce_figure1
from kernlearn.papers.kondor2007.figure2 import reproduce_figure2

__all__ = ["PAPER"]

PAPER = Paper(
    name="kondor2007",
    citation=(
        "R. Kondor, T. Jebara: Gaussian and Wishart hyperkernels, "
        "Advances in Neural Information Processing Systems 19, 2007"
    ),
    exhibits=(
        Exhibit("figure", 1, reproduce_figure1),
        Exhibit("figure", 2, reproduce_figure2),
    ),
)
