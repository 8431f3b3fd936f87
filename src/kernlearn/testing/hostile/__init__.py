"""Hostile files: what is no table, no model and no matrix gets a sentence, whatever it holds.

``python -m kernlearn.testing.hostile 10000 SEED`` reads so many of them.
"""

from kernlearn.testing.hostile.files import FileFailure, run

__all__ = ["FileFailure", "run"]
