"""The pictures of the report: each says when it applies, how it is drawn and how to read it.

A new picture is one file with a `PICTURE`, and one line here.
"""

from kernlearn.report.pictures import (
    calibration,
    candidates,
    columns,
    convergence,
    decision_surface,
    embedding,
    feature_scales,
    gram,
    kernel_weights,
    precision_recall,
    predicted,
    relevance,
    roc,
    scores,
    sources,
    spectrum,
)
from kernlearn.report.pictures.picture import Picture

PICTURES: tuple[Picture, ...] = (
    scores.PICTURE,
    roc.PICTURE,
    precision_recall.PICTURE,
    calibration.PICTURE,
    predicted.PICTURE,
    sources.PICTURE,
    columns.PICTURE,
    candidates.PICTURE,
    kernel_weights.PICTURE,
    feature_scales.PICTURE,
    relevance.PICTURE,
    decision_surface.PICTURE,
    gram.PICTURE,
    spectrum.PICTURE,
    embedding.PICTURE,
    convergence.PICTURE,
)

__all__ = ["PICTURES", "Picture"]
