"""Held-out predictions row by row, to be judged in other ways."""

from __future__ import annotations

import numpy as np

from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.outcomes import outcome_numbers, outcome_task
from kernlearn.methods.survival import has_events
from kernlearn.methods.task import LearningResult, Task
from kernlearn.runtime.optional import load_pandas
from kernlearn.tables.outcome_targets import OUTCOMES
from kernlearn.typing import Indices, Json, PandasFrame, Targets


def held_out_table(task: Task, outcome: LearningResult, rows: Indices) -> PandasFrame:
    """One row for every held-out row and repeat; `rows` are places of the task's rows in the table.

    Columns ``row``, counted from 1 below the names, ``repeat`` and ``fold``, ``actual`` and
    ``prediction``; with groups ``group``. Classes have ``probability: CLASS`` for each, and numbers
    ``lower`` and ``upper``, if the model predicts them. Times to an event have ``event``, true if
    the event was seen, the risk as ``prediction``, and ``survival: TIME``. Several outcomes have
    ``actual: NAME``, ``prediction: NAME`` and so on for each.
    """
    pd = load_pandas("writing held-out predictions")
    held_out, classes = outcome.judged[0].held_out, task.setting.classes
    fold = np.zeros(len(held_out), dtype=int) if held_out.fold is None else held_out.fold
    n_folds = len(task.first_splits())
    found = {
        "row": rows[outcome.tests] + 1,
        "repeat": fold // n_folds + 1,
        "fold": fold % n_folds + 1,
    }
    if task.setting.task == OUTCOMES:
        return pd.DataFrame({**found, **_by_outcome(task, held_out)})
    found |= {
        **_actual(task.y[outcome.tests]),
        "prediction": held_out.predicted if classes is None else classes[held_out.predicted],
    }
    if task.groups is not None:
        found["group"] = task.groups[outcome.tests]
    if classes is not None and held_out.proba is not None:
        found |= {f"probability: {c}": held_out.proba[:, j] for j, c in enumerate(classes.tolist())}
    if held_out.survival is not None:
        found |= {f"survival: {t:g}": held_out.survival[:, j] for j, t in enumerate(held_out.times)}
    if held_out.interval is not None:
        found |= {"lower": held_out.interval[:, 0], "upper": held_out.interval[:, 1]}
    return pd.DataFrame(found)


def _actual(y: Targets) -> Json:
    """Columns of the target: for times also ``event``, for counts also ``exposure``."""
    if has_events(y):
        return {"actual": y["time"], "event": y["event"]}
    exposure = {"exposure": y["exposure"]} if "exposure" in (y.dtype.names or ()) else {}
    return {"actual": y if outcome_task(y) is None else outcome_numbers(y), **exposure}


def _by_outcome(task: Task, held_out: HeldOutPredictions) -> Json:
    found: Json = {}
    for place, name in enumerate(task.setting.outcomes):
        found |= {
            f"actual: {name}": held_out.y[:, place],
            f"prediction: {name}": held_out.predicted[:, place],
        }
        if held_out.interval is not None:
            ends = held_out.interval[:, place]
            found |= {f"lower: {name}": ends[:, 0], f"upper: {name}": ends[:, 1]}
    return found
