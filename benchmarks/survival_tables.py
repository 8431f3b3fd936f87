"""The data sets of scikit-survival and lifelines with one right-censored time for each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernlearn.survival import SurvivalOutcome


@dataclass(frozen=True, eq=False)
class SurvivalTable:
    """A table with its outcome."""

    X: Any  # a data frame
    outcome: SurvivalOutcome
    groups: np.ndarray | None = None


# Of lifelines: time, event, columns that are left out (names of rows, or told by the outcome).
LIFELINES = {
    "rossi": ("week", "arrest", ()),
    "lung": ("time", "status", ()),
    "kidney_transplant": ("time", "death", ()),
    "larynx": ("time", "death", ()),
    "leukemia": ("t", "status", ()),
    "regression_dataset": ("T", "E", ()),
    "dd": ("duration", "observed", ("cowcode2", "politycode", "ehead", "leaderspellreg")),
    "multicenter_aids_cohort_study": ("T", "D", ("AIDSY",)),
    "lymphoma": ("Time", "Censor", ()),
    "waltons": ("T", "E", ()),
    "lcd": ("T", "E", ()),
}
SCIKIT_SURVIVAL = (
    "aids",
    "bmt",
    "breast_cancer",
    "cgvhd",
    "flchain",
    "gbsg2",
    "veterans_lung_cancer",
    "whas500",
)


def survival_tables() -> dict[str, SurvivalTable]:
    """All of them, by name."""
    import lifelines.datasets
    import sksurv.datasets

    found = {}
    for name in SCIKIT_SURVIVAL:
        X, y = getattr(sksurv.datasets, f"load_{name}")()
        found[name] = _table(X, y)
    # The cause of death is known of the dead alone.
    found["flchain"] = SurvivalTable(
        found["flchain"].X.drop(columns="chapter"), found["flchain"].outcome
    )
    found["aids, death"] = _table(*sksurv.datasets.load_aids(endpoint="death"))
    for name, (time, event, left_out) in LIFELINES.items():
        table = getattr(lifelines.datasets, f"load_{name}")()
        table = table[table[[time, event]].notna().all(axis=1)].reset_index(drop=True)
        groups = None
        if name == "dd":  # governments of one country are alike
            groups = np.unique(table.pop("ctryname"), return_inverse=True)[1]
        happened = table[event].to_numpy() == table[event].max()
        X = table.drop(columns=[time, event, *left_out])
        found[name] = SurvivalTable(
            X, SurvivalOutcome(table[time].to_numpy(dtype=float), happened), groups
        )
    return found


def _table(X: Any, y: np.ndarray) -> SurvivalTable:
    """Event and time by place; of several causes, any counts as the event."""
    event, time = (np.asarray(y[name]) for name in y.dtype.names)
    return SurvivalTable(X, SurvivalOutcome(time.astype(float), event.astype(int) > 0))
