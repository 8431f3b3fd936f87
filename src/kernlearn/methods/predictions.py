"""A model's predictions and their uncertainty as a table."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from kernlearn.bundle import ModelBundle
from kernlearn.methods.survival_details import chosen_places
from kernlearn.runtime.optional import load_pandas
from kernlearn.tables.outcome_targets import COUNTS, OUTCOMES, RANKING
from kernlearn.tables.survival_target import SURVIVAL
from kernlearn.typing import Array, Json, PandasFrame


def predictions(
    bundle: ModelBundle, rows: PandasFrame, coverage: float = 0.9, exposure: Array | None = None
) -> PandasFrame:
    """Predictions of typed rows, decision values, and measures of uncertainty.

    A column ``prediction``, and others that the model has. For two classes ``decision``, positive
    for the second; for more ``decision: CLASS`` for each; then ``probability: CLASS`` for each. For
    numbers ``lower`` and ``upper``, which hold the number with probability `coverage`, and ``std``
    for a Gaussian process. For times to an event ``risk``, ``median`` and ``survival: TIME``, the
    probability to be free of the event after a time, for a few times. For counts, ``prediction``
    and its interval for the exposure, beside the ``rate``. For several outcomes,
    ``prediction: NAME`` for each. For rankings a ``score``.
    """
    pd = load_pandas("predicting")
    if bundle.facts["task"] == SURVIVAL:
        return pd.DataFrame(_survival_columns(bundle, rows))
    task = bundle.facts["task"]
    if task in (COUNTS, OUTCOMES):
        own = {} if exposure is None else {"exposure": exposure}
        columns = _count_columns if task == COUNTS else _outcome_columns
        return pd.DataFrame(columns(bundle, rows, coverage, own))
    table = {"score" if task == RANKING else "prediction": bundle.predicted(rows)}
    if task == RANKING:
        return pd.DataFrame(table)
    if task == "classification":
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


def _count_columns(
    bundle: ModelBundle, rows: PandasFrame, coverage: float, predict_arguments: Json
) -> Json:
    """Expected counts for the exposures, by default of one, and their intervals."""
    rate = np.asarray(bundle.pipeline.predict(rows), dtype=float)
    columns: Json = {"prediction": rate * predict_arguments.get("exposure", 1.0)}
    if predict_arguments:
        columns["rate"] = rate
    ends = _ends(bundle, rows, coverage, predict_arguments)
    return columns if ends is None else {**columns, "lower": ends[:, 0], "upper": ends[:, 1]}


def _outcome_columns(
    bundle: ModelBundle, rows: PandasFrame, coverage: float, predict_arguments: Json
) -> Json:
    """Predictions of every outcome."""
    predicted = np.asarray(bundle.pipeline.predict(rows), dtype=float)
    ends = _ends(bundle, rows, coverage, predict_arguments)
    columns: Json = {}
    for place, name in enumerate(bundle.facts["outcomes"]):
        columns[f"prediction: {name}"] = predicted[:, place]
        if ends is not None:
            columns |= {f"lower: {name}": ends[:, place, 0], f"upper: {name}": ends[:, place, 1]}
    return columns


def _ends(
    bundle: ModelBundle, rows: PandasFrame, coverage: float, predict_arguments: Json
) -> Array | None:
    """Ends of prediction intervals; None if the model has none."""
    last = bundle.pipeline.steps[-1][1]
    if not hasattr(last, "predict_interval"):
        return None
    prepared = bundle.pipeline[:-1].transform(rows) if len(bundle.pipeline.steps) > 1 else rows
    return np.asarray(last.predict_interval(prepared, coverage, **predict_arguments))


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
    ends = _ends(bundle, rows, coverage, {})
    if ends is None:
        return {}
    columns: Json = {"lower": ends[:, 0], "upper": ends[:, 1]}
    if getattr(last, "quality", "least_squares") == "least_squares":
        prepared = bundle.pipeline[:-1].transform(rows) if len(bundle.pipeline.steps) > 1 else rows
        columns["std"] = last.predict(prepared, return_std=True)[1]
    return columns
