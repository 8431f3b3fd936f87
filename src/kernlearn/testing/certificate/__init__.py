"""A judge of certificates that owes nothing to the solvers."""

from kernlearn.testing.certificate.judge import Case, complaints

__all__ = ["Case", "complaints"]
