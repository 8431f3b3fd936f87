"""All rows of a table in memory, with categories as the mean targets of their levels.

The mean target of a level may be opposite to the level's effect: large diamonds are dear, and
seldom clear. So every level also has the mean residual of a pilot of few trees, which reads the
columns of numbers only.
"""

from __future__ import annotations

import numpy as np

from kernlearn.estimators.inputs.dask_rows import in_memory, select_rows
from kernlearn.estimators.mixture.candidates.boosting import EncodedRows, pilot_residuals
from kernlearn.estimators.mixture.candidates.choice import CandidateChoice
from kernlearn.estimators.mixture.candidates.rescreening import TreeContest, contest_of_trees
from kernlearn.estimators.mixture.candidates.training import TrainingRows
from kernlearn.estimators.mixture.options import BoostingOptions, MixtureOptions
from kernlearn.estimators.mixture.preparation.columns import CategoryColumn
from kernlearn.estimators.mixture.preparation.table import AnyPreparation, Preparation
from kernlearn.quality.label_loss import LabelLoss
from kernlearn.runtime.threads import threads_for


def tree_contest(
    preparation: AnyPreparation,
    training: TrainingRows,
    choice: CandidateChoice,
    options: MixtureOptions,
    random_state: np.random.RandomState,
) -> tuple[AnyPreparation, TreeContest | None]:
    """The preparation with mean targets, and boosted trees beside a few kernels.

    None if rows are few, or if trees are no candidate.
    """
    is_one_table = isinstance(preparation, Preparation)
    has_labels = isinstance(training.sample.loss, LabelLoss)  # boosting names one class of a row
    is_large = len(training) > options.exact_rows
    if not (is_large and choice.has_trees and is_one_table) or has_labels:
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

    These are all rows, brought here from a cluster, or the sample in memory if they are too many.
    None if no column is left.
    """
    raw, Y, weight = training.raw, training.Y, training.weight
    assert raw is not None  # a user's table
    assert isinstance(preparation, Preparation)  # trees take dense tables
    rows, folds, places = raw.rows, raw.folds, raw.sample
    if not options.takes_all(len(training), len(preparation.columns)):
        rows = select_rows(rows, places)
        folds = [np.searchsorted(places, np.intersect1d(fold, places)) for fold in folds]
        folds = [fold for fold in folds if len(fold)]
        Y, weight, places = Y[places], weight[places], np.arange(len(places))
    classes, stopping = np.arange(Y.shape[1]), training.sample.stopping
    if training.sample.loss.is_of_labels:
        largest = np.argsort(-(weight @ (Y > 0)), kind="stable")
        classes = np.sort(largest[: options.classes])
    targets = Y[:, classes]
    rows, numbers = in_memory(rows), np.empty((len(Y), 0))
    if any(isinstance(column, CategoryColumn) for column in preparation.columns):
        numbers = np.hstack([numbers, *preparation.numbers(rows)])
    if numbers.shape[1]:
        known = EncodedRows(numbers.astype(np.float32), Y, weight, folds, places)
        left = pilot_residuals(known, training.sample.loss.is_of_labels, stopping, options)
        targets = np.hstack([targets, left[:, classes]])
    preparation, X = preparation.encoded(rows, targets, weight, folds)
    if X.shape[1] == 0:
        return preparation, None
    return preparation, EncodedRows(X.astype(np.float32), Y, weight, folds, places)
