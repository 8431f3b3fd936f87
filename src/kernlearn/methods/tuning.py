"""Parameters by cross-validation, without repeating the steps that they do not touch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, SVR

from kernlearn.methods.gaussian_machines import GaussianMachines
from kernlearn.numerics.rounding import first_least
from kernlearn.runtime.convergence_warnings import interrupts_end_everything
from kernlearn.typing import Indices, PandasFrame, Targets

Score = Callable[[BaseEstimator, PandasFrame, Targets], float]
# Of more candidates than these, one in so many goes on after so many folds.
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

    The same choice as GridSearchCV's, with less work. Of many candidates only the better third is
    asked about further folds after the first two. The steps before the first one that the grid
    names are fitted once in a fold, since preparing a table takes longer than training a machine on
    it; and parameters are not validated anew in every fit. Machines with Gaussian kernels share
    their matrices. `folds` are rows to fit to and to check with, perhaps not all; `score` takes a
    fitted model, rows and targets. Only an interrupt of the last fit, to all rows, leaves a model.
    """
    candidates = list(ParameterGrid(dict(grid)))
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
    # Its parameters are plain values: no need to look for estimators among them.
    rest = copy(step)
    vars(rest).update(params)
    return rest
