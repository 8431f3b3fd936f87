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


@dataclass(frozen=True, eq=False)
class Refits:
    r"""Outputs of a model and of refits without each part of the rows: the grouped jackknife.

    The standard error of a statistic of the model is

    .. math:: \sqrt{\tfrac{V - 1}{V} \sum_v (s_v - \bar s)^2}

    with its value :math:`s_v` without part v of V.
    """

    whole: Output
    parts: Sequence[Output]

    def interval(self, statistic: Callable[[Output], Array]) -> tuple[Array, Array | None]:
        """A statistic of the model, and half of its 95 % interval; None without refits."""
        value = statistic(self.whole)
        if not self.parts:
            return value, None
        n = len(self.parts)
        others = np.array([statistic(part) for part in self.parts])
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
        for kept in _without_each(groups, n, random):
            again = clone(model).fit(take_rows(X, kept), targets[kept])
            made.append(_output(again))
        return Refits(_output(model), made)
    step = model[-1] if isinstance(model, Pipeline) and len(model) == 1 else model
    if not isinstance(step, KernelMixture) or len(step._members.Y) < 2 * PARTS:
        return Refits(_output(model), [])
    members = step._members
    rows = np.sort(random.permutation(len(members.Y))[:_MOST_ROWS])
    codes = None if members.groups is None else members.groups[rows]
    parts = [_member_output(step, rows[kept]) for kept in _without_each(codes, len(rows), random)]
    return Refits(_output(model), parts)


def _without_each(groups: Rows, n: int, random: np.random.RandomState) -> list[Indices]:
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


def _member_output(step: KernelMixture, rows: Indices) -> Output:
    """The output of a mixture whose machines are trained on some of its rows."""
    members: Members = step._members
    machines = [members.trained_again(machine, rows) for machine in members.machines]
    names = {machine.table for machine in machines}

    def output(table: Rows) -> Array:
        tables = step.preparation_.apply_all(checked_rows(step, table, reset=False), names)
        values = np.tensordot(
            members.factors, [one.predict(tables[one.table]) for one in machines], axes=1
        )
        predictions = step._predictions(np.asarray(values))
        every = np.arange(len(values))
        is_of_labels = hasattr(predictions, "predict_proba")
        found = predictions.predict_proba(every) if is_of_labels else predictions.predict(every)
        return _shaped(np.asarray(found, dtype=float))

    return output
