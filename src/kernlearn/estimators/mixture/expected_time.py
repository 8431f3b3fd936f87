"""Expected time of a fit, its announcement, and the time reserved for the members."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from kernlearn.estimators.mixture.candidates.training import TrainingRows
from kernlearn.estimators.mixture.options import MixtureOptions
from kernlearn.estimators.mixture.preparation.table import STANDARD
from kernlearn.runtime.phrases import counted
from kernlearn.runtime.stopping import Stopped

# Seconds of one thread. The screening of the default: at least, and for a thousand rows that judge.
_LEAST, _JUDGES = 1.0, 2.4
# Columns and classes that double the time of the screening.
_COLUMNS, _CLASSES = 250.0, 30.0
# One member on a thousand rows: terms that grow with their square, and with their cube.
_SQUARE, _CUBE = 0.06, 0.01
# Boosted trees beside a few kernels: at least, and a model for a thousand rows of one target.
_CONTEST, _BOOSTED = 1.5, 0.1
# Through landmarks: a second screening, and one member for a thousand rows.
_RESCREENING, _LANDMARKS = 30.0, 0.3
# Shares of a time limit that may be reserved for all members, and for a single one.
_PART, _MOST = 0.5, 0.9


def announce(
    training: TrainingRows,
    options: MixtureOptions,
    effort: float,
    max_members: int,
    has_trees: bool,
) -> None:
    """Announce the time of a long fit, and reserve time for the steps after the search.

    If trees have not decided, the rest of the fit is announced without them.
    """
    stopping, n_rows = training.sample.stopping, len(training)
    n_columns = training.sample.tables[STANDARD].shape[1]
    sizes = n_rows, n_columns, training.Y.shape[1]
    seconds = expected_seconds(*sizes, options, effort, has_trees)
    if options.announced_seconds < seconds <= stopping.seconds_left:
        with suppress(Stopped):  # the search ends at its first step, and keeps that
            is_large = n_rows > options.exact_rows
            stopping.report(announcement(seconds, n_rows, n_columns, is_large), np.inf)
    n_members = min(max_members, options.screening.shortlist)
    stopping.reserve(
        reserved_seconds(stopping.seconds_left, n_members, member_seconds(n_rows, options))
    )


def affordable(max_members: int, training: TrainingRows, options: MixtureOptions) -> int:
    """As many members as can be trained in the time that is left."""
    left = training.sample.stopping.seconds_left
    if np.isinf(left):
        return max_members
    return int(np.clip(left / member_seconds(len(training), options), 1, max_members))


def member_seconds(n_rows: int, options: MixtureOptions) -> float:
    """Seconds to train one member on all rows."""
    thousands = n_rows / 1000.0
    if n_rows > options.exact_rows:
        return _LANDMARKS * thousands
    return _SQUARE * thousands**2 + _CUBE * thousands**3


def expected_seconds(
    n_rows: int,
    n_columns: int,
    n_targets: int,
    options: MixtureOptions,
    effort: float,
    has_trees: bool = True,
) -> float:
    """Seconds of a fit from `n_columns` prepared columns, on a usual processor in one thread.

    For large tables with trees among the candidates, the time is that of a fit whose model are
    boosted trees. If a kernel is better, the search goes on.

    >>> from kernlearn.estimators.mixture.options import MixtureOptions
    >>> options = MixtureOptions()
    >>> [round(expected_seconds(n, 20, 1, options, 1.0)) for n in (150, 1500, 6000, 40_000)]
    [1, 6, 27, 22]
    >>> round(expected_seconds(40_000, 20, 1, options, 1.0, has_trees=False))
    95
    """
    if n_rows > options.exact_rows and has_trees:
        return _CONTEST + _BOOSTED * options.boosting.models * n_targets * n_rows / 1000.0
    judges = min(n_rows, options.judged_rows) / 1000.0
    screening = (_LEAST + _JUDGES * judges) * (1.0 + n_columns / _COLUMNS)
    # More effort looks at more rows, if there are more.
    share = min(1.0, n_rows / options.screening.rows) ** 3
    tried = effort if effort < 1.0 else 1.0 + (effort - 1.0) * share
    screening *= (1.0 + (n_targets - 1) / _CLASSES) * tried
    if n_rows > options.exact_rows:
        screening += _RESCREENING
    # A member whose kernel is learned looks for its ridge on all rows, too.
    return screening + options.screening.shortlist * member_seconds(n_rows, options)


def announcement(seconds: float, n_rows: int, n_columns: int, is_large: bool = False) -> str:
    """The announcement of a fit that is expected to take `seconds`.

    >>> announcement(94.0, 6000, 20)
    "about 90 seconds are expected for 6,000 rows of 20 columns; effort='fast' takes a tenth"
    """
    size = f"{counted(n_rows, 'row')} of {counted(n_columns, 'column')}"
    part = "less" if is_large else "a tenth"
    return f"about {duration_in_words(seconds)} are expected for {size}; effort='fast' takes {part}"


def duration_in_words(seconds: float) -> str:
    """A time in words, to one digit or two.

    >>> duration_in_words(94.0), duration_in_words(600.0)
    ('90 seconds', '10 minutes')
    """
    return (
        f"{seconds / 60.0:.0f} minutes"
        if seconds >= 180.0
        else f"{10 * round(seconds / 10)} seconds"
    )


def reserved_seconds(limit: float, n_members: int, member: float) -> float:
    """Seconds to reserve for members: for all of them, up to half of the time left, or for one.

    >>> [reserved_seconds(limit, 5, 2.0) for limit in (60.0, 6.0, np.inf)]
    [10.0, 3.0, 0.0]
    """
    if np.isinf(limit):
        return 0.0
    left = max(limit, 0.0)
    return min(n_members * member, max(_PART * left, min(member, _MOST * left)))
