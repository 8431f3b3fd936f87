"""Machines with Gaussian kernels on the same few rows, without what surrounds their training.

On a few hundred rows scikit-learn spends some 4 ms on a fit and a prediction, of which libsvm takes
less than one. A grid of 30 parameters asks for some 90 of them.
"""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score, r2_score
from sklearn.svm import SVC, SVR

from kernlearn.kernels import Gaussian
from kernlearn.quality.libsvm import train
from kernlearn.typing import Array, Targets


class GaussianMachines:
    """Trains SVC and SVR of two classes, or of numbers, for several parameters.

    Every width has its kernel matrices, of `Z` and of `Z_test` against `Z`, computed once.
    """

    # Of more rows than `few_rows` libsvm takes what time there is, and the matrices take memory.
    def __init__(self, Z: Array, Z_test: Array, y: Targets, few_rows: int = 1000) -> None:
        self.Z, self.Z_test, self.few_rows = Z, Z_test, few_rows
        self.classes, codes = np.unique(y, return_inverse=True)
        self.numbers, self.codes = y, codes
        self._grams: dict[float, tuple[Array, Array]] = {}

    def suits(self, machine: BaseEstimator) -> bool:
        """Whether a machine is one of those that are trained here."""
        kind = type(machine)
        if kind not in (SVC, SVR) or machine.kernel != "rbf" or len(self.Z) > self.few_rows:
            return False
        if not all(isinstance(table, np.ndarray) for table in (self.Z, self.Z_test)):
            return False
        if kind is SVR:
            return True
        usual = machine.class_weight is None and machine.probability in (False, "deprecated")
        return usual and len(self.classes) == 2

    def fit(self, machine: BaseEstimator) -> GaussianMachine:
        """A machine that is fitted to the rows and knows the others by heart."""
        K, K_test = self._gram(self._gamma(machine.gamma))
        limits = {name: getattr(machine, name) for name in ("tol", "cache_size", "max_iter")}
        is_numeric = type(machine) is SVR
        target = np.array(self.numbers if is_numeric else 2.0 * self.codes - 1.0, dtype=np.float64)
        a, b = train(machine, K, target, None, limits)
        return GaussianMachine(K_test @ a + b, None if is_numeric else self.classes)

    def _gamma(self, gamma: float | str) -> float:
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

    def __init__(self, decision: Array, classes: Targets | None) -> None:
        self._decision = decision
        if classes is not None:
            self.classes_ = classes
            self.decision_function = self._said

    def _said(self, X: object) -> Array:
        return self._decision

    def predict(self, X: object) -> Targets:
        """Labels or numbers."""
        if not hasattr(self, "classes_"):
            return self._decision
        return np.asarray(self.classes_[(self._decision > 0).astype(int)])

    def score(self, X: object, y: Targets) -> float:
        """The share of right labels, or the coefficient of determination."""
        measure = accuracy_score if hasattr(self, "classes_") else r2_score
        return float(measure(y, self.predict(X)))
