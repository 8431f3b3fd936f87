"""All rows of a table in memory, with categories as the mean targets of their levels."""

from __future__ import annotations

import numpy as np

from kernlearn.estimators.inputs.dask_rows import in_memory, select_rows
from kernlearn.estimators.mixture.candidates.boosting import EncodedRows
from kernlearn.estimators.mixture.candidates.choice import CandidateChoice
from kernlearn.estimators.mixture.candidates.registry import TREES
from kernlearn.estimators.mixture.candidates.rescreening import TreeContest, contest_of_trees
from kernlearn.estimators.mixture.candidates.training import TrainingRows
from kernlearn.estimators.mixture.options import BoostingOptions, MixtureOptions
from kernlearn.estimators.mixture.preparation import AnyPreparation, Preparation
from kernlearn.runtime.threads import threads_for


def tree_contest(
    preparation: AnyPreparation,
    training: TrainingRows,
    choice: CandidateChoice,
    options: MixtureOptions,
    random_state: np.random.RandomState,
) -> tuple[AnyPreparation, TreeContest | None]:
    """The preparation with mean targets, and boosted trees beside a few kernels.

    None where rows are few, or where trees are no candidate.
    """
    has_trees = any(family.name == TREES for family in choice.families)
    if len(training) <= options.exact_rows or not has_trees:
        return preparation, None
    with threads_for(len(training)):
        preparation, encoded = encoded_rows(preparation, training, options.boosting)
        if encoded is None:
            return preparation, None
        return preparation, contest_of_trees(encoded, training, choice, options, random_state)


def encoded_rows(
    preparation: AnyPreparation, training: TrainingRows, options: BoostingOptions
) -> tuple[AnyPreparation, EncodedRows | None]:
    """The preparation with mean targets, and the rows that trees are grown from.

    These are all rows, brought here from a cluster, or the sample in memory where they are too
    many. None where no column is left.
    """
    given, Y, weight = training.given, training.Y, training.weight
    assert given is not None  # a user's table
    assert isinstance(preparation, Preparation)  # trees take dense tables
    n, rows, folds, places = len(training), given.rows, given.folds, given.sample
    if n * len(preparation.columns) > options.cells:
        rows = select_rows(rows, places)
        folds = [np.searchsorted(places, np.intersect1d(fold, places)) for fold in folds]
        folds = [fold for fold in folds if len(fold)]
        Y, weight, places = Y[places], weight[places], np.arange(len(places))
    targets = Y
    if training.sample.loss.is_of_labels:
        largest = np.argsort(-(weight @ (Y > 0)), kind="stable")
        targets = Y[:, np.sort(largest[: options.classes])]
    preparation, X = preparation.encoded(in_memory(rows), targets, weight, folds)
    if X.shape[1] == 0:
        return preparation, None
    return preparation, EncodedRows(X.astype(np.float32), Y, weight, folds, places)
