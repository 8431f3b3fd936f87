"""The sizes by which a mixture is screened and trained."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kernlearn.estimators.inputs.row_limits import EXACT_ROWS_OF_ONE_MACHINE
from kernlearn.runtime.memory import FLOAT, available

__all__ = ["MixtureOptions", "RescreeningOptions", "ScreeningOptions"]


@dataclass(frozen=True)
class ScreeningOptions:
    """How many rows and columns each part of the screening sees.

    Attributes
    ----------
    rows : int
        With more rows every family is searched on a sample of this size, and the best on all.
    shortlist : int
        The number of candidates that are searched on all rows.
    first_level_rows : int
        Rows for first-level learning, whose steps cost their cube.
    first_level_columns : int
        Columns for first-level learning, whose steps cost their square.
    slope_rows : int
        Rows for slopes along more columns: 700 rows of 200 columns missed two of four that matter.
    fewest_rows : int
        With fewer rows no column scales are learned: the folds would be too small.
    """

    rows: int = 700
    shortlist: int = 8
    first_level_rows: int = 400
    first_level_columns: int = 30
    slope_rows: int = 2000
    fewest_rows: int = 20


@dataclass(frozen=True)
class RescreeningOptions:
    """The second screening of a table that is trained through landmarks.

    Attributes
    ----------
    rows : int
        Rows of its sample: four fifths train, one fifth is held out.
    landmarks : int
        Landmarks of a candidate: fewer than those of a member are enough to compare.
    rank : int
        Landmarks of each kernel of the combination.
    max_numeric_columns : int
        With more numeric columns no pairs are searched: each takes half a second.
    max_columns : int
        With more prepared columns no pairs are searched: the bank has kernels on each of them.
    """

    rows: int = 10_000
    landmarks: int = 800
    rank: int = 200
    max_numeric_columns: int = 125
    max_columns: int = 250


@dataclass(frozen=True)
class MixtureOptions:
    """How a mixture uses the rows of its table.

    Attributes
    ----------
    exact_rows : int
        With more rows the members are trained through landmarks.
    judged_rows : int
        Rows by which candidates are compared and mixed.
    sample_rows, sample_cells : int
        Of a larger table a sample is held in memory: the columns are prepared by it, candidates
        are screened on it, and landmarks are chosen from it.
    landmarks, landmark_rows : int
        Landmarks of a member; with more rows than the second number there are fewer, so that rows
        times squared landmarks stay the same.
    few_members, least_weight : int, float
        Through landmarks, the most members, and the smallest weight relative to the largest.
    screening, rescreening : ScreeningOptions, RescreeningOptions
        Of the two screenings.
    """

    exact_rows: int = EXACT_ROWS_OF_ONE_MACHINE
    judged_rows: int = 1500
    sample_rows: int = 50_000
    sample_cells: int = 2**25
    landmarks: int = 2000
    landmark_rows: int = 50_000
    few_members: int = 3
    least_weight: float = 0.1
    screening: ScreeningOptions = field(default_factory=ScreeningOptions)
    rescreening: RescreeningOptions = field(default_factory=RescreeningOptions)

    def sample_size(self, n_columns: int) -> int:
        """Rows of such a table that are held in memory."""
        fewest = max(self.exact_rows, self.rescreening.rows)
        return max(min(self.sample_rows, self.sample_cells // n_columns), fewest)

    def n_landmarks(self, n_rows: int) -> int:
        """Landmarks of a member, for which half of the free memory has room.

        >>> options = MixtureOptions()
        >>> [options.n_landmarks(n) for n in (20_000, 200_000, 1_000_000)]
        [2000, 1000, 447]
        """
        there = available()
        # Six matrices of the size of the landmarks' exist together.
        room = np.inf if there is None else np.sqrt(0.5 * there / (6 * FLOAT))
        count = self.landmarks * min(1.0, np.sqrt(self.landmark_rows / n_rows))
        return max(1, int(min(count, room, n_rows)))
