"""The function of a mixture: its members side by side, each kind of term computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.estimators.mixture.prediction.column_terms import AdditiveTerms, PairTerms
from kernlearn.estimators.mixture.prediction.distances import CityBlockTerms, EuclideanTerms
from kernlearn.estimators.mixture.prediction.options import EvaluationOptions
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
from kernlearn.runtime.threads import share_out
from kernlearn.typing import Array, Rows


class Evaluator(Protocol):
    """Some terms of a mixture that are computed together."""

    def add(self, X: Array, out: Array, options: EvaluationOptions) -> None:
        """Add the values for rows of the table to `out`, of shape (n, q)."""


@dataclass(frozen=True, eq=False)
class MixtureFunction:
    """The sum over the members, by what their kernels have in common.

    Links that are linear are part of the coefficients. Every other link has outputs of its own,
    behind those of the sum.
    """

    offset: Array  # of shape (q,)
    evaluators: list[tuple[str, Evaluator]]  # each with the table that it reads
    links: Sequence[tuple[float, Link]]  # factors and links of the outputs behind the first k
    n_outputs: int  # k
    options: EvaluationOptions

    @classmethod
    def of(
        cls,
        machines: Sequence[KernelMachine],
        factors: Array,
        options: EvaluationOptions | None = None,
    ) -> MixtureFunction:
        """Arrange the members."""
        k = len(machines[0].intercept)
        links = [
            (float(factor), machine.link)
            for machine, factor in zip(machines, factors, strict=True)
            if not (machine.link is None or isinstance(machine.link, Discriminants))
        ]
        offset = np.zeros(k * (1 + len(links)))
        evaluators: list[tuple[str, Evaluator]] = []
        terms: list[Term] = []
        n_links = 0
        for machine, factor in zip(machines, factors, strict=True):
            matrix = np.zeros((k, len(offset)))
            if isinstance(machine.link, Discriminants):
                matrix[:, :k] = factor * machine.link.matrix
                offset[:k] += factor * machine.link.offset
            elif machine.link is None:
                matrix[:, :k] = factor * np.eye(k)
            else:
                n_links += 1
                matrix[:, k * n_links : k * (n_links + 1)] = np.eye(k)
            offset += machine.intercept @ matrix
            table, kernel, points = machine.table, machine.kernel, machine.points
            coef = machine.coef @ matrix
            if isinstance(points, np.ndarray):
                terms += Term(table, kernel, points, coef).parts()
            elif points is None and type(kernel) is TreePaths:
                evaluators.append((table, TreeValues.of(kernel, coef)))
            else:
                evaluators.append((table, DirectTerm(kernel, points, coef)))
        return cls(
            offset, [*evaluators, *_evaluators(terms)], links, k, options or EvaluationOptions()
        )

    def __call__(self, tables: Mapping[str, Rows]) -> Array:
        """Values of shape (n, k) for rows of prepared tables."""
        n = next(iter(tables.values())).shape[0]
        out = np.tile(self.offset, (n, 1))
        size = self.options.shared_rows
        if n > size and all(isinstance(table, np.ndarray) for table in tables.values()):
            blocks = [slice(start, start + size) for start in range(0, n, size)]
            share_out([partial(self._add, tables, out, block) for block in blocks])
        else:
            self._add(tables, out)
        k = self.n_outputs
        values = out[:, :k]
        for number, (factor, link) in enumerate(self.links, start=1):
            values = values + factor * link(out[:, k * number : k * (number + 1)])
        return values

    def _add(self, tables: Mapping[str, Rows], out: Array, rows: slice | None = None) -> None:
        """Add the values of all terms to `out`, for some rows or for all."""
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            for name, evaluator in self.evaluators:
                if rows is None:
                    evaluator.add(tables[name], out, self.options)
                else:
                    evaluator.add(tables[name][rows], out[rows], self.options)


def _evaluators(terms: Sequence[Term]) -> list[tuple[str, Evaluator]]:
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
            same = next((group for group in some if group[0].shares_points_with(term)), None)
            if same is None:
                some.append([term])
            else:
                same.append(term)
        else:
            found.append((term.table, _single_evaluator(term)))
    for table, some_terms in additive.items():
        sums = AdditiveTerms.of(some_terms)
        parts = [DirectTerm.of(term) for term in some_terms] if sums is None else [sums]
        found += [(table, part) for part in parts]
    for (table, kind), some in groups.items():
        found += [(table, kind.of(group)) for group in some]
    return found


def _single_evaluator(term: Term) -> Evaluator:
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
    """Whether it is a sum of Gaussians of single columns."""
    if type(term.kernel) is ANOVA:
        return min(int(term.kernel.degree), int(term.points.shape[1])) == 1
    is_gaussian = type(term.kernel) is Gaussian
    return bool(is_gaussian and term.scales is not None and np.count_nonzero(term.scales) == 1)
