"""Hostile problems, and a judge of certificates that owes nothing to the solvers."""

from kernlearn.testing.fuzz.judge import Case, complaints

__all__ = ["Case", "complaints"]
