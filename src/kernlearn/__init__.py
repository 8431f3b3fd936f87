"""Learn the kernel from the data."""

from typing import TYPE_CHECKING

from kernlearn._lazy import lazy_names

__version__ = "0.1.0.dev0"

__all__ = [
    "FirstLevelClassifier",
    "FirstLevelOptions",
    "FirstLevelRegressor",
    "GraphFusionClassifier",
    "GraphFusionRegressor",
    "HyperkernelClassifier",
    "HyperkernelMetric",
    "HyperkernelNoveltyDetector",
    "HyperkernelOptions",
    "HyperkernelRegressor",
    "KernelClassifier",
    "KernelRegressor",
    "KernelSurvival",
    "LSSVMClassifier",
    "LSSVMRegressor",
    "MKLClassifier",
    "MKLNoveltyDetector",
    "MKLOptions",
    "MKLRegressor",
    "MKLSurvival",
    "Sources",
    "learn_weights",
    "load",
    "save",
    "transductive_error_bound",
]

# Modules that users import from; each is an attribute of the package, and imported when first used.
MODULES = [
    "comparison",
    "constraints",
    "datasets",
    "exceptions",
    "export",
    "families",
    "functionals",
    "gram",
    "hyperkernels",
    "inspection",
    "kernels",
    "metrics",
    "penalties",
    "ranking",
    "report",
    "results",
    "survival",
    "testing",
]

# A type checker reads these imports; at run time a name is imported when it is first used.
if TYPE_CHECKING:
    from kernlearn.bound import transductive_error_bound
    from kernlearn.estimators import (
        FirstLevelClassifier,
        FirstLevelOptions,
        FirstLevelRegressor,
        GraphFusionClassifier,
        GraphFusionRegressor,
        HyperkernelClassifier,
        HyperkernelMetric,
        HyperkernelNoveltyDetector,
        HyperkernelOptions,
        HyperkernelRegressor,
        KernelClassifier,
        KernelRegressor,
        KernelSurvival,
        LSSVMClassifier,
        LSSVMRegressor,
        MKLClassifier,
        MKLNoveltyDetector,
        MKLOptions,
        MKLRegressor,
        MKLSurvival,
        Sources,
    )
    from kernlearn.learn import learn_weights
    from kernlearn.persistence import load, save
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "kernlearn.bound": ("transductive_error_bound",),
            "kernlearn.estimators": tuple(name for name in __all__ if name[0].isupper()),
            "kernlearn.learn": ("learn_weights",),
            "kernlearn.persistence": ("load", "save"),
        },
        [*__all__, *MODULES],
    )
