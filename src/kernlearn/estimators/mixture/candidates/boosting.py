r"""Grow trees by gradient boosting, as the features of a kernel of tree paths.

The leaves of a tree are a partition of the space, and its indicators are features that need no
landmarks, for any number of rows. Boosting (Friedman 2001) learns both: each tree is grown on the
gradient of the loss at the sum of the trees before it, and its leaves get their weights from one
Newton step. The sum is a function of the RKHS of :class:`~kernlearn.kernels.TreePaths`.

Categories are read as the mean targets of their levels, without a row's own fold
(:mod:`kernlearn.estimators.mixture.preparation.level_means`), so that one threshold parts many
levels.

One model is grown without each fold, and ends where the loss on that fold is least. The first fold
judges the first model. Only if it becomes a member are the others grown; the member is their mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit, softmax
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from threadpoolctl import ThreadpoolController

from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.estimators.mixture.candidates.representation import Representation
from kernlearn.estimators.mixture.options import BoostingOptions
from kernlearn.kernels import TreePaths
from kernlearn.runtime.stopping import Stopped, StoppingControl
from kernlearn.runtime.threads import n_threads
from kernlearn.typing import Array, Indices, Mask

# Bins of a column, the most that scikit-learn's boosting takes.
_BINS = 255
# Log-odds of a class without rows, below those of all others.
_UNSEEN = 10.0


@dataclass(frozen=True, eq=False)
class EncodedRows:
    """Training rows with categories as mean targets."""

    X: Array  # numbers of single precision, since kernels of trees compare these, of shape (n, p)
    Y: Array  # targets, of shape (n, k)
    weight: Array  # of shape (n,)
    folds: Sequence[Indices]  # rows held out together
    of_sample: Indices  # the rows that the sample in memory has

    @cached_property
    def binned(self) -> tuple[Array, Array]:
        """The number of each cell's bin, and the upper ends of the bins, of shape (p, 255).

        All models share the bins. scikit-learn's own take most of the time of a fit with weights.
        """
        X = self.X
        codes, ends = np.empty_like(X), np.full((X.shape[1], _BINS), np.inf)
        for j, cells in enumerate(X.T.astype(float)):
            distinct = np.unique(cells)
            if len(distinct) <= _BINS:
                midpoints = 0.5 * (distinct[1:] + distinct[:-1])
            else:
                shares = np.linspace(0.0, 100.0, _BINS + 1)[1:-1]
                midpoints = np.unique(np.percentile(cells, shares, method="averaged_inverted_cdf"))
            codes[:, j] = np.searchsorted(midpoints, cells)
            ends[j, : len(midpoints)] = midpoints
        return codes, ends

    def fold_of(self, row: int) -> int:
        """The number of the fold that has a row."""
        return next(number for number, fold in enumerate(self.folds) if row in fold)


@dataclass(frozen=True, eq=False)
class BoostedModel:
    """A sum of trees."""

    trees: list[tuple[Any, int]]  # the nodes of each tree, and the output that it belongs to
    intercept: Array  # of shape (k,)


@dataclass(frozen=True, eq=False)
class BoostedTrees(Representation):
    """Rows with encoded categories, for trees grown by boosting."""

    rows: EncodedRows
    is_of_labels: bool
    fold: int  # the fold that judges
    first: BoostedModel  # grown without this fold
    options: BoostingOptions

    @property
    def title(self) -> str:
        """Empty: the name of the family is enough."""
        return ""

    def machine(self, lam: float, stopping: StoppingControl) -> KernelMachine:
        """The mean of the models without each fold; after an early end, of those grown so far."""
        models, n_folds = [self.first], len(self.rows.folds)
        try:
            for step in range(1, min(n_folds, self.options.models)):
                stopping.check()
                other = (self.fold + step) % n_folds
                models.append(grown(self.rows, other, self.is_of_labels, stopping, self.options))
        except (Stopped, KeyboardInterrupt) as stop:
            stopping.accept(stop)
        return mean_machine(self.table, models, lam)


def grown(
    rows: EncodedRows,
    fold: int,
    is_of_labels: bool,
    stopping: StoppingControl,
    options: BoostingOptions,
) -> BoostedModel:
    """The model grown without a fold, with the number of trees that predicts the fold best.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the other folds have rows of one class only.
    """
    out = np.zeros(len(rows.Y), dtype=bool)
    out[rows.folds[fold]] = True
    k, ends = rows.Y.shape[1], rows.binned[1]
    if not is_of_labels:
        parts = [
            _fitted(HistGradientBoostingRegressor, rows, rows.Y[:, j], out, stopping, options)
            for j in range(k)
        ]
        found = [_trees(model, [j], ends) for j, model in enumerate(parts)]
        return BoostedModel(
            [tree for trees, _ in found for tree in trees],
            np.array([base[0] for _, base in found]),
        )
    labels = rows.Y.argmax(axis=1) if k > 1 else (rows.Y[:, 0] > 0).astype(np.intp)
    classes = np.unique(labels[~out])
    if len(classes) < 2:
        raise np.linalg.LinAlgError("all rows outside of one fold are of one class")
    # No tree predicts a class that is held out as a whole.
    used = np.isin(labels, classes)
    model = _fitted(HistGradientBoostingClassifier, rows, labels, out, stopping, options, used)
    if k == 1:
        return BoostedModel(*_trees(model, [0], ends))
    # With two classes, only the second has trees. Unseen classes are below all others.
    outputs = classes.tolist() if len(classes) > 2 else classes[1:].tolist()
    trees, base = _trees(model, outputs, ends)
    intercept = np.full(k, min(float(base.min()), 0.0) - _UNSEEN)
    intercept[classes] = 0.0
    intercept[outputs] = base
    return BoostedModel(trees, intercept)


def pilot_residuals(
    rows: EncodedRows, is_of_labels: bool, stopping: StoppingControl, options: BoostingOptions
) -> Array:
    """Residuals of a few trees grown without the fold of each row, of shape (n, k)."""
    parts = range(min(options.models, len(rows.folds)))
    folds = [np.concatenate(rows.folds[part :: len(parts)]) for part in parts]
    rows = replace(rows, folds=folds)
    few = replace(options, max_iter=options.pilot_iter, learning_rate=options.pilot_rate)
    values = np.zeros_like(rows.Y)
    for number, fold in enumerate(folds):
        try:
            model = grown(rows, number, is_of_labels, stopping, few)
            values[fold] = mean_machine("", [model], 1.0).predict(rows.X[fold])
        except np.linalg.LinAlgError:  # no trees: the mean is the prediction
            continue
    if is_of_labels:
        chances = softmax(values, axis=1) if rows.Y.shape[1] > 1 else expit(values)
        left = 0.5 * (rows.Y + 1.0) - chances
    else:
        left = rows.Y - values
    for fold in folds:  # the mean of a fold is that of its model
        left[fold] -= np.average(left[fold], axis=0, weights=rows.weight[fold])
    return np.asarray(left)


def _fitted(
    kind: Any,
    rows: EncodedRows,
    target: Array | Indices,
    out: Mask,
    stopping: StoppingControl,
    options: BoostingOptions,
    used: Mask | None = None,
) -> Any:
    """Trees until the loss on rows held out falls no more, or until the time is over."""
    train, test = (np.flatnonzero(part if used is None else part & used) for part in (~out, out))
    is_timed = np.isfinite(stopping.seconds_left)
    model = kind(
        max_iter=options.with_time_limit if is_timed else options.max_iter,
        early_stopping=True,
        n_iter_no_change=options.patience,
        warm_start=is_timed,
        learning_rate=options.learning_rate,
        categorical_features=None,
        random_state=0,
    )
    X, weight = rows.binned[0], rows.weight
    with ThreadpoolController().limit(limits=n_threads(), user_api="openmp"):
        while True:
            model.fit(
                X[train],
                target[train],
                sample_weight=weight[train],
                X_val=X[test],
                y_val=target[test],
                sample_weight_val=weight[test],
            )
            has_ended = model.n_iter_ < model.max_iter or model.max_iter >= options.max_iter
            if has_ended or stopping.seconds_left <= 0.0:
                return model
            model.max_iter = min(model.max_iter + options.with_time_limit, options.max_iter)


def _trees(model: Any, outputs: Sequence[int], ends: Array) -> tuple[list[tuple[Any, int]], Array]:
    """The nodes of the trees up to the least held-out loss, and the intercepts.

    Thresholds are those of the cells, by the upper ends of their bins. scikit-learn has no public
    name for the nodes, nor for the intercepts.
    """
    best = int(np.argmax(model.validation_score_[1:])) + 1
    trees = []
    for stage in model._predictors[:best]:
        for tree, output in zip(stage, outputs, strict=True):
            nodes = tree.nodes.copy()
            inner = ~nodes["is_leaf"].astype(bool)
            bins = nodes["num_threshold"][inner].astype(np.intp)
            nodes["num_threshold"][inner] = ends[nodes["feature_idx"][inner], bins]
            trees.append((nodes, output))
    return trees, np.ravel(model._baseline_prediction).astype(float)


def mean_machine(table: str, models: Sequence[BoostedModel], lam: float) -> KernelMachine:
    """The mean of some models: a machine of one kernel, whose weights are those of the leaves."""
    intercept = np.mean([model.intercept for model in models], axis=0)
    # The root is no feature of the kernel.
    constant_trees = [tree for model in models for tree in model.trees if len(tree[0]) == 1]
    for nodes, output in constant_trees:
        intercept[output] += nodes["value"][0] / len(models)
    trees = [tree for model in models for tree in model.trees if len(tree[0]) > 1]
    if not trees:
        raise np.linalg.LinAlgError("no tree could be grown")
    sizes = [len(nodes) for nodes, _ in trees]
    roots = np.cumsum([0, *sizes])[:-1]
    nodes = np.concatenate([nodes for nodes, _ in trees])
    node_numbers, is_leaf = np.arange(len(nodes)), nodes["is_leaf"].astype(bool)
    below = np.stack([nodes["left"], nodes["right"]], axis=1) + np.repeat(roots, sizes)[:, None]
    kernel = TreePaths(
        roots,
        np.where(is_leaf, 0, nodes["feature_idx"]).astype(np.intp),
        np.where(is_leaf, 0.0, nodes["num_threshold"]),
        np.where(is_leaf[:, None], node_numbers[:, None], below).astype(np.intp),
    )
    coef = np.zeros((len(nodes), len(intercept)))
    outputs = np.repeat([output for _, output in trees], sizes)
    coef[node_numbers, outputs] = np.where(is_leaf, nodes["value"], 0.0)
    # The kernel's features are one over the root of the number of trees.
    coef *= np.sqrt(len(trees)) / len(models)
    return KernelMachine(table, kernel, lam, None, coef, intercept)
