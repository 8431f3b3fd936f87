"""Learn the kernel from the data."""

from typing import TYPE_CHECKING

from kernlearn._lazy import lazy_names

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
    "HyperkernelOptions",
    "HyperkernelRegressor",
    "IndefiniteKernelWarning",
    "KernelClassifier",
    "KernelRegressor",
    "LSSVMClassifier",
    "LSSVMRegressor",
    "LpNorm",
    "MKLClassifier",
    "MKLNoveltyDetector",
    "MKLOptions",
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

# A type checker reads these imports; at run time a name is imported when it is first used.
if TYPE_CHECKING:
    from kernlearn import comparison, functionals, gram, hyperkernels, inspection, kernels
    from kernlearn.bound import ErrorBound, transductive_error_bound
    from kernlearn.estimators import (
        FirstLevelClassifier,
        FirstLevelRegressor,
        HyperkernelClassifier,
        HyperkernelMetric,
        HyperkernelNoveltyDetector,
        HyperkernelOptions,
        HyperkernelRegressor,
        KernelClassifier,
        KernelRegressor,
        LSSVMClassifier,
        LSSVMRegressor,
        MKLClassifier,
        MKLNoveltyDetector,
        MKLOptions,
        MKLRegressor,
    )
    from kernlearn.estimators.held_out.chance import AtChanceWarning
    from kernlearn.estimators.mkl.indefinite import IndefiniteKernelWarning
    from kernlearn.families.matrices import RankOneStack
    from kernlearn.families.penalties import ElasticNet, HyperNorm, LpNorm
    from kernlearn.gram import complete_kernel
    from kernlearn.learn import learn_weights
    from kernlearn.persistence import load, save
    from kernlearn.retrieval import retrieval_auc
    from kernlearn.runtime.status import Status
    from kernlearn.runtime.stopping import Progress
    from kernlearn.solvers.core.solution import Solution
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "kernlearn.bound": ("ErrorBound", "transductive_error_bound"),
            "kernlearn.estimators": (
                "FirstLevelClassifier",
                "FirstLevelRegressor",
                "HyperkernelClassifier",
                "HyperkernelMetric",
                "HyperkernelNoveltyDetector",
                "HyperkernelOptions",
                "HyperkernelRegressor",
                "KernelClassifier",
                "KernelRegressor",
                "LSSVMClassifier",
                "LSSVMRegressor",
                "MKLClassifier",
                "MKLNoveltyDetector",
                "MKLOptions",
                "MKLRegressor",
            ),
            "kernlearn.estimators.held_out.chance": ("AtChanceWarning",),
            "kernlearn.estimators.mkl.indefinite": ("IndefiniteKernelWarning",),
            "kernlearn.families.matrices": ("RankOneStack",),
            "kernlearn.families.penalties": ("ElasticNet", "HyperNorm", "LpNorm"),
            "kernlearn.gram": ("complete_kernel",),
            "kernlearn.learn": ("learn_weights",),
            "kernlearn.persistence": ("load", "save"),
            "kernlearn.retrieval": ("retrieval_auc",),
            "kernlearn.runtime.status": ("Status",),
            "kernlearn.runtime.stopping": ("Progress",),
            "kernlearn.solvers.core.solution": ("Solution",),
        },
        __all__,
    )
