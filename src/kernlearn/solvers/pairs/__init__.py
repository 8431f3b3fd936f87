"""The pairwise hinge program of Kondor and Jebara (2007, section 5)."""

from kernlearn.solvers.pairs.certificate import PairProgram, PairSolution
from kernlearn.solvers.pairs.pair_kernel import DensePairKernel, FactorPairKernel, pair_kernel
from kernlearn.solvers.pairs.solve import solve_pairs

__all__ = [
    "DensePairKernel",
    "FactorPairKernel",
    "PairProgram",
    "PairSolution",
    "pair_kernel",
    "solve_pairs",
]
