"""The pairwise hinge program of Kondor and Jebara (2007, section 5)."""

from kernlearn.solvers.pairs.program import PairProgram, PairSolution
from kernlearn.solvers.pairs.represent import represent
from kernlearn.solvers.pairs.solve import solve_pairs
from kernlearn.solvers.pairs.spaces import DenseSpace, FactorSpace

__all__ = ["DenseSpace", "FactorSpace", "PairProgram", "PairSolution", "represent", "solve_pairs"]
