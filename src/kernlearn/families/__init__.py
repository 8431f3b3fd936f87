"""What the kernel is chosen from: families of matrices, and where their weights may lie."""

from kernlearn.families.matrices import RankOneStack

__all__ = ["RankOneStack"]
