"""Hostile problems for the fits that learn a kernel, judged from their definitions.

Problems are made at random, of sizes from 1e-12 to 1e12, with duplicated and constant points, a
single point of a class, targets far from zero, a huge and a tiny C. Every fit is judged in long
double by plain NumPy that shares no code with the solvers: linear systems and leave-one-out by
elimination, objectives from their definitions, bounds against feasible points that anyone can find,
"optimal" against the gap, and all of it twice, to the last bit.

``python -m kernlearn.testing.hostile.fits 400 SEED`` judges so many of them.
"""

from kernlearn.testing.hostile.fits.run import MAKERS, FitFailure, Report, one, run

__all__ = ["MAKERS", "FitFailure", "Report", "one", "run"]
