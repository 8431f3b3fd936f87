"""Families of matrices from which the kernel is chosen, and the domains of their weights."""

from kernlearn.families.matrices import RankOneStack

__all__ = ["RankOneStack"]
