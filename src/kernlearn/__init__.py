"""Learn the kernel from the data."""

from kernlearn import comparison, functionals, gram, hyperkernels, inspection, kernels
from kernlearn.bound import ErrorBound, transductive_error_bound
from kernlearn.estimators import (
    FirstLevelClassifier,
    FirstLevelRegressor,
    HyperkernelClassifier,
    HyperkernelMetric,
    HyperkernelNoveltyDetector,
    HyperkernelRegressor,
    KernelClassifier,
    KernelRegressor,
    LSSVMClassifier,
    LSSVMRegressor,
    MKLClassifier,
    MKLNoveltyDetector,
    MKLRegressor,
)
from kernlearn.estimators.held_out.chance import AtChanceWarning
from kernlearn.estimators.mkl.indefinite import IndefiniteKernelWarning
from kernlearn.families.hyper_norm import HyperNorm
from kernlearn.families.rank_one import RankOneStack
from kernlearn.families.weight_norms import ElasticNet, LpNorm
from kernlearn.gram import complete_kernel
from kernlearn.learn import learn_weights
from kernlearn.persistence import load, save
from kernlearn.retrieval import retrieval_auc
from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import Progress
from kernlearn.solvers.core.solution import Solution

__version__ = "0.1.0.dev0"

__all__ = [
    "AtChanceWarning",
    "ElasticNet",
    "ErrorBound",
    "FirstLevelClassifier",
    "FirstLevelRegressor",
    "HyperNorm",
    "HyperkernelClassifier",
    "HyperkernelMetric",
    "HyperkernelNoveltyDetector",
    "HyperkernelRegressor",
    "IndefiniteKernelWarning",
    "KernelClassifier",
    "KernelRegressor",
    "LSSVMClassifier",
    "LSSVMRegressor",
    "LpNorm",
    "MKLClassifier",
    "MKLNoveltyDetector",
    "MKLRegressor",
    "Progress",
    "RankOneStack",
    "Solution",
    "Status",
    "comparison",
    "complete_kernel",
    "functionals",
    "gram",
    "hyperkernels",
    "inspection",
    "kernels",
    "learn_weights",
    "load",
    "retrieval_auc",
    "save",
    "transductive_error_bound",
]
