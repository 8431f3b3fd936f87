"""Parameters by cross-validation, without repeating the steps that they do not touch.

Machines with Gaussian kernels on the same few rows are trained by libsvm directly: on a few hundred
rows scikit-learn spends some 4 ms on a fit and a prediction, of which libsvm takes less than one,
and a grid of 30 parameters needs some 90 fits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from itertools import combinations

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, SVR

from kernlearn.kernels import Gaussian
from kernlearn.numerics.rounding import first_least
from kernlearn.quality.libsvm import train
from kernlearn.runtime.convergence_warnings import interrupts_end_everything
from kernlearn.typing import Array, Indices, PandasFrame, Targets


class GaussianMachines:
    """Trains SVC and SVR for several parameters; of more classes, a machine for every two.

    Every width has its kernel matrices, of `Z` and of `Z_test` against `Z`, computed once.
    """

    # Above `few_rows` rows libsvm takes most of the time anyway, and the matrices take memory.
    def __init__(self, Z: Array, Z_test: Array, y: Targets, few_rows: int = 1000) -> None:
        self.Z, self.Z_test, self.few_rows = Z, Z_test, few_rows
        self.classes, codes = np.unique(y, return_inverse=True)
        self.numbers, self.codes = y, codes
        self._grams: dict[float, tuple[Array, Array]] = {}

    def suits(self, machine: BaseEstimator) -> bool:
        """Whether a machine can be trained here."""
        kind = type(machine)
        if kind not in (SVC, SVR) or machine.kernel != "rbf" or len(self.Z) > self.few_rows:
            return False
        if not all(isinstance(table, np.ndarray) for table in (self.Z, self.Z_test)):
            return False
        if kind is SVR:
            return True
        usual = machine.class_weight is None and machine.probability in (False, "deprecated")
        return usual and not machine.break_ties and machine.decision_function_shape == "ovr"

    def fit(self, machine: BaseEstimator) -> GaussianMachine:
        """A fitted machine, with its predictions of the test rows stored."""
        K, K_test = self._gram(self._gamma(machine.gamma))
        limits = {name: getattr(machine, name) for name in ("tol", "cache_size", "max_iter")}
        if type(machine) is SVR:
            a, b = train(machine, K, np.array(self.numbers, dtype=np.float64), None, limits)
            return GaussianMachine(K_test @ a + b, None)
        pairs = list(combinations(range(len(self.classes)), 2))
        values = np.empty((len(K_test), len(pairs)))
        for (first, second), column in zip(pairs, values.T, strict=True):
            rows = np.flatnonzero((self.codes == first) | (self.codes == second))
            target = np.where(self.codes[rows] == second, 1.0, -1.0)
            a, b = train(machine, K[np.ix_(rows, rows)], target, None, limits)
            column[:] = K_test[:, rows] @ a + b
        decision = values[:, 0] if len(pairs) == 1 else _votes(values, pairs)
        return GaussianMachine(decision, self.classes)

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


def _votes(values: Array, pairs: Sequence[tuple[int, int]]) -> Array:
    """Votes of the pairs for each class; scikit-learn breaks ties by the sums of the values."""
    votes, sums = np.zeros((2, len(values), pairs[-1][1] + 1))
    for value, (first, second) in zip(values.T, pairs, strict=True):
        votes[:, first] += value <= 0
        votes[:, second] += value > 0
        sums[:, first] -= value
        sums[:, second] += value
    return votes + sums / (3.0 * (np.abs(sums) + 1.0))


class GaussianMachine:
    """Stored predictions of a fitted machine for the test rows; arguments X are ignored."""

    def __init__(self, decision: Array, classes: Targets | None) -> None:
        self._decision = decision
        if classes is not None:
            self.classes_ = classes
            self.decision_function = self._stored_decision

    def _stored_decision(self, X: object) -> Array:
        return self._decision

    def predict(self, X: object) -> Targets:
        """Labels or numbers."""
        if not hasattr(self, "classes_"):
            return self._decision
        if self._decision.ndim == 1:
            return np.asarray(self.classes_[(self._decision > 0).astype(int)])
        # The terms that break ties are below a third: labels are those of the most votes alone.
        return np.asarray(self.classes_[np.argmax(np.rint(self._decision), axis=1)])

    def score(self, X: object, y: Targets) -> float:
        """The share of right labels, or the coefficient of determination."""
        measure = accuracy_score if hasattr(self, "classes_") else r2_score
        return float(measure(y, self.predict(X)))


Score = Callable[[BaseEstimator, PandasFrame, Targets], float]
# Candidates above which only one in SHARE goes on after FIRST_FOLDS folds.
MANY, SHARE, FIRST_FOLDS = 10, 3, 2


def tuned_pipeline(
    steps: Sequence[tuple[str, BaseEstimator]],
    grid: Mapping[str, list[object]],
    X: PandasFrame,
    y: Targets,
    folds: Sequence[tuple[Indices, Indices]],
    score: Score = lambda model, X, y: float(model.score(X, y)),
) -> Pipeline:
    """Fit a pipeline with the parameters of the highest mean score; the first of the best.

    The same choice as GridSearchCV's, with less work. If candidates are many, only the better third
    goes on to further folds after the first two. The steps before the first one that the grid
    names are fitted once in a fold, since preparing a table takes longer than training a machine on
    it; and parameters are not validated anew in every fit. Machines with Gaussian kernels share
    their matrices. A single candidate is not cross-validated. `folds` are rows to fit to and to
    check with, perhaps not all; `score` takes a fitted model, rows and targets. Only an interrupt
    of the last fit, to all rows, leaves a model.
    """
    candidates = list(ParameterGrid(dict(grid)))
    if len(candidates) == 1:
        return clone(Pipeline(list(steps))).set_params(**candidates[0]).fit(X, y)
    names = [name for name, _ in steps]
    first = min(names.index(key.partition("__")[0]) for key in grid)
    scores = np.zeros((len(folds), len(candidates)))
    kept = list(range(len(candidates)))
    unchecked = config_context(skip_parameter_validation=True)
    with interrupts_end_everything(), unchecked:
        for i, (train, test) in enumerate(folds):
            before = clone(Pipeline([*steps[:first], ("rest", "passthrough")]))
            Z = before.fit_transform(X.iloc[train], y[train])
            Z_test = before.transform(X.iloc[test])
            if i == FIRST_FOLDS and len(folds) > FIRST_FOLDS + 1 and len(kept) > MANY:
                order = np.argsort(-scores[:i].mean(axis=0), kind="stable")
                kept = sorted(order[: -(-len(kept) // SHARE)].tolist())
            machines = GaussianMachines(Z, Z_test, y[train])
            for j in kept:
                rest = _with(steps[first:], candidates[j])
                quick = machines.suits(rest)
                model = machines.fit(rest) if quick else rest.fit(Z, y[train])
                scores[i, j] = score(model, Z_test, y[test])
    best = candidates[kept[first_least(-scores[:, kept].mean(axis=0))]]
    return clone(Pipeline(list(steps))).set_params(**best).fit(X, y)


def _with(
    steps: Sequence[tuple[str, BaseEstimator]], candidate: Mapping[str, object]
) -> BaseEstimator:
    """The steps with parameters of a candidate, not fitted; a single one without a pipeline."""
    if len(steps) > 1:
        return clone(Pipeline(list(steps))).set_params(**candidate)
    name, step = steps[0]
    params = {k.removeprefix(f"{name}__"): v for k, v in candidate.items()}
    if not isinstance(step, SVC | SVR):
        return clone(step).set_params(**params)
    # The parameters of an SVM are plain values: no need to look for estimators among them.
    rest = copy(step)
    vars(rest).update(params)
    return rest
