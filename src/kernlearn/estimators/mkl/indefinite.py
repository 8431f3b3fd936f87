r"""Whether a kernel of free signs is positive semidefinite on rows that were not in the fit.

Weights of free signs are learned so that K(w) ⪰ 0 on the points given to ``fit``. On other rows
the same combination may have negative eigenvalues, and is then no kernel: the norm that the fit
kept small means nothing there.

The matrix of the training rows and the new rows together has to be positive semidefinite. Its Schur
complement, K(new, new) − K(new, old) K(old, old)⁻¹ K(old, new), has a negative eigenvalue just if
that matrix has one. A principal submatrix of some support vectors and some new rows needs no
inverse, and by interlacing its negative eigenvalues are witnesses for the whole. The largest and
the smallest are estimated by Lanczos steps, whose Ritz values never lie outside of the spectrum.
So the warning is never false, though a slightly indefinite kernel may go without it.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from kernlearn.gram.eigen import ritz_values
from kernlearn.gram.psd import PSD_TOLERANCE
from kernlearn.kernels import Kernel
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Rows

# Most new rows and most support vectors that are looked at, which takes milliseconds.
NEW, OLD = 200, 100
LANCZOS_STEPS = 30


class IndefiniteKernelWarning(UserWarning):
    """A kernel of free signs has a negative eigenvalue on rows that were not in the fit."""


def warn_if_indefinite(name: str, kernel: Kernel, rows: Rows, support: Rows) -> None:
    """Warn if the kernel is indefinite on new rows and support vectors, with the eigenvalue."""
    n_rows = _count(rows)
    new, old = _spread(n_rows, NEW), _spread(_count(support), OLD)
    rows, support = _safe_indexing(rows, new), _safe_indexing(support, old)
    cross = kernel(rows, support)
    K = np.block([[kernel(rows), cross], [cross.T, kernel(support)]])
    values = ritz_values(K, LANCZOS_STEPS)
    if not values[0] < -PSD_TOLERANCE * values[-1]:
        return
    warnings.warn(
        f"{name} expected a kernel that is positive semidefinite on the rows to predict, as "
        f"weights='free' made it on those of the fit, got a smallest eigenvalue of {values[0]:.3g} "
        f"or less (the largest is {values[-1]:.3g}) on {counted(len(new), 'row')} of {n_rows} and "
        f"{counted(len(old), 'support vector')}; call extend with these rows before predict, which "
        "learns the weights again with cuts, or use weights='positive'",
        IndefiniteKernelWarning,
        stacklevel=5,
    )


def _count(rows: Rows) -> int:
    shape = getattr(rows, "shape", None)
    return len(rows) if shape is None else int(shape[0])


def _spread(n: int, k: int) -> NDArray[np.intp]:
    """The numbers of k rows of n, evenly spread; all of them if there are no more."""
    return np.unique(np.linspace(0, n - 1, min(k, n)).astype(np.intp))
