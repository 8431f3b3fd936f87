"""A judge of certificates that owes nothing to the solvers."""

from kernlearn.testing.certificate.case import Case
from kernlearn.testing.certificate.judge import complaints

__all__ = ["Case", "complaints"]
