r"""A kernel over several outcomes, learned for a given kernel over the rows.

A separable kernel :math:`k(x, x')\, B` with :math:`B \succeq 0` shares what is learned of one
outcome with those that are related to it. The value of the least-squares machine of targets Y, of
shape (n, m), is

.. math:: V(B) = \max_{A:\ 1^\top A = 0} \langle A, Y \rangle
          - \tfrac12 \sum_i \tfrac{\lambda}{s_i} \|A_{i:}\|^2
          - \tfrac12 \operatorname{tr}(A^\top K A B) ,

convex in B as it is in K. With the eigenvectors of B the machine is m machines of one target each,
whose ridges are λ over the eigenvalues, and one eigendecomposition of K serves all of them and
every B. V is minimised over

.. math:: B = (1 - \rho) I + \rho\, S, \qquad S \succeq 0, \quad \operatorname{tr} S = m .

A bound on the trace is a nuclear norm of the coefficients of the outcomes, and prefers a B of low
rank; the share 1 − ρ of the identity keeps every outcome a function of its own.

The slope of V is :math:`-\tfrac12 A^\top K A`. Steps follow it with momentum (Nesterov's method,
started anew where V would rise) and go back to the nearest S, whose eigenvalues are those of the
last one less a common number, or zero.

With many outcomes S is learned on a subspace: its range grows, from the leading directions of the
targets, by the eigenvectors of :math:`A^\top K A` of the largest eigenvalues, until the bound below
closes over all B. Across the subspace B is (1 − ρ) I.

Any A bounds V over
all B from below,

.. math:: V(B) \ge \langle A, Y \rangle - \tfrac12 \sum_i \tfrac{\lambda}{s_i} \|A_{i:}\|^2
          - \tfrac12 \bigl( (1 - \rho) \operatorname{tr} W
          + \rho\, m\, \lambda_{\max}(W) \bigr) ,

which is the certificate of the fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from kernlearn.quality.ridge_path import RidgePath
from kernlearn.typing import Array

_MAX_STEPS = 1000
_LEAST_STEP = 1e-12
# Outcomes of which S has any range, else the directions that it starts with and that join at once,
# each of which is new by so much at least.
_WHOLE, _FIRST, _MORE, _NEW = 20, 15, 15, 1e-6


@dataclass(frozen=True, eq=False)
class OutputCertificate:
    """Value of the separable kernel, and a bound that no other B of the set can beat."""

    objective: float  # of the primal problem, at the machine's function
    lower_bound: float

    @property
    def gap(self) -> float:
        """Duality gap relative to the objective."""
        return max(self.objective - self.lower_bound, 0.0) / (abs(self.objective) or 1.0)


@dataclass(frozen=True, eq=False)
class OutputKernel:
    """A learned kernel over outcomes."""

    matrix: Array  # B, of shape (m, m) and trace m
    share: float  # ρ
    gap: float  # its relative duality gap, of the kernel and the λ that it was learned for


def learn_output_kernel(
    path: RidgePath, lam: float, share: float, tol: float = 1e-4, grows: bool = True
) -> Array:
    """The B of shape (m, m) that minimises V, to a relative duality gap of `tol`.

    Parameters
    ----------
    path : RidgePath
        The decomposed Gram matrix, with the targets and the weights s of the rows.
    lam : float
        λ, positive.
    share : float
        ρ, between zero and one.
    tol : float
        Relative duality gap to reach.
    grows : bool
        Whether the range of S grows beyond the leading directions of many outcomes, as the gap over
        all B asks for.

    Returns
    -------
    ndarray of shape (m, m)
        Symmetric, positive semidefinite, of trace m.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(-1.0, 1.0, 20)
    >>> path = RidgePath.of(np.outer(x, x), np.column_stack([x, -x]), np.ones(20))
    >>> learn_output_kernel(path, 0.1, share=0.5).round(2).tolist()
    [[1.0, -0.5], [-0.5, 1.0]]
    """
    m = path.projected.shape[1]
    if m <= _WHOLE:
        return (1.0 - share) * np.eye(m) + share * _descended(path, lam, share, np.eye(m), tol)
    return _learned_on_subspace(path, lam, share, tol, grows)


def _learned_on_subspace(
    path: RidgePath, lam: float, share: float, tol: float, grows: bool
) -> Array:
    """The output kernel of many outcomes, its range grown until no other B is better."""
    m = path.projected.shape[1]
    axes = np.linalg.svd(path.projected.T, full_matrices=False)[0][:, :_FIRST]
    start = np.eye(axes.shape[1]) * (m / axes.shape[1])
    while True:
        S = _descended(path.rotated(axes), lam, share, start, 0.5 * tol)
        whole = axes @ S @ axes.T
        here = _Value.of(path, lam, share, whole)
        if not grows or here.slack <= tol * here.value or axes.shape[1] == m:
            return np.asarray((1.0 - share) * np.eye(m) + share * whole)
        steepest = np.linalg.eigh(here.slope)[1][:, :_MORE]
        new = steepest - axes @ (axes.T @ steepest)
        added = np.linalg.qr(new)[0][:, np.linalg.norm(new, axis=0) > _NEW]
        axes = np.linalg.qr(np.hstack([axes, added]))[0] if added.size else np.eye(m)
        start = axes.T @ whole @ axes


def _descended(path: RidgePath, lam: float, share: float, start: Array, tol: float) -> Array:
    """The best S from a start that has its trace."""
    step, momentum = 1.0, 1.0
    here = ahead = _Value.of(path, lam, share, start)
    for _ in range(_MAX_STEPS):
        if here.slack <= tol * here.value:
            break
        after = _Value.of(path, lam, share, ahead.stepped(step))
        while after.value > ahead.bound(after.kernel, step) and step > _LEAST_STEP:
            step *= 0.5
            after = _Value.of(path, lam, share, ahead.stepped(step))
        if after.value > here.value:
            if momentum == 1.0:
                break  # rounding
            ahead, momentum = here, 1.0
            continue
        grown = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        moved = after.kernel + (momentum - 1.0) / grown * (after.kernel - here.kernel)
        here, momentum, step = after, grown, 1.2 * step
        ahead = _Value.of(path, lam, share, moved)
    return here.kernel


@dataclass(frozen=True, eq=False)
class _Value:
    """V and its slope, at an S that may have small negative eigenvalues."""

    kernel: Array  # S
    value: float
    slope: Array  # of V by S, of shape (m, m)

    @classmethod
    def of(cls, path: RidgePath, lam: float, share: float, kernel: Array) -> Self:
        m = len(kernel)
        scales, axes = np.linalg.eigh((1.0 - share) * np.eye(m) + share * kernel)
        rotated = path.projected @ axes
        # Beyond the set the machines have no kernel: V goes on as the largest value within.
        coef = rotated / (path.values[:, None] * np.maximum(scales, 0.0) + lam)
        W = axes @ (coef.T @ (path.values[:, None] * coef)) @ axes.T
        return cls(kernel, 0.5 * float((rotated * coef).sum()), -0.25 * share * (W + W.T))

    @property
    def trace(self) -> float:
        """Trace of every S of the set."""
        return float(np.trace(self.kernel))

    @property
    def slack(self) -> float:
        """Largest fall, within the set, of the plane that touches V here."""
        least = float(np.linalg.eigvalsh(self.slope)[0])
        return float((self.slope * self.kernel).sum()) - self.trace * least

    def bound(self, other: Array, step: float) -> float:
        """Upper bound on V at another S, if its curvature is at most 1 / step."""
        change = other - self.kernel
        size = self._unit * step
        return self.value + float((self.slope * change + change**2 / (2.0 * size)).sum())

    def stepped(self, step: float) -> Array:
        """The nearest S of the set to a step downhill."""
        values, vectors = np.linalg.eigh(self.kernel - self._unit * step * self.slope)
        ordered = values[::-1]
        levels = (np.cumsum(ordered) - self.trace) / np.arange(1.0, len(values) + 1.0)
        level = levels[np.flatnonzero(ordered > levels)[-1]]
        nearest = (vectors * np.maximum(values - level, 0.0)) @ vectors.T
        return np.asarray((nearest + nearest.T) / 2.0)

    @property
    def _unit(self) -> float:
        """A length of steps that depends on no unit of the targets."""
        return self.trace / (float(np.linalg.norm(self.slope)) or 1.0)


def output_certificate(
    K: Array, Y: Array, ridge: Array, share: float, B: Array, coef: Array, intercept: Array
) -> OutputCertificate:
    """Value and bound at any coefficients, from the Gram matrix itself.

    `coef` of shape (n, m) are the A that the machine of the kernel K ⊗ B was found to have, with
    the `intercept` of shape (m,); `ridge` is λ/s, of shape (n,). A sum of `coef` that is not zero
    is taken out first.
    """
    A = coef - coef.mean(axis=0)
    W = A.T @ K @ A
    residuals = Y - K @ A @ B - intercept
    misfit = float(((residuals**2) / ridge[:, None]).sum())
    objective = 0.5 * (misfit + float((W * B).sum()))
    largest = float(np.linalg.eigvalsh((W + W.T) / 2.0)[-1])
    worst = (1.0 - share) * float(np.trace(W)) + share * len(W) * largest
    linear = float((A * Y).sum()) - 0.5 * float((ridge[:, None] * A**2).sum())
    return OutputCertificate(objective, linear - 0.5 * worst)
