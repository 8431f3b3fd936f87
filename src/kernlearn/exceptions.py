"""Warnings of the estimators, to be filtered or turned into errors by their classes."""

from kernlearn.estimators.held_out.chance import AtChanceWarning
from kernlearn.estimators.mixture.preparation.outside_rows import ExtrapolationWarning
from kernlearn.estimators.mkl.indefinite import IndefiniteKernelWarning
from kernlearn.runtime.convergence_warnings import InterruptedWarning

__all__ = [
    "AtChanceWarning",
    "ExtrapolationWarning",
    "IndefiniteKernelWarning",
    "InterruptedWarning",
]
