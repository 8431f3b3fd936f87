"""The function of a mixture: its members side by side, each kind of term computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy.sparse import issparse

from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.estimators.mixture.prediction.column_terms import AdditiveTerms, PairTerms
from kernlearn.estimators.mixture.prediction.distances import CityBlockTerms, EuclideanTerms
from kernlearn.estimators.mixture.prediction.product_terms import (
    DirectTerm,
    LinearTerm,
    PolynomialTerm,
    QuadraticTerm,
)
from kernlearn.estimators.mixture.prediction.section_terms import SectionTerm
from kernlearn.estimators.mixture.prediction.terms import Term
from kernlearn.estimators.mixture.prediction.tree_values import TreeValues
from kernlearn.hyperkernels import ARDHarmonic, Expansion
from kernlearn.kernels import (
    ANOVA,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    TreePaths,
)
from kernlearn.quality.discriminants import Discriminants
from kernlearn.quality.predictive import Link
from kernlearn.typing import Array, Rows


class Evaluator(Protocol):
    """Some terms of a mixture that are computed together."""

    def add(self, X: Array, out: Array) -> None:
        """Add the values for rows of the table to `out`, of shape (n, q)."""


@dataclass(frozen=True, eq=False)
class MixtureFunction:
    """The sum over the members, by what their kernels have in common.

    Links that are linear are part of the coefficients. Every other link has outputs of its own,
    behind those of the sum.
    """

    offset: Array  # of shape (q,)
    evaluators: list[tuple[str, Evaluator]]  # each with the table that it reads
    links: list[tuple[float, Link]]  # factors and links of the outputs behind the first k
    n_outputs: int  # k

    @classmethod
    def of(cls, machines: Sequence[KernelMachine], factors: Array) -> MixtureFunction:
        """Arrange the members."""
        k = len(machines[0].intercept)
        links = [
            (float(factor), machine.link)
            for machine, factor in zip(machines, factors, strict=True)
            if not _is_linear(machine)
        ]
        offset = np.zeros(k * (1 + len(links)))
        terms: list[Term] = []
        others: list[KernelMachine] = []
        n_seen = 0
        for machine, factor in zip(machines, factors, strict=True):
            matrix = np.zeros((k, len(offset)))
            if _is_linear(machine):
                matrix[:, :k] = factor * _matrix(machine)
                if machine.link is not None:
                    offset[:k] += factor * machine.link.offset
            else:
                n_seen += 1
                matrix[:, k * n_seen : k * (n_seen + 1)] = np.eye(k)
            offset += machine.intercept @ matrix
            one = replace(machine, coef=machine.coef @ matrix, link=None)
            if machine.points is None or issparse(machine.points):
                others.append(one)
            else:
                terms += Term(one.table, one.kernel, one.points, one.coef).parts()
        return cls(offset, [*_of_features(others), *_arranged(terms)], links, k)

    def __call__(self, tables: Mapping[str, Rows]) -> Array:
        """Values of shape (n, k) for rows of prepared tables."""
        n = next(iter(tables.values())).shape[0]
        out = np.tile(self.offset, (n, 1))
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            for table, evaluator in self.evaluators:
                evaluator.add(tables[table], out)
        k = self.n_outputs
        values = out[:, :k]
        for number, (factor, link) in enumerate(self.links, start=1):
            values = values + factor * link(out[:, k * number : k * (number + 1)])
        return values


def _is_linear(machine: KernelMachine) -> bool:
    return machine.link is None or isinstance(machine.link, Discriminants)


def _matrix(machine: KernelMachine) -> Array:
    """What the values of a machine are multiplied by."""
    if isinstance(machine.link, Discriminants):
        return machine.link.matrix
    return np.eye(len(machine.intercept))


def _of_features(machines: Sequence[KernelMachine]) -> list[tuple[str, Evaluator]]:
    found: list[tuple[str, Evaluator]] = []
    for one in machines:
        if type(one.kernel) is TreePaths:
            found.append((one.table, TreeValues.of(one.kernel, one.coef)))
        else:
            found.append((one.table, DirectTerm(one.kernel, one.points, one.coef)))
    return found


def _arranged(terms: Sequence[Term]) -> list[tuple[str, Evaluator]]:
    """Evaluators for all terms: what shares a table, points or columns is together."""
    found: list[tuple[str, Evaluator]] = []
    additive: dict[str, list[Term]] = {}
    groups: dict[tuple[str, type], list[list[Term]]] = {}
    for term in terms:
        kind = _GROUPS.get(type(term.kernel))
        if _is_additive(term):
            additive.setdefault(term.table, []).append(term)
        elif kind is not None:
            some = groups.setdefault((term.table, kind), [])
            same = next((group for group in some if group[0].sees_as(term)), None)
            if same is None:
                some.append([term])
            else:
                same.append(term)
        else:
            found.append((term.table, _alone(term)))
    for table, some_terms in additive.items():
        sums = AdditiveTerms.of(some_terms)
        parts = [DirectTerm.of(term) for term in some_terms] if sums is None else [sums]
        found += [(table, part) for part in parts]
    for (table, kind), some in groups.items():
        found += [(table, kind.of(group)) for group in some]
    return found


def _alone(term: Term) -> Evaluator:
    """The evaluator of a term that shares nothing with others."""
    kernel, n_columns = term.kernel, term.points.shape[1]
    if type(kernel) is Linear:
        return LinearTerm.of(term)
    if type(kernel) is Polynomial:
        collapses = kernel.degree == 2 and n_columns * term.coef.shape[1] < len(term.points)
        return QuadraticTerm.of(term) if collapses else PolynomialTerm.of(term)
    if type(kernel) is Expansion and type(kernel.hyperkernel) is ARDHarmonic:
        return SectionTerm.of(term)
    if type(kernel) is ANOVA and min(kernel.degree, n_columns) == 2:
        return PairTerms.of(term) or DirectTerm.of(term)
    return DirectTerm.of(term)


_GROUPS: dict[type[Kernel], type[EuclideanTerms | CityBlockTerms]] = {
    Gaussian: EuclideanTerms,
    Matern: EuclideanTerms,
    Laplacian: CityBlockTerms,
}


def _is_additive(term: Term) -> bool:
    if type(term.kernel) is ANOVA:
        return min(term.kernel.degree, term.points.shape[1]) == 1
    return type(term.kernel) is Gaussian and term.scales is not None and len(term.used) == 1
