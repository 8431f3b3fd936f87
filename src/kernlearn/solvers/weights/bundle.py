"""Planes below the objective, and the best lower bound that they prove."""

from __future__ import annotations

import numpy as np

from kernlearn.families.weights import Domain
from kernlearn.solvers.core.certificate import (
    free_noise,
    in_coordinates,
    linear_minimum,
    lower_bound,
)
from kernlearn.solvers.core.oracle import Plane
from kernlearn.solvers.weights.model import ModelMinimum
from kernlearn.solvers.weights.psd_cuts import PsdCuts

MAX_PLANES = 60
MAX_CUT_ROUNDS = 60
MAX_FULL_CHECKS = 12


class PlaneBundle:
    """The latest planes, the lower bound and, with positive weights, the plane that proves it."""

    def __init__(self, domain: Domain, cuts: PsdCuts | None) -> None:
        self.domain, self.cuts = domain, cuts
        self.planes: list[Plane] = []
        self.lower = -np.inf
        self.proof: Plane | None = None
        self.n_programs = 0

    def add(self, plane: Plane) -> None:
        """Keep a plane for the model."""
        if np.isfinite(plane.constant):
            self.planes.append(plane)
        del self.planes[:-MAX_PLANES]

    def raise_by(self, plane: Plane, upper: float, enough: float, predicted: float) -> None:
        """Bound by one plane; with free signs, refine the cuts where the bound is attained.

        `upper` is the best value, `enough` the gap to it that needs no narrowing, and `predicted`
        what the model promises.
        """
        if self.cuts is None:
            self._bound_by(plane)
            return
        if plane.constant == -np.inf:
            return
        g, noise = in_coordinates(plane, self.domain)
        constant = plane.constant - free_noise(noise, plane, self.domain)
        previous, full_checks = -np.inf, MAX_FULL_CHECKS
        for _ in range(MAX_CUT_ROUNDS):
            minimum, x = linear_minimum(g, self.domain)
            self.n_programs += 1
            self.lower = max(self.lower, constant + minimum)
            gap = upper - self.lower
            if gap <= enough:
                return
            if not self.cuts.cut_in_subspace(x):
                # A look at the whole matrix is dear: only if it is the bound that lags behind.
                if upper - predicted > 0.3 * gap or full_checks == 0:
                    return
                full_checks -= 1
                if not self.cuts.cut_in_full(x):
                    return
            elif minimum - previous < 0.03 * gap:
                # Far from the solution, the last digits of a bound are not worth their price.
                return
            previous = minimum

    def raise_by_mixture(self, minimum: ModelMinimum) -> None:
        """The planes weighted by their multipliers make one plane, and one more bound.

        It is no higher than the planes are at the model's minimum, and one plane alone is known.
        """
        shares = minimum.shares
        known = self.cuts is None and np.count_nonzero(shares) == 1
        if len(shares) == 1 or not shares.any() or known or minimum.height <= self.lower:
            return
        self._bound_by(Plane.mixture(shares, self.planes))

    def _bound_by(self, plane: Plane) -> None:
        bound = lower_bound(plane, self.domain)
        if bound > self.lower:
            self.lower, self.proof = bound, plane
