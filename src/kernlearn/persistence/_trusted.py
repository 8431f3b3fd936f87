"""The types that a model file may hold; everything else is refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import kernlearn.estimators
import kernlearn.families.parametric
import kernlearn.hyperkernels
import kernlearn.kernels
from kernlearn.bundle import ModelBundle
from kernlearn.estimators.hyperkernel.embedding import Embedding
from kernlearn.estimators.least_squares.fixed_kernel import FixedKernel
from kernlearn.estimators.mixture.candidate_table import CandidateTable
from kernlearn.estimators.mixture.candidates.machine import Machine
from kernlearn.estimators.mixture.columns import CategoryColumn, NumberColumn
from kernlearn.estimators.mixture.members import Members
from kernlearn.estimators.mixture.preparation import Preparation, PreparedTable
from kernlearn.kernels.grid import GridKernels
from kernlearn.methods.stacked_rows import StackedRows
from kernlearn.methods.view_mkl import ViewMKLClassifier, ViewMKLRegressor
from kernlearn.persistence._stand_ins import EnumMember, Frame, Network, Pairs
from kernlearn.quality.discriminants import Discriminants
from kernlearn.quality.limits import Limits
from kernlearn.quality.logarithms import Exponentials, Logarithms
from kernlearn.solvers.core.solution import Solution, Step

# What these packages export is plain: constructors store, and nothing runs when a file is read.
PACKAGES = (
    kernlearn.estimators,
    kernlearn.families.parametric,
    kernlearn.hyperkernels,
    kernlearn.kernels,
)
OTHERS = (
    CandidateTable,
    CategoryColumn,
    Discriminants,
    Embedding,
    EnumMember,
    Exponentials,
    FixedKernel,
    Frame,
    GridKernels,
    Limits,
    Logarithms,
    Machine,
    Members,
    ModelBundle,
    NumberColumn,
    Network,
    Pairs,
    Preparation,
    PreparedTable,
    Solution,
    StackedRows,
    Step,
    ViewMKLClassifier,
    ViewMKLRegressor,
)
# Of scikit-learn, besides its estimators: what its column transformer and its searches keep; and
# of scipy, the rows of sparse tables.
SKLEARN = (
    "numpy.dtype",
    "scipy.sparse._csr.csr_array",
    "sklearn.compose._column_transformer._RemainderColsList",
    "sklearn.utils._bunch.Bunch",
)


def trusted_types(others: Iterable[Any] = ()) -> list[Any]:
    """Names of the types that may be read, and those that the caller vouches for."""
    exported = [getattr(package, name) for package in PACKAGES for name in package.__all__]
    ours = [kind for kind in exported if isinstance(kind, type)]
    return [type_name(kind) for kind in (*ours, *OTHERS)] + [*SKLEARN, *map(type_name, others)]


def type_name(kind: Any) -> str:
    """The full name of a type."""
    if isinstance(kind, type):
        return f"{kind.__module__}.{kind.__name__}"
    raise TypeError(f"expected trusted to hold types, got {kind!r}; pass for example [MyKernel]")
