"""scikit-learn estimators."""

from kernlearn.estimators.first_level_classifier import FirstLevelClassifier
from kernlearn.estimators.first_level_regressor import FirstLevelRegressor
from kernlearn.estimators.hyperkernel_classifier import HyperkernelClassifier
from kernlearn.estimators.hyperkernel_metric import HyperkernelMetric
from kernlearn.estimators.hyperkernel_novelty import HyperkernelNoveltyDetector
from kernlearn.estimators.hyperkernel_regressor import HyperkernelRegressor
from kernlearn.estimators.kernel_classifier import KernelClassifier
from kernlearn.estimators.kernel_regressor import KernelRegressor
from kernlearn.estimators.lssvm_classifier import LSSVMClassifier
from kernlearn.estimators.lssvm_regressor import LSSVMRegressor
from kernlearn.estimators.mkl_classifier import MKLClassifier
from kernlearn.estimators.mkl_novelty import MKLNoveltyDetector
from kernlearn.estimators.mkl_regressor import MKLRegressor

__all__ = [
    "FirstLevelClassifier",
    "FirstLevelRegressor",
    "HyperkernelClassifier",
    "HyperkernelMetric",
    "HyperkernelNoveltyDetector",
    "HyperkernelRegressor",
    "KernelClassifier",
    "KernelRegressor",
    "LSSVMClassifier",
    "LSSVMRegressor",
    "MKLClassifier",
    "MKLNoveltyDetector",
    "MKLRegressor",
]
