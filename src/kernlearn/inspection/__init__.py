"""Pictures of what was learned, by scikit-learn's Display convention."""

from kernlearn.inspection.critical_difference import CriticalDifferenceDisplay
from kernlearn.inspection.kernel_weights import KernelWeightsDisplay
from kernlearn.inspection.labels import kernel_label

__all__ = [
    "CriticalDifferenceDisplay",
    "KernelWeightsDisplay",
    "kernel_label",
]
