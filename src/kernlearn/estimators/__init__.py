"""scikit-learn estimators."""

from kernlearn.estimators.hyperkernel_classifier import HyperkernelClassifier
from kernlearn.estimators.hyperkernel_novelty import HyperkernelNoveltyDetector
from kernlearn.estimators.hyperkernel_regressor import HyperkernelRegressor
from kernlearn.estimators.mkl_classifier import MKLClassifier
from kernlearn.estimators.mkl_novelty import MKLNoveltyDetector
from kernlearn.estimators.mkl_regressor import MKLRegressor

__all__ = [
    "HyperkernelClassifier",
    "HyperkernelNoveltyDetector",
    "HyperkernelRegressor",
    "MKLClassifier",
    "MKLNoveltyDetector",
    "MKLRegressor",
]
