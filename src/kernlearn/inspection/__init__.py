"""Pictures of what was learned, by scikit-learn's Display convention."""

from kernlearn.inspection.critical_difference import CriticalDifferenceDisplay
from kernlearn.inspection.embedding import EmbeddingDisplay
from kernlearn.inspection.kernel_weights import KernelWeightsDisplay
from kernlearn.inspection.labels import kernel_label
from kernlearn.inspection.pair_score import PairScoreDisplay

__all__ = [
    "CriticalDifferenceDisplay",
    "EmbeddingDisplay",
    "KernelWeightsDisplay",
    "PairScoreDisplay",
    "kernel_label",
]
