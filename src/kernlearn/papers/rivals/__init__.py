"""Not a paper: the flagship beside everything else that a user could take."""

from kernlearn.papers.exhibits import Exhibit, Paper
from kernlearn.papers.rivals.exhibits import EXHIBITS

__all__ = ["PAPER"]

PAPER = Paper(
    name="rivals",
    citation="This library: the flagship beside everything else that a user could take",
    exhibits=tuple(Exhibit("table", n, show) for n, show in enumerate(EXHIBITS, start=1)),
)
