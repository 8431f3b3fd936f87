"""The posterior and the evidence of a Gaussian process: Ong et al. (2005), sections 2 and 3.2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg import LinAlgError, solve_triangular

from kernlearn._checks import check_choice, check_positive
from kernlearn._device import lower_factor
from kernlearn.functionals.base import QualityFunctional, Target, TargetKind, one_vs_rest
from kernlearn.quality.logistic_evidence import negative_log_evidence
from kernlearn.quality.logistic_mode import LogisticMode, find_logistic_mode
from kernlearn.typing import Array

LIKELIHOODS = ("logistic", "gaussian")


@dataclass(frozen=True, repr=False)
class _ProcessFunctional(QualityFunctional):
    """Common part of both: f has the prior N(0, K), and y depends on f point by point."""

    likelihood: str = "logistic"
    noise: float = 0.1

    @property
    def targets(self) -> TargetKind:
        """Labels, or with normal errors numbers as they are."""
        return "labels" if self.likelihood == "logistic" else "either"

    def _parameters_in_use(self) -> list[str]:
        return ["likelihood"] if self.likelihood == "logistic" else ["likelihood", "noise"]

    def _check_parameters(self) -> None:
        check_choice("likelihood", self.likelihood, LIKELIHOODS)
        check_positive("noise", self.noise)

    def _modes(self, K: Array, y: Target) -> list[LogisticMode]:
        weight = np.ones(len(K))
        return [find_logistic_mode(K, signs, weight) for signs in one_vs_rest(y)]

    def _normal(self, K: Array, y: Target) -> tuple[Array, Array]:
        """L with LLᵀ = K + σ²I, and L⁻¹Y."""
        Y = np.column_stack(one_vs_rest(y)) if y.dtype.kind == "i" else y[:, None]
        try:
            L = lower_factor(K + self.noise * np.eye(len(K)))
        except LinAlgError:
            raise ValueError(
                "expected noise above the rounding of the kernel's matrix, got "
                f"{self.noise!r}; raise noise"
            ) from None
        return L, solve_triangular(L, Y, lower=True)


@dataclass(frozen=True, repr=False)
class NegativeLogPosterior(_ProcessFunctional):
    r"""Minus the logarithm of the largest posterior density of a function under the kernel.

    .. math::

        Q(k; X, y) = \min_f \; -\sum_i \log p(y_i \mid f(x_i)) + \tfrac12 \lVert f \rVert_k^2

    It is the exponent of eqs. (8) and (10) of the paper, which ignores what normalises the prior of
    f. It is convex in K and falls when a positive semidefinite matrix is added to K: to compare
    kernels by it, bring them to one scale first. For several classes, each against the rest,
    values are added. It is a Q of ``min over k in F of Q(k) + λΩ(k)``.

    Parameters
    ----------
    likelihood : {"logistic", "gaussian"}, default="logistic"
        :math:`p(y \mid f) = 1/(1 + e^{-yf})` for labels, or :math:`N(f, \sigma^2)` for numbers; of
        labels the latter takes −1 and +1 for numbers.
    noise : float, default=0.1
        σ², for "gaussian".

    See Also
    --------
    RegularizedRisk : The same for other losses, with an intercept.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.functionals import NegativeLogPosterior
    >>> from kernlearn.kernels import Gaussian, Linear, Normalized
    >>> X = np.linspace(-1, 1, 20)[:, None]
    >>> y = np.abs(X[:, 0]) < 0.5
    >>> posterior = NegativeLogPosterior()
    >>> posterior(Gaussian(gamma=4.0), X, y) < posterior(Normalized(Linear()), X, y)
    True
    """

    convex: ClassVar[bool] = True
    decreasing: ClassVar[bool] = True

    def _evaluate(self, K: Array, y: Target) -> float:
        if self.likelihood == "logistic":
            return sum(mode.loss + 0.5 * mode.squared_norm for mode in self._modes(K, y))
        _, half = self._normal(K, y)
        constant = 0.5 * half.size * float(np.log(2.0 * np.pi * self.noise))
        return 0.5 * float((half**2).sum()) + constant


@dataclass(frozen=True, repr=False)
class NegativeLogEvidence(_ProcessFunctional):
    r"""Minus the logarithm of the marginal likelihood of the targets, f integrated out.

    .. math::

        Q(k; X, y) = -\log \int p(y \mid f)\, N(f \mid 0, K)\, \mathrm{d}f

    Exact for "gaussian"; Laplace's approximation for "logistic" (Rasmussen and Williams 2006,
    eq. 3.32),

    .. math:: Q = \tfrac12 \hat f^\top K^{-1} \hat f - \log p(y \mid \hat f)
              + \tfrac12 \log |I + W^{1/2} K W^{1/2}| ,

    with :math:`\hat f` the mode and W the second derivatives there, in a form that never inverts
    K. A kernel that is too simple and one that is too rich both have little evidence, so kernels
    of different scales can be compared. It is not convex in K. For several classes, each against
    the rest, values are added. It is a Q of ``min over k in F of Q(k) + λΩ(k)``, which
    ``LSSVMClassifier(selection="evidence")`` minimises over bandwidths and λ.

    Parameters
    ----------
    likelihood : {"logistic", "gaussian"}, default="logistic"
        :math:`p(y \mid f) = 1/(1 + e^{-yf})` for labels, or :math:`N(f, \sigma^2)` for numbers; of
        labels the latter takes −1 and +1 for numbers.
    noise : float, default=0.1
        σ², for "gaussian".

    See Also
    --------
    GaussianDivergence : The same for "gaussian", without the constant.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.functionals import NegativeLogEvidence
    >>> from kernlearn.kernels import Gaussian
    >>> X = np.linspace(-1, 1, 20)[:, None]
    >>> y = np.abs(X[:, 0]) < 0.5
    >>> kernels = [Gaussian(0.01), Gaussian(4.0), Gaussian(1e4)]
    >>> min(kernels, key=lambda kernel: NegativeLogEvidence()(10.0 * kernel, X, y))
    Gaussian(gamma=4.0)
    """

    def _evaluate(self, K: Array, y: Target) -> float:
        if self.likelihood == "logistic":
            return sum(negative_log_evidence(mode) for mode in self._modes(K, y))
        L, half = self._normal(K, y)
        logarithm = float(np.log(L.diagonal()).sum()) + 0.5 * len(K) * float(np.log(2.0 * np.pi))
        return 0.5 * float((half**2).sum()) + int(half.shape[1]) * logarithm
