"""The sizes by which a mixture is screened and trained."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kernlearn.estimators.inputs.row_limits import EXACT_ROWS_OF_ONE_MACHINE
from kernlearn.runtime.memory import FLOAT, available


@dataclass(frozen=True)
class ScreeningOptions:
    """Most rows and columns in each part of the screening."""

    # With more rows every family is searched on a sample of this size, and the best on all.
    rows: int = 250
    shortlist: int = 5  # the number of candidates that are searched on all rows
    # Rows by which columns are scaled, at the first level and from slopes; more than those of the
    # sample, since scales are learned once.
    scale_rows: int = 300
    first_level_columns: int = 30  # columns for first-level learning, whose steps cost their square
    # Rows for slopes along more columns, for each of them, and at most: 700 rows of 200 columns
    # missed two of four that matter.
    slope_rows_per_column: int = 10
    slope_rows: int = 2000
    # With fewer rows no column scales are learned: the folds would be too small.
    fewest_rows: int = 20
    # Whether families are tried on every table, however badly they do on the first.
    tries_all: bool = False


@dataclass(frozen=True)
class RescreeningOptions:
    """The second screening of a table that is trained through landmarks."""

    rows: int = 10_000  # rows of its sample: four fifths train, one fifth is held out
    # Rows of the first fold that are held out beside boosted trees: labels are few bits each.
    held_out_labels: int = 10_000
    # Landmarks of a candidate: fewer than those of a member are enough to compare.
    landmarks: int = 800
    rank: int = 200  # landmarks of each kernel of the combination
    slope_rows: int = 600  # rows by which columns are scaled for the contest with trees
    # With more numeric columns no pairs are searched: each takes half a second.
    max_numeric_columns: int = 125
    # With more prepared columns no pairs are searched: the bank has kernels on each of them.
    max_columns: int = 250


@dataclass(frozen=True)
class BoostingOptions:
    """Numbers of trees that are grown by boosting, and of cells to grow them from."""

    # With more cells, only the rows of the sample in memory grow trees.
    cells: int = 2**26
    models: int = 5  # each without another fold
    max_iter: int = 200  # trees of a model, for each class
    learning_rate: float = 0.1
    # Trees and learning rate of a pilot, by whose residuals categories are encoded.
    pilot_iter: int = 40
    pilot_rate: float = 0.2
    patience: int = 10  # trees after which a model ends whose held-out loss does not fall
    with_time_limit: int = 20  # trees between two looks at the clock
    # Most classes that categories are encoded by: the classes with most rows.
    classes: int = 10
    ridge_rows: int = 500  # rows by which the ridge of a machine of the kernel is found

    def takes_all(self, n_rows: int, n_columns: int) -> bool:
        """Whether all rows grow trees; half of the free memory has room for them."""
        there = available()
        # Cells, their bins, and the copies of both that a model takes.
        room = np.inf if there is None else 0.5 * there / (6 * FLOAT)
        return bool(n_rows * n_columns <= min(self.cells, room))


@dataclass(frozen=True)
class CompressionOptions:
    """Compression of a mixture into one machine of few points, and the tolerated loss."""

    sizes: tuple[int, ...] = (64, 128, 256, 512)  # numbers of points that are tried, fewest first
    # Tolerated growth of the held-out loss, in its standard errors.
    tolerance: float = 0.1
    rows: int = 1500  # rows that the compression is judged by, at most
    parts: int = 3  # parts of these rows, held out in turn
    ridges: tuple[float, ...] = (1e-2, 1e-4, 1e-6)  # ridges to try, for kernel values of one
    copies: int = 4  # copies of every row, in which cells are exchanged
    exchanged: float = 0.3  # the probability that a cell is exchanged
    neighbours: int = 5  # near rows that the new cell may come from


@dataclass(frozen=True)
class MixtureOptions:
    """Numbers of rows, landmarks and members of a mixture."""

    # With more rows the members are trained through landmarks.
    exact_rows: int = EXACT_ROWS_OF_ONE_MACHINE
    judged_rows: int = 1500  # rows by which candidates are compared and mixed
    # Sample of a larger table that is held in memory: the columns are prepared by it, candidates
    # are screened on it, and landmarks are chosen from it.
    sample_rows: int = 50_000
    sample_cells: int = 2**25
    # Landmarks of a member; with more rows than the second number there are fewer, so that rows
    # times squared landmarks stay the same.
    landmarks: int = 2000
    landmark_rows: int = 50_000
    # Through landmarks, the most members, and the smallest weight relative to the largest.
    few_members: int = 3
    least_weight: float = 0.1
    # Most rows for which held-out rows are predicted by candidates searched without them.
    nested_rows: int = 60
    # Most rows for labels, unless the usual candidates predict clearly better.
    nested_labels: int = 200
    # Most rows for labels that the usual candidates predict hardly better than the majority.
    nested_unclear_labels: int = 600
    # Trees that are grown by boosting, for tables whose members are trained through landmarks.
    boosting: BoostingOptions = field(default_factory=BoostingOptions)
    # A fit that is expected to take more seconds is announced.
    announced_seconds: float = 10.0
    # The machine that takes the place of a mixture.
    compression: CompressionOptions = field(default_factory=CompressionOptions)
    # Sizes of the two screenings.
    screening: ScreeningOptions = field(default_factory=ScreeningOptions)
    rescreening: RescreeningOptions = field(default_factory=RescreeningOptions)

    def sample_size(self, n_columns: int) -> int:
        """Rows of a table of `n_columns` that are held in memory."""
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
