"""The members of a mixture, and what is known of their predictions for rows held out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
from scipy.sparse import dia_array, issparse
from scipy.special import softmax

from kernlearn._device import is_elsewhere
from kernlearn.estimators.mixture.candidates.boosting import BoostedTrees
from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.estimators.mixture.candidates.screening import Screening
from kernlearn.estimators.mixture.candidates.training import TrainingRows
from kernlearn.estimators.mixture.options import MixtureOptions
from kernlearn.estimators.mixture.prediction.function import MixtureFunction
from kernlearn.estimators.mixture.preparation import AnyPreparation, NumericRows
from kernlearn.quality.discriminants import Discriminants
from kernlearn.typing import Array, Indices, Mask, Rows

# Rows for the relevance of columns: trained on some of them, shuffled in the others.
_PARTS = 3
_RELEVANCE_ROWS = 900
# The functions of mixtures that have predicted. They are made from the members alone, and belong
# into no file.
_functions: WeakKeyDictionary[Members, MixtureFunction] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Members:
    """Machines and their factors."""

    machines: list[KernelMachine]  # trained on all rows
    factors: Array  # what they are multiplied by before they are added up, of shape (m,)
    # Predictions for the rows by which it was judged, of mixtures that know nothing of them, of
    # shape (n, k).
    held_out: Array
    Y: Array  # their targets, of shape (n, k)
    weight: Array  # their weights, of shape (n,)
    tables: dict[str, NumericRows]  # those rows, in the prepared tables that are used
    titles: list[str]  # what the table of candidates calls the machines
    # Rows of one number were held out together; None where all differ, of shape (n,).
    groups: Indices | None = None
    # The targets themselves, where outlying ones are pulled in in Y; (n, k).
    outlying: Array | None = None

    @property
    def observed(self) -> Array:
        """Targets as they came, of shape (n, k)."""
        return self.Y if self.outlying is None else self.outlying

    @classmethod
    def trained(
        cls,
        screening: Screening,
        weights: Array,
        held_out: Array,
        training: TrainingRows,
        options: MixtureOptions,
        random_state: np.random.RandomState,
    ) -> Members:
        """The candidates that have a weight, trained on all rows."""
        judged, kept, machines = screening.problem, np.flatnonzero(weights), []
        found = [screening.found[i] for i in kept]
        if isinstance(screening.found[int(np.argmax(weights))].representation, BoostedTrees):
            # Beside trees, kernels need no more landmarks than they were judged with.
            options = replace(options, landmarks=options.rescreening.landmarks)
        for one in found:
            if len(judged) < len(training) <= options.exact_rows:  # of more rows, most were seen
                loss = replace(one.judge, Y=one.judge.learned(training.Y), weight=training.weight)
                one = one.trained_on_more(replace(training.sample, loss=loss))
            machine = training.machine(one, options, random_state)
            machines.append(replace(machine, link=one.judge.link(one.judged.held_out)))
        used = {machine.table for machine in machines}
        return cls(
            machines,
            screening.factors(weights)[kept],
            held_out,
            judged.Y,
            judged.weight,
            {table: _same_rows(judged.tables[table], table, machines) for table in used},
            [one.title for one in found],
            judged.groups,
        )

    def predict(self, tables: Mapping[str, Rows]) -> Array:
        """Values of shape (n, k)."""
        if not any(is_elsewhere(table) for table in tables.values()):
            if self not in _functions:
                _functions[self] = MixtureFunction.of(self.machines, self.factors)
            values = _functions[self](tables)
            if np.isfinite(values).all():
                return values
        # The kernels name what is wrong with the rows.
        return _mixed(self.machines, self.factors, tables)

    def relevance(self, preparation: AnyPreparation) -> Array:
        """For every column of the user's table, the part of what is explained that is lost.

        The kernels and ridges of the members are trained on two thirds of the rows and predict the
        last, once as it is and once with the cells of a column in another order; three times in
        turn. What is explained is the squared error of the mean less that of the predictions.
        """
        generator = np.random.RandomState(0)
        rows = generator.permutation(len(self.Y))[:_RELEVANCE_ROWS]
        origins = {name: preparation.origins_of(name) for name in self.tables}
        n_columns = len(preparation.names)
        lost, explained = np.zeros(n_columns), 0.0
        for part in range(_PARTS):
            out, others = rows[part::_PARTS], np.setdiff1d(rows, rows[part::_PARTS])
            if len(others) < 2 or len(out) == 0:
                continue
            machines = [self.trained_again(machine, others) for machine in self.machines]
            tables = {name: table[out] for name, table in self.tables.items()}
            Y, weight = self.Y[out], self.weight[out]
            classes = isinstance(machines[0].link, Discriminants)
            error = _error(_mixed(machines, self.factors, tables), Y, weight, classes)
            mean = np.average(self.Y[others], axis=0, weights=self.weight[others])
            explained += _error(np.broadcast_to(mean, Y.shape), Y, weight, False) - error
            order = generator.permutation(len(out))
            for column in np.unique(np.concatenate(list(origins.values()))):
                shuffled = {
                    name: _shuffled(table, order, origins[name] == column)
                    for name, table in tables.items()
                }
                values = _mixed(machines, self.factors, shuffled)
                lost[column] += _error(values, Y, weight, classes) - error
        return np.maximum(lost, 0.0) / explained if explained > 0 else np.zeros(n_columns)

    def trained_again(self, machine: KernelMachine, rows: Indices) -> KernelMachine:
        """A member's kernel and ridge on some of the rows by which the mixture was judged."""
        X, Y = self.tables[machine.table][rows], machine.learned(self.Y[rows])
        again = KernelMachine.trained(
            machine.table, machine.kernel, machine.lam, X, Y, self.weight[rows], machine.has_margin
        )
        return replace(again, link=machine.link)


def _same_rows(rows: NumericRows, table: str, machines: Sequence[KernelMachine]) -> NumericRows:
    """The points of a machine that are equal to some rows: one array takes less room than two."""
    points = (machine.points for machine in machines if machine.table == table)
    return next(
        (one for one in points if isinstance(one, np.ndarray) and np.array_equal(one, rows)), rows
    )


def _mixed(machines: list[KernelMachine], factors: Array, tables: Mapping[str, Rows]) -> Array:
    parts = [machine.predict(tables[machine.table]) for machine in machines]
    return np.asarray(np.tensordot(factors, parts, axes=1))


def _shuffled(table: NumericRows, order: Indices, columns: Mask) -> NumericRows:
    """A table in which some columns have their cells in another order."""
    if not issparse(table):
        return np.where(columns, table[order], table)
    n = len(columns)
    return table + (table[order] - table) @ dia_array(
        (columns[None].astype(float), [0]), shape=(n, n)
    )


def _error(values: Array, Y: Array, weight: Array, classes: bool) -> float:
    """Squared error at the best factor, so that log-odds can be compared with labels.

    Of the log-odds of several `classes`, only their softmax can.
    """
    if classes:
        values = 2.0 * softmax(values, axis=1) - 1.0
    size = float(weight @ (values**2).sum(axis=1))
    factor = float(weight @ (values * Y).sum(axis=1)) / size if size > 0 else 0.0
    return float(weight @ ((Y - factor * values) ** 2).sum(axis=1))
