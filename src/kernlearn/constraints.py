"""Constraints on the weights of kernels, for :func:`kernlearn.learn_weights` and the estimators."""

from kernlearn.families.constraints import AtLeast, AtMost, Constraint, Group, Order, Tie
from kernlearn.families.constraints import LinearConstraint as Linear

__all__ = ["AtLeast", "AtMost", "Constraint", "Group", "Linear", "Order", "Tie"]
