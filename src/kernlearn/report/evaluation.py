"""A fitted model on new rows whose targets are known, beside the scores that it promised."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm
from sklearn.base import BaseEstimator, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from kernlearn.bundle import ModelBundle
from kernlearn.estimators.held_out.chance import LEVEL
from kernlearn.exceptions import ExtrapolationWarning
from kernlearn.methods.costs import Costs, cost_of, with_threshold
from kernlearn.methods.details import class_details, metric_values, number_details
from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.metrics import DEFAULTS, KAPPA, NEGATIVE, Metric
from kernlearn.methods.new_rows import NewRows
from kernlearn.methods.outcome_details import outcome_details
from kernlearn.methods.outcomes import default_metric, outcome_task
from kernlearn.methods.scores import Z_95, score_with_interval, wilson_interval
from kernlearn.methods.survival import evaluation_times
from kernlearn.methods.survival_details import survival_details
from kernlearn.report.known_outcomes import known_outcomes
from kernlearn.runtime.optional import load_pandas
from kernlearn.runtime.phrases import p_in_words
from kernlearn.survival import survival_outcome
from kernlearn.tables import TableError
from kernlearn.tables.outcome_targets import OUTCOME_TASKS
from kernlearn.tables.survival_target import SURVIVAL, read_known_outcome
from kernlearn.tables.target import read_known_target
from kernlearn.typing import Indices, Json, PandasFrame, PandasSeries, Rows, Targets

# Rows that are predicted at once: their kernel with the support vectors is in memory.
ROWS_AT_ONCE = 1000
SEED = 0
# Metrics that a threshold does not change.
BY_PROBABILITY = ("roc_auc", "average_precision", "neg_log_loss", "neg_brier")


def evaluate(
    model: ModelBundle | BaseEstimator, X: Rows, y: ArrayLike | None = None, groups: Rows = None
) -> Json:
    r"""Score a fitted model on new rows, and compare the scores with those that it promised.

    A model file of ``kernlearn fit`` holds the scores of held-out rows. A score on new rows is
    compared with its held-out value by the two 95 % intervals (Zou and Donner 2008). With the
    promised score p and the found score f < p, the statistic is

    .. math:: z = 1.96 \, \frac{p - f}{\sqrt{(p - l_p)^2 + (u_f - f)^2}}

    with the lower end :math:`l_p` of the first interval and the upper end :math:`u_f` of the
    second; for f > p the ends change places.

    Parameters
    ----------
    model : ModelBundle or estimator
        A model file as ``kernlearn.load`` reads it, or any fitted classifier or regressor. An
        estimator has promised nothing, so its scores are compared with nothing.
    X : data frame or array-like
        New rows. For a model file: a data frame with the columns of the fit, as it comes.
    y : array-like of shape (n,), optional
        The targets; by default the target's column of X. Rows without a value are left out. Times
        to an event as :func:`kernlearn.survival.survival_outcome` reads them.
    groups : array-like of shape (n,), optional
        Labels of rows that belong together, patients for example. Groups, not rows, then count as
        independent. By default the column that ``kernlearn fit --groups`` named, if X has it.

    Returns
    -------
    dict
        JSON values: ``rows`` and ``rows_without_target``; ``groups`` (their number, or None);
        ``scores``, a list of dicts with ``metric``, ``name``, ``value``, ``low``, ``high``,
        ``promised``, ``promised_low``, ``promised_high``, ``p_value``, ``verdict`` ("better",
        "worse", "no clear difference" or None) and ``sentence``, the metric of the fit first;
        ``held_out``, the details by class or number, as in the report; ``new_rows``, how the rows
        of a table differ from those of the fit, as ``kernlearn predict --json`` tells it;
        ``sentences``, what is found in words.

    See Also
    --------
    kernlearn.inspection.relevance : Columns that the model uses on these rows.

    Notes
    -----
    The promised scores are those of models that learned from fewer rows than the model in the file.
    Each comparison stands for itself: of twenty true promises, one is expected to look broken at
    p = 0.05.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernlearn import LSSVMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LSSVMClassifier().fit(X[::2], y[::2])
    >>> found = evaluate(model, X[1::2], y[1::2])
    >>> found["scores"][0]["name"], found["scores"][0]["value"] > 0.9
    ('accuracy', True)
    """
    inputs = _inputs(model, X, y, groups)
    predictions = _predicted(*(inputs[key] for key in ("pipeline", "X", "y", "classes", "unit")))
    facts: Json = model.facts if isinstance(model, ModelBundle) else {}
    threshold = facts.get("threshold")
    if threshold:
        predictions = with_threshold(predictions, float(threshold["value"]))
    ranks = _ranks(inputs["pipeline"], inputs["classes"]) if predictions.n_classes else ()
    scores = _scores(facts, predictions, ranks)
    scores = [compared_score(score, _promised(facts, score)) for score in scores]
    scores += [_compared_cost(threshold, predictions)] if threshold else []
    labels = [str(label) for label in inputs["classes"].tolist()] if predictions.n_classes else []
    details = _details(predictions, labels, ranks, facts.get("outcomes") or _numbered(predictions))
    found: Json = {
        "rows": len(predictions),
        "rows_without_target": inputs["n_without"],
        "groups": None if predictions.unit is None else len(np.unique(predictions.unit)),
        "scores": scores,
        "held_out": details,
        "new_rows": inputs.get("new_rows"),
    }
    sentences = [*(score["sentence"] for score in scores), *_details_sentences(details)]
    sentences += (inputs.get("new_rows") or {}).get("sentences", [])
    return {**found, "sentences": sentences}


def _details(
    predictions: HeldOutPredictions,
    labels: list[str],
    ranks: tuple[int, ...],
    outcomes: Sequence[str],
) -> Json:
    if predictions.survival is not None:
        return survival_details(predictions, predictions.survival)
    if outcome_task(predictions.y) is not None:
        return outcome_details(predictions, outcomes, len(predictions))
    return class_details(predictions, labels, ranks) if labels else number_details(predictions)


def _numbered(predictions: HeldOutPredictions) -> list[str]:
    """Names of several outcomes that have none."""
    return (
        [f"outcome {place + 1}" for place in range(predictions.y.shape[1])]
        if predictions.y.ndim > 1
        else []
    )


def _inputs(model: ModelBundle | BaseEstimator, X: Rows, y: ArrayLike | None, groups: Rows) -> Json:
    """The pipeline, the rows and their targets; rows without a target are left out."""
    if isinstance(model, ModelBundle):
        return _inputs_of_bundle(model, X, y, groups)
    check_is_fitted(model)
    if y is None:
        raise ValueError(
            f"evaluate expected the targets y of the rows of X for {type(model).__name__}, got "
            "None; pass them, or a model file of kernlearn fit and a table with its target"
        )
    pd = load_pandas("evaluating a model")
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    last = model[-1] if isinstance(model, Pipeline) else model
    if hasattr(last, "predict_survival_function"):
        truth, rows = survival_outcome(y).structured, np.arange(n_rows)
        _of_all_rows("y", truth, n_rows)
        classes: Targets | None = evaluation_times(truth)
    else:
        cells = pd.Series(np.asarray(_of_all_rows("y", y, n_rows)))
        classes = np.asarray(model.classes_) if is_classifier(model) else None
        truth, rows = read_known_target(cells, "y", classes)
    pipeline = model if isinstance(model, Pipeline) else Pipeline([("model", model)])
    return {
        "pipeline": pipeline,
        "X": _rows_of(X, rows, n_rows),
        "y": truth,
        "classes": classes,
        "unit": _units(groups, rows, n_rows),
        "n_without": n_rows - len(rows),
    }


def _inputs_of_bundle(bundle: ModelBundle, table: Rows, y: ArrayLike | None, groups: Rows) -> Json:
    columns = {str(column): place for place, column in enumerate(getattr(table, "columns", []))}
    typed = bundle.typed(table)
    truth, rows, classes = _truth(bundle, table, y, len(typed))
    if groups is None:
        named = [c["name"] for c in bundle.facts["columns"] if c["kind"] == "group"]
        known = [column for column in named if column in columns]
        groups = np.asarray(table.iloc[:, columns[known[0]]]) if known else None
    new_rows = NewRows(bundle)
    for start in range(0, len(typed), ROWS_AT_ONCE):
        new_rows.add(typed.iloc[start : start + ROWS_AT_ONCE])
    return {
        "new_rows": new_rows.facts(),
        "pipeline": bundle.pipeline,
        "X": typed.iloc[rows].reset_index(drop=True),
        "y": truth,
        "classes": classes,
        "unit": _units(groups, rows, len(typed)),
        "n_without": len(typed) - len(rows),
    }


def _truth(
    bundle: ModelBundle, table: PandasFrame, y: ArrayLike | None, n_rows: int
) -> tuple[Targets, Indices, Targets | None]:
    """The targets, their rows, and the classes or times of predictions."""
    if bundle.facts["task"] in OUTCOME_TASKS:
        return *known_outcomes(bundle.facts, table, y, n_rows), None
    name, is_survival = str(bundle.facts.get("target")), bundle.facts["task"] == SURVIVAL
    names = [name, str(bundle.facts["event"])] if is_survival else [name]
    cells = [_cells(table, each) for each in names] if y is None else []
    if is_survival:
        times = np.array(bundle.facts["survival_times"])
        if y is None:
            outcome, rows = read_known_outcome(cells[1], cells[0])
            return outcome.structured, rows, times
        return survival_outcome(y).structured, np.arange(n_rows), times
    observed = _observed(_of_all_rows("y", y, n_rows), name) if y is not None else cells[0]
    classes = None if bundle.facts["task"] == "regression" else bundle.classes_
    return *read_known_target(observed, name, classes), classes


def _cells(table: PandasFrame, name: str) -> PandasSeries:
    """The column of what was observed."""
    names = [str(column) for column in getattr(table, "columns", [])]
    if name not in names:
        raise TableError(
            f"expected the column {name!r}, which the model predicts, in the table, got none of "
            "that name; add what was observed, or use kernlearn predict"
        )
    return _observed(np.asarray(table.iloc[:, names.index(name)]), name)


def _observed(values: Targets, name: str) -> PandasSeries:
    """Cells of which the empty ones are missing."""
    pd = load_pandas("evaluating a model")
    cells = pd.Series(values, name=name)
    return cells.map(lambda cell: np.nan if isinstance(cell, str) and not cell else cell)


def _of_all_rows(name: str, values: Rows, n_rows: int) -> Targets:
    found: Targets = np.asarray(values)
    if found.shape != (n_rows,):
        raise ValueError(
            f"evaluate expected {name} of shape ({n_rows},), one entry for each row of X, got "
            f"shape {found.shape}; pass the entries of these rows"
        )
    return found


def _units(groups: Rows, rows: Indices, n_rows: int) -> Indices | None:
    if groups is None:
        return None
    labels = _of_all_rows("groups", groups, n_rows)[rows]
    return np.unique(labels.astype(str), return_inverse=True)[1].reshape(-1)


def _rows_of(X: Rows, rows: Indices, n_rows: int) -> Rows:
    if len(rows) == n_rows:
        return X
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "shape") else [X[row] for row in rows]


def _predicted(
    pipeline: Pipeline, X: Rows, y: Targets, classes: Targets | None, unit: Indices | None
) -> HeldOutPredictions:
    parts = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExtrapolationWarning)  # one warning for all rows
        for start in range(0, len(y), ROWS_AT_ONCE):
            rows = np.arange(start, min(start + ROWS_AT_ONCE, len(y)))
            some = _rows_of(X, rows, len(y))
            units = None if unit is None else unit[rows]
            parts.append(HeldOutPredictions.of(pipeline, some, y[rows], classes, units))
    return replace(HeldOutPredictions.joined(parts), fold=None)


def _ranks(pipeline: Pipeline, classes: Targets) -> tuple[int, ...]:
    """The places of the classes among the grades of a model that has them."""
    last = pipeline.steps[-1][1] if hasattr(pipeline, "steps") else pipeline
    grades = getattr(last, "grades_", None)
    known = [] if grades is None else grades.tolist()
    labels = classes.tolist()
    return tuple(map(known.index, labels)) if set(labels) == set(known) else ()


def _scores(facts: Json, predictions: HeldOutPredictions, ranks: tuple[int, ...]) -> list[Json]:
    """The metric of the fit first, then the usual ones, all with 95 % intervals."""
    task = "classification" if predictions.n_classes else "regression"
    task = task if predictions.survival is None else SURVIVAL
    name = str(facts.get("metric_name") or default_metric(predictions.y) or DEFAULTS[task])
    first = Metric(name, (ranks or tuple(range(predictions.n_classes))) if name == KAPPA else ())
    judged = score_with_interval(first, predictions, len(predictions), SEED)
    found: list[Json] = []
    if judged.value is not None:
        ends = {"value": judged.value, "low": judged.low, "high": judged.high}
        found = [{"metric": first.name, "name": first.title, **ends}]
    usual = metric_values(predictions, len(predictions), ranks)
    return found + [m for m in usual if m["metric"] != first.name]


def _promised(facts: Json, score: Json) -> Json | None:
    """The metric on held-out rows of the fit; None if it is unknown."""
    known = facts.get("scores") or [None]
    if known[0] is None:
        return None
    model = known[0]
    threshold = facts.get("threshold")
    if threshold and not score["metric"].startswith(BY_PROBABILITY):
        return next((m for m in threshold["metrics"] if m["metric"] == score["metric"]), None)
    if score["metric"] == facts.get("metric_name"):
        return {"value": model["score"], "low": model["low"], "high": model["high"]}
    return next((m for m in model["metrics"] if m["metric"] == score["metric"]), None)


def _compared_cost(threshold: Json, predictions: HeldOutPredictions) -> Json:
    """The cost of a row, beside that on held-out rows of the fit."""
    costs = Costs(threshold["false_positive"], threshold["false_negative"])
    # Less is better of it, as of other errors.
    found = {"metric": "neg_cost", "name": "cost of a row", **cost_of(costs, predictions)}
    return compared_score(found, threshold["cost"])


def compared_score(score: Json, promised: Json | None) -> Json:
    """The score beside the promise: p-value, verdict and a sentence."""
    title = score["name"]
    sentence = f"{title[:1].upper()}{title[1:]}: found {_with_half(score)}"
    entry: Json = {**score, "promised": None, "promised_low": None, "promised_high": None}
    entry |= {"p_value": None, "verdict": None, "sentence": f"{sentence}."}
    if promised is None or promised["value"] is None:
        return entry
    entry |= {f"promised_{end}": promised[end] for end in ("low", "high")}
    entry["promised"] = promised["value"]
    named = sentence.partition("found")[0]
    sentence = f"{named}promised {_with_half(promised)}, found {_with_half(score)}"
    entry["sentence"] = f"{sentence}."
    ahead = score["value"] - promised["value"]
    p = _p_value(score, promised)
    if p is None:
        return entry
    is_better = ahead < 0 if score["metric"].startswith(NEGATIVE) else ahead > 0
    verdict = ("better" if is_better else "worse") if p < LEVEL else "no clear difference"
    words = f"{verdict} than promised" if p < LEVEL else verdict
    return {
        **entry,
        "p_value": p,
        "verdict": verdict,
        "sentence": f"{sentence}: {words} ({p_in_words(p)}).",
    }


def _p_value(score: Json, promised: Json) -> float | None:
    """Two-sided, by the halves of the intervals that face each other."""
    if None in (score["low"], score["high"], promised["low"], promised["high"]):
        return None
    lower, upper = sorted((score, promised), key=lambda entry: float(entry["value"]))
    error = np.hypot(upper["value"] - upper["low"], lower["high"] - lower["value"]) / Z_95
    difference = upper["value"] - lower["value"]
    if error == 0.0:
        return 1.0 if difference == 0.0 else None
    return float(2.0 * norm.sf(difference / error))


def _with_half(score: Json) -> str:
    """A score, with half of its 95 % interval where it has one.

    >>> _with_half({"value": 0.84, "low": 0.81, "high": 0.87})
    '0.840 ± 0.030'
    """
    value, low, high = score["value"], score["low"], score["high"]
    short = f"{value:.3f}" if abs(value) < 10.0 else f"{value:.4g}"
    if low is None or high is None:
        return short
    half = (high - low) / 2.0
    return f"{short} ± {f'{half:.3f}' if abs(value) < 10.0 else f'{half:.2g}'}"


def _details_sentences(details: Json) -> Sequence[str]:
    """Calibration of probabilities or of survival, or coverage of intervals."""
    if details.get("calibration"):
        return [details["calibration"]["sentence"]]
    if details.get("calibrations"):
        return [entry["sentence"] for entry in details["calibrations"]]
    sentences = [details[key] for key in ("rates_sentence", "ranking_sentence") if details.get(key)]
    interval = details.get("interval")
    if not interval:
        return sentences
    n = interval["rows"]
    low, high = wilson_interval(round(interval["covered"] * n), n)
    wrong = "" if low <= interval["coverage"] <= high else ", other than they should"
    return [
        *sentences,
        f"Intervals meant to hold {interval['coverage']:.0%} of the numbers hold "
        f"{interval['covered']:.1%} of these {n} (95 % interval {low:.1%} to {high:.1%}){wrong}.",
    ]
