"""The pictures of the report: each has a condition, a drawing and a caption.

A new picture is one `Picture`, and one line here.
"""

from kernlearn.report.pictures.dependence import DEPENDENCE
from kernlearn.report.pictures.geometry import CONVERGENCE, EMBEDDING, GRAM, SPECTRUM
from kernlearn.report.pictures.held_out import (
    CALIBRATION,
    PRECISION_RECALL,
    PREDICTED,
    ROC,
    SCORES,
)
from kernlearn.report.pictures.importance import COLUMNS, SOURCES
from kernlearn.report.pictures.kernel import (
    CANDIDATES,
    DECISION_SURFACE,
    FEATURE_SCALES,
    KERNEL_WEIGHTS,
    RELEVANCE,
)
from kernlearn.report.pictures.learning_curve import LEARNING_CURVE
from kernlearn.report.pictures.picture import Picture
from kernlearn.report.pictures.survival import RISK_GROUPS, SURVIVAL_CALIBRATION

PICTURES: tuple[Picture, ...] = (
    SCORES,
    LEARNING_CURVE,
    ROC,
    PRECISION_RECALL,
    CALIBRATION,
    PREDICTED,
    RISK_GROUPS,
    SURVIVAL_CALIBRATION,
    SOURCES,
    COLUMNS,
    DEPENDENCE,
    CANDIDATES,
    KERNEL_WEIGHTS,
    FEATURE_SCALES,
    RELEVANCE,
    DECISION_SURFACE,
    GRAM,
    SPECTRUM,
    EMBEDDING,
    CONVERGENCE,
)

__all__ = ["PICTURES", "Picture"]
