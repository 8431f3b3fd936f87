"""The baseline: a support vector machine with a Gaussian kernel, both parameters tuned."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.svm import SVC, SVR

from kernlearn.methods.method import Method, Plan, Setting

__all__ = ["TUNED_SVM"]

CS = np.logspace(-1, 3, 5)
GAMMAS = np.logspace(-4, 0, 5)


def _plan(setting: Setting) -> Plan:
    machine: Any = SVC()
    if setting.task == "regression":
        # ε and the tolerance are in units of the target too: libsvm does not scale them.
        machine = SVR(epsilon=0.1 * setting.spread, tol=1e-3 * setting.spread)
    grid: dict[str, list[Any]] = {
        "estimator__C": [float(C) * setting.spread for C in CS],
        "estimator__gamma": ["scale", *map(float, GAMMAS)],
    }
    return Plan([("estimator", machine)], grid)


# Its grid takes 8.8 s for 1000 rows of two classes, by the power 1.6, and 25 s for numbers, by the
# power 2. Up to where it takes a minute it is given all that its rivals are, but tuned on some;
# beyond, the account of the rows says so, and the other baselines have them all. With 10,000 rows
# it was asked about 80,000 for longer than boosting learned from 245,000.
TUNED_SVM = Method(
    "rbf-svm", "SVM with a tuned Gaussian kernel", _plan, max_rows=5000, tuning_rows=1500
)
