"""The members of a mixture, and what is known of their predictions for rows held out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from kernlearn.estimators.mixture.candidates.machine import EXACT_ROWS, Machine, Training
from kernlearn.estimators.mixture.candidates.problem import Problem
from kernlearn.estimators.mixture.candidates.screening import Screening
from kernlearn.estimators.mixture.preparation import Preparation
from kernlearn.quality.discriminants import Discriminants
from kernlearn.typing import Array

# Rows for the relevance of columns: trained on some of them, shuffled in the others.
_PARTS = 3
_RELEVANCE_ROWS = 900


@dataclass(frozen=True, eq=False)
class Members:
    """Machines and their factors.

    Attributes
    ----------
    machines : list of Machine
        Trained on all rows.
    factors : ndarray of shape (m,)
        What they are multiplied by before they are added up.
    held_out : ndarray of shape (n, k)
        Predictions for the rows by which it was judged, of mixtures that know nothing of them.
    Y : ndarray of shape (n, k)
        Their targets.
    weight : ndarray of shape (n,)
        Their weights.
    tables : dict of str to ndarray
        Those rows, in the prepared tables that are used.
    titles : list of str
        What the table of candidates calls the machines.
    """

    machines: list[Machine]
    factors: Array
    held_out: Array
    Y: Array
    weight: Array
    tables: dict[str, Array]
    titles: list[str]

    @classmethod
    def trained(
        cls,
        screening: Screening,
        weights: Array,
        held_out: Array,
        whole: Problem,
        random_state: Any,
    ) -> Members:
        """The candidates that have a weight, trained on all rows."""
        judged = screening.problem
        kept = np.flatnonzero(weights)
        found = [screening.found[i] for i in kept]
        machines = []
        for one in found:
            table = one.view.table
            training = Training(whole.tables[table], one.judge.learned(whole.Y), whole.weight)
            if len(judged) < len(whole) <= EXACT_ROWS:  # of more rows, most were seen
                loss = replace(one.judge, Y=training.Y, weight=training.weight)
                one = one.trained_on_more(replace(whole, loss=loss))
            kernel, lam, has_margin = one.judged.kernel, one.judged.lam, one.judged.has_margin
            machine = Machine.trained(table, kernel, lam, training, random_state, has_margin)
            machines.append(replace(machine, link=one.judge.link(one.judged.held_out)))
        used = {machine.table for machine in machines}
        return cls(
            machines,
            screening.factors(weights)[kept],
            held_out,
            judged.Y,
            judged.weight,
            {table: judged.tables[table] for table in used},
            [one.title for one in found],
        )

    def predict(self, tables: Mapping[str, Array]) -> Array:
        """Values of shape (n, k)."""
        return _mixed(self.machines, self.factors, tables)

    def relevance(self, preparation: Preparation) -> Array:
        """For every column of the user's table, the part of what is explained that is lost.

        The kernels and ridges of the members are trained on two thirds of the rows and predict the
        last, once as it is and once with the cells of a column in another order; three times in
        turn. What is explained is the squared error of the mean less that of the predictions.
        """
        generator = np.random.RandomState(0)
        rows = generator.permutation(len(self.Y))[:_RELEVANCE_ROWS]
        origins = preparation.origins
        n_columns = len(preparation.names)
        lost, explained = np.zeros(n_columns), 0.0
        for part in range(_PARTS):
            out, others = rows[part::_PARTS], np.setdiff1d(rows, rows[part::_PARTS])
            if len(others) < 2 or len(out) == 0:
                continue
            machines = [self._on(machine, others) for machine in self.machines]
            tables = {name: table[out] for name, table in self.tables.items()}
            Y, weight = self.Y[out], self.weight[out]
            classes = isinstance(machines[0].link, Discriminants)
            error = _error(_mixed(machines, self.factors, tables), Y, weight, classes)
            mean = np.average(self.Y[others], axis=0, weights=self.weight[others])
            explained += _error(np.broadcast_to(mean, Y.shape), Y, weight, False) - error
            order = generator.permutation(len(out))
            for column in np.unique(origins):
                shuffled = {
                    name: np.where(origins == column, table[order], table)
                    for name, table in tables.items()
                }
                values = _mixed(machines, self.factors, shuffled)
                lost[column] += _error(values, Y, weight, classes) - error
        return np.maximum(lost, 0.0) / explained if explained > 0 else np.zeros(n_columns)

    def _on(self, machine: Machine, rows: NDArray[np.intp]) -> Machine:
        X = self.tables[machine.table][rows]
        training = Training(X, machine.learned(self.Y[rows]), self.weight[rows])
        kernel, lam = machine.kernel, machine.lam
        again = Machine.trained(machine.table, kernel, lam, training, None, machine.has_margin)
        return replace(again, link=machine.link)


def _mixed(machines: list[Machine], factors: Array, tables: Mapping[str, Array]) -> Array:
    parts = [machine.predict(tables[machine.table]) for machine in machines]
    return np.asarray(np.tensordot(factors, parts, axes=1))


def _error(values: Array, Y: Array, weight: Array, classes: bool) -> float:
    """Squared error at the best factor, so that log-odds can be compared with labels.

    Of the log-odds of several `classes`, only their softmax can.
    """
    if classes:
        values = 2.0 * softmax(values, axis=1) - 1.0
    size = float(weight @ (values**2).sum(axis=1))
    factor = float(weight @ (values * Y).sum(axis=1)) / size if size > 0 else 0.0
    return float(weight @ ((Y - factor * values) ** 2).sum(axis=1))
