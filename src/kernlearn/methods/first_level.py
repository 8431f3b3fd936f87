"""One scale for every column, learned at the first level."""

from __future__ import annotations

from kernlearn.estimators import FirstLevelClassifier, FirstLevelRegressor
from kernlearn.methods.method import Method, Plan, Setting

__all__ = ["FIRST_LEVEL"]


def _plan(setting: Setting) -> Plan:
    kind = FirstLevelClassifier if setting.task == "classification" else FirstLevelRegressor
    return Plan([("estimator", kind(random_state=setting.seed))])


FIRST_LEVEL = Method(
    "first-level", "first-level learning of scales", _plan, max_rows=500, max_columns=300
)
