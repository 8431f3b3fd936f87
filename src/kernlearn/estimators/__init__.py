"""scikit-learn estimators."""

from typing import TYPE_CHECKING

from kernlearn._lazy import lazy_names

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
]

# A type checker reads these imports; at run time a name is imported when it is first used.
if TYPE_CHECKING:
    from kernlearn.estimators.hyperkernel.classifier import HyperkernelClassifier
    from kernlearn.estimators.hyperkernel.metric import HyperkernelMetric
    from kernlearn.estimators.hyperkernel.novelty import HyperkernelNoveltyDetector
    from kernlearn.estimators.hyperkernel.options import HyperkernelOptions
    from kernlearn.estimators.hyperkernel.regressor import HyperkernelRegressor
    from kernlearn.estimators.inputs.sources import Sources
    from kernlearn.estimators.least_squares.first_level_classifier import FirstLevelClassifier
    from kernlearn.estimators.least_squares.first_level_options import FirstLevelOptions
    from kernlearn.estimators.least_squares.first_level_regressor import FirstLevelRegressor
    from kernlearn.estimators.least_squares.lssvm_classifier import LSSVMClassifier
    from kernlearn.estimators.least_squares.lssvm_regressor import LSSVMRegressor
    from kernlearn.estimators.mixture.classifier import KernelClassifier
    from kernlearn.estimators.mixture.regressor import KernelRegressor
    from kernlearn.estimators.mixture.survival import KernelSurvival
    from kernlearn.estimators.mkl.classifier import MKLClassifier
    from kernlearn.estimators.mkl.graph_fusion import (
        GraphFusionClassifier,
        GraphFusionRegressor,
    )
    from kernlearn.estimators.mkl.novelty import MKLNoveltyDetector
    from kernlearn.estimators.mkl.options import MKLOptions
    from kernlearn.estimators.mkl.regressor import MKLRegressor
    from kernlearn.estimators.mkl.survival import MKLSurvival
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "kernlearn.estimators.hyperkernel.classifier": ("HyperkernelClassifier",),
            "kernlearn.estimators.hyperkernel.metric": ("HyperkernelMetric",),
            "kernlearn.estimators.hyperkernel.novelty": ("HyperkernelNoveltyDetector",),
            "kernlearn.estimators.hyperkernel.options": ("HyperkernelOptions",),
            "kernlearn.estimators.hyperkernel.regressor": ("HyperkernelRegressor",),
            "kernlearn.estimators.inputs.sources": ("Sources",),
            "kernlearn.estimators.least_squares.first_level_classifier": ("FirstLevelClassifier",),
            "kernlearn.estimators.least_squares.first_level_options": ("FirstLevelOptions",),
            "kernlearn.estimators.least_squares.first_level_regressor": ("FirstLevelRegressor",),
            "kernlearn.estimators.least_squares.lssvm_classifier": ("LSSVMClassifier",),
            "kernlearn.estimators.least_squares.lssvm_regressor": ("LSSVMRegressor",),
            "kernlearn.estimators.mixture.classifier": ("KernelClassifier",),
            "kernlearn.estimators.mixture.regressor": ("KernelRegressor",),
            "kernlearn.estimators.mixture.survival": ("KernelSurvival",),
            "kernlearn.estimators.mkl.classifier": ("MKLClassifier",),
            "kernlearn.estimators.mkl.graph_fusion": (
                "GraphFusionClassifier",
                "GraphFusionRegressor",
            ),
            "kernlearn.estimators.mkl.novelty": ("MKLNoveltyDetector",),
            "kernlearn.estimators.mkl.options": ("MKLOptions",),
            "kernlearn.estimators.mkl.regressor": ("MKLRegressor",),
            "kernlearn.estimators.mkl.survival": ("MKLSurvival",),
        },
        __all__,
    )
