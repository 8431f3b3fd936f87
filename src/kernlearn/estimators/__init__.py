"""scikit-learn estimators."""

from kernlearn.estimators.hyperkernel_classifier import HyperkernelClassifier
from kernlearn.estimators.mkl_classifier import MKLClassifier
from kernlearn.estimators.mkl_novelty import MKLNoveltyDetector
from kernlearn.estimators.mkl_regressor import MKLRegressor

__all__ = ["HyperkernelClassifier", "MKLClassifier", "MKLNoveltyDetector", "MKLRegressor"]
