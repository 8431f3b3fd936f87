"""The pictures of the report: each says when it applies, how it is drawn and how to read it.

A new picture is one file with a `PICTURE`, and one line here.
"""

from kernlearn.report.pictures import (
    convergence,
    decision_surface,
    embedding,
    feature_scales,
    gram,
    kernel_weights,
    relevance,
    scores,
    spectrum,
)
from kernlearn.report.pictures.picture import Picture

PICTURES: tuple[Picture, ...] = (
    scores.PICTURE,
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
