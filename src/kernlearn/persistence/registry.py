"""The types that a model file may hold, and the names that it has for them.

A file names a public class by its public module, ``kernlearn.KernelClassifier``, and a private one
by its key in `PRIVATE` and this module, wherever either is defined: moving or renaming a class
breaks no file, as long as its key stays. Every other type is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import kernlearn.constraints
import kernlearn.estimators
import kernlearn.families.parametric
import kernlearn.hyperkernels
import kernlearn.kernels
import kernlearn.penalties
import kernlearn.ranking
from kernlearn.bound import ErrorBound
from kernlearn.bundle import ModelBundle
from kernlearn.estimators.held_out.count_distribution import CountDistribution
from kernlearn.estimators.hyperkernel.pair_learner import Embedding
from kernlearn.estimators.least_squares.kernel_choice import FixedKernel
from kernlearn.estimators.mixture.candidate_table import CandidateTable
from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.estimators.mixture.count_regression import CountModel
from kernlearn.estimators.mixture.extrapolation import LinearExtrapolation
from kernlearn.estimators.mixture.members import Members
from kernlearn.estimators.mixture.preparation.column_kinds import ColumnKinds
from kernlearn.estimators.mixture.preparation.columns import CategoryColumn, NumberColumn
from kernlearn.estimators.mixture.preparation.level_means import LevelMeans
from kernlearn.estimators.mixture.preparation.source_parts import (
    KernelPart,
    SparsePart,
    TablePart,
    TextPart,
    ThingPart,
)
from kernlearn.estimators.mixture.preparation.sources import NamedPart, SourcesPreparation
from kernlearn.estimators.mixture.preparation.sparse_columns import SparsePreparation
from kernlearn.estimators.mixture.preparation.table import (
    Preparation,
    PreparedTable,
)
from kernlearn.estimators.mkl.extension import Extension
from kernlearn.estimators.mkl.transduction import TransductiveFit
from kernlearn.kernels.grid import GridKernels
from kernlearn.methods.outcome_estimators import (
    CountKernelRegressor,
    GradeKernelRegressor,
    GroupRanker,
    ViewGroupRanker,
)
from kernlearn.methods.view_mkl import (
    StackedRows,
    ViewMKLClassifier,
    ViewMKLRegressor,
    ViewMKLSurvival,
)
from kernlearn.persistence._stand_ins import EnumMember, Frame, Network, Pairs
from kernlearn.quality.discriminants import Discriminants
from kernlearn.quality.grades import GradeThresholds
from kernlearn.quality.logarithms import Exponentials, Limits, Logarithms
from kernlearn.solvers.core.solution import Solution, Step
from kernlearn.solvers.weights.output_kernel import OutputKernel
from kernlearn.tables.typed import Column

# Classes exported by these packages are plain: their constructors store, and run nothing else.
# The keys are the modules that a file names.
PUBLIC = {
    "kernlearn": kernlearn.estimators,
    "kernlearn.constraints": kernlearn.constraints,
    "kernlearn.families.parametric": kernlearn.families.parametric,
    "kernlearn.hyperkernels": kernlearn.hyperkernels,
    "kernlearn.kernels": kernlearn.kernels,
    "kernlearn.penalties": kernlearn.penalties,
    "kernlearn.ranking": kernlearn.ranking,
}
# A key is what files hold: it stays when its class is renamed or moved.
PRIVATE: dict[str, type] = {
    "CandidateTable": CandidateTable,
    "CategoryColumn": CategoryColumn,
    "Column": Column,
    "ColumnKinds": ColumnKinds,
    "CountDistribution": CountDistribution,
    "CountKernelRegressor": CountKernelRegressor,
    "CountModel": CountModel,
    "Discriminants": Discriminants,
    "Embedding": Embedding,
    "EnumMember": EnumMember,
    "ErrorBound": ErrorBound,
    "Exponentials": Exponentials,
    "Extension": Extension,
    "FixedKernel": FixedKernel,
    "Frame": Frame,
    "GradeKernelRegressor": GradeKernelRegressor,
    "GradeThresholds": GradeThresholds,
    "GridKernels": GridKernels,
    "Limits": Limits,
    "LinearExtrapolation": LinearExtrapolation,
    "Logarithms": Logarithms,
    "GroupRanker": GroupRanker,
    "KernelMachine": KernelMachine,
    "KernelPart": KernelPart,
    "LevelMeans": LevelMeans,
    "Members": Members,
    "ModelBundle": ModelBundle,
    "NamedPart": NamedPart,
    "Network": Network,
    "NumberColumn": NumberColumn,
    "OutputKernel": OutputKernel,
    "Pairs": Pairs,
    "Preparation": Preparation,
    "PreparedTable": PreparedTable,
    "Solution": Solution,
    "SourcesPreparation": SourcesPreparation,
    "SparsePart": SparsePart,
    "SparsePreparation": SparsePreparation,
    "StackedRows": StackedRows,
    "Step": Step,
    "TablePart": TablePart,
    "TextPart": TextPart,
    "ThingPart": ThingPart,
    "TransductiveFit": TransductiveFit,
    "ViewGroupRanker": ViewGroupRanker,
    "ViewMKLClassifier": ViewMKLClassifier,
    "ViewMKLRegressor": ViewMKLRegressor,
    "ViewMKLSurvival": ViewMKLSurvival,
}
# Types besides estimators: scikit-learn's, which its column transformer, its searches and ``cv``
# keep; and scipy's, the rows of sparse tables.
_SPLITTERS = (
    "GroupKFold",
    "GroupShuffleSplit",
    "KFold",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "LeavePGroupsOut",
    "LeavePOut",
    "PredefinedSplit",
    "RepeatedKFold",
    "RepeatedStratifiedKFold",
    "ShuffleSplit",
    "StratifiedGroupKFold",
    "StratifiedKFold",
    "StratifiedShuffleSplit",
    "TimeSeriesSplit",
)
SKLEARN = (
    "numpy.dtype",
    "scipy.sparse._csr.csr_array",
    "scipy.sparse._csr.csr_matrix",
    "sklearn.compose._column_transformer._RemainderColsList",
    "sklearn.utils._bunch.Bunch",
    *(f"sklearn.model_selection._split.{name}" for name in _SPLITTERS),
)
NAMES: dict[type, tuple[str, str]] = {
    **{
        getattr(package, name): (module, name)
        for module, package in PUBLIC.items()
        for name in package.__all__
        if isinstance(getattr(package, name), type)
    },
    **{kind: (__name__, key) for key, kind in PRIVATE.items()},
}


def __getattr__(name: str) -> type:
    """The private class of a key; this is how skops finds it."""
    if name in PRIVATE:
        return PRIVATE[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def trusted_names(others: Iterable[object] = ()) -> list[str]:
    """Names of the types that may be read, and those that the caller vouches for."""
    return [".".join(name) for name in NAMES.values()] + [*SKLEARN, *map(type_name, others)]


def type_name(kind: object) -> str:
    """The full name of a type, as a file has it."""
    if isinstance(kind, type):
        return ".".join(NAMES.get(kind, (kind.__module__, kind.__name__)))
    raise TypeError(f"expected trusted to hold types, got {kind!r}; pass for example [MyKernel]")


@cache
def stand_in_type(kind: type) -> type:
    """A class without behaviour that skops writes under the name that a file has for a type."""
    if kind not in NAMES:
        return kind
    module, name = NAMES[kind]
    return type(name, (), {"__module__": module})
