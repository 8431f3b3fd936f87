"""scikit-learn estimators."""

from kernlearn.estimators.hyperkernel.classifier import HyperkernelClassifier
from kernlearn.estimators.hyperkernel.metric import HyperkernelMetric
from kernlearn.estimators.hyperkernel.novelty import HyperkernelNoveltyDetector
from kernlearn.estimators.hyperkernel.regressor import HyperkernelRegressor
from kernlearn.estimators.least_squares.first_level_classifier import FirstLevelClassifier
from kernlearn.estimators.least_squares.first_level_regressor import FirstLevelRegressor
from kernlearn.estimators.least_squares.lssvm_classifier import LSSVMClassifier
from kernlearn.estimators.least_squares.lssvm_regressor import LSSVMRegressor
from kernlearn.estimators.mixture.classifier import KernelClassifier
from kernlearn.estimators.mixture.regressor import KernelRegressor
from kernlearn.estimators.mkl.classifier import MKLClassifier
from kernlearn.estimators.mkl.novelty import MKLNoveltyDetector
from kernlearn.estimators.mkl.regressor import MKLRegressor

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
