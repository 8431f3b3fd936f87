"""The values of a flagship's mixture, as an expression."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

import numpy as np

from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.estimators.mixture.extrapolation import (
    DOUBTED,
    FAR,
    NEAR,
    TINY,
    LinearExtrapolation,
)
from kernlearn.estimators.mixture.mixture import KernelMixture
from kernlearn.estimators.mixture.preparation.table import STANDARD, Preparation
from kernlearn.export.expression import (
    Node,
    constant,
    exp,
    head,
    joined,
    larger,
    largest,
    log_logistic,
    reshaped,
    rows_where,
    smaller,
    tail,
    take,
    total,
    where,
    with_remark,
    with_rows,
)
from kernlearn.export.kernels import kernel_values
from kernlearn.export.preparation import prepared_tables
from kernlearn.export.refusal import refused
from kernlearn.export.tables import NumberTable
from kernlearn.quality.discriminants import Discriminants
from kernlearn.quality.grades import GradeThresholds
from kernlearn.quality.logarithms import Exponentials, Limits
from kernlearn.typing import Array

Tables = Mapping[str, Node]


def mixture_values(model: KernelMixture) -> Node:
    """Values of the mixture, before they become classes or numbers, of shape (n, k)."""
    frame = getattr(model, "feature_names_in_", None)
    names = None if frame is None else [str(name) for name in frame]
    prepared = prepared_tables(model.preparation_, names)
    machines, factors = model._members.machines, model._members.factors
    used = {machine.table for machine in machines}
    extrapolation = model._extrapolation
    if extrapolation is None or not isinstance(model.preparation_, Preparation):
        return _mixed(machines, factors, _noted({name: prepared(name) for name in used}))
    tables = _noted({name: prepared(name) for name in used | {STANDARD}})

    def mixture(tables: Tables) -> Node:
        return _mixed(machines, factors, tables)

    return _carried_on(extrapolation, model.preparation_.ranges, tables, mixture)


def _noted(tables: dict[str, Node]) -> dict[str, Node]:
    return {
        name: with_remark(table, f"The prepared table {name!r}.") for name, table in tables.items()
    }


def _mixed(machines: Sequence[KernelMachine], factors: Array, tables: Tables) -> Node:
    parts = []
    for machine, factor in zip(machines, factors, strict=True):
        node = tables[machine.table]
        table = NumberTable(node, _width(machine))
        values = kernel_values(machine.kernel, table, machine.points, machine.coef)
        values = _linked(machine, values + machine.intercept) * float(factor)
        parts.append(
            with_remark(values, f"A member with the kernel {type(machine.kernel).__name__}.")
        )
    return reduce(Node.__add__, parts)


def _width(machine: KernelMachine) -> int:
    """Columns of its table; trees and sparse features read it whole."""
    return 0 if machine.points is None else int(machine.points.shape[1])


def _linked(machine: KernelMachine, values: Node) -> Node:
    """Values of a machine after its link."""
    link = machine.link
    if link is None:
        return values
    if isinstance(link, Discriminants):
        return values @ link.matrix + link.offset
    if isinstance(link, Exponentials):
        logs = link.logarithms
        grown = exp(_between(values * logs.spread + logs.mean, -600.0, 600.0)) * logs.unit
        return _within(link.limits, grown * link.factor - logs.unit + logs.zero)
    if isinstance(link, Limits):
        return _within(link, values)
    if isinstance(link, GradeThresholds):
        return _grade_log_probabilities(link, values)
    raise refused(f"a link of the type {type(link).__name__}", "save it by kernlearn.save")


def _grade_log_probabilities(link: GradeThresholds, values: Node) -> Node:
    """Logarithms of the probabilities of the grades."""
    u = values @ (-link.slope * link.scores[:, None]) + link.thresholds
    columns = np.eye(len(link.order))[link.order]
    between = np.log(-np.expm1(-np.diff(link.thresholds))) @ columns[1:-1]
    return log_logistic(u) @ columns[:-1] + log_logistic(-u) @ columns[1:] + between


def _within(limits: Limits, values: Node) -> Node:
    return _between(values, limits.low, limits.high)


def _between(values: Node, low: Array | float, high: Array | float) -> Node:
    return smaller(larger(values, low), high)


def _step(law: LinearExtrapolation, near: Node, X: Node, doubt: Node) -> Node:
    step = (X - near) @ law.coef
    before, after = ((each - law.centre) @ law.errors for each in (near, X))
    growth = total(after * after, 1, keep=True) - total(before * before, 1, keep=True)
    variance = doubt * larger(growth, 0.0) * law.noise
    return step * larger(variance / larger(step * step, TINY) * -1.0 + 1.0, 0.0)


def _carried_on(
    law: LinearExtrapolation, ranges: Array, tables: Tables, mixture: Callable[[Tables], Node]
) -> Node:
    """The mixture, and beyond the range of the training rows the linear law that carries it on.

    The rows beyond, and the first row so that there is one, are predicted with cells of a few
    training rows in place of those out of range, and with the nearest cells within; all of that at
    once with the rows themselves.
    """
    low, high = ranges
    standard, length = tables[STANDARD], np.where(high > low, high - low, np.inf)
    beyond = larger(larger(standard * -1.0 + low, standard - high), 0.0) / length
    furthest = largest(beyond, 1, keep=True)
    is_beyond = furthest > NEAR
    rows = joined([constant([0]), rows_where(reshaped(is_beyond, -1))], 0)
    far = take(beyond, rows)
    outside = {
        name: take(far, np.maximum(columns, 0), 1) * (columns >= 0).astype(float) > 0.0
        for name, columns in law.columns.items()
    }
    some = {name: take(table, rows) for name, table in tables.items()}
    cells = [{name: law.examples[name][i] for name in some} for i in range(len(law))]
    cells.append({name: _between(each, *law.ends[name]) for name, each in some.items()})
    within = [
        {name: where(outside[name], each[name], some[name]) for name in some} for each in cells
    ]
    everything = {
        name: joined([tables[name], *(each[name] for each in within)], 0) for name in tables
    }
    values = mixture(everything)
    mixed, rest = head(values, standard), tail(values, standard)

    def linear(X: Node) -> Node:
        return X @ law.coef + law.intercept

    k = law.coef.shape[1]
    corrections = rest - linear(joined([each[STANDARD] for each in within], 0))
    corrections = _between(corrections, *law.corrections)
    by_cells = reshaped(corrections, len(cells), -1, k)
    averaged = total(take(by_cells, np.arange(len(law))), 0) / float(len(law))
    nearest = reshaped(take(by_cells, [len(law)]), -1, k)
    share = _between((take(furthest, rows) - NEAR) / (FAR - NEAR), 0.0, 1.0)
    doubt = _between(take(furthest, rows) - DOUBTED, 0.0, 1.0)
    near = within[-1][STANDARD]
    found = share * averaged + (share * -1.0 + 1.0) * nearest
    found = found + linear(near) + _step(law, near, some[STANDARD], doubt)
    found = found if law.zero is None else larger(found, law.zero)
    return where(is_beyond, with_rows(mixed, rows, found), mixed)
