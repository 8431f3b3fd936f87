"""Lazy predictions for the rows of a Dask collection, as a Dask array."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from kernlearn._cluster.collections import check_collection, is_lazy_frame
from kernlearn._cluster.scheduling import TaskPayload, delayed
from kernlearn.runtime.optional import load_dask_array
from kernlearn.runtime.warning_filters import quiet_about
from kernlearn.typing import DaskObject, Rows

Method = Callable[..., DaskObject]


def lazily(method: Method, estimator: object, X: Rows, options: Mapping[str, object]) -> DaskObject:
    """``method(estimator, X, **options)`` chunk by chunk, lazily.

    The shape and type of the result are those for an artificial row, so that wrong columns are
    refused at once and not on a worker.
    """
    da = load_dask_array("predicting for a Dask collection")
    X = check_collection(X)
    of_frame = is_lazy_frame(X)
    example = X._meta_nonempty if of_frame else np.ones((1, X.shape[1]), dtype=X.dtype)
    with quiet_about(Warning):  # the numbers are discarded
        like = method(estimator, example, **options)
    if not isinstance(like, np.ndarray):
        raise ValueError(
            f"{type(estimator).__name__} predicts one array for a Dask collection, got options "
            f"{dict(options)} for several; predict for X.compute(), or leave them out"
        )
    chunks = list(X.to_delayed() if of_frame else X.to_delayed()[:, 0])
    sizes = [np.nan] * len(chunks) if of_frame else list(X.chunks[0])
    do = delayed(_predicted)
    # A task of its own: the worker that will compute it is not chosen yet.
    job = delayed(TaskPayload((method, estimator, dict(options)), is_pickled=False), traverse=False)
    starts = np.cumsum([0.0, *sizes])[:-1].tolist()
    parts = [
        da.from_delayed(
            do(job, chunk, start, like[:0]), shape=(size, *like.shape[1:]), meta=like[:0]
        )
        for chunk, start, size in zip(chunks, starts, sizes, strict=True)
    ]
    # Unknown numbers of rows need Dask's explicit permission.
    return da.concatenate(parts, allow_unknown_chunksizes=True)


def _predicted(job: TaskPayload, chunk: DaskObject, start: float, empty: DaskObject) -> DaskObject:
    """A task: the predictions for one chunk."""
    method, estimator, options = job.unpacked()
    if len(chunk) == 0:
        return empty
    try:
        return method(estimator, chunk, **options)
    except ValueError as error:
        where = "" if np.isnan(start) else f" that begins at row {int(start)}"
        raise ValueError(f"in the chunk of X{where}: {error}") from error
