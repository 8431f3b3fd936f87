"""A model's predictions as a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlearn._optional import load_pandas
from kernlearn.bundle import ModelBundle

__all__ = ["predictions"]


def predictions(bundle: ModelBundle, rows: Any) -> Any:
    """Predictions, and for classes the values behind them.

    Parameters
    ----------
    bundle : ModelBundle
        From a model file.
    rows : DataFrame
        Typed rows.

    Returns
    -------
    DataFrame
        A column ``prediction``; for two classes ``decision``, positive for the second; for more
        ``decision: CLASS`` for each, or ``probability: CLASS`` where the method votes.
    """
    pd = load_pandas("predicting")
    pipeline = bundle.pipeline
    table = {"prediction": pipeline.predict(rows)}
    if bundle.facts["task"] == "classification":
        has_decision = hasattr(pipeline, "decision_function")
        word = "decision" if has_decision else "probability"
        values = (pipeline.decision_function if has_decision else pipeline.predict_proba)(rows)
        if np.ndim(values) == 1:
            table[word] = values
        else:
            labels = bundle.facts["classes"]
            table |= {f"{word}: {labels[j]}": values[:, j] for j in range(len(labels))}
    return pd.DataFrame(table)
