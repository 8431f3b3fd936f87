"""Comparison of several methods over many data sets: ranks and the tests on them.

The procedure is that of Demšar (2006), as Cawley and Talbot (2014) use it: rank the methods on
every data set, ask Friedman's test whether any differ, and Nemenyi's which.
"""

from kernlearn.comparison.comparison import Comparison, compare
from kernlearn.comparison.rank_tests import RankTest

__all__ = ["Comparison", "RankTest", "compare"]
