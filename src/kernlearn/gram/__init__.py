"""From data to Gram matrices: stacks, normalising, centring, scaling, and their hygiene."""

from kernlearn.gram.complete import complete_kernel
from kernlearn.gram.eigen import eigenvectors
from kernlearn.gram.incomplete_cholesky import (
    IncompleteCholesky,
    PairCholesky,
    incomplete_cholesky,
    pair_cholesky,
)
from kernlearn.gram.landmarks import Landmarks, choose_landmarks
from kernlearn.gram.psd import check_gram
from kernlearn.gram.stack import check_stack, gram_stack
from kernlearn.gram.transforms import (
    center,
    center_cross,
    cross_unit_diagonal,
    scale_to_trace,
    unit_diagonal,
)

__all__ = [
    "IncompleteCholesky",
    "Landmarks",
    "PairCholesky",
    "center",
    "center_cross",
    "check_gram",
    "check_stack",
    "choose_landmarks",
    "complete_kernel",
    "cross_unit_diagonal",
    "eigenvectors",
    "gram_stack",
    "incomplete_cholesky",
    "pair_cholesky",
    "scale_to_trace",
    "unit_diagonal",
]
