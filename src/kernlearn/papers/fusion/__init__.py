"""Not a paper: several sources combined, beside what else can be done with them."""

from kernlearn.papers.exhibits import Exhibit, Paper
from kernlearn.papers.fusion.exhibits import reproduce_fusion

__all__ = ["PAPER"]

PAPER = Paper(
    name="fusion",
    citation="This library: learned weights of several sources, beside what else one would do",
    exhibits=(Exhibit("table", 1, reproduce_fusion),),
)
