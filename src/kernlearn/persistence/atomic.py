"""Files that are there whole, or not at all."""

from kernlearn._atomic import atomic_file

__all__ = ["atomic_file"]
