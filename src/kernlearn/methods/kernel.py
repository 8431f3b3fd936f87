"""The method to start with: kernels of many kinds, judged by rows held out, and mixed."""

from __future__ import annotations

from typing import Any

from kernlearn.estimators import KernelClassifier, KernelRegressor
from kernlearn.methods.method import Method, Plan, Setting

__all__ = ["KERNEL"]

CANDIDATES: Any = "auto"


def _plan(setting: Setting) -> Plan:
    kind = KernelClassifier if setting.task == "classification" else KernelRegressor
    return Plan([("estimator", kind(CANDIDATES, random_state=setting.seed))])


# It reads the typed table itself, so that what it says of columns is said of the user's own.
KERNEL = Method(
    "kernel",
    "a mixture of kernel machines",
    _plan,
    max_rows=1_000_000,
    prepares=True,
)
