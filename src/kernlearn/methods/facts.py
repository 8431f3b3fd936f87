"""The facts of a model's making, for people and for scripts.

Facts beyond those that :class:`kernlearn.bundle.ModelBundle` lists:

``metric_name``, ``greater_is_better``
    The scorer of scikit-learn behind ``metric``, and whether more of it is better.
``scores``
    Each score has ``metrics``, a list of ``{"metric", "name", "value", "low", "high"}`` of the
    usual metrics with 95 % intervals, and ``against``, a test of the model against the baseline:
    ``{"test", "p_value", "better", "sentence"}`` or None.
``chance``
    A sentence if held-out rows are predicted no better than by guessing, else None.
``chance_p_value``
    The p-value of the test against guessing; None with few rows.
``warnings``
    List of sentences on possible causes of optimistic scores; older files have none.
``rows``
    Account of every row, see :func:`kernlearn.methods.rows.row_account`.
``held_out``
    Details of the model before it was fitted to all rows: ``confusion``, ``classes``, ``curves``
    and ``calibration``, or ``points`` and ``interval`` (:mod:`kernlearn.methods.details`); for
    times to an event ``ticks``, ``groups`` and ``calibrations``
    (:mod:`kernlearn.methods.survival_details`); for counts, several outcomes and rankings see
    :mod:`kernlearn.methods.outcome_details`.
``outcomes``
    Names of several targets, else None.
``exposure``, ``rank_by``
    The columns of exposures and of groups to rank within, else None.
``survival_times``
    Times at which survival is predicted, for times to an event; else None.
``importance``
    ``{"how", "columns", "together", "how_views", "views"}``: lists of ``{"name", "importance",
    "standard_error", "refitted", "columns"}``, the largest first, or None. The importance is in
    units of ``metric``, and positive if the metric gets worse without. ``together`` has sets of
    correlated columns, each set listed in ``columns``; older files have none.
``parameters``
    List of ``{"name", "value"}``; for a mixture, ``{"name", "kernel", "λ", "weight"}`` by member.
``candidates``
    For mixtures, a list of ``{"candidate", "held_out_loss", "standard_error", "seconds",
    "weight"}``.
``landmarks``
    For a fit through landmarks ``{"rank", "losses", "sentence"}``, else None
    (:mod:`kernlearn.methods.landmarks`).
``categories``
    Dict from each column of categories to the values that the model has seen, sorted; older files
    have none.
``ranges``
    Dict from each column of numbers or dates (in days since 1970) to its least and largest cell;
    older files have none.
``reading``
    ``{"delimiter", "encoding"}`` of the table: the delimiter that was asked for, else None; older
    files have none.
``learning_curve``
    With a report, what :func:`kernlearn.methods.learning_curve.learning_curve` documents, else
    None; older files have none.
``threshold``
    With costs of mistakes, what :func:`kernlearn.methods.costs.threshold_facts` documents, else
    None; older files have none.
``class_weight``
    "balanced", a dict from class to weight, or None.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

import numpy as np

from kernlearn.bundle import ModelBundle
from kernlearn.estimators.held_out.correlated_columns import CORRELATED
from kernlearn.methods.costs import threshold_facts
from kernlearn.methods.description import (
    candidates,
    certificate,
    finite,
    kernel_in_words,
    landmark_facts,
    parameters,
    scale_shares,
    weights,
)
from kernlearn.methods.details import class_details, metric_values, number_details
from kernlearn.methods.importance import Importance
from kernlearn.methods.new_rows import number_ranges
from kernlearn.methods.outcome_details import outcome_details
from kernlearn.methods.outcomes import outcome_numbers, outcome_task
from kernlearn.methods.rows import row_account
from kernlearn.methods.significance import comparison_facts
from kernlearn.methods.survival_details import survival_details
from kernlearn.methods.task import EvaluatedModel, LearningResult, Task
from kernlearn.tables import Target, columns_used
from kernlearn.typing import Indices, Json, Targets

SAMPLE_ROWS = 300
SHUFFLED = (
    "By how much the {metric} of held-out rows gets worse when the cells of {what} are shuffled, "
    "in the mean over several shuffles; the standard error covers rows and shuffles. Nothing is "
    "fitted again. About zero, or below it by chance: the model makes no use of it."
)
TOGETHER = (
    " Correlated columns ({least:g} or more) can replace each other, so that each alone seems to "
    "matter little; they are also shuffled together."
)

MATRICES = "The kernel matrices take the place of columns."
WITHOUT = (
    "By how much the {metric} of held-out rows gets worse when the method is fitted without the "
    "source, its weights learned anew; below zero, it does better without. The error is that of "
    "the difference on the same rows."
)
TOO_LONG = (
    " To fit without each would take more than {minutes:.0f} minutes, or there are more than "
    "{most} sources."
)


@dataclass(frozen=True)
class TableSource:
    """Facts about the table and how it was read."""

    about: Json
    """Table, target, command and versions."""
    n_read: int
    """Rows of the table."""
    dropped: Sequence[tuple[str, int]] = ()
    """Reasons for leaving out rows, and the number of rows of each."""
    notes: Sequence[str] = ()
    """Changes to the table as a whole."""
    warnings: Sequence[str] = ()
    """Possible causes of optimistic scores."""


def make_bundle(
    task: Task, target: Target, outcome: LearningResult, source: TableSource
) -> ModelBundle:
    """Put the model, its facts and a few of its rows together."""
    kept = outcome.final
    bundle = ModelBundle(kept.pipeline)
    estimator, names = bundle.estimator, _prepared_names(bundle)
    sign = 1.0 if task.metric.greater_is_better else -1.0
    remarks = task.metric.remarks(outcome.judged[0].held_out, _labels(task))
    facts: Json = {
        **source.about,
        **_data_facts(task, target),
        **_score_facts(task, outcome),
        "chance": None if outcome.chance is None else outcome.chance.sentence,
        "chance_p_value": None if outcome.chance is None else outcome.chance.p_value,
        "rows": row_account(task, outcome, source.n_read, source.dropped),
        "held_out": _details(task, outcome.judged[0]),
        "method": kept.learner.method.name,
        "method_title": kept.learner.title,
        "requested_method": task.method,
        "warnings": list(source.warnings),
        "notes": [*source.notes, *outcome.notes, *remarks],
        "comparison": kept.comparison.facts(sign) if kept.comparison else None,
        "certificate": certificate(estimator),
        "kernel": kernel_in_words(estimator, names),
        "weights": weights(estimator),
        "candidates": candidates(estimator),
        "parameters": parameters(kept.pipeline.steps[-1][1]),
        "landmarks": landmark_facts(estimator),
        "class_weight": _class_weight(task),
        "threshold": _threshold(task, outcome.judged[0]),
        "learning_curve": outcome.curve,
        "scale_shares": scale_shares(estimator, names),
        "importance": _importance(task, outcome),
        "views": {view: list(v) for view, v in task.views.items()} if task.views else None,
        "seconds": kept.seconds,
        "seed": task.setting.seed,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    facts["evaluation"] = facts["rows"]["sentences"][1]
    used = kept.rows[kept.learner.rows(task.y[kept.rows])]
    facts["categories"] = _categories(task, used)
    facts["ranges"] = number_ranges(task.X, task.columns, used)
    shown = used[kept.learner.rows(task.y[used], SAMPLE_ROWS)]
    sample = task.X.iloc[shown].reset_index(drop=True)
    return ModelBundle(kept.pipeline, facts, sample, _shown_targets(task, task.y[shown]))


def _shown_targets(task: Task, y: Targets) -> Targets | None:
    """Classes, numbers, times, counts or grades; None for several outcomes."""
    if outcome_task(y) is not None:
        return None if task.setting.outcomes else outcome_numbers(y)
    return y if task.setting.times is None else y["time"]


def _data_facts(task: Task, target: Target) -> Json:
    classes: list[str] | None = None
    counts: list[int] | None = None
    if target.task == "classification":
        labels, found = np.unique(task.y, return_counts=True)
        classes, counts = [str(label) for label in labels.tolist()], found.tolist()
    return {
        "task": target.task,
        "task_reason": target.reason,
        "classes": classes,
        "class_counts": counts,
        "outcomes": list(task.setting.outcomes) or None,
        "survival_times": None if task.setting.times is None else task.setting.times.tolist(),
        "n_rows": len(task.y),
        "n_columns": len(task.columns),
        "columns": [asdict(column) for column in task.columns],
    }


def _categories(task: Task, rows: Indices) -> dict[str, list[str]]:
    """The values of each column of categories in some rows; a missing cell is none."""
    names = columns_used(task.columns, "category")
    return {name: sorted(set(task.X[name].iloc[rows]) - {""}) for name in names}


def _score_facts(task: Task, outcome: LearningResult) -> Json:
    metric = task.metric
    return {
        "metric": metric.title,
        "metric_name": metric.name,
        "greater_is_better": metric.greater_is_better,
        "n_train": outcome.judged[0].n_train,
        "n_held_out": len(np.unique(outcome.tests)),
        "scores": [
            {
                "name": judged.name,
                "score": finite(judged.score.value),
                "low": finite(judged.score.low),
                "high": finite(judged.score.high),
                "seconds": judged.seconds,
                "role": judged.role,
                "metrics": metric_values(judged.held_out, judged.n_available, task.setting.ranks),
                "against": comparison_facts(outcome.judged[0], judged, metric),
            }
            for judged in outcome.judged
        ],
    }


def _labels(task: Task) -> list[str]:
    classes = task.setting.classes
    return [] if classes is None else [str(label) for label in classes.tolist()]


def _details(task: Task, model: EvaluatedModel) -> Json:
    """Details of held-out predictions; with repeated folds, of the first repeat alone."""
    held_out = model.held_out
    if held_out.fold is not None:
        held_out = held_out.rows(np.flatnonzero(held_out.fold < len(task.first_splits())))
    if held_out.survival is not None:
        return survival_details(held_out, held_out.survival)
    if outcome_task(held_out.y) is not None:
        return outcome_details(held_out, task.setting.outcomes, model.n_available)
    if task.setting.task == "regression":
        return number_details(held_out)
    return class_details(held_out, _labels(task), task.setting.ranks)


def _threshold(task: Task, model: EvaluatedModel) -> Json | None:
    if task.costs is None:
        return None
    return threshold_facts(task.costs, model.held_out, _labels(task), model.n_available)


def _class_weight(task: Task) -> dict[str, float] | str | None:
    weight = task.setting.class_weight
    if not isinstance(weight, dict):
        return weight
    return {str(label): float(value) for label, value in weight.items()}


def _importance(task: Task, outcome: LearningResult) -> Json:
    """Importances of columns and views, with a sentence on the measure of each."""
    columns, how = outcome.columns, SHUFFLED.format(metric=task.metric.title, what="the column")
    if outcome.together:
        how += TOGETHER.format(least=CORRELATED)
    if columns is None:
        how = "There is no measure of columns: there are none, too many, or too few held-out rows."
    view_words = "all columns of the view together"
    how_views = SHUFFLED.format(metric=task.metric.title, what=view_words)
    if task.setting.kernels:
        how = MATRICES
    if task.setting.kernels or any(entry.refitted for entry in outcome.views or ()):
        how_views = WITHOUT.format(metric=task.metric.title)
    elif len(task.views or ()) > 1:
        how_views += TOO_LONG.format(
            minutes=task.options.seconds_without / 60, most=task.options.most_sources
        )
    return {
        "how": how,
        "columns": _entries(columns),
        "together": _entries(outcome.together),
        "how_views": how_views,
        "views": _entries(outcome.views),
    }


def _entries(found: Sequence[Importance] | None) -> list[Json] | None:
    if found is None:
        return None
    order = sorted(found, key=lambda entry: -entry.value)
    return [
        {
            "name": e.name,
            "importance": finite(e.value),
            "standard_error": e.standard_error,
            "refitted": e.refitted,
            "columns": list(e.columns),
        }
        for e in order
    ]


def _prepared_names(bundle: ModelBundle) -> list[str]:
    """Names of the columns that the estimator sees."""
    first = bundle.pipeline.steps[0][1]
    if first is bundle.estimator or not hasattr(first, "get_feature_names_out"):
        return [str(name) for name in getattr(bundle.estimator, "feature_names_in_", [])]
    return [str(name) for name in first.get_feature_names_out()]
