r"""The evidence of classes: Laplace's approximation for the logistic likelihood.

Labels y = ±1 have the likelihood :math:`\prod_i (1 + e^{-y_i f_i})^{-s_i}`, and f has the prior
:math:`N(0, A)`. Around the mode of the posterior (:mod:`kernlearn.quality.logistic_mode`),

.. math:: -\log Z = \sum_i s_i \log(1 + e^{-y_i f_i}) + \tfrac12 a^\top A a
          + \tfrac12 \log |I + WA|

(Rasmussen and Williams 2006, section 3.4). Its derivative counts that the mode moves by df with A.
The third derivatives of the likelihood enter by
:math:`u_i = \tfrac12 v_i \, \partial W_i / \partial f_i`, v the posterior variances of f. With
:math:`R = (A + W^{-1})^{-1}`, and w such that :math:`u^\top \mathrm{d}f = w^\top \mathrm{d}A\, a`,

.. math:: \frac{\partial (-\log Z)}{\partial A}
          = \tfrac12 (R - aa^\top + wa^\top + aw^\top) .

A machine with an intercept has :math:`A = HKH/\lambda + \tau^2 11^\top`: K is centred, as in
:mod:`kernlearn.quality.ls_svm`, and the intercept has the prior :math:`N(0, \tau^2)`. A flat prior
would be improper, and for classes that can be separated the evidence would grow without end as
λ → 0. For several classes, each against the rest, the −log Z are added. Model selection minimises
:math:`V = Z^{-2/(nk)}` over (λ, θ), n rows and k machines: no point is held out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit

from kernlearn.quality.held_out import SelectionLoss
from kernlearn.quality.logistic_mode import LogisticMode, find_logistic_mode
from kernlearn.quality.ls_svm import MachineFit
from kernlearn.typing import Array, Indices

# τ² of the intercept, which is a log-odds: one standard deviation is a class share of 1 in 150.
INTERCEPT_VARIANCE = 25.0


def negative_log_evidence(mode: LogisticMode) -> float:
    """Laplace's −log Z around a mode.

    >>> import numpy as np
    >>> mode = find_logistic_mode(np.eye(2), np.array([1.0, -1.0]), np.ones(2))
    >>> round(negative_log_evidence(mode), 4)
    1.4013
    """
    return mode.loss + 0.5 * (mode.squared_norm + mode.log_determinant)


def evidence_slope(mode: LogisticMode) -> Array:
    """Derivative of the negative log evidence with respect to A, of shape (n, n)."""
    third = mode.curvature * (expit(-mode.values) - expit(mode.values))
    w = mode.influence(0.5 * mode.variances * third)
    towards = np.outer(0.5 * w - 0.25 * mode.coef, mode.coef)
    return np.asarray(0.5 * mode.inverse() + towards + towards.T)


@dataclass(frozen=True, eq=False)
class LogisticFit(MachineFit):
    """Logistic machines, one for each class against the rest."""

    K: Array  # Gram matrix, of shape (n, n)
    lam: float
    modes: Sequence[LogisticMode]


@dataclass(frozen=True, eq=False)
class LogisticEvidence(SelectionLoss[LogisticFit]):
    """V of the evidence of classes.

    >>> import numpy as np
    >>> Y = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    >>> evidence = LogisticEvidence(np.ones(4), Y)
    >>> _, fit = evidence.trained(Y @ Y.T, Y, 0.25, None)
    >>> round(evidence.reported(fit), 4)
    2.7414
    """

    keeps_factors: ClassVar[bool] = True

    signs: Array  # Y of ±1, of shape (n, k)

    def trained(
        self, K: Array, Y: Array, lam: float, start: LogisticFit | None
    ) -> tuple[float, LogisticFit]:
        """The modes, found from those of another fit."""
        means = K.mean(axis=0)
        A = _centred(K)
        A /= lam
        A += INTERCEPT_VARIANCE
        starts = [None] * Y.shape[1] if start is None else [mode.values for mode in start.modes]
        modes = [
            find_logistic_mode(A, y, self.weight, values)
            for y, values in zip(self.signs.T, starts, strict=True)
        ]
        coef = np.column_stack([mode.coef for mode in modes])
        centred = coef - coef.mean(axis=0)
        with np.errstate(over="ignore"):  # at a tiny λ, which the search leaves
            dual_coef, means = centred / lam, means / lam
        intercept = INTERCEPT_VARIANCE * coef.sum(axis=0) - means @ centred
        return lam, LogisticFit(dual_coef, intercept, K, lam, modes)

    def value(self, fit: LogisticFit) -> float:
        """V of the machines."""
        return float(np.exp(2.0 / self.signs.size * self.reported(fit)))

    def reported(self, fit: LogisticFit) -> float:
        """The negative logarithm of the evidence."""
        return float(sum(negative_log_evidence(mode) for mode in fit.modes))

    def slope(self, fit: LogisticFit) -> Array:
        """The derivative of V with respect to K."""
        total = np.zeros_like(fit.K)
        for mode in fit.modes:
            total += evidence_slope(mode)
        total *= 2.0 / self.signs.size * self.value(fit) / fit.lam
        return _centred(total)

    def ridge_slope(self, fit: LogisticFit, W: Array, lam: float) -> float:
        """λ divides K."""
        return -float((W * fit.K).sum())

    def along(self, K: Array, Y: Array) -> None:
        """No decomposition serves every λ."""

    def left_out(
        self, fit: LogisticFit, Y: Array, blocks: Sequence[Indices]
    ) -> tuple[Array, float]:
        """Approximate values; the loss is the logistic one."""
        values = np.column_stack([mode.left_out(blocks) for mode in fit.modes])
        losses = np.logaddexp(0.0, -Y * values).sum(axis=1)
        return values, float(np.average(losses, weights=self.weight))

    def expected(self, values: Array) -> Array:
        """The mean of a label ±1 with these log-odds."""
        return np.asarray(np.tanh(0.5 * values))

    def subset(self, rows: Indices) -> LogisticEvidence:
        """The evidence of some points."""
        return LogisticEvidence(self.weight[rows], self.signs[rows])


def _centred(matrix: Array) -> Array:
    """HMH of a symmetric matrix."""
    means = matrix.mean(axis=0)
    centred = matrix - means
    centred -= (means - means.mean())[:, None]
    return np.asarray(centred)
