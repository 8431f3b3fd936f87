"""A kernel from a hyperkernel, with the parameters of the paper and nothing to tune."""

from __future__ import annotations

from kernlearn.estimators import HyperkernelClassifier, HyperkernelRegressor
from kernlearn.methods.method import Method, Plan, Setting

__all__ = ["HYPERKERNEL"]


def _plan(setting: Setting) -> Plan:
    kind = HyperkernelClassifier if setting.task == "classification" else HyperkernelRegressor
    # Sections of pairs among a thousand rows fill the memory before they teach anything more.
    return Plan([("estimator", kind(n_pairs=20_000, random_state=setting.seed))])


# 7.0 s for 2000 rows, 29 s if they have 40 columns, both by the power 1.8. But the sections then
# take 5 GB, and grow by the square of the rows: memory ends before the minute.
HYPERKERNEL = Method(
    "hyperkernel", "hyperkernel (a scale for every column)", _plan, max_rows=1500, max_columns=500
)
