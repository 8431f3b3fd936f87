"""A member of a mixture: a machine at a fixed kernel and λ, exact or through landmarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernlearn._device import Place, Placed
from kernlearn.estimators.mixture.candidates.margin import solve_margin
from kernlearn.estimators.mixture.preparation.table import NumericRows, RowSource
from kernlearn.estimators.mkl.low_rank import landmark_values
from kernlearn.families.factors import Factors
from kernlearn.gram.landmarks import Landmarks
from kernlearn.kernels import Kernel
from kernlearn.quality.logarithms import Exponentials
from kernlearn.quality.predictive import Link
from kernlearn.solvers.machine.least_squares import CentredMatrix, solve_separable
from kernlearn.solvers.nystroem.moments import moments_by_fold, trained
from kernlearn.typing import Array, Indices


@dataclass(frozen=True, eq=False)
class KernelMachine:
    """Kernel values with some points, times coefficients, plus an intercept."""

    table: str  # the prepared table that it reads
    kernel: Kernel  # its kernel
    lam: float  # λ
    # Training rows or landmarks, of shape (m, p); None for a kernel of sparse features.
    points: NumericRows | None
    # Coefficients of the kernel values with the points, or of the sparse features, of shape (m,
    # k).
    coef: Array
    intercept: Array  # b, of shape (k,)
    has_margin: bool = False  # whether it has a soft margin; else it is one of least squares
    # The link of its values, if they are numbers or of several classes.
    link: Link | None = None

    @classmethod
    def trained(
        cls,
        table: str,
        kernel: Kernel,
        lam: float,
        X: NumericRows,
        Y: Array,
        weight: Array,
        has_margin: bool = False,
        outputs: Array | None = None,
    ) -> KernelMachine:
        """Train on the kernel matrix of all rows; inputs are checked.

        `outputs` is a kernel over the targets, of shape (k, k); without, each is by itself.
        """
        if has_margin:
            coef, intercept = solve_margin(kernel(X), Y, lam, weight)
            used = np.flatnonzero(coef.any(axis=1))
            # Rows of one class need no points, but kernels take one at least.
            used = used if len(used) else np.arange(1)
            return cls(table, kernel, lam, X[used], coef[used], intercept, True)
        coef, intercept = fitted_to_gram(kernel(X), Y, lam, weight, outputs)
        return cls(table, kernel, lam, X, coef, intercept)._through_features()

    @classmethod
    def trained_on_parts(
        cls,
        table: str,
        kernel: Kernel,
        X: NumericRows,
        Y: Array,
        weight: Array,
        parts: Sequence[Indices],
        lam: float,
        has_margin: bool = False,
        outputs: Array | None = None,
    ) -> KernelMachine:
        """Train on each part of the rows; the outputs of all machines are side by side."""
        K, n_outputs = kernel(X), Y.shape[1]
        coef, intercept = (
            np.zeros((len(Y), len(parts), n_outputs)),
            np.empty((len(parts), n_outputs)),
        )
        for number, rows in enumerate(parts):
            within, of_part = K[np.ix_(rows, rows)], (Y[rows], lam, weight[rows])
            coef[rows, number], intercept[number] = (
                solve_margin(within, *of_part)
                if has_margin
                else fitted_to_gram(within, *of_part, outputs)
            )
        flat = coef.reshape(len(Y), -1), intercept.ravel()
        return cls(table, kernel, lam, X, *flat, has_margin)._through_features()

    @classmethod
    def through_landmarks(
        cls,
        table: str,
        kernel: Kernel,
        lam: float,
        source: RowSource,
        Y: Array,
        weight: Array,
        sample: NumericRows,
        n_landmarks: int,
        random_state: np.random.RandomState,
        place: Place | None = None,
    ) -> KernelMachine:
        """Train on all rows of a source, read in blocks; landmarks come from the sample."""
        size = min(n_landmarks, sample.shape[0])
        chosen = np.sort(random_state.choice(sample.shape[0], size, replace=False))
        marks = Landmarks(sample[chosen], chosen)
        factors = Factors([marks.map(kernel)])
        offset = np.average(Y, axis=0, weights=weight)
        rows = source if place is None else Placed(source, place)
        one_fold = np.zeros(len(Y), dtype=np.intp)
        (moments,) = moments_by_fold(rows, factors, Y - offset, weight, one_fold)
        found = trained(moments, factors.membership, np.ones(1), lam)
        assert found is not None  # a positive weight and a positive λ always have a machine
        intercept = moments.intercept(found) - factors.shift @ found + offset
        (coef,) = factors.expansion(found)
        points = factors.maps[0].points
        return cls(table, kernel, lam, points, coef, intercept)._through_features()

    def predict(self, X: NumericRows) -> Array:
        """Values of shape (n, k), after the link."""
        values = self.values(X)
        return values if self.link is None else self.link(values)

    def values(self, X: NumericRows) -> Array:
        """Values of shape (n, k), before the link."""
        return landmark_values([self.kernel], [self.points], [self.coef], X) + self.intercept

    def training_targets(self, Y: Array) -> Array:
        """Targets in the units that the machine learns."""
        return self.link.logarithms(Y) if isinstance(self.link, Exponentials) else Y

    def _through_features(self) -> KernelMachine:
        """The machine as a function of sparse features, if the kernel has them."""
        features = None if self.points is None else self.kernel.sparse_rows(self.points)
        if features is None:
            return self
        return replace(self, points=None, coef=features.transposed_times(self.coef))


def fitted_to_gram(
    K: Array, Y: Array, lam: float, weight: Array, outputs: Array | None = None
) -> tuple[Array, Array]:
    """Coefficients and intercepts of least squares; `outputs` is a kernel over the targets."""
    if outputs is not None:
        return solve_separable(K, Y, lam, weight, outputs)
    offset = np.average(Y, axis=0, weights=weight)
    coef, intercept = CentredMatrix.of(K).solve(Y - offset, lam / weight)
    return coef, intercept + offset
