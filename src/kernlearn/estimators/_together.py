"""Fit several first-level classifiers together: their folds and machines are one batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kernlearn._threads import threads_for
from kernlearn.estimators.first_level_classifier import FirstLevelClassifier
from kernlearn.solvers.asking import answered, side_by_side


def fit_together(
    models: Sequence[FirstLevelClassifier], tables: Sequence[Any], targets: Sequence[Any]
) -> None:
    """Fit each model to its table, as ``fit`` would, on the device of the first.

    All machines that the models' searches ask for next are trained in one go, in stacks of those
    of one size. A search takes the steps that it would take alone.

    Parameters
    ----------
    models : sequence of FirstLevelClassifier
        Not fitted yet, all with one ``device`` and without a rank.
    tables : sequence of array-like
        The X of each.
    targets : sequence of array-like
        The y of each.
    """
    prepared = [model._prepared(X, y) for model, X, y in zip(models, tables, targets, strict=True)]
    statements = []
    for model, (rows, signs, labels, weight) in zip(models, prepared, strict=True):
        asked = model._asked(rows, labels, weight, stratify=True)
        statements.append(model._stated(asked, signs, weight))
    largest = max(len(statement.problem.X) for statement in statements)
    with threads_for(largest), models[0]._sentences():
        searches = [statement.search() for statement in statements]
        solutions = answered(side_by_side(searches), models[0]._trainer())
    for model, parts, statement, solution in zip(
        models, prepared, statements, solutions, strict=True
    ):
        rows, signs, _, weight = parts
        model._store_exactly(statement, solution, rows, signs, weight)
        model._calibrate(signs, weight)
