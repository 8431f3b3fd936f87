"""scikit-learn estimators."""

from kernlearn.estimators.mkl_classifier import MKLClassifier
from kernlearn.estimators.mkl_novelty import MKLNoveltyDetector
from kernlearn.estimators.mkl_regressor import MKLRegressor

__all__ = ["MKLClassifier", "MKLNoveltyDetector", "MKLRegressor"]
