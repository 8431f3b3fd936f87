"""Results of functions and fits: a solution with its certificate, its status, and progress."""

from kernlearn.bound import ErrorBound
from kernlearn.estimators.mkl.extension import Extension
from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import Progress
from kernlearn.solvers.core.solution import Solution, Step

__all__ = ["ErrorBound", "Extension", "Progress", "Solution", "Status", "Step"]
