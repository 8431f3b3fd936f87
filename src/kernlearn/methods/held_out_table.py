"""Held-out predictions row by row, to be judged in other ways."""

from __future__ import annotations

import numpy as np

from kernlearn.methods.task import LearningResult, Task
from kernlearn.runtime.optional import load_pandas
from kernlearn.typing import Indices, PandasFrame


def held_out_table(task: Task, outcome: LearningResult, rows: Indices) -> PandasFrame:
    """One row for every held-out row and repeat; `rows` are places of the task's rows in the table.

    Columns ``row``, counted from 1 below the names, ``repeat`` and ``fold``, ``actual`` and
    ``prediction``; with groups ``group``; of classes ``probability: CLASS`` for each, of numbers
    ``lower`` and ``upper``, where the model has them.
    """
    pd = load_pandas("writing held-out predictions")
    said, classes = outcome.judged[0].said, task.setting.classes
    fold = np.zeros(len(said), dtype=int) if said.fold is None else said.fold
    n_folds = len(task.first_splits())
    found = {
        "row": rows[outcome.tests] + 1,
        "repeat": fold // n_folds + 1,
        "fold": fold % n_folds + 1,
        "actual": task.y[outcome.tests],
        "prediction": said.predicted if classes is None else classes[said.predicted],
    }
    if task.groups is not None:
        found["group"] = task.groups[outcome.tests]
    if classes is not None and said.proba is not None:
        found |= {f"probability: {c}": said.proba[:, j] for j, c in enumerate(classes.tolist())}
    if said.interval is not None:
        found |= {"lower": said.interval[:, 0], "upper": said.interval[:, 1]}
    return pd.DataFrame(found)
