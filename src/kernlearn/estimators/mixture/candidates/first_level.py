r"""Learn how far to stretch every column, at the first level of inference.

θ is learned together with a machine with the kernel :math:`\exp(-\sum_r \theta_r (x_r - z_r)^2)`
(Cawley and Talbot 2014, equation 5), λ and μ by the loss on the folds, which learn a θ of their
own. Columns are stretched by :math:`\sqrt{\theta_r}`.
"""

from __future__ import annotations

import numpy as np

from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.representation import ScaledColumns
from kernlearn.families.parametric import ARDGaussianFamily
from kernlearn.solvers.first_level.fit import first_values
from kernlearn.solvers.first_level.problem import FirstLevelProblem, alone
from kernlearn.solvers.first_level.search import FirstLevelControl, FirstLevelSearch

# λ and μ to a few per cent: the folds do not determine them better.
_TOL, _MAX_ITER = 5e-2, 10
_ROUGHER = 5.0
_FINAL_TOL = 1e-6


def first_level_scales(problem: CandidateProblem, table: str) -> ScaledColumns:
    """The columns of a table by their relevance, learned on these rows.

    Raises
    ------
    numpy.linalg.LinAlgError
        If no machine can be trained.
    """
    X, weight = problem.tables[table], problem.weight
    offset = np.average(problem.Y, axis=0, weights=weight)
    family = ARDGaussianFamily()
    scale = np.asarray(family.start(X))
    first_level = FirstLevelProblem(family, X, problem.Y - offset, weight, scale)
    direction = scale / np.linalg.norm(scale)
    line = first_level.along(direction)
    control = FirstLevelControl("gradient", _TOL, _MAX_ITER, problem.stopping)
    start = np.log(alone(first_values(line, None, None)))
    search = FirstLevelSearch(problem.folds, start, np.array([True, True]), control)
    length = alone(search.stage(line, line.scale, _ROUGHER))
    theta = alone(search.stage(first_level, length[0] * direction, 1.0))
    problem.stopping.check()
    lam, mu = np.exp(search.x)
    descent = first_level.minimise(theta, lam, mu, _FINAL_TOL, _MAX_ITER)
    if descent is None or search.best is None:
        raise np.linalg.LinAlgError("no machine could be trained")
    without = tuple(np.sqrt(fold.theta) for fold in search.best.folds)
    return ScaledColumns(table, np.sqrt(descent.point.theta), without)
