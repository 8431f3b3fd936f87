r"""A check that a kernel of free signs is positive semidefinite on rows not in the fit.

Weights of free signs are learned so that K(w) ⪰ 0 on the points given to ``fit``. On other rows
the same combination may have negative eigenvalues, and is then no kernel: the norm that the fit
kept small means nothing there.

The matrix of the rows of the fit and the new rows together has to be positive semidefinite. Its
lowest eigenvalue is below −ε just if the Schur complement of the rows of the fit,

.. math::

    K_{nn} + \varepsilon I - K_{no} (K_{oo} + \varepsilon I)^{-1} K_{on},

has a negative one. Support vectors would not do: they carry the function, but K(w) ⪰ 0 on them
and the new rows leaves out rows that the weights are constrained on. The factor of the rows of the
fit is kept, so that a prediction costs a triangular solve. For a negative eigenvalue −σ with the
unit vector u, the vector of u and :math:`-(K_{oo} + \varepsilon I)^{-1} K_{on} u` has a Rayleigh
quotient below −ε, so the warning is never false. The eigenvalue that it names is the lower of this
quotient and of the Ritz values of some Lanczos steps, all of which lie within the spectrum.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_solve, eigh
from sklearn.utils import _safe_indexing

from kernlearn._device import lower_factor
from kernlearn.gram.eigen import ritz_values
from kernlearn.gram.psd import PSD_TOLERANCE
from kernlearn.kernels import Kernel
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array, Rows

# Most new rows and most rows of the fit that are looked at. The factor of the latter takes 8 MB.
NEW, OLD = 200, 1000
LANCZOS_STEPS = 30


class IndefiniteKernelWarning(UserWarning):
    """A kernel of free signs has a negative eigenvalue on rows that were not in the fit."""


class FittedKernel(NamedTuple):
    """The learned kernel on rows of the fit, factorised."""

    rows: Rows  # rows that are looked at
    n_fitted: int
    K: Array
    factor: Array | None  # of K + shift · I; None if that is not positive definite
    shift: float

    @classmethod
    def of(cls, kernel: Kernel, rows: Rows) -> FittedKernel:
        """The kernel on some rows of the fit, evenly spread, or on all rows."""
        n_fitted = _count(rows)
        rows = _safe_indexing(rows, _spread(n_fitted, OLD))
        K = kernel(rows)
        shift = PSD_TOLERANCE * max(float(ritz_values(K, LANCZOS_STEPS)[-1]), 1e-300)
        try:
            factor = np.asarray(lower_factor(K + shift * np.eye(len(K))))
        except LinAlgError:
            factor = None
        return cls(rows, n_fitted, K, factor, shift)

    def lowest(self, kernel: Kernel, new: Rows) -> tuple[float, float] | None:
        """Ends of the spectrum on these rows and the new ones; None if the lower is no less than 0.

        The lower end is that or less, the upper end that or more.
        """
        cross, K = kernel(new, self.rows), kernel(new)
        quotient = -np.inf
        if self.factor is not None:
            solved = cho_solve((self.factor, True), cross.T, check_finite=False)
            rest = K + self.shift * np.eye(len(K)) - cross @ solved
            values, vectors = eigh(0.5 * (rest + rest.T), subset_by_index=[0, 0])
            if values[0] >= 0.0:
                return None
            length = 1.0 + float(np.sum(np.square(solved @ vectors)))
            quotient = float(values[0]) / length - self.shift
        whole = np.block([[K, cross], [cross.T, self.K]])
        ritz = ritz_values(whole, LANCZOS_STEPS)
        lowest = float(ritz[0]) if np.isinf(quotient) else min(quotient, float(ritz[0]))
        return (lowest, float(ritz[-1])) if lowest < -PSD_TOLERANCE * ritz[-1] else None


def warn_if_indefinite(name: str, kernel: Kernel, rows: Rows, fitted: FittedKernel) -> None:
    """Warn if the kernel is indefinite on new rows and those of the fit, with the eigenvalue."""
    n_rows, n_old = _count(rows), _count(fitted.rows)
    new = _spread(n_rows, NEW)
    ends = fitted.lowest(kernel, _safe_indexing(rows, new))
    if ends is None:
        return
    warnings.warn(
        f"{name} expected a kernel that is positive semidefinite on the rows to predict, as "
        f"weights='free' made it on those of the fit, got a smallest eigenvalue of {ends[0]:.3g} "
        f"or less (the largest is {ends[1]:.3g}) on {counted(len(new), 'row')} of {n_rows} and "
        f"{n_old} of {counted(fitted.n_fitted, 'row')} of the fit; call extend with these rows "
        "before predict, which learns the weights again with cuts, or use weights='positive'",
        IndefiniteKernelWarning,
        stacklevel=5,
    )


def _count(rows: Rows) -> int:
    shape = getattr(rows, "shape", None)
    return len(rows) if shape is None else int(shape[0])


def _spread(n: int, k: int) -> NDArray[np.intp]:
    """The numbers of k rows of n, evenly spread; all of them if there are no more."""
    return np.unique(np.linspace(0, n - 1, min(k, n)).astype(np.intp))
