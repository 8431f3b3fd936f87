r"""Predictions beyond the range of the training rows: a linear function carries them on.

Outside of the range of a column, kernel machines return to a constant or diverge, and predictions
are limited to the range of the targets, so that a linear law is lost. If a ridge regression L
explains nine tenths of what the mixture m explains on held-out rows, and held-out rows that lie
outside of the ranges of the others do not speak against it, the prediction outside is

.. math:: L(x) + \frac1s \sum_{i=1}^{s} \bigl(m(x^{(i)}) - L(x^{(i)})\bigr) ,

where :math:`x^{(i)}` has the cells of the i-th of a few training rows in the columns that are out
of range, and those of x in all others. So the columns within their range keep their nonlinear
effects, a season for example, and the columns outside have linear ones. The transition is gradual:
up to a tenth of the range beyond its ends, the correction at the nearest row within counts, too.
No correction is beyond those of held-out rows: if columns depend on each other, as the points of
a spectrum do, cells of two rows side by side are no row, and the mixture may give anything there.

A cell that is out by more than its column's range may be a mistake. The step to such a row is
shrunk as James and Stein do, by one minus v over its square, zero at least, where v is the growth
of the variance of L on the way: a slope that is no larger than its error then has no effect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kernlearn.estimators.mixture.candidates.choice import CandidateChoice
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.registry import LINEAR
from kernlearn.estimators.mixture.preparation.outside_rows import distances_beyond_range
from kernlearn.estimators.mixture.preparation.table import STANDARD, AnyPreparation, Preparation
from kernlearn.numerics.rounding import first_least
from kernlearn.quality.predictive import SquaredLoss
from kernlearn.typing import Array, Indices, Mask, Rows

# In units of a column's range, beyond either end: where the linear function begins to count, and
# from where on it counts alone.
NEAR, FAR = 0.02, 0.1
# In the same units: from where on a step must be certain, fully so one range further.
DOUBTED = 1.0
# The linear function carries the prediction if it explains this share of what the mixture does.
_CARRIES = 0.9
# Held-out rows outside of the ranges of the others have errors that are this many times as large.
_WORSE = 1.5
# Errors below this part of the variance are none.
_NOTHING = 1e-3
# λ, relative to the mean variance of a prepared column times the number of rows.
_RIDGES = np.logspace(-6.0, 2.0, 17)
# With more columns, the linear function would cost too much.
_MOST_COLUMNS = 250
# Training rows over which columns out of range are averaged.
_EXAMPLES = 8
# Parts that are held out where the problem has one fold, whose other rows are not at hand.
_PARTS = 5
TINY = float(np.finfo(float).tiny)


@dataclass(frozen=True, eq=False)
class LinearExtrapolation:
    """A linear function, and training rows for the columns that are out of range."""

    coef: Array  # slopes of the standardised columns, of shape (p, k)
    intercept: Array  # of shape (k,)
    centre: Array  # mean c of the standardised columns, of shape (p,)
    errors: Array  # E, with which L(x) has the variance noise · |(x − c)E|², of shape (p, p)
    noise: Array  # mean squared error of held-out rows, of shape (k,)
    examples: dict[str, Array]  # some training rows, in the prepared tables
    ends: dict[str, Array]  # least and largest cells of these tables, of shape (2, p)
    corrections: Array  # least and largest of held-out rows, of shape (2, k)
    # For each column of these tables, the standardised one that it is; −1 for a mean of targets.
    columns: dict[str, Indices]
    zero: Array | None  # where zero lies, if no target is below it; of shape (k,)

    @classmethod
    def fit(
        cls,
        problem: CandidateProblem,
        preparation: Preparation,
        held_out: Array,
        zero: Array | None,
    ) -> LinearExtrapolation | None:
        """Fit to rows and their held-out predictions by the mixture.

        None if the table is sparse, wide or constant, or if a linear function explains clearly less
        than the mixture.
        """
        tables = {
            name: table for name, table in problem.tables.items() if isinstance(table, np.ndarray)
        }
        if not tables or tables[STANDARD].shape[1] > _MOST_COLUMNS:
            return None
        X, Y, weight = tables[STANDARD], problem.Y, problem.weight
        if not X.any():
            return None
        ridges = _RIDGES * float(weight @ (X**2).mean(axis=1))
        predictions, outside = np.empty((len(ridges), *Y.shape)), np.zeros(len(Y), dtype=bool)
        for fold in _folds(problem):
            others = np.setdiff1d(np.arange(len(Y)), fold)
            if len(others) < 2:
                return None
            coefs, intercepts = _ridge_path(X[others], Y[others], weight[others], ridges)
            predictions[:, fold] = X[fold] @ coefs + intercepts
            low, high = X[others].min(axis=0), X[others].max(axis=0)
            outside[fold] = (distances_beyond_range(X[fold], low, high) > NEAR).any(axis=1)
        losses = np.einsum("i,sik->si", weight, (Y - predictions) ** 2)
        best = first_least(losses.sum(axis=1))
        mixed = weight * ((Y - held_out) ** 2).sum(axis=1)
        mean = np.average(Y, axis=0, weights=weight)
        if not _carries(losses[best], mixed, weight * ((Y - mean) ** 2).sum(axis=1), outside):
            return None
        (coef,), (intercept,) = _ridge_path(X, Y, weight, ridges[best : best + 1])
        order = np.argsort((X @ coef)[:, 0], kind="stable")
        places = np.unique(np.linspace(0, len(X) - 1, _EXAMPLES + 2).astype(int)[1:-1])
        some = order[places]
        examples = {name: table[some] for name, table in tables.items()}
        ends = {name: np.stack([one.min(axis=0), one.max(axis=0)]) for name, one in tables.items()}
        columns = {name: preparation.standard_columns(name) for name in tables}
        corrections = held_out - predictions[best]
        limits = np.stack([corrections.min(axis=0), corrections.max(axis=0)])
        noise = np.average((Y - predictions[best]) ** 2, axis=0, weights=weight)
        function = coef, intercept[0], *_errors(X, weight, ridges[best]), noise
        return cls(*function, examples, ends, limits, columns, zero)

    def __call__(
        self,
        tables: Mapping[str, Array],
        beyond: Array,
        values: Array,
        mixture: Callable[[dict[str, Array]], Array],
    ) -> Array:
        """The change of the mixture's predictions for the rows of prepared tables.

        `beyond` holds the distances of their cells out of range, and `mixture` predicts other rows.
        """
        rows = np.flatnonzero((beyond > NEAR).any(axis=1))
        if not len(rows):
            return np.zeros_like(values)
        some = {name: each[rows] for name, each in tables.items()}

        def correction(cells: Mapping[str, Array]) -> Array:
            within = {
                name: np.where(self.outside(name, beyond[rows]), cells[name], some[name])
                for name in some
            }
            found = mixture(within) - self._linear(within[STANDARD])
            return np.clip(found, *self.corrections)

        examples = [
            {name: each[i] for name, each in self.examples.items()} for i in range(len(self))
        ]
        averaged = np.mean([correction(cells) for cells in examples], axis=0)
        nearest = {name: np.clip(each, *self.ends[name]) for name, each in some.items()}
        furthest = beyond[rows].max(axis=1, keepdims=True)
        share = np.clip((furthest - NEAR) / (FAR - NEAR), 0.0, 1.0)
        found = share * averaged + (1.0 - share) * correction(nearest)
        found += self._linear(nearest[STANDARD])
        doubt = np.clip(furthest - DOUBTED, 0.0, 1.0)
        found += self._step(nearest[STANDARD], some[STANDARD], doubt)
        change = np.zeros_like(values)
        change[rows] = (found if self.zero is None else np.maximum(found, self.zero)) - values[rows]
        return change

    def _step(self, near: Array, X: Array, doubt: Array) -> Array:
        """The step of L from rows to others; if in doubt, as far as it is certain."""
        step = (X - near) @ self.coef
        sizes = [(((each - self.centre) @ self.errors) ** 2).sum(axis=1) for each in (near, X)]
        variance = doubt * np.maximum(sizes[1] - sizes[0], 0.0)[:, None] * self.noise
        return np.asarray(step * np.maximum(1.0 - variance / np.maximum(step**2, TINY), 0.0))

    def outside(self, name: str, beyond: Array) -> Mask:
        """Mask of the cells of a prepared table that are out of range, but for means of targets."""
        columns = self.columns[name]
        return (beyond[:, np.maximum(columns, 0)] > 0.0) & (columns >= 0)

    def __len__(self) -> int:
        return len(self.examples[STANDARD])

    def _linear(self, X: Array) -> Array:
        return np.asarray(X @ self.coef + self.intercept)


def linear_beyond(
    problem: CandidateProblem,
    choice: CandidateChoice,
    preparation: AnyPreparation,
    held_out: Array,
) -> LinearExtrapolation | None:
    """The linear function for rows beyond the training rows; None if none carries predictions."""
    is_tried = any(family.name == LINEAR for family in choice.families)
    if not (isinstance(preparation, Preparation) and isinstance(problem.loss, SquaredLoss)):
        return None
    if not is_tried:
        return None
    limits = problem.loss.limits
    zero = None if limits is None else limits.zero
    return LinearExtrapolation.fit(problem, preparation, held_out, zero)


def _folds(problem: CandidateProblem) -> Sequence[Indices]:
    """The folds of the problem; parts of its rows if it has one fold, which are all of them."""
    if len(problem.folds) > 1:
        return problem.folds
    codes = np.arange(len(problem.Y)) if problem.groups is None else problem.groups
    parts = np.unique(codes, return_inverse=True)[1].reshape(-1) % _PARTS
    return [np.flatnonzero(parts == part) for part in range(min(_PARTS, int(parts.max()) + 1))]


def _carries(linear: Array, mixed: Array, total: Array, outside: Mask) -> bool:
    """Whether a linear function carries the prediction, from squared errors of held-out rows.

    On rows outside of the training ranges, its errors must not exceed both its usual errors and
    those of the mixture.
    """
    explained = _CARRIES * (total - mixed).sum()
    if not 0.0 < explained <= (total - linear).sum():
        return False
    usual = max(_WORSE * linear.mean(), _NOTHING * total.mean())
    return bool(linear[outside].sum() <= max(usual * outside.sum(), mixed[outside].sum()))


def beyond_training(
    extrapolation: LinearExtrapolation | None,
    tables: Mapping[str, Rows],
    beyond: Array,
    values: Array,
    mixture: Callable[[dict[str, Rows]], Array],
) -> Array:
    """The change of predictions; zero without a linear function."""
    if extrapolation is None:
        return np.zeros_like(values)
    return extrapolation(tables, beyond, values, mixture)


def _ridge_path(X: Array, Y: Array, weight: Array, ridges: Array) -> tuple[Array, Array]:
    """Slopes of shape (s, p, k) and intercepts of shape (s, 1, k) for every ridge."""
    offset = weight @ Y / weight.sum()
    mean, values, vectors = _spectrum(X, weight)
    moments = vectors.T @ ((weight[:, None] * (X - mean)).T @ (Y - offset))
    coefs = vectors @ (moments / (values[:, None] + ridges[:, None, None]))
    return coefs, (offset - mean @ coefs)[:, None]


def _errors(X: Array, weight: Array, ridge: float) -> tuple[Array, Array]:
    """The centre, and E: for noise of variance one, E Eᵀ is the covariance of the slopes."""
    centre, values, vectors = _spectrum(X, weight)
    return centre, vectors / np.sqrt(values + ridge)


def _spectrum(X: Array, weight: Array) -> tuple[Array, Array, Array]:
    """The mean of rows, and the eigenvalues and eigenvectors of the scatter around it."""
    mean = weight @ X / weight.sum()
    values, vectors = np.linalg.eigh((weight[:, None] * (X - mean)).T @ (X - mean))
    return mean, np.maximum(values, 0.0), vectors
