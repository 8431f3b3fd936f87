"""A model's predictions as a table, with how sure it is."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from kernlearn.bundle import ModelBundle
from kernlearn.methods.survival_details import chosen_places
from kernlearn.runtime.optional import load_pandas
from kernlearn.tables.survival_target import SURVIVAL
from kernlearn.typing import Json, PandasFrame


def predictions(bundle: ModelBundle, rows: PandasFrame, coverage: float = 0.9) -> PandasFrame:
    """Predictions of typed rows, the values behind them, and how sure they are.

    A column ``prediction``. For two classes ``decision``, positive for the second; for more
    ``decision: CLASS`` for each; then ``probability: CLASS`` for each. For numbers ``lower`` and
    ``upper``, which hold the number with probability `coverage`, and ``std`` where the model is a
    Gaussian process. Only what the model has. Of times to an event ``risk``, ``median`` and
    ``survival: TIME``, the probability to be free of the event after a time, for a few times.
    """
    pd = load_pandas("predicting")
    if bundle.facts["task"] == SURVIVAL:
        return pd.DataFrame(_survival_columns(bundle, rows))
    table = {"prediction": bundle.predicted(rows)}
    if bundle.facts["task"] == "classification":
        table |= _class_columns(bundle, rows)
    else:
        table |= _number_columns(bundle, rows, coverage)
    return pd.DataFrame(table)


def _survival_columns(bundle: ModelBundle, rows: PandasFrame) -> Json:
    known = bundle.facts["survival_times"]
    times = [known[place] for place in chosen_places(len(known))]
    last = bundle.pipeline.steps[-1][1]
    prepared = bundle.pipeline[:-1].transform(rows) if len(bundle.pipeline.steps) > 1 else rows
    survival = last.predict_survival_function(prepared, times)
    return {
        "risk": last.predict(prepared),
        "median": last.predict_median(prepared),
        **{f"survival: {time:g}": survival[:, place] for place, time in enumerate(times)},
    }


def _class_columns(bundle: ModelBundle, rows: PandasFrame) -> Json:
    pipeline, labels = bundle.pipeline, bundle.facts["classes"]
    columns: Json = {}
    if hasattr(pipeline, "decision_function"):
        values = pipeline.decision_function(rows)
        if np.ndim(values) == 1:
            columns["decision"] = values
        else:
            columns |= {f"decision: {label}": values[:, j] for j, label in enumerate(labels)}
    if hasattr(pipeline, "predict_proba") and _is_calibrated(bundle.estimator):
        shares = pipeline.predict_proba(rows)
        columns |= {f"probability: {label}": shares[:, j] for j, label in enumerate(labels)}
    return columns


def _is_calibrated(estimator: BaseEstimator) -> bool:
    """Whether there were rows to fit probabilities to."""
    return not np.isnan(getattr(estimator, "calibration_", 0.0)).any()


def _number_columns(bundle: ModelBundle, rows: PandasFrame, coverage: float) -> Json:
    last = bundle.pipeline.steps[-1][1]
    if not hasattr(last, "predict_interval"):
        return {}
    prepared = bundle.pipeline[:-1].transform(rows) if len(bundle.pipeline.steps) > 1 else rows
    lower, upper = last.predict_interval(prepared, coverage).T
    columns = {"lower": lower, "upper": upper}
    if getattr(last, "quality", "least_squares") == "least_squares":
        columns["std"] = last.predict(prepared, return_std=True)[1]
    return columns
