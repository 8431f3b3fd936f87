"""The members of a mixture, and their predictions for held-out rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
from scipy.sparse import issparse

from kernlearn._device import is_elsewhere
from kernlearn.estimators.held_out.correlated_columns import correlated_columns
from kernlearn.estimators.held_out.relevance import shuffled_cells
from kernlearn.estimators.mixture.candidates.boosting import BoostedTrees
from kernlearn.estimators.mixture.candidates.machine import KernelMachine, fitted_to_gram
from kernlearn.estimators.mixture.candidates.screening import Screening
from kernlearn.estimators.mixture.candidates.training import TrainingRows
from kernlearn.estimators.mixture.options import MixtureOptions
from kernlearn.estimators.mixture.prediction.function import MixtureFunction
from kernlearn.estimators.mixture.preparation.table import AnyPreparation, NumericRows
from kernlearn.quality.discriminants import Discriminants
from kernlearn.solvers.weights.output_kernel import OutputKernel
from kernlearn.typing import Array, Indices, Rows

# Time to find a ridge for more rows and to train with it, in units of one machine.
_FITS_OF_A_RIDGE = 5.0
# Rows for the relevance of columns: trained on some of them, shuffled in the others.
_PARTS = 3
_RELEVANCE_ROWS = 900
# Shuffles of a column: many unless columns are, by the rows that are predicted in all.
_MOST_SHUFFLES, _FEWEST_SHUFFLES, _FEW_PREDICTIONS = 5, 3, 30_000
# The functions of mixtures that have predicted. They are made from the members alone, and belong
# into no file.
_functions: WeakKeyDictionary[Members, MixtureFunction] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Members:
    """Machines and their factors."""

    machines: list[KernelMachine]  # trained on all rows
    factors: Array  # factors of their values in the sum, of shape (m,)
    # Predictions for the rows that judged the mixture, by mixtures that have not seen them, of
    # shape (n, k).
    held_out: Array
    Y: Array  # targets of these rows, of shape (n, k)
    weight: Array  # weights of these rows, of shape (n,)
    tables: dict[str, NumericRows]  # these rows, in the prepared tables that are used
    titles: list[str]  # names of the machines in the table of candidates
    # Rows of one number were held out together; None if all differ, of shape (n,).
    groups: Indices | None = None
    # The place of each of these rows among the rows of the fit; None for all; (n,).
    places: Indices | None = None
    # The original targets, if Y has pseudo-targets for outlying ones; (n, k).
    outlying: Array | None = None
    outputs: OutputKernel | None = None  # the kernel over several targets; None for the identity

    @property
    def n_independent(self) -> int:
        """Number of independent rows: groups if these are small, one if they are large."""
        if self.groups is None:
            return len(self.Y)
        n_groups = len(np.unique(self.groups))
        return n_groups if 2 * n_groups > len(self.Y) else 1

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
        outputs = None if screening.outputs is None else screening.outputs.matrix
        found = [screening.fits[i] for i in kept]
        if isinstance(screening.fits[int(np.argmax(weights))].representation, BoostedTrees):
            # Beside trees, kernels need no more landmarks than they were judged with.
            options = replace(options, landmarks=options.rescreening.landmarks)
        sample, n = training.sample, len(training)
        for i, one in enumerate(found):
            # Up to this size the sample has all rows; in larger tables most rows were seen already.
            if len(judged) < n <= options.exact_rows:
                seconds = sample.stopping.seconds_left / (len(found) - i)
                if training.n_affordable(one, seconds / _FITS_OF_A_RIDGE) == n:
                    loss = one.judge.of_rows(sample.loss)
                    one = one.trained_on_more(replace(sample, loss=loss))
            seconds = sample.stopping.seconds_left / (len(found) - i)
            machine = training.machine(one, options, random_state, outputs, seconds)
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
            judged.places,
            outputs=screening.outputs,
        )

    def predict(self, tables: Mapping[str, Rows]) -> Array:
        """Values of shape (n, k)."""
        if not any(is_elsewhere(table) for table in tables.values()):
            if self not in _functions:
                _functions[self] = MixtureFunction.of(self.machines, self.factors)
            values = _functions[self](tables)
            if np.isfinite(values).all():
                return values
        # The kernels raise errors that name the fault of the rows.
        return _mixed(self.machines, self.factors, tables)

    def shifted(self, constants: Array) -> Members | None:
        """Members with constants (k,) added to the values; None if no link can hold them."""
        for i in np.argsort(-self.factors, kind="stable"):
            machine, factor = self.machines[i], self.factors[i]
            link = machine.link
            if link is None:
                link = Discriminants(np.eye(len(constants)), np.zeros(len(constants)))
            if factor > 0.0 and isinstance(link, Discriminants):
                link = replace(link, offset=link.offset + constants / factor)
                machines = [*self.machines]
                machines[i] = replace(machine, link=link)
                return replace(self, machines=machines, held_out=self.held_out + constants)
        return None

    def shuffled(
        self, columns: Sequence[Indices], origins_of: Callable[[str], Indices]
    ) -> tuple[Indices, Array, list[list[Array]]]:
        """Rows, their held-out predictions, and those with shuffled columns.

        The kernels and ridges of the members are trained on two thirds of the rows and predict the
        last third, once as it is and several times with the cells of some columns of the user in
        another order; three times in turn. `origins_of` returns the user's column for each column
        of a prepared table. Groups of rows stay together.
        """
        generator = np.random.RandomState(0)
        n = len(self.Y)
        codes = np.arange(n) if self.groups is None else self.groups
        place = generator.permutation(int(codes.max()) + 1)[codes]
        rows = np.argsort(place, kind="stable")[:_RELEVANCE_ROWS]
        few = len(rows) * len(columns) * _MOST_SHUFFLES <= _FEW_PREDICTIONS
        n_shuffles = _MOST_SHUFFLES if few else _FEWEST_SHUFFLES
        kept: list[Indices] = []
        predictions: list[list[Array]] = []  # by part: as the rows are, then by column and shuffle
        for part in range(_PARTS):
            is_out = place[rows] % _PARTS == part
            out, others = rows[is_out], rows[~is_out]
            if len(others) < 2 or len(out) == 0:
                continue
            machines = [self.trained_again(machine, others) for machine in self.machines]
            tables = {name: table[out] for name, table in self.tables.items()}
            orders = [generator.permutation(len(out)) for _ in range(n_shuffles)]
            shuffled = (
                {
                    name: shuffled_cells(table, order, np.isin(origins_of(name), each))
                    for name, table in tables.items()
                }
                for each in columns
                for order in orders
            )
            kept.append(out)
            predictions.append(
                [_mixed(machines, self.factors, each) for each in (tables, *shuffled)]
            )
        if not predictions:
            raise AttributeError(
                f"expected three rows, or groups of rows, at least for relevance_, got {n}; use "
                "kernlearn.inspection.relevance on other rows"
            )
        before, *after = (np.concatenate(parts) for parts in zip(*predictions, strict=True))
        by_column = [after[i : i + n_shuffles] for i in range(0, len(after), n_shuffles)]
        return np.concatenate(kept), before, by_column

    def held_out_by(self, codes: Indices) -> Array:
        """Predictions for rows of each fold by members that are trained without it, (n, k).

        Their kernels and ridges stay; every kernel matrix is computed once.
        """
        values = np.zeros_like(self.Y)
        outputs = None if self.outputs is None else self.outputs.matrix
        for machine, factor in zip(self.machines, self.factors, strict=True):
            K, Y = machine.kernel(self.tables[machine.table]), machine.training_targets(self.Y)
            for fold in np.unique(codes):
                out, others = np.flatnonzero(codes == fold), np.flatnonzero(codes != fold)
                within, weight = K[np.ix_(others, others)], self.weight[others]
                coef, intercept = fitted_to_gram(within, Y[others], machine.lam, weight, outputs)
                predictions = K[np.ix_(out, others)] @ coef + intercept
                if machine.link is not None:
                    predictions = machine.link(predictions)
                values[out] += factor * predictions
        return values

    def trained_again(self, machine: KernelMachine, rows: Indices) -> KernelMachine:
        """A member's kernel and ridge on some of the rows by which the mixture was judged."""
        X, Y = self.tables[machine.table][rows], machine.training_targets(self.Y[rows])
        again = KernelMachine.trained(
            machine.table,
            machine.kernel,
            machine.lam,
            X,
            Y,
            self.weight[rows],
            machine.has_margin,
            None if self.outputs is None else self.outputs.matrix,
        )
        return replace(again, link=machine.link)

    def trained_on_parts(
        self, machine: KernelMachine, rows: Indices, parts: Sequence[Indices]
    ) -> KernelMachine:
        """A member trained on each part of some rows: one machine, its outputs side by side.

        The kernel matrix of the rows is computed once, and so are kernel values of new rows.
        """
        X, Y = self.tables[machine.table][rows], machine.training_targets(self.Y[rows])
        weight, outputs = self.weight[rows], None if self.outputs is None else self.outputs.matrix
        known = machine.lam, machine.has_margin, outputs
        return replace(
            KernelMachine.trained_on_parts(
                machine.table, machine.kernel, X, Y, weight, parts, *known
            ),
            link=machine.link,
        )


def columns_and_sets(
    members: Members, preparation: AnyPreparation
) -> tuple[list[str], list[Indices]]:
    """The user's columns, then sets of correlated ones, by their names and their numbers."""
    names = list(preparation.names)
    sets = [np.array([j]) for j in range(len(names))]
    name, table = next(iter(members.tables.items()))
    if not issparse(table):
        origins = preparation.origins_of(name)
        for each in correlated_columns([table[:, origins == j] for j in range(len(names))]):
            names.append(" + ".join(names[j] for j in each))
            sets.append(np.array(each))
    return names, sets


def _same_rows(rows: NumericRows, table: str, machines: Sequence[KernelMachine]) -> NumericRows:
    """Rows, or the points of a machine that are equal to them, to store one array for both."""
    points = (machine.points for machine in machines if machine.table == table)
    return next(
        (one for one in points if isinstance(one, np.ndarray) and np.array_equal(one, rows)), rows
    )


def _mixed(machines: list[KernelMachine], factors: Array, tables: Mapping[str, Rows]) -> Array:
    parts = [machine.predict(tables[machine.table]) for machine in machines]
    return np.asarray(np.tensordot(factors, parts, axes=1))
