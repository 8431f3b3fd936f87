"""Machines with Gaussian kernels on the same few rows, without what surrounds their training.

On a few hundred rows scikit-learn spends some 4 ms on a fit and a prediction, of which libsvm takes
less than one. A grid of 30 parameters asks for some 90 of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, r2_score
from sklearn.svm import SVC, SVR

from kernlearn.kernels import Gaussian
from kernlearn.quality.libsvm import train
from kernlearn.typing import Array

__all__ = ["GaussianMachine", "GaussianMachines"]


# Of more rows libsvm takes what time there is, and matrices for every width take memory.
FEW_ROWS = 1000


class GaussianMachines:
    """Trains SVC and SVR of two classes, or of numbers, for several parameters.

    Every width has its kernel matrices computed once.

    Parameters
    ----------
    Z, Z_test : ndarray of shape (n, d) and (n_test, d)
        Rows to learn from and to predict.
    y : ndarray of shape (n,)
        Targets.
    """

    def __init__(self, Z: Any, Z_test: Any, y: Any) -> None:
        self.Z, self.Z_test = Z, Z_test
        self.classes, codes = np.unique(y, return_inverse=True)
        self.numbers, self.codes = y, codes
        self._grams: dict[float, tuple[Array, Array]] = {}

    def suits(self, machine: Any) -> bool:
        """Whether a machine is one of those that are trained here."""
        kind = type(machine)
        if kind not in (SVC, SVR) or machine.kernel != "rbf" or len(self.Z) > FEW_ROWS:
            return False
        if not all(isinstance(table, np.ndarray) for table in (self.Z, self.Z_test)):
            return False
        if kind is SVR:
            return True
        usual = machine.class_weight is None and machine.probability in (False, "deprecated")
        return usual and len(self.classes) == 2

    def fit(self, machine: Any) -> GaussianMachine:
        """A machine that is fitted to the rows and knows the others by heart."""
        K, K_test = self._gram(self._gamma(machine.gamma))
        limits = {name: getattr(machine, name) for name in ("tol", "cache_size", "max_iter")}
        is_numeric = type(machine) is SVR
        target = np.array(self.numbers if is_numeric else 2.0 * self.codes - 1.0, dtype=np.float64)
        a, b = train(machine, K, target, None, limits)
        return GaussianMachine(K_test @ a + b, None if is_numeric else self.classes)

    def _gamma(self, gamma: Any) -> float:
        if gamma == "scale":
            variance = float(self.Z.var())
            return 1.0 / (self.Z.shape[1] * variance) if variance > 0 else 1.0
        return 1.0 / self.Z.shape[1] if gamma == "auto" else float(gamma)

    def _gram(self, gamma: float) -> tuple[Array, Array]:
        if gamma not in self._grams:
            kernel = Gaussian(gamma)
            self._grams[gamma] = kernel(self.Z), kernel(self.Z_test, self.Z)
        return self._grams[gamma]


class GaussianMachine:
    """What a fitted machine says of the rows that it was made to predict, whatever it is given."""

    def __init__(self, decision: Array, classes: NDArray[Any] | None) -> None:
        self._decision = decision
        if classes is not None:
            self.classes_ = classes
            self.decision_function = self._said

    def _said(self, X: Any) -> Array:
        return self._decision

    def predict(self, X: Any) -> Any:
        """Labels or numbers."""
        if not hasattr(self, "classes_"):
            return self._decision
        return self.classes_[(self._decision > 0).astype(int)]

    def score(self, X: Any, y: Any) -> float:
        """The share of right labels, or the coefficient of determination."""
        measure = accuracy_score if hasattr(self, "classes_") else r2_score
        return float(measure(y, self.predict(X)))
