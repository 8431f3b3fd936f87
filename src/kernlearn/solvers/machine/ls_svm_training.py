"""Train a least-squares machine with one λ, raised where it would be lost in rounding."""

from __future__ import annotations

import numpy as np

from kernlearn.quality.ls_svm import LSSVMFit, fit_ls_svm
from kernlearn.typing import Array

# A raised λ is made no smaller than it has to be by its own rounding.
_SAFE = 1.0 + 4.0 * np.finfo(float).eps


def train_ls_svm(K: Array, Y: Array, lam: float, weight: Array) -> tuple[float, LSSVMFit]:
    """Return λ as it was used, and the machine; inputs are checked.

    `fit_ls_svm` raises the entries λ/s_i of the ridge that cannot be told from none. With unequal
    weights s what is left belongs to no λ, so λ itself is raised until all of them can be told.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.solvers.machine.ls_svm_training import train_ls_svm
    >>> Y, weight = np.array([[1.0], [-1.0]]), np.array([1.0, 4.0])
    >>> train_ls_svm(np.eye(2), Y, 0.5, weight)[0]
    0.5
    >>> lam, fit = train_ls_svm(np.ones((2, 2)), Y, 1e-30, weight)
    >>> round(float(lam) / 4e-12, 6), bool(np.all(fit.ridge == lam / weight))
    (1.0, True)
    """
    while True:
        ridge = lam / weight
        fit = fit_ls_svm(K, Y, ridge)
        raised = fit.ridge > ridge
        if not raised.any():
            return lam, fit
        lam = _SAFE * float((fit.ridge * weight)[raised].max())
