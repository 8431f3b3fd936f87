"""Fit several classifiers together, with one batch of requests for the device."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from kernlearn.estimators.inputs.ownership import draw_seed
from kernlearn.estimators.least_squares.lssvm_classifier import LSSVMClassifier
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.optimize.coroutines import drive, gather


def fit_together(
    models: Sequence[LSSVMClassifier], tables: Sequence[ArrayLike], targets: Sequence[ArrayLike]
) -> None:
    """Fit each model to its table, as ``fit`` would, on the device of the first.

    The models are unfitted LSSVMClassifiers or FirstLevelClassifiers, all of one class and device.
    The requests of their searches are computed in stacks of one size. A search takes the steps
    that it would take alone.
    """
    for model in models:
        model._seed = draw_seed(model.random_state)
    prepared = [model._prepared(X, y) for model, X, y in zip(models, tables, targets, strict=True)]
    searches = [model._ordered_learning(data) for model, data in zip(models, prepared, strict=True)]
    # A limit on threads is set for the whole process: that of the smallest table holds before those
    # of the searches begin, and after all have ended, in whatever order they do.
    with threads_for(min(len(data.Y) for data in prepared)):
        drive(gather(searches), models[0]._trainer())
    for model, data in zip(models, prepared, strict=True):
        model._calibrate(data)
