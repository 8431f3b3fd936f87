r"""Uncertainty of the predictions of a mixture of least-squares machines.

A member is a weighted sum of its targets, :math:`f_j(x) = h_j(x)^\top y`, and without row i it
predicts :math:`f_j(x) - h_{ji}(x) r_{ji}` (:mod:`kernlearn.estimators.held_out.smoother`), so that
the mixture without row i is known at new points. The residuals at the rows themselves come from
folds, each predicted by kernels, machines and weights that were learned without it: with the
weights of all rows they would be smaller by 2 to 14 per cent (five tables), and intervals too
narrow.

The variance is the mixture of the members' variances, times the factor that fits the variance to
the held-out residuals, times that of Student's distribution, since n residuals determine the first
factor with an error: with n - 1 degrees of freedom, (n - 1) / (n - 3).

Intervals are wider where the variance is larger. A residual that comes from a row of standard
deviation :math:`\sigma_i` counts :math:`(\sigma(x) / \sigma_i)^{1/4}` times at x: between residuals
that are the same everywhere and residuals in proportion to :math:`\sigma`. Over 21 tables the
interval score is 3 per cent less than with the first, and the coverage the same. Larger powers have
smaller scores, but the coverage falls: with a half, on the imports85 table, from 89.5 to 88.0.
Ratios beyond ten count as ten: far from all rows the variance is that of the prior. Residuals are
also scaled by their size as a function of the columns
(:mod:`kernlearn.estimators.held_out.spread`), if the noise depends on some columns. The interval of
a new row then comes from the residuals whose sizes are most like its own, since the distribution of
scaled residuals may change with their size, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self
from weakref import WeakKeyDictionary

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from kernlearn.estimators.held_out.groups import blocks_of
from kernlearn.estimators.held_out.intervals import in_blocks, plus_interval, plus_quantile
from kernlearn.estimators.held_out.smoother import Smoother
from kernlearn.estimators.held_out.spread import ResidualSizes
from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.estimators.mixture.members import Members
from kernlearn.estimators.mixture.preparation.table import STANDARD
from kernlearn.quality.logarithms import Exponentials
from kernlearn.typing import Array, Indices

# The least variance, and the largest ratio of the variances of two rows by which a residual is
# rescaled.
_LEAST, _MOST = np.finfo(float).tiny, 100.0
# Power of ratios of variances: the fourth root of a ratio of standard deviations.
_POWER = 0.125
# Residuals that make the interval of a row: one in so many, and no fewer.
_ALIKE, _FEWEST_ALIKE = 5, 100
# Degrees of freedom of Student's distribution, which has a variance from three on.
_LEAST_FREEDOM = 3.0
# Rows of a sample that represents a larger table.
_SHRINKAGE_ROWS = 500
# Shrinkage factors and sizes of residuals by mixture, made from the members alone: they belong into
# no file.
_shrinkages: WeakKeyDictionary[Members, float] = WeakKeyDictionary()
_sizes: WeakKeyDictionary[Members, list[ResidualSizes | None]] = WeakKeyDictionary()

# Makes something of predictions, residuals and a level; and what holds two results of this kind.
AtLevel = Callable[[Array, Array, float], Array]
Outer = Callable[[Array, Array], Array]


@dataclass(frozen=True, eq=False)
class MemberUncertainty:
    """One member on the rows by which the mixture was judged."""

    machine: KernelMachine  # the member
    factor: float  # its weight
    rows: Array  # these rows, in its table, of shape (n, p)
    smoother: Smoother  # the machine of its kernel and ridge on these rows
    residuals: Array  # leave-one-out residuals of that machine, of shape (n, k)
    # Derivatives of the held-out predictions for these rows by the machine's values, of
    # shape (n, k).
    slopes: Array | float
    scale: Array  # the variance of a target in units of the kernel's, of shape (k,)

    @classmethod
    def of(cls, machine: KernelMachine, factor: float, members: Members) -> Self:
        """Factorise."""
        rows = members.tables[machine.table]
        smoother = Smoother.of(
            machine.kernel(rows), machine.lam / members.weight, blocks_of(members.groups)
        )
        targets = machine.training_targets(members.Y)
        dual_coef = smoother.inverse @ targets
        residuals = smoother.residuals(dual_coef)
        slopes = _slopes(machine, members.held_out)
        return cls(machine, factor, rows, smoother, residuals, slopes, smoother.scale(dual_coef))

    def variance(self, table: Array) -> Array:
        """The member's share of the variance of new observations, of shape (n_new, k)."""
        K_new, diagonal = self.machine.kernel(table, self.rows), self.machine.kernel.diag(table)
        variance = self.smoother.variance(K_new, diagonal) + self.machine.lam
        slopes = _slopes(self.machine, self.machine.predict(table))
        return self.factor * slopes**2 * np.outer(variance, self.scale)

    def held_out_variance(self) -> Array:
        """The member's share of the variance of each row, by the machine without it, (n, k)."""
        variance = np.outer(self.smoother.held_out_variance(), self.scale)
        return self.factor * self.slopes**2 * variance

    def without_each(self, table: Array) -> Array:
        """The member's share of predictions at new points without each row, (n_new, n, k)."""
        K_new = self.machine.kernel(table, self.rows)
        changes = self.smoother.left_out_changes(K_new, self.residuals)
        values = self.machine.values(table)[:, None] - changes
        link = self.machine.link
        return self.factor * (values if link is None else link(values))


def _slopes(machine: KernelMachine, predicted: Array) -> Array | float:
    """Derivatives of predictions by the machine's values."""
    link = machine.link
    return link.logarithms.slope(predicted) if isinstance(link, Exponentials) else 1.0


def left_out_subset(machine: KernelMachine, rows: Indices) -> Array:
    """Leave-one-out residuals of some of the rows that trained a machine, of weight one each."""
    K = machine.kernel(machine.points)
    means = K.mean(axis=0)
    K -= means + (means[:, None] - means.mean())
    K[np.diag_indices_from(K)] += machine.lam
    factor = cholesky(K, lower=True, overwrite_a=True, check_finite=False)
    units = np.zeros((len(factor), len(rows) + 1))
    units[rows, np.arange(len(rows))] = 1.0
    units[:, -1] = 1.0
    halves = solve_triangular(factor, units, lower=True, overwrite_b=True, check_finite=False)
    of_ones = halves[:, -1]
    diagonal = (halves[:, :-1] ** 2).sum(axis=0)
    diagonal -= (of_ones @ halves[:, :-1]) ** 2 / (of_ones @ of_ones)
    return np.asarray(machine.coef[rows] / diagonal[:, None])


@dataclass(frozen=True, eq=False)
class MixtureUncertainty:
    """Standard deviations and intervals of a mixture."""

    members: Members
    parts: list[MemberUncertainty]

    @classmethod
    def of(cls, members: Members) -> Self:
        """Factorise every member."""
        pairs = zip(members.machines, members.factors.tolist(), strict=True)
        return cls(
            members, [MemberUncertainty.of(machine, factor, members) for machine, factor in pairs]
        )

    def std(self, tables: Mapping[str, Array]) -> Array:
        """Standard deviations of new observations, of shape (n_new, k)."""
        residuals = self._shrinkage() * (self.members.observed - self.members.held_out)
        factor = (residuals**2 / self._held_out_variance()).mean(axis=0)
        groups = self.members.groups
        n_known = len(residuals) if groups is None else len(np.unique(groups))
        freedom = max(n_known - 1.0, _LEAST_FREEDOM)
        factor *= freedom / (freedom - 2.0)
        return np.asarray(np.sqrt(factor * self._in_blocks(tables, self._variance)))

    def interval(self, tables: Mapping[str, Array], coverage: float) -> Array:
        """Jackknife+ intervals of shape (n_new, k, 2)."""
        return self._without_each(tables, coverage, plus_interval, _hull)

    def quantile(self, tables: Mapping[str, Array], q: float) -> Array:
        """Quantiles of new targets, of shape (n_new, k)."""

        def compute(values: Array, residuals: Array, level: float) -> Array:
            return plus_quantile(values + residuals, level)

        return self._without_each(tables, q, compute, np.minimum if q < 0.5 else np.maximum)

    def _without_each(
        self, tables: Mapping[str, Array], level: float, compute: AtLevel, outer: Outer
    ) -> Array:
        """The result of `compute` for predictions without each row and for its residuals.

        Predictions and residuals at new points have shape (n_new, n), for every target in turn.
        """
        residuals = self._shrinkage() * (self.members.observed - self.members.held_out)
        variances = self._held_out_variance()
        flat = residuals / variances**_POWER
        table = STANDARD if STANDARD in self.members.tables else self.parts[0].machine.table
        sizes = self._residual_sizes(table, flat)

        def of_targets(some: dict[str, Array]) -> Array:
            parts = [part.without_each(some[part.machine.table]) for part in self.parts]
            values = np.sum(parts, axis=0)
            ratio = np.clip(self._variance(some)[:, None] / variances, 1.0 / _MOST, _MOST)
            scaled = ratio**_POWER * residuals
            targets = zip(np.moveaxis(values, 2, 0), np.moveaxis(scaled, 2, 0), sizes, strict=True)
            return np.stack(
                [
                    compute(v, r, level)
                    if found is None
                    else _from_similar_rows(v, r, found.ratios(some[table]), level, compute, outer)
                    for v, r, found in targets
                ],
                1,
            )

        return self._in_blocks(tables, of_targets)

    def _shrinkage(self) -> float:
        """The factor by which residuals shrink, since members are trained on more rows.

        The factor is the ratio of the medians of leave-one-out residuals with all rows, of which a
        sample is enough, and with the rows that judged the mixture. The factor is at most one.
        """
        if self.members not in _shrinkages:
            n, machines = len(self.members.Y), [part.machine for part in self.parts]
            sizes = {0 if one.points is None else one.points.shape[0] for one in machines}
            logged = any(isinstance(one.link, Exponentials) for one in machines)
            known = len(sizes) == 1 and max(sizes) > n and not logged
            found = 1.0
            known = known and self.members.outputs is None
            if known and np.ptp(self.members.weight) == 0.0 and self.members.groups is None:
                n_rows = min(max(sizes), _SHRINKAGE_ROWS)  # few, after an early end
                rows = np.random.RandomState(0).choice(max(sizes), n_rows, replace=False)
                all_rows = sum(
                    part.factor * left_out_subset(part.machine, rows) for part in self.parts
                )
                judged = sum(part.factor * part.residuals for part in self.parts)
                before = float(np.median(np.abs(judged)))
                found = min(float(np.median(np.abs(all_rows))) / before, 1.0) if before else 1.0
            _shrinkages[self.members] = found
        return _shrinkages[self.members]

    def _residual_sizes(self, table: str, residuals: Array) -> list[ResidualSizes | None]:
        """Sizes of residuals by the columns, for every target; None where they do not depend.

        A sparse table has none.
        """
        if self.members not in _sizes:
            rows, blocks = self.members.tables[table], blocks_of(self.members.groups)
            _sizes[self.members] = [
                ResidualSizes.fit(rows, column, blocks) if isinstance(rows, np.ndarray) else None
                for column in residuals.T
            ]
        return _sizes[self.members]

    def _variance(self, tables: Mapping[str, Array]) -> Array:
        """Variances of new observations up to the factor, of shape (n_new, k)."""
        parts = [part.variance(tables[part.machine.table]) for part in self.parts]
        return np.asarray(np.maximum(np.sum(parts, axis=0), _LEAST))

    def _held_out_variance(self) -> Array:
        """Variances of the rows that judged the mixture, up to the factor."""
        parts = [part.held_out_variance() for part in self.parts]
        return np.asarray(np.maximum(np.sum(parts, axis=0), _LEAST))

    def _in_blocks(
        self, tables: Mapping[str, Array], compute: Callable[[dict[str, Array]], Array]
    ) -> Array:
        n_new = next(iter(tables.values())).shape[0]
        return in_blocks(
            np.arange(n_new),
            len(self.members.Y) * self.members.Y.shape[1],
            lambda rows: compute({name: table[rows] for name, table in tables.items()}),
        )


def _from_similar_rows(
    values: Array, residuals: Array, ratios: Array, level: float, compute: AtLevel, outer: Outer
) -> Array:
    """The result of `compute` from the residuals whose sizes are most like that of a new row.

    A level that these residuals are too few for takes all residuals, and no less than theirs.
    """
    n = values.shape[1]
    count = max(_FEWEST_ALIKE, n // _ALIKE)
    scaled = ratios * residuals
    if count >= n:
        return compute(values, scaled, level)
    places = np.argpartition(np.abs(np.log(ratios)), count - 1, axis=1)[:, :count]
    near, alike = (np.take_along_axis(each, places, axis=1) for each in (values, scaled))
    reached = min(max(level, 1.0 / (count + 1)), count / (count + 1))
    found = compute(near, alike, reached)
    return found if reached == level else outer(found, compute(values, scaled, level))


def _hull(first: Array, second: Array) -> Array:
    """The least intervals that hold two intervals."""
    lower, upper = np.minimum(first, second), np.maximum(first, second)
    return np.column_stack([lower[:, 0], upper[:, 1]])
