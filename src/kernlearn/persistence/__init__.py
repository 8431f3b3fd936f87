"""Safe files: a model is written whole or not at all, and reading one runs no code from it."""

from kernlearn.persistence._file import ModelFileError
from kernlearn.persistence.load import load
from kernlearn.persistence.save import save

__all__ = ["ModelFileError", "load", "save"]
