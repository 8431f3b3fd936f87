"""Quality functionals: how good a kernel is for a task, in a file for each kind of machine."""

from kernlearn.quality.machine import Machine
from kernlearn.quality.registry import (
    ALIGNMENTS,
    CRITERIA,
    QUALITIES,
    Quality,
    Settings,
    quality_names,
)

__all__ = ["ALIGNMENTS", "CRITERIA", "QUALITIES", "Machine", "Quality", "Settings", "quality_names"]
