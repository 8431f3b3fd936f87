r"""The pair program, and what coefficients of it are worth: the only judge of them.

A solver only hands in a :class:`Candidate`. Any :math:`\alpha \ge 0`
bounds the optimum from above. From below, by the dual program, any a with :math:`0 \le a \le C` and
any θ whose function is nowhere below that of t a on the pairs (θ = t a without a cone), since then
:math:`\alpha^\top K(\theta - ta) \ge 0` on the cone:

.. math:: 1^\top a - \tfrac12 \theta^\top K \theta - |t^\top a|\,\beta

At the optimum θ is α. Elsewhere it is moved along the mean e of all sections, which is positive,
until it is high enough. Three things are carried, always to the wrong side:

- Rounding, as :mod:`pair_kernel <kernlearn.solvers.pairs.pair_kernel>` has it: of every value
  :math:`\gamma \sqrt{K_{pp}} S`, of every norm what follows from it.
- K may be indefinite by rounding. All is made to hold for :math:`K + \varepsilon\operatorname{diag}
  (K)` with any ε up to the least δ that makes it positive semidefinite.
- :math:`t^\top a` may not be zero to the last digit. Some best b is a breakpoint :math:`t_p - f_p`,
  and :math:`|f_p| \le \sqrt{K_{pp}}\,\|w\|` with :math:`\tfrac12\|w\|^2` at most the value found:
  so :math:`|b| \le \beta = 1 + \sqrt{2 V \max K_{pp}}`.

If a section has no positive mean, but K no negative entry, a shortfall :math:`s_p` of θ costs at
most :math:`\sqrt{2V}\,\|s_p/\sqrt{K_{pp}}\|`, because then :math:`\sum_p K_{pp} \alpha_p^2 \le
\alpha^\top K \alpha \le 2V` for all that can be better than V. Zero is a bound in any case.

A factor's K leaves out R of the whole matrix, and the bound for the whole is found alike: give the
coefficients of θ to the pivots, where R has only zeros. The remainder is the part of t a, which by
Cauchy and Schwarz is at most :math:`\sqrt{R_{pp}}\,\rho` at p, :math:`\rho = \sum_q a_q
\sqrt{R_{qq}}`, and without a cone ρ² of its squared norm.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kernlearn.runtime.status import Status
from kernlearn.solvers.pairs.pair_kernel import DensePairKernel, PairKernel
from kernlearn.typing import AnyFloatArray, Array, Indices, Mask, Scalar

# A section smaller than this part of the largest counts as zero.
_VANISHING = 1e-100


@dataclass(frozen=True, eq=False)
class PairProgram:
    r"""Learn which pairs belong together (Kondor and Jebara 2007, section 5).

    .. math::

        \min_{\alpha, b, \xi}\ \tfrac12 \alpha^\top K \alpha + C \sum_p \xi_p
        \quad\text{s.t.}\quad t_p ((K\alpha)_p + b) \ge 1 - \xi_p,\ \xi \ge 0,\ \alpha \ge 0

    and without :math:`\alpha \ge 0` when not conic. In terms of :math:`w = \sum_p \alpha_p K_p`
    the objective is :math:`\tfrac12\|w\|^2 + C\sum_p [1 - t_p(w_p + b)]_+`, with w in the cone of
    the sections, or anywhere in their span.
    """

    kernel: PairKernel
    labels: Array  # t, +1 for pairs that belong together and −1 for those that do not
    C: float  # the weight of the loss, above zero
    conic: bool  # whether α ≥ 0

    @cached_property
    def interior(self) -> Array:
        """The mean e of all sections, which is positive where K has no negative entries."""
        return self.kernel.lift(np.full(self.kernel.n_pairs, 1.0 / self.kernel.n_pairs))

    @cached_property
    def reach(self) -> Array:
        """The values of e: the mean of every section over all pairs."""
        return self.kernel.values(self.interior)

    @cached_property
    def generators(self) -> Mask:
        """The pairs that may have a coefficient in a conic program.

        Left out are those whose sections vanish at all pairs, and those that an incomplete factor
        has left with a mean that is not positive.
        """
        return self.reach > _VANISHING * float(self.reach.max())

    @cached_property
    def allowed(self) -> Mask:
        """The pairs that enter the bound of a conic program.

        With the whole matrix all that do not vanish, with a factor the generators.
        """
        if isinstance(self.kernel, DensePairKernel):
            return self.kernel.lengths > 0
        return self.generators


# Operations after the long sums, in units of ε; a generous count.
_FURTHER = 32


@dataclass(frozen=True, eq=False)
class Candidate:
    """The proposal of a solver, of any numbers."""

    coef: Array
    intercept: float
    dual_coef: Array


@dataclass(frozen=True, eq=False)
class Certificate(Candidate):
    """Coefficients and multipliers, made feasible, with the bounds that they prove.

    Few coefficients are not zero when conic, and those of the pivots when not. The multipliers
    have 0 ≤ a ≤ C and tᵀa = 0.
    """

    objective: float  # the value at α, rounded up
    lower_bound: float  # a value that no other α can go below
    whole_lower_bound: float  # the same for the whole matrix, without a factor

    @property
    def gap(self) -> float:
        """(objective − bound)/objective; zero if both are zero.

        No objective is negative, so zero is always a bound and the gap never above one.
        """
        if not 0 < self.objective < np.inf:
            return self.objective
        return (self.objective - self.lower_bound) / self.objective

    def solution(self, tol: float, otherwise: Status, n_iter: int) -> PairSolution:
        """The solution; "optimal" only if the gap is small, whatever the solver reports."""
        status = Status.OPTIMAL if 0 <= self.gap <= tol else otherwise
        return PairSolution(**vars(self), status=status, n_iter=n_iter)


@dataclass(frozen=True, eq=False)
class PairSolution(Certificate):
    """The solution of the program."""

    status: Status
    n_iter: int  # working-set rounds and Newton steps


def certify(program: PairProgram, candidate: Candidate, precise: bool = False) -> Certificate:
    """Make a candidate feasible and evaluate both programs at it, rounding carried.

    `precise` takes the longest floats that the machine has, and several times as long.
    """
    labels, kernel = program.labels, program.kernel
    dtype = np.longdouble if precise else np.float64
    coef = np.maximum(candidate.coef, 0.0) if program.conic else candidate.coef
    a = balanced(candidate.dual_coef, labels, program.C)
    values = kernel.values(kernel.lift(coef))
    b = best_intercept(values, labels, candidate.intercept)
    with np.errstate(over="ignore", invalid="ignore"):
        judged = _Judgement(program, coef.astype(dtype), b, a.astype(dtype))
        objective = _rounded(judged.objective, np.inf)
        bound = judged.bound(np.zeros(len(labels)))
        whole = judged.bound(kernel.residual) if kernel.residual.any() else bound
    objective = objective if objective >= 0 else np.inf  # not a number: worth nothing
    return Certificate(coef, b, a, objective, bound, whole)


class _Judgement:
    """Both programs at feasible coefficients and multipliers, in their precision."""

    def __init__(
        self, program: PairProgram, coef: AnyFloatArray, b: float, a: AnyFloatArray
    ) -> None:
        self.program, self.kernel = program, program.kernel
        self.coef, self.b, self.a = coef, coef.dtype.type(b), a
        self.lengths = self.kernel.lengths.astype(coef.dtype)
        epsilon = np.finfo(coef.dtype).eps
        self.gamma = float((self.kernel.terms + _FURTHER) * epsilon)
        self.w = self.kernel.lift(coef)

    def _size(self, coef: AnyFloatArray) -> Scalar:
        return np.abs(coef) @ self.lengths

    def _diagonal(self, coef: AnyFloatArray) -> Scalar:
        """δ Σ K_pp α_p²: what raising the diagonal adds to a squared norm."""
        return self.kernel.defect * np.square(coef * self.lengths).sum()

    @cached_property
    def objective(self) -> Scalar:
        """½‖w‖² + C Σ [1 − t(f + b)]₊, and above it all that rounding may have taken."""
        program, gamma, lengths = self.program, self.gamma, self.lengths
        size, square = self._size(self.coef), self.kernel.squared_norm(self.w)
        f = self.kernel.values(self.w)
        margins = program.labels * (f + self.b) - 1.0
        wrong = gamma * (lengths * size + np.abs(f) + abs(self.b) + 1.0)
        wrong += self.kernel.defect * lengths * np.abs(self.coef) * lengths
        norm = square + self.kernel.norm_error(size, square, gamma) + self._diagonal(self.coef)
        loss = np.maximum(wrong - margins, 0.0).sum()
        return (0.5 * norm + program.C * loss) * (1.0 + gamma)

    def bound(self, residual: Array) -> float:
        """The dual value, for the matrix that has `residual` more on its diagonal; rounded down."""
        left = np.sqrt(residual).astype(self.a.dtype)
        rho = (self.a @ left) * (1.0 + self.gamma)
        value = self._cone(left * rho) if self.program.conic else self._free(rho)
        total = self.a.sum() * (1.0 - self.gamma) - self._imbalance() - value
        # Zero is a bound too, and the only one after an overflow.
        return _rounded(total, -np.inf) if total > 0 else 0.0

    def _imbalance(self) -> Scalar:
        reach = 1.0 + np.sqrt(2.0 * self.objective) * self.lengths.max() * (
            1.0 + self.kernel.defect
        )
        return (abs(self.program.labels @ self.a) + self.gamma * self.a.sum()) * reach

    def _half_norm(self, w: AnyFloatArray, size: Scalar, diagonal: Scalar) -> Scalar:
        square = self.kernel.squared_norm(w)
        return 0.5 * (square + self.kernel.norm_error(size, square, self.gamma) + diagonal)

    def _free(self, rho: Scalar) -> Scalar:
        """½‖θ‖² of θ = ta, all that it may be."""
        signed = self.program.labels * self.a
        size, diagonal = self._size(signed), self._diagonal(signed)
        return self._half_norm(self._signed_w, size, diagonal) + 0.5 * rho * rho

    @cached_property
    def _signed_w(self) -> AnyFloatArray:
        return self.kernel.lift(self.program.labels * self.a)

    @cached_property
    def _height(self) -> AnyFloatArray:
        """The values of α − ta, no higher than they may be."""
        signed = self.program.labels * self.a
        wrong = self.gamma * (self._size(self.coef) + self._size(signed)) * self.lengths
        wrong += self.kernel.defect * self.lengths * np.abs(self.coef - signed) * self.lengths
        return np.asarray(self.kernel.values(self.w - self._signed_w) - wrong)

    def _cone(self, needed: AnyFloatArray) -> Scalar:
        """½‖θ‖² of the better of two θ, with the cost of a shortfall: α, and α moved along e."""
        rows = np.flatnonzero(self.program.allowed | (needed > 0))
        height, reach = (self._height - needed)[rows], self._reach[rows]
        usable = reach > 0
        along = np.max(-height[usable] / reach[usable], initial=0.0) * (1.0 + self.gamma)
        return min(self._moved(step, height + step * reach, rows) for step in (0.0, along))

    @cached_property
    def _reach(self) -> AnyFloatArray:
        """The values of e, no higher than they may be."""
        e = self.program.reach.astype(self.a.dtype)
        # These were computed in double precision.
        gamma = (self.kernel.terms + _FURTHER) * np.finfo(np.float64).eps
        if self.kernel.nonnegative:  # sums without cancellation
            return np.asarray(e * (1.0 - gamma))
        return np.asarray(e - gamma * self.lengths * self.kernel.lengths.mean())

    def _moved(self, step: Scalar, height: AnyFloatArray, rows: Indices) -> Scalar:
        short = np.maximum(-height, 0.0)
        if short.any() and not self.kernel.nonnegative:
            return np.inf
        cost = 0.0
        if short.any():
            cost = np.sqrt(2.0 * self.objective * np.square(short / self.lengths[rows]).sum())
        w = self.w + step * self.program.interior
        size = self._size(self.coef) + step * self.lengths.mean()
        diagonal = self._diagonal(self.coef + step / len(self.coef))
        return self._half_norm(w, size, diagonal) + cost


def _rounded(value: Scalar, towards: float) -> float:
    """A double on that side of a number that may have more digits."""
    nearest = float(value)
    beyond = nearest < value if towards > 0 else nearest > value
    return float(np.nextafter(nearest, towards)) if beyond else nearest


def best_intercept(f: Array, labels: Array, b: float) -> float:
    """The b nearest to the given one that minimises Σ [1 − t(f + b)]₊.

    The slope in b is −n₊ at first and grows by one at every breakpoint t − f, so that it is zero
    between the n₊-th and the next.
    """
    n_positive = int((labels > 0).sum())
    breakpoints = np.concatenate([[-np.inf], labels - f, [np.inf]])
    ordered = np.partition(breakpoints, [n_positive, n_positive + 1])
    return float(np.clip(b, ordered[n_positive], ordered[n_positive + 1]))


def balanced(a: Array, labels: Array, C: float) -> Array:
    """The multipliers in their box, the heavier side scaled down until tᵀa = 0."""
    a = np.clip(a, 0.0, C)
    positive = labels > 0
    above, below = float(a[positive].sum()), float(a[~positive].sum())
    smaller = min(above, below)
    a[positive] *= smaller / above if above > 0 else 0.0
    a[~positive] *= smaller / below if below > 0 else 0.0
    return a
