"""The few kernels of a family that may have weight, as factors through shared landmarks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kernlearn.families.factor_rows import FactorRows
from kernlearn.families.factors import Factors
from kernlearn.families.landmark_pool import LandmarkPool
from kernlearn.gram.landmarks import NystroemMap
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.core.problem import Control, Proof, WeightSet
from kernlearn.solvers.engine.statement import Statement
from kernlearn.solvers.nystroem.certificate import LowRankSolution
from kernlearn.solvers.nystroem.moments import moments_by_fold
from kernlearn.solvers.nystroem.proximal import respond, with_sum
from kernlearn.solvers.nystroem.rank import FactorLimits
from kernlearn.solvers.nystroem.weight_search import learn_least_squares, learn_machines
from kernlearn.solvers.weights.column_master import Master
from kernlearn.typing import Indices, Rows

LARGEST = 1000  # kernels at most: Newton's method works on matrices of their number


class FactorMaster(Master):
    """The maps to the factors of the active kernels, and the solvers through factors."""

    def __init__(
        self,
        pool: LandmarkPool,  # all kernels
        source: Rows,  # the rows, where they are worked on
        statement: Statement,  # what is to be learned
        limits: FactorLimits,  # how much is kept in memory
    ) -> None:
        most = int(limits.wide_room(source) / (pool.n_points * len(pool.landmarks)))
        super().__init__(min(max(most, 2), LARGEST, pool.n_matrices))
        self.pool, self.source, self.limits = pool, source, limits
        self.settings = statement.settings
        self.machines, self.Y = (
            statement.machines(self.settings),
            np.column_stack(statement.targets),
        )
        self.least_squares = statement.quality == "least_squares"
        self.maps: list[NystroemMap] = []
        self._last: LowRankSolution | None = None

    def first(self, size: float) -> Proof:
        """Those of machines that see every point alone, brought to the sum that they must have."""
        coefs = []
        for machine in self.machines:
            answer = respond(machine, machine.linear, np.zeros(machine.n_points), size)
            inside = answer.theta > 0
            coefs.append(with_sum(machine, answer.a, inside, float(machine.rhs[0])))
        return Proof(np.ones(1), np.array(coefs)[None], 0.0)

    def solve(self, weight_set: WeightSet, control: Control) -> tuple[LowRankSolution, Proof]:
        """The best weights of the active kernels, and what proves their bound."""
        factors = Factors(self.maps)
        if self.least_squares and self.limits.has_moments(self.pool.n_points, factors.n_columns):
            return self._by_moments(factors, weight_set, control)
        rows = FactorRows(self.source, factors, keep=True)
        exact = self.pool.traces[self.active]
        with threads_for(rows.n_rows):
            found = learn_machines(
                rows, self.machines, np.array([exact, exact]), weight_set, control, self._last
            )
        self._last = replace(found, proof=None)
        if found.proof is not None:
            return found, found.proof
        coefs = np.atleast_2d(np.asarray(found.dual_coef))
        return found, Proof(np.ones(1), coefs[None], 0.0)

    def _by_moments(
        self, factors: Factors, weight_set: WeightSet, control: Control
    ) -> tuple[LowRankSolution, Proof]:
        """Least squares, whose coefficients are its residuals."""
        theta, ridge = self.settings.sample_weight, 1.0 / self.settings.C
        together = np.zeros(len(self.Y), dtype=np.intp)
        with threads_for(factors.n_columns):
            moments = moments_by_fold(self.source, factors, self.Y, theta, together)[0]
            found = learn_least_squares(moments, factors, ridge, weight_set, control)
        rows = FactorRows(self.source, factors, keep=False)
        proof = found.proof
        shares = np.ones(1) if proof is None else proof.shares
        columns = [found.coef] if proof is None else [parts[0] for parts in proof.coefs]
        coefs = []
        for left in (self.Y - rows.times(u) for u in columns):
            left -= np.average(left, axis=0, weights=theta)  # so that coefficients sum to zero
            coefs.append((theta[:, None] * left).T / ridge)
        return found, Proof(shares, np.array(coefs), 0.0)

    def _add(self, i: int) -> None:
        self.maps.append(self.pool.map(i))

    def _keep(self, places: Indices) -> None:
        self.maps = [self.maps[place] for place in places]
