"""The weighted degree kernel on aligned strings."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, hstack

from kernlearn.kernels._parameters import positive_integer
from kernlearn.kernels.sequences._letters import Letters, joined, letters_of, words
from kernlearn.kernels.structured_inputs import _Counts, appended, count, numbered
from kernlearn.typing import Things


class WeightedDegree(_Counts):
    r"""The weighted degree kernel: words that two aligned sequences share at the same place.

    .. math::

        k(x, z) = \sum_{d=1}^{D} \beta_d \sum_{i} [x_{i \ldots i+d-1} = z_{i \ldots i+d-1}],
        \qquad \beta_d = \frac{2 (D - d + 1)}{D (D + 1)}

    (Rätsch and Sonnenburg, 2004), for sequences of one length, such as windows around the sites
    where genes are spliced.

    Parameters
    ----------
    degree : int, default=3
        Letters D in the longest words, at least one.

    Examples
    --------
    >>> from kernlearn.kernels import WeightedDegree
    >>> WeightedDegree(2)(["GATT", "GACT"]).round(3)
    array([[3.667, 2.333],
           [2.333, 3.667]])
    """

    def __init__(self, degree: int = 3) -> None:
        self.degree = degree

    def _check_parameters(self) -> None:
        positive_integer(self.degree, "WeightedDegree's degree")

    def _read(self, thing: object, where: str) -> Letters:
        letters = letters_of(thing, where)
        if len(letters) == 0:
            raise ValueError(
                f"WeightedDegree's sequences must have letters, got an empty string in {where}; "
                "drop such rows."
            )
        return letters

    def _counts(self, things: Things) -> csr_array:
        lengths = sorted({len(letters) for letters in things})
        if len(lengths) > 1:
            raise ValueError(
                f"WeightedDegree's sequences must have one length, got lengths from {lengths[0]} "
                f"to {lengths[-1]}; align them, or use Spectrum."
            )
        letters, rows, positions = joined(things)
        letters, n_letters = numbered(letters)
        blocks = []
        for d in range(1, min(self.degree, lengths[0]) + 1):
            codes, starts = words(letters, rows, d, n_letters)
            codes = appended(codes, positions[starts], lengths[0])
            weight = 2.0 * (self.degree - d + 1) / (self.degree * (self.degree + 1))
            blocks.append(np.sqrt(weight) * count(rows[starts], codes, len(things)))
        return hstack(blocks, format="csr")
