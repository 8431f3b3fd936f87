"""Parameters by cross-validation, without repeating the steps that they do not touch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline

from kernlearn._unfinished import interrupts_end_everything

__all__ = ["tuned_pipeline"]


def tuned_pipeline(
    steps: Sequence[tuple[str, Any]],
    grid: Mapping[str, list[Any]],
    X: Any,
    y: Any,
    folds: Sequence[tuple[Any, Any]],
    score: Callable[[Any, Any, Any], float] = lambda model, X, y: float(model.score(X, y)),
) -> Pipeline:
    """Fit a pipeline with the parameters of the highest mean score; the first of the best.

    The same choice as GridSearchCV's. But the steps before the first one that the grid names are
    fitted once in a fold instead of once for every candidate: preparing a table takes longer than
    training a machine on it.

    Parameters
    ----------
    steps : sequence of (str, estimator)
        The pipeline.
    grid : mapping from str to list
        Values of parameters, named as in ``Pipeline.set_params``.
    X, y : DataFrame and ndarray
        Rows and targets.
    folds : sequence of (ndarray, ndarray)
        Row numbers to fit to and to check with, perhaps not of all rows.
    score : callable, optional
        From a fitted model, rows and targets to a number, the more the better.

    Returns
    -------
    Pipeline
        Fitted to all rows. Only an interrupt of that last fit leaves a model.
    """
    candidates = list(ParameterGrid(dict(grid)))
    names = [name for name, _ in steps]
    first = min(names.index(key.partition("__")[0]) for key in grid)
    scores = np.zeros((len(folds), len(candidates)))
    with interrupts_end_everything():
        for i, (train, test) in enumerate(folds):
            before = clone(Pipeline([*steps[:first], ("rest", "passthrough")]))
            Z = before.fit_transform(X.iloc[train], y[train])
            Z_test = before.transform(X.iloc[test])
            for j, candidate in enumerate(candidates):
                rest = clone(Pipeline(list(steps[first:]))).set_params(**candidate)
                scores[i, j] = score(rest.fit(Z, y[train]), Z_test, y[test])
    best = candidates[int(scores.mean(axis=0).argmax())]
    return clone(Pipeline(list(steps))).set_params(**best).fit(X, y)
