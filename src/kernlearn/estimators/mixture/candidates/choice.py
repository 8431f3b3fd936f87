"""The choice of candidates."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from kernlearn.estimators.inputs.ownership import copied_kernel
from kernlearn.estimators.mixture.candidates.family import KernelFamily
from kernlearn.estimators.mixture.candidates.registry import ARD, FAMILIES, LOG_TARGET, TREES
from kernlearn.estimators.mixture.preparation.table import NumericRows
from kernlearn.kernels import Kernel


@dataclass(frozen=True)
class CandidateChoice:
    """The candidates that take part."""

    families: list[KernelFamily]  # one at least
    stretches: bool = False  # whether scales of columns are learned, too
    logarithms: bool = False  # whether logarithms of skewed amounts are learned, too
    is_named: bool = False  # whether the user has named them; unsuited ones are then reported

    @property
    def has_trees(self) -> bool:
        """Whether trees are a candidate."""
        return any(family.name == TREES for family in self.families)

    def suited(
        self, estimator: BaseEstimator, n_rows: int, table: NumericRows, exact_rows: int
    ) -> CandidateChoice:
        """The candidates that suit a table; a warning for others that the user has named."""
        (_, n_columns), is_sparse = table.shape, issparse(table)
        limits = {
            family.name: family.limit(n_rows, n_columns, is_sparse, exact_rows)
            for family in self.families
        }
        if is_sparse and self.stretches:
            limits["ARD"] = "takes dense tables"
        suited = [family for family in self.families if not limits[family.name]]
        left_out = [f"{name!r} {limit}" for name, limit in limits.items() if limit]
        if left_out and self.is_named:
            sentence = (
                f"{type(estimator).__name__} expected candidates for {n_rows:,} rows and "
                f"{n_columns:,} prepared columns{' of a sparse matrix' if is_sparse else ''}, got "
                f"some for {'others' if is_sparse else 'fewer'}: {', '.join(left_out)}"
            )
            if not suited:
                raise ValueError(f"{sentence}; name others, or leave candidates='auto'")
            warnings.warn(f"{sentence}; they are left out", UserWarning, stacklevel=4)
        return replace(self, families=suited, stretches=self.stretches and not is_sparse)


def chosen_families(candidates: object, labels: bool = True) -> CandidateChoice:
    """The candidates that a user names.

    `candidates` is "auto" for all of the registry, scales and logarithms, or a sequence of names
    and kernels, which are families of one. Machines with a margin learn `labels` only.

    Examples
    --------
    >>> chosen = chosen_families(["Gaussian", "ARD"])
    >>> [family.name for family in chosen.families], chosen.stretches, chosen.logarithms
    (['Gaussian'], True, False)
    """
    suited = {name: one for name, one in FAMILIES.items() if labels or not one.has_margin}
    if isinstance(candidates, str) and candidates == "auto":
        return CandidateChoice(list(suited.values()), True, not labels)
    known = (*suited, ARD) if labels else (*suited, ARD, LOG_TARGET)
    if isinstance(candidates, str) or not isinstance(candidates, Sequence):
        raise ValueError(
            f"expected candidates to be 'auto' or a list of names and kernels, got {candidates!r}; "
            f"the names are {', '.join(known)}"
        )
    families: list[KernelFamily] = []
    for one in candidates:
        if isinstance(one, Kernel):
            families.append(_family_of(copied_kernel(one)))
        elif isinstance(one, str) and one in known:
            families += [suited[one]] if one in suited else []
        else:
            raise ValueError(
                f"expected candidates to hold kernels and names among {', '.join(known)}, got "
                f"{one!r}; choose some of them"
            )
    stretch = ARD in candidates
    if not families and stretch:
        # Scales alone: the families that are tried with scales.
        families = [family for family in suited.values() if family.stretches]
    if not families and candidates:
        # Logarithms alone: all families.
        families = list(suited.values())
    if not families:
        raise ValueError("expected one candidate at least, got none; try candidates='auto'")
    return CandidateChoice(families, stretch, LOG_TARGET in candidates, is_named=True)


def _family_of(kernel: Kernel) -> KernelFamily:
    name = " ".join(repr(kernel).split())
    sparse = kernel.takes_sparse
    return KernelFamily(name, lambda X, c: kernel, ranks=False, takes_sparse=sparse, is_given=True)
