"""How many rows and numbers the function of a mixture is computed for at a time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EvaluationOptions:
    """Sizes of blocks, in numbers or rows; none of them changes a value by more than rounding."""

    # Distances that are worked on together: they and their exponentials stay in cache.
    distances: int = 2**16
    # Inner products that stay in cache until they are powers.
    products: int = 2**16
    # Numbers that polynomials take at once.
    polynomials: int = 2**17
    # Numbers of a section that stay in cache over all columns.
    sections: int = 2**15
    # Rows whose features are found together for a section.
    section_rows: int = 512
    # Fewer rows are computed one by one, without features.
    few_rows: int = 4
    # Rows that one thread computes, while other threads compute others.
    shared_rows: int = 1024
    # Rows that go down a tree together; fewer than the second go down all trees together.
    tree_rows: int = 2048
    few_tree_rows: int = 128
