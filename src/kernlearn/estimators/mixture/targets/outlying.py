r"""Targets that are far off: Huber's loss through machines of least squares.

Huber's loss with the scale s has its minimum where least squares has it for the pseudo-targets

.. math:: y^*_i = f(x_i) + \max\bigl(-ks, \min(ks,\; y_i - f(x_i))\bigr) ,

so that a machine of least squares, trained again and again on the pseudo-targets of the one before,
converges to the machine of Huber's loss (Huber 1981, section 7.8). Here f are leave-one-out
predictions, which a row's own target does not pull, and s comes from the median of their absolute
residuals.

Most tables have no such targets. Pseudo-targets are tried if most of the squared held-out error
belongs to few rows, and kept if Huber's loss on held-out rows falls clearly. Skewed targets have a
mean that is not their median, and the mean is asked for. So outlying targets must stand apart from
all others, or lie on both sides, and then squared error must not grow either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernlearn.estimators.mixture.candidates.registry import FAMILIES
from kernlearn.kernels import Kernel, Linear
from kernlearn.quality.ridge_path import RidgePath
from kernlearn.solvers.machine.least_squares import CentredMatrix
from kernlearn.typing import Array, Indices

# Residuals beyond k times their scale are outlying to Huber's loss.
_USUAL = 1.7
# Residuals beyond this many times their scale are far off, and so are targets if these residuals
# have more than a part of the squared error.
_FAR, _PART = 5.0, 0.5
# The median of absolute normal residuals, in units of their standard deviation.
_MEDIAN = 0.6745
# λ of the pilot, relative to the mean variance that its kernel gives to a row.
_RIDGES = np.logspace(-4.0, 2.0, 9)
_GAUSSIANS = (0.1, 1.0)
# Iterations of the pseudo-targets of the pilot.
_STEPS = 12
# Outlying residuals stand apart if few lie between the last bound and this one.
_APART, _BETWEEN = 20.0, 0.25
# Residuals of n rows that lie on either side by chance differ by this many times √n in number.
_ONE_SIDED = 1.7
# The pilot ends once the scale of its residuals changes by less than this part.
_SAME = 0.01
# Huber's loss must fall to this part, and by this number of standard errors. Squared error, which
# few rows rule, must not grow by more standard errors than the last number.
_CLEAR, _ERRORS, _GROWN = 0.97, 3.0, 1.5


def has_outliers(residuals: Array) -> bool:
    """Whether few rows have most of the squared error of a target, from residuals (n, k).

    >>> r = np.random.default_rng(0).normal(size=(200, 1))
    >>> has_outliers(r), has_outliers(np.where(np.arange(200)[:, None] < 10, 30.0, r))
    (False, True)
    """
    scale = robust_scale(residuals)
    squares = residuals**2
    far = np.where(np.abs(residuals) > _FAR * scale, squares, 0.0).sum(axis=0)
    return bool((far > _PART * squares.sum(axis=0)).any())


def robust_scale(residuals: Array) -> Array:
    """The standard deviation of normal residuals with the same median size, of shape (k,)."""
    return np.asarray(np.median(np.abs(residuals), axis=0) / _MEDIAN)


def is_better(robust: Array, usual: Array, weight: Array) -> bool:
    """Whether residuals of shape (n, k) are clearly smaller, judged by a loss that outliers bound.

    The scale is that of the robust residuals.
    """
    scale = robust_scale(robust)
    if not (scale > 0.0).all():
        return False
    losses = [_huber(residuals / scale) for residuals in (robust, usual)]
    squares = [((residuals / scale) ** 2).sum(axis=1) for residuals in (robust, usual)]
    share = weight / weight.sum()
    falls = float(share @ losses[0]) < _CLEAR * float(share @ losses[1])
    if not (falls and _errors(losses[1] - losses[0], share) > _ERRORS):
        return False
    far, apart = ((np.abs(robust) > bound * scale).sum() for bound in (_FAR, _APART))
    if far - apart < _BETWEEN * apart:
        return True
    sides = np.sign(robust) * (np.abs(robust) > _FAR * scale)
    is_skewed = abs(sides.sum()) > _ONE_SIDED * np.sqrt(far)
    return not is_skewed and _errors(squares[1] - squares[0], share) > -_GROWN


def _huber(residuals: Array) -> Array:
    size = np.abs(residuals)
    return np.asarray(np.where(size <= _USUAL, size**2, _USUAL * (2.0 * size - _USUAL)).sum(axis=1))


def _errors(gain: Array, share: Array) -> float:
    """A mean in units of its standard error."""
    mean = float(share @ gain)
    error = float(np.sqrt(share**2 @ (gain - mean) ** 2))
    return mean / error if error > 0.0 else 0.0


def pseudo_targets(
    X: Array,
    Y: Array,
    weight: Array,
    blocks: Sequence[Indices],
    random_state: np.random.RandomState,
    n_rows: int = 500,
) -> Array | None:
    """Targets (n, k) in which outlying ones are pulled in; None if pseudo-targets do not help.

    A pilot machine on at most `n_rows` rows, linear or Gaussian, finds them. `blocks` are rows that
    are left out together.
    """
    rows = np.arange(len(Y))
    if len(Y) > n_rows:
        rows = np.sort(random_state.choice(len(Y), n_rows, replace=False))
    pilots = [
        _Pilot.of(kernel, X[rows], Y[rows], weight[rows], _within(blocks, rows))
        for kernel in _kernels(X[rows])
    ]
    usual = min((one.least_squares() for one in pilots), key=_total(weight[rows]))
    fits = [(*one.huber(), one) for one in pilots]
    residuals, lam, pilot = min(fits, key=lambda one: float(robust_scale(one[0]).sum()))
    if not is_better(residuals, usual, weight[rows]):
        return None
    scale, pulled = _USUAL * robust_scale(residuals), Y.copy()
    pulled[rows] -= residuals - np.clip(residuals, -scale, scale)
    others = np.setdiff1d(np.arange(len(Y)), rows)
    if len(others):
        left = Y[others] - pilot.predict(X[others], pulled[rows], lam)
        pulled[others] -= left - np.clip(left, -scale, scale)
    return np.clip(pulled, Y.min(axis=0), Y.max(axis=0))


def _kernels(X: Array) -> list[Kernel]:
    gaussian = FAMILIES["Gaussian"].kernel
    assert gaussian is not None
    return [Linear(), *(gaussian(X, width) for width in _GAUSSIANS)]


def _within(blocks: Sequence[Indices], rows: Indices) -> list[Indices]:
    """The parts of blocks among some rows, if a part has more than one row."""
    kept = (np.searchsorted(rows, np.intersect1d(block, rows)) for block in blocks)
    return [block for block in kept if len(block) > 1]


def _total(weight: Array) -> Callable[[Array], float]:
    return lambda residuals: float(weight @ (residuals**2).sum(axis=1))


@dataclass(frozen=True, eq=False)
class _Pilot:
    """A machine at one kernel, for targets that may be replaced."""

    kernel: Kernel
    path: RidgePath
    rows: Array  # of shape (n, p)
    Y: Array  # of shape (n, k)
    weight: Array  # of shape (n,)
    blocks: Sequence[Indices]  # rows that are left out together

    @classmethod
    def of(
        cls, kernel: Kernel, X: Array, Y: Array, weight: Array, blocks: Sequence[Indices]
    ) -> _Pilot:
        """Decompose the kernel's matrix."""
        return cls(kernel, RidgePath.of(kernel(X), Y, weight), X, Y, weight, blocks)

    def least_squares(self) -> Array:
        """Leave-one-out residuals of least squares, at the best λ."""
        tried = [self.path.residuals(lam, self.blocks) for lam in self._ridges]
        return min(tried, key=_total(self.weight))

    def huber(self) -> tuple[Array, float]:
        """Leave-one-out residuals of Huber's loss at the best λ, and this λ."""
        middle = np.median(self.Y, axis=0)
        residuals = self.Y - middle
        lam = float(self._ridges[-1])
        for _ in range(_STEPS):
            scale = robust_scale(residuals)
            if not (scale > 0.0).all():  # half of the targets or more are the same
                break
            far = residuals - np.clip(residuals, -_USUAL * scale, _USUAL * scale)
            path, tried = self._with(self.Y - far), []
            for lam in self._ridges.tolist():
                left = path.residuals(lam, self.blocks) + far
                tried.append((float(self.weight @ _huber(left / scale)), lam, left))
            _, lam, residuals = min(tried, key=lambda one: one[0])
            if np.allclose(robust_scale(residuals), scale, rtol=_SAME):
                break
        return residuals, lam

    def predict(self, X: Array, Y: Array, lam: float) -> Array:
        """Predictions for other rows by the machine of some targets."""
        matrix = CentredMatrix.of(self.kernel(self.rows))
        coef, intercept = matrix.solve(Y, lam / self.weight)
        return np.asarray(self.kernel(X, self.rows) @ coef + intercept)

    @property
    def _ridges(self) -> Array:
        return np.asarray(_RIDGES * float(self.path.values.mean()))

    def _with(self, Y: Array) -> RidgePath:
        offset = np.average(Y, axis=0, weights=self.weight)
        projected = self.path.vectors.T @ (self.path.root[:, None] * (Y - offset))
        return replace(self.path, projected=projected)
