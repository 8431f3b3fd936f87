"""Multiple kernel learning, C by what it predicts for rows held out."""

from __future__ import annotations

from typing import Any

from kernlearn.estimators import MKLClassifier, MKLRegressor
from kernlearn.estimators.inputs.row_limits import EXACT_ROWS
from kernlearn.methods.method import Method, Plan, Setting
from kernlearn.methods.view_mkl import ViewMKLClassifier, ViewMKLRegressor

__all__ = ["MKL"]


def _plan(setting: Setting) -> Plan:
    return Plan([("estimator", _estimator(setting).set_params(C="auto"))])


def _estimator(setting: Setting) -> Any:
    is_classes = setting.task == "classification"
    # Through landmarks least squares predicts as well as a margin or a tube, needs one pass over
    # the rows instead of many, and chooses C by all of them (measured on adult: a sixth of the
    # time).
    through_landmarks = setting.n_rows is not None and setting.n_rows > EXACT_ROWS
    machine = "soft_margin" if is_classes else "epsilon_svr"
    options: dict[str, Any] = {
        "quality": "least_squares" if through_landmarks else machine,
        "random_state": setting.seed,
    }
    if setting.views:
        return (ViewMKLClassifier if is_classes else ViewMKLRegressor)(**options)
    kernels = list(setting.kernels) or None
    # Matrices are checked when they are read, as the user asks for.
    psd = "trust" if kernels else "auto"
    return (MKLClassifier if is_classes else MKLRegressor)(kernels, psd=psd, **options)


# Above 3000 rows through landmarks. Below, classification 9.7 s for 1000 rows, regression 33 s for
# 2000, growing by the power 1.9.
MKL = Method("mkl", "multiple kernel learning", _plan, max_rows=1_000_000, takes_kernels=True)
