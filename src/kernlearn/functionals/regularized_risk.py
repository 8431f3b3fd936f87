"""The regularised risk of a kernel machine: Ong et al. (2005), Example 1."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from kernlearn._checks import check_settings
from kernlearn.families.matrices import GramStack
from kernlearn.functionals.base import (
    QualityFunctional,
    Target,
    TargetKind,
    check_machine,
    one_vs_rest,
    settings_in_use,
)
from kernlearn.quality.registry import QUALITIES
from kernlearn.runtime.status import Status
from kernlearn.solvers.core.problem import Control, WeightSet
from kernlearn.solvers.core.solution import Solution
from kernlearn.solvers.weights.search import learn_with_machines
from kernlearn.typing import Array

# Relative duality gap; problems of up to some hundred points are solved to rounding all the same.
TOLERANCE = 1e-6


@dataclass(frozen=True, repr=False)
class RegularizedRisk(QualityFunctional):
    r"""The smallest regularised risk that a machine reaches with the kernel, its value V(K).

    .. math::

        Q(k; X, y) = \min_{f, b} \; C \sum_i l\bigl(y_i, f(x_i) + b\bigr)
            + \tfrac12 \lVert f \rVert_k^2
            = \max_{a \in A} \; \ell(a) - \tfrac12 a^\top K a

    It is convex in K, and falls when a positive semidefinite matrix is added to K: to compare
    kernels by it, bring them to one scale first (one trace, or a unit diagonal).

    Parameters
    ----------
    quality : str, default="soft_margin"
        The machine, as in :func:`kernlearn.learn_weights`: "soft_margin", "hard_margin",
        "squared_soft_margin", "lagrangian", "logistic", "nu_svm", "least_squares", "epsilon_svr",
        "nu_svr", "huber", "quantile", or "one_class" and "ranking", which need no y; a kernel of
        "ranking" is one of differences of two rows.
    C : float, default=1.0
        The box 0 ≤ α ≤ C; the inverse of the ridge where the loss is squared, which then counts
        C/2 · Σ l².
    nu : float, default=0.3
        For "nu_svm", "nu_svr" and "one_class".
    epsilon : float, default=0.1
        Half the width of the tube, for "epsilon_svr"; where the loss becomes linear, for "huber".
    quantile : float, default=0.5
        The level of "quantile", between 0 and 1.

    Notes
    -----
    Eq. (2) of the paper has :math:`\frac1m \sum_i l + \frac\lambda2 \lVert f \rVert^2`, which is λ
    times the value here for C = 1/(λm), or C = 2/(λm) with a squared loss; and it has no
    intercept. The ν-SVM and the one-class machine have no scale of the margin to lose against:
    :math:`Q = -\tfrac12 a^\top K a`, negative, and proportional to K.

    More than two classes count as one machine for each against the rest, and their values are
    added, as in :class:`kernlearn.MKLClassifier`. "least_squares" takes numbers in y as they are,
    and other types as labels. The value is infinite where no hard margin exists. It is computed to
    a relative duality gap of 1e-6.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.functionals import RegularizedRisk
    >>> from kernlearn.kernels import Gaussian, Linear
    >>> X = np.linspace(-1, 1, 20)[:, None]
    >>> y = np.abs(X[:, 0]) < 0.5
    >>> risk = RegularizedRisk(C=10.0)
    >>> risk
    RegularizedRisk(quality='soft_margin', C=10.0)
    >>> risk(Gaussian(gamma=4.0), X, y) < risk(Linear(), X, y)
    True
    """

    convex: ClassVar[bool] = True
    decreasing: ClassVar[bool] = True

    quality: str = "soft_margin"
    C: float = 1.0
    nu: float = 0.3
    epsilon: float = 0.1
    quantile: float = 0.5

    @property
    def targets(self) -> TargetKind:
        """The kind of targets that the machine takes."""
        return QUALITIES[self.quality].targets

    def _check_parameters(self) -> None:
        of_rows = [name for name, each in QUALITIES.items() if each.targets != "times"]
        check_machine(self.quality, of_rows, self.C, self.nu, self.epsilon, self.quantile)

    def _parameters_in_use(self) -> list[str]:
        return settings_in_use(self.quality, super()._parameters_in_use())

    def _evaluate(self, K: Array, y: Target) -> float:
        targets = one_vs_rest(y) if y.dtype.kind == "i" else [y]
        parameters = self.C, self.nu, self.epsilon, None, targets, self.quantile
        settings = check_settings(self.quality, *parameters)
        machines = [QUALITIES[self.quality].build(target, settings) for target in targets]
        # One matrix with the weight one: all that is left to solve is its machines.
        solution = learn_with_machines(
            GramStack(np.ascontiguousarray(K)[None]),
            machines,
            WeightSet(np.ones(1), 1.0, free_sign=False),
            Control(tol=TOLERANCE),
        )
        if solution.status is Status.NO_SOLUTION and machines[0].homogeneous:
            return math.inf
        self._check_solved(solution)
        return solution.objective

    def _check_solved(self, solution: Solution) -> None:
        if solution.status is Status.NO_SOLUTION:
            raise ValueError(
                f"expected a machine that can be solved, got none for {self!r} on these data; "
                "rescale the data, or normalise the kernel"
            )
        if not solution.status.is_optimal:
            warnings.warn(
                f"{self!r} is an upper bound here, {solution.gap:.1e} above the value at most, "
                f"expected {TOLERANCE:.1e}; rescale the data, or normalise the kernel",
                ConvergenceWarning,
                stacklevel=4,
            )
