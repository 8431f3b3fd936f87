"""Steps towards the largest determinant, in coordinates of the weights; see `determinant`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn.families.base import Family
from kernlearn.families.weights import Domain
from kernlearn.numerics.sums import EPS
from kernlearn.runtime.status import Status
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.core.progress import report_step
from kernlearn.solvers.core.solution import Step
from kernlearn.solvers.optimize.quadratic import quadratic_program
from kernlearn.solvers.weights.inverse_factor import InverseFactor, inverse_factor
from kernlearn.typing import Array

ROWS_AT_A_TIME = 64
FLAT = 1e-11
ENOUGH = 0.1  # of the tolerance: a gap that the search need not narrow
QUADRATIC = 1e-2  # Newton decrement below which every step must halve it
NOTHING = 1e-9  # half its square is what a step may still gain


@dataclass(frozen=True, eq=False)
class DeterminantSearch:
    """f in coordinates x of the weights, for kernels K(w) in units of ``size``.

    Parameters
    ----------
    family : Family
        The matrices, or combinations of them.
    domain : Domain
        Where x may lie.
    transform : ndarray of shape (m, p), optional
        What combines the matrices given.
    size : float
        The unit.
    """

    family: Family
    domain: Domain
    transform: Array | None
    size: float

    def at(self, x: Array) -> Point | None:
        """The point with its factor, or None where K is not positive definite."""
        factor = inverse_factor(self.family.combine(self.domain.weights(x), labelled_only=False))
        return None if factor is None else Point(x, factor)

    def value(self, point: Point) -> float:
        """F in the units of the kernels given."""
        return -point.factor.log_det - self.family.n_points * float(np.log(self.size))

    def rounding(self, point: Point) -> float:
        """What rounding may change in a value."""
        return point.factor.noise(self.family, self.domain.weights(point.x))

    def bound(self, factor: InverseFactor, slopes: Array, noise: Array) -> float:
        """A value that no feasible weights are below, from ⟨WᵀW, ·⟩ in the coordinates."""
        n, domain = self.family.n_points, self.domain
        if domain.free_sign:
            e = domain.equality
            eta = float(e @ slopes) / float(e @ e)
            rest = np.abs(slopes - eta * e) + noise + 8.0 * EPS * (abs(slopes) + abs(eta * e))
            most = eta + domain.radius * float(np.linalg.norm(rest))
            most += factor.inverse_norm * domain.loose + abs(eta) * domain.loose_equality
        else:
            most = float((slopes + noise).max())
        if not 0.0 < most < np.inf:
            return -np.inf
        terms = np.array([-factor.log_det, -n * np.log(most / n), -n * np.log(self.size)])
        return float(terms.sum()) - 8.0 * EPS * float(np.abs(terms).sum() + factor.log_size)

    def slopes(self, factor: InverseFactor) -> tuple[Array, Array]:
        """⟨WᵀW, ·⟩ of every coordinate, and bounds on their rounding."""
        products, noise = factor.products(self.family)
        basis = self.domain.basis
        return basis.T @ products, np.abs(basis).T @ (noise + 4.0 * EPS * np.abs(products))

    def curvature(self, factor: InverseFactor) -> Array:
        """The Hessian ⟨BᵢBⱼ⟩ with Bᵢ = W Kᵢ Wᵀ, a few columns at a time."""
        W, p = factor.W, self.domain.basis.shape[1]
        H = np.zeros((p, p))
        for start in range(0, len(W), ROWS_AT_A_TIME):
            block = self.family.forms(W.T, W[start : start + ROWS_AT_A_TIME].T)
            flat = np.tensordot(self.domain.basis.T, block, 1).reshape(p, -1)
            H += flat @ flat.T
        return H

    def direction(self, x: Array, slopes: Array, H: Array) -> Array:
        """From x to the minimum of the quadratic model."""
        domain, p = self.domain, len(x)
        scale = 1.0 / np.sqrt(np.maximum(H.diagonal(), 1e-300))
        if domain.free_sign:
            bordered = np.zeros((p + 1, p + 1))
            bordered[:p, :p] = H * np.outer(scale, scale)
            normal = domain.equality * scale
            bordered[p, :p] = bordered[:p, p] = normal / float(np.linalg.norm(normal))
            right = np.append(slopes * scale, 0.0)
            return np.asarray(np.linalg.lstsq(bordered, right, rcond=1e-15)[0][:p] * scale)
        size = float(np.abs(H).max())
        solution = quadratic_program(
            P=H / size + FLAT * np.eye(p),
            q=-(slopes + H @ x) / size - FLAT * x,
            A=domain.equality[None, :],
            b=np.ones(1),
            low=domain.low,
            high=domain.high,
        )
        return np.zeros(p) if solution is None else solution.x - x


@dataclass(frozen=True, eq=False)
class Point:
    """Coordinates, and the factor of K there."""

    x: Array
    factor: InverseFactor


@dataclass(frozen=True, eq=False)
class Found:
    """Where the search ended, and how."""

    best: Point
    bound: float
    ended: Status
    history: tuple[Step, ...]


def newton_steps(
    search: DeterminantSearch, point: Point, control: Control, certify: bool = True
) -> Found:
    """Newton's method; its bounds are told of unless they say nothing of what is sought."""
    best, ended = -np.inf, Status.INACCURATE
    history: list[Step] = []
    decrement = np.inf
    for step in range(control.max_iter):
        slopes, noise = search.slopes(point.factor)
        value = search.value(point)
        if certify:
            best = max(best, min(search.bound(point.factor, slopes, noise), value))
        history.append(Step(0, value, best))
        stopped = report_step(control.stopping, history[-1])
        if stopped is not None:
            ended = stopped
            break
        if value - best <= ENOUGH * control.tol * abs(value):
            break
        if step == control.max_iter - 1:
            ended = Status.ITERATION_LIMIT
            break
        H = search.curvature(point.factor)
        d = search.direction(point.x, slopes, H)
        last, decrement = decrement, float(np.sqrt(max(float(d @ H @ d), 0.0)))
        moved = None
        if NOTHING < decrement < np.inf and not QUADRATIC > decrement > 0.5 * last:
            moved = _moved(search, point, d, decrement)
        if moved is None:
            break  # what is left is rounding
        point = moved
    return Found(point, best, ended, tuple(history))


def _moved(search: DeterminantSearch, point: Point, d: Array, decrement: float) -> Point | None:
    """A step along d: all of it if that is better, else what is certain to be."""
    value = search.value(point)
    allowed = 4.0 * search.rounding(point) if decrement < QUADRATIC else 0.0
    for length in (1.0, 1.0 / (1.0 + decrement), 0.25 / (1.0 + decrement)):
        x = point.x + length * d
        if not search.domain.free_sign:
            x = np.maximum(x, 0.0)
        moved = search.at(x / float(search.domain.equality @ x))
        if moved is not None and search.value(moved) < value + allowed:
            return moved
    return None
