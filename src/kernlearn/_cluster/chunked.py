"""The rows of a Dask collection as a source of blocks that stay where they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kernlearn._cluster.collections import check_collection, is_lazy_frame
from kernlearn._cluster.scheduling import (
    TaskPayload,
    as_payload,
    computed,
    delayed,
    persisted,
    room_on_workers,
)
from kernlearn.runtime.optional import load_pandas
from kernlearn.typing import DaskObject, Indices, Rows

# The result of a task for neighbouring rows.
Work = Callable[..., DaskObject]


@dataclass(frozen=True)
class TaskOptions:
    """Rules by which the chunks of a collection become tasks."""

    # Least share of a block of rows in a task, since its sums may have to be sent.
    least_part: float = 0.125


class Chunked:
    """A table in chunks of rows, each of which is processed where it is stored.

    Chunks are `delayed` arrays or data frames in the order of their rows, of these sizes. Each
    task calls ``prepare(table, start)``, which converts and checks rows that begin at ``start``.
    """

    _options = TaskOptions()

    def __init__(
        self,
        chunks: Sequence[DaskObject],
        sizes: Sequence[int],
        n_columns: int,
        prepare: Callable[[DaskObject, int], DaskObject] | None = None,
    ) -> None:
        filled = [(chunk, size) for chunk, size in zip(chunks, sizes, strict=True) if size]
        self._chunks = [chunk for chunk, _ in filled]
        self._ends = np.cumsum([size for _, size in filled], dtype=np.intp)
        self.shape = (int(self._ends[-1]) if filled else 0, n_columns)
        self._prepare = prepare
        self._fetched: tuple[Indices, DaskObject] | None = None

    @classmethod
    def of(cls, X: Rows, prepare: Callable[[DaskObject, int], DaskObject] | None = None) -> Chunked:
        """A Dask array or data frame; chunks of unknown size are counted, in one pass."""
        X = check_collection(X)
        if is_lazy_frame(X):
            chunks, sizes, n_columns = X.to_delayed(), None, len(X.columns)
        else:
            chunks, n_columns = list(X.to_delayed()[:, 0]), X.shape[1]
            sizes = None if np.isnan(X.shape[0]) else X.chunks[0]
        if sizes is None:
            count = delayed(len)
            sizes = computed([count(chunk) for chunk in chunks])
        return cls(chunks, sizes, n_columns, prepare)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: DaskObject) -> DaskObject:
        """Some rows, in the memory of this process; the last result is cached."""
        chosen = np.arange(len(self))[rows]
        if self._fetched is not None and np.array_equal(self._fetched[0], chosen):
            return self._fetched[1]
        ordered, places = np.unique(chosen, return_inverse=True)
        if len(ordered):
            table = joined_tables(self.parts(_rows_themselves, rows=ordered))
        else:
            table = self.parts(_rows_themselves, rows=np.zeros(1, dtype=np.intp))[0][:0]
        found = table.iloc[places] if hasattr(table, "iloc") else table[places]
        self._fetched = chosen, found
        return found

    def __array__(self, *args: object, **options: object) -> DaskObject:
        raise TypeError(
            "expected rows in memory, got a Dask collection of more rows than are gathered here; "
            "pass X.compute(), or rank=None where the estimator has it"
        )

    def worth_a_task(self, block_rows: int) -> int:
        """The fewest rows of a task, where a block has this many."""
        return int(self._options.least_part * block_rows)

    def parts(
        self,
        work: Work,
        along: Sequence[DaskObject] = (),
        rows: Indices | None = None,
        min_rows: int = 1,
    ) -> list[DaskObject]:
        """Results of a function for the rows of each task, in their order.

        ``work(table, first, *parts)`` is called for neighbouring rows, with the position of the
        first of them among those that count, and with their parts of `along`. Only `rows` count,
        increasing positions, by default all. Chunks that follow from each other are joined until
        they have the `min_rows` rows.
        """
        return computed(self._tasks(work, along, rows, min_rows))

    def reduce(
        self,
        work: Work,
        add: Callable[[DaskObject, DaskObject], DaskObject],
        along: Sequence[DaskObject] = (),
        rows: Indices | None = None,
        min_rows: int = 1,
        light: bool = False,
    ) -> DaskObject:
        """The sum of what `parts` gives, by a tree of neighbours.

        The order in which parts are added follows from the chunks alone, not from the workers: the
        sum is the same to the last bit whoever computes it. `add` must change neither of its
        arguments, since a task may be run again. Parts that are `light` are added here, which saves
        the time in which workers wait for each other.
        """
        sums = self._tasks(work, along, rows, min_rows)
        if light:
            return _tree(computed(sums), add)
        return computed([_tree(sums, delayed(add))])[0]

    def kept(self, work: Work, n_columns: int, min_rows: int = 1) -> Chunked:
        """Results of a function for the rows, kept in the memory of the workers."""
        tasks = persisted(self._tasks(work, (), None, min_rows))
        sizes = [stop - start for _, start, stop in self._groups(min_rows)]
        return Chunked(tasks, sizes, n_columns)

    def subset(self, rows: Indices) -> Chunked:
        """Some of the rows, positions in increasing order, in the chunks that they are in."""
        if len(rows) == len(self):
            return self
        tasks = self._tasks(_rows_themselves, (), rows, 1)
        bounds = np.searchsorted(rows, [0, *self._ends])
        return Chunked(tasks, [size for size in np.diff(bounds) if size], self.shape[1])

    def mapped(self, function: Callable[[DaskObject], DaskObject], n_columns: int) -> Chunked:
        """The same rows after a function of a table, which the tasks call."""
        sizes = np.diff(self._ends, prepend=0).tolist()
        return Chunked(self._chunks, sizes, n_columns, _Composed(self._prepare, function))

    def room(self, on_host: float) -> float:
        """Numbers that may be kept beside the rows: `on_host` of them if the work is done here."""
        return room_on_workers(on_host)

    def _tasks(
        self, work: Work, along: Sequence[DaskObject], rows: Indices | None, min_rows: int
    ) -> list[DaskObject]:
        """One task for each group of chunks that has a row that counts."""
        job, do = as_payload((work, self._prepare)), delayed(_done)
        tasks = []
        for chunks, start, stop in self._groups(min_rows):
            part, within = slice(start, stop), None
            if rows is not None:
                part = slice(*np.searchsorted(rows, [start, stop]).tolist())
                within = rows[part] - start
                if len(within) == 0:
                    continue
            parts = [values[part] for values in along]
            tasks.append(do(job, chunks, slice(start, stop), within, part.start, parts))
        return tasks

    def _groups(self, min_rows: int) -> Iterator[tuple[list[DaskObject], int, int]]:
        """Neighbouring chunks with the rows that they are; a rest that is too small joins them."""
        start, group = 0, []
        for chunk, end in zip(self._chunks, self._ends.tolist(), strict=True):
            group.append(chunk)
            if end - start >= min_rows and (end == len(self) or len(self) - end >= min_rows):
                yield group, start, end
                start, group = end, []
        if group:
            yield group, start, len(self)


@dataclass(frozen=True, eq=False)
class _Composed:
    """A preparation of chunks that follows an earlier one."""

    first: Callable[[DaskObject, int], DaskObject] | None
    function: Callable[[DaskObject], DaskObject]

    def __call__(self, table: Rows, start: int) -> DaskObject:
        return self.function(table if self.first is None else self.first(table, start))


def _tree(
    sums: list[DaskObject], add: Callable[[DaskObject, DaskObject], DaskObject]
) -> DaskObject:
    """The sum of neighbours, then of neighbouring sums, and so on."""
    while len(sums) > 1:
        pairs = [add(*sums[i : i + 2]) for i in range(0, len(sums) - 1, 2)]
        sums = pairs + sums[2 * len(pairs) :]
    return sums[0]


def joined_tables(tables: Sequence[DaskObject]) -> DaskObject:
    """Tables of neighbouring rows as one."""
    if len(tables) == 1:
        return tables[0]
    if hasattr(tables[0], "iloc"):
        return load_pandas("joining chunks of a data frame").concat(tables)
    return np.concatenate(tables)


def _rows_themselves(table: Rows, first: int) -> DaskObject:
    return table


def _done(
    job: TaskPayload,
    chunks: list[DaskObject],
    place: slice,
    within: Indices | None,
    first: int,
    parts: list[DaskObject],
) -> DaskObject:
    """A task: its chunks as one table, prepared, those rows that count, and what is made of them.

    ``place`` is where the table is in the whole, ``within`` are places in the table, and ``first``
    is a place among the rows that count.
    """
    work, prepare = job.unpacked()
    table = joined_tables(chunks)
    if len(table) != place.stop - place.start:
        raise ValueError(
            f"expected {place.stop - place.start} rows from row {place.start} of a Dask collection "
            f"on, as when they were counted, got {len(table)}; fit again once nothing else writes "
            "to its source, or call its persist() first"
        )
    if prepare is not None:
        table = prepare(table, place.start)
    if within is not None and len(within) < len(table):
        table = table.iloc[within] if hasattr(table, "iloc") else table[within]
    return work(table, first, *parts)
