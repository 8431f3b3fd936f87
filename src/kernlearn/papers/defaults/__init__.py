"""Not a paper: every estimator at its defaults, beside what else one would try first."""

from kernlearn.papers.defaults.exhibits import reproduce_classification, reproduce_regression
from kernlearn.papers.exhibits import Exhibit, Paper

__all__ = ["PAPER"]

PAPER = Paper(
    name="defaults",
    citation="This library: estimators at their defaults, beside what else one would try first",
    exhibits=(
        Exhibit("table", 1, reproduce_classification),
        Exhibit("table", 2, reproduce_regression),
    ),
)
