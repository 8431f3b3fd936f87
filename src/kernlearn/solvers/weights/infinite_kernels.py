r"""Weights of infinitely many kernels, with a certificate: column generation over a range.

In the formula ``min over k in F of Q(k) + λΩ(k)``, F holds the mixtures
:math:`\int k_\theta\,dm(\theta)` with a positive measure m on a range of θ, and Ω is the mass of m,
held at the total c. As in :mod:`kernlearn.solvers.weights.column_generation`,

.. math::

    \min_m \max_a \; \ell(a) - \tfrac12 \int a^\top K_\theta a \,dm(\theta)
    \;=\; \max_a \; \ell(a) - \tfrac c2 \max_\theta a^\top K_\theta a ,

and some optimal m has finitely many θ. A round solves the problem for the θ found so far, then
looks for the θ of the largest price over all of the range. A level that no price exceeds makes the
lower bound: with a proof over the interval (:mod:`kernlearn.kernels.bandwidth_bounds`), the gap
holds for every θ in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kernlearn.families.continuous_pool import ContinuousPool
from kernlearn.quality.machine import Machine
from kernlearn.solvers.core.certificate import corner_bound
from kernlearn.solvers.core.oracle import Plane, coefficient_plane
from kernlearn.solvers.core.problem import Control, WeightSet
from kernlearn.solvers.core.solution import Solution, relative_gap
from kernlearn.solvers.weights.column_generation import ColumnGeneration, MasterSolution
from kernlearn.solvers.weights.column_master import GramMaster
from kernlearn.typing import Array, Indices

SHARE = 0.05  # of the gap, and of the tolerance: to what price bounds are known
SAME = 1e-10  # relative excess of a price over those paid already


def learn_over_range(
    pool: ContinuousPool, machines: Sequence[Machine], weight_set: WeightSet, control: Control
) -> Solution:
    """Minimise the machines' values over all mixtures of the range (inputs are checked)."""
    master = GramMaster(pool, machines)
    # Every kernel of the range has the same trace, so all have the same normaliser.
    normaliser = np.full(pool.n_matrices, float(weight_set.normaliser[0]))
    normalised = replace(weight_set, normaliser=normaliser)
    return RangeGeneration(pool, master, machines, normalised, control).run()


class RangeGeneration(ColumnGeneration):
    """Column generation whose kernels are looked for in a range."""

    pool: ContinuousPool
    master: GramMaster

    def _first(self) -> Indices:
        """Kernels with weight in the start, if any; else all with which the range begins."""
        start = self.weight_set.start
        if start is not None and (start > 0).any():
            return np.flatnonzero(start > 0)
        return np.arange(self.pool.n_matrices)

    def _price_all(self, last: MasterSolution) -> Indices:
        """Find the kernels of the largest prices, raise the bound, and let them join."""
        assert self.best is not None
        F = last.proof.coefs * np.sqrt(last.proof.shares)[:, None, None]
        F = F.reshape(F.shape[0] * F.shape[1], -1)
        r, paid = self.weight_set.normaliser[:1], float(self._paid(F).max())
        objective = self.best.solution.objective
        value = abs(objective)
        # First as well as the gap asks for; if no kernel pays more than those of the master, and
        # the gap is still open, as well as the tolerance does.
        finest = self.control.tol * value
        for known in (max(finest, min(objective - self.lower, value)), finest):
            accuracy = SHARE * known / (0.5 * self.weight_set.total / float(r[0]))
            priced = self.pool.priced(F, accuracy, self.stopping.check)
            plane = self._plane_below(last, priced.upper)
            self.lower = max(self.lower, corner_bound(plane, r, self.weight_set.total))
            better = priced.prices > paid * (1.0 + SAME)
            if better.any() or relative_gap(objective, self._bound) <= self.control.tol:
                break
        if self.history:
            self.history[-1] = replace(self.history[-1], lower_bound=self.lower)
        self._report()
        numbers = self.pool.join([k for k, b in zip(priced.kernels, better, strict=True) if b])
        grown = np.full(self.pool.n_matrices, float(r[0]))
        self.weight_set = replace(self.weight_set, normaliser=grown)
        missing = self.pool.n_matrices - len(self.best.weights)
        weights = np.append(self.best.weights, np.zeros(missing))
        self.best = replace(self.best, weights=weights)
        return numbers

    def _plane_below(self, last: MasterSolution, upper: float) -> Plane:
        """The plane of a proof, with the slope of one kernel that pays what none exceeds."""
        slope = np.array([-0.5 * upper])
        planes = [
            coefficient_plane(self.machines, list(coefs), slope, self.trace)
            for coefs in last.proof.coefs
        ]
        return Plane.mixture(last.proof.shares, planes)

    def _paid(self, F: Array) -> Array:
        """The prices of the kernels in the master problem."""
        grams = self.master.matrices
        return np.array([float(np.vdot(F @ K[: F.shape[1], : F.shape[1]], F)) for K in grams])
