"""A fitted model, and the same model without parts of its training rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t as student
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from kernlearn.estimators.mixture.input_checks import checked_rows
from kernlearn.estimators.mixture.members import Members
from kernlearn.estimators.mixture.mixture import KernelMixture
from kernlearn.estimators.mixture.preparation.outside_rows import ExtrapolationWarning
from kernlearn.kernels._validation import take_rows
from kernlearn.typing import Array, Indices, RandomState, Rows

# Parts of the rows, each of which is left out once.
PARTS = 10
# Rows that the members of a mixture are trained on again.
_MOST_ROWS = 600

Output = Callable[[Any], Array]
Outputs = Callable[[Any], Sequence[Array]]


@dataclass(frozen=True, eq=False)
class Refits:
    r"""Outputs of a model and of refits without each part of the rows: the grouped jackknife.

    The standard error of a statistic of the model is

    .. math:: \sqrt{\tfrac{V - 1}{V} \sum_v (s_v - \bar s)^2}

    with its value :math:`s_v` without part v of V.
    """

    whole: Output
    parts: Outputs
    """Outputs of all refits, which share kernel values; of none where there are no refits."""

    def interval(
        self, rows: Rows, statistic: Callable[[Array], Array]
    ) -> tuple[Array, Array | None]:
        """A statistic of outputs for rows, and half of its 95 % interval (None without refits)."""
        value = statistic(self.whole(rows))
        others = np.array([statistic(part) for part in self.parts(rows)])
        n = len(others)
        if n == 0:
            return value, None
        variance = (n - 1) * others.var(axis=0)
        return value, float(student.ppf(0.975, n - 1)) * np.sqrt(variance)


def refits(
    model: BaseEstimator,
    X: Rows = None,
    y: Rows = None,
    groups: Rows = None,
    random_state: RandomState = 0,
) -> Refits:
    """Refits of a model: to training rows X and y, if given, else those that a mixture allows.

    A mixture keeps its kernels, ridges and weights, and its machines are trained again on its own
    rows. Other models have no refits without X and y.
    """
    check_is_fitted(model)
    random = check_random_state(random_state)
    if y is not None:
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        targets = np.asarray(y)
        made = []
        for kept in without_each(groups, n, random):
            again = clone(model).fit(take_rows(X, kept), targets[kept])
            made.append(_output(again))
        return Refits(_output(model), lambda table: [one(table) for one in made])
    step = model[-1] if isinstance(model, Pipeline) and len(model) == 1 else model
    if not isinstance(step, KernelMixture) or len(step._members.Y) < 2 * PARTS:
        return Refits(_output(model), lambda table: [])
    members = step._members
    rows = np.sort(random.permutation(len(members.Y))[:_MOST_ROWS])
    codes = None if members.groups is None else members.groups[rows]
    parts = without_each(codes, len(rows), random)
    return Refits(_output(model), _outputs_of_members(step, rows, parts))


def without_each(groups: Rows, n: int, random: np.random.RandomState) -> list[Indices]:
    """All rows but one part, for each; rows of a group are in one part."""
    codes = np.arange(n)
    if groups is not None:
        codes = np.unique(np.asarray(groups), return_inverse=True)[1].reshape(-1)
    part = random.permutation(int(codes.max()) + 1)[codes] % PARTS
    return [np.flatnonzero(part != number) for number in np.unique(part)]


def _output(model: BaseEstimator) -> Output:
    """Numbers, or probabilities of the classes: of two, of the second."""
    method = "predict"
    if is_classifier(model):
        method = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"

    def output(rows: Rows) -> Array:
        with warnings.catch_warnings():
            # Missing rows are read on purpose.
            warnings.simplefilter("ignore", ExtrapolationWarning)
            return _shaped(np.asarray(getattr(model, method)(rows), dtype=float))

    return output


def _shaped(found: Array) -> Array:
    found = found.reshape(len(found), -1)
    return found[:, 1:] if found.shape[1] == 2 else found


def _outputs_of_members(step: KernelMixture, rows: Indices, parts: Sequence[Indices]) -> Outputs:
    """Outputs of mixtures whose machines are trained on each part of some of the rows."""
    members: Members = step._members
    machines = [members.trained_on_parts(machine, rows, parts) for machine in members.machines]
    names = {machine.table for machine in machines}

    def outputs(table: Rows) -> list[Array]:
        tables = step.preparation_.apply_all(checked_rows(step, table, reset=False), names)
        mixed: Array | float = 0.0
        for factor, machine in zip(members.factors, machines, strict=True):
            values = machine.values(tables[machine.table]).reshape(
                -1, len(parts), members.Y.shape[1]
            )
            found = np.swapaxes(values, 0, 1)
            link = machine.link
            mixed = mixed + factor * (found if link is None else np.stack([*map(link, found)]))
        return [_predicted(step, values) for values in np.asarray(mixed)]

    return outputs


def _predicted(step: KernelMixture, values: Array) -> Array:
    predictions = step._predictions(values)
    every = np.arange(len(values))
    is_of_labels = hasattr(predictions, "predict_proba")
    found = predictions.predict_proba(every) if is_of_labels else predictions.predict(every)
    return _shaped(np.asarray(found, dtype=float))
