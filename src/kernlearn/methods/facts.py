"""The facts of a model's making, for people and for scripts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from kernlearn.bundle import ModelBundle
from kernlearn.methods.scores import METRICS
from kernlearn.methods.task import Outcome, Task
from kernlearn.methods.words import certificate, finite, kernel_in_words, relevances, weights
from kernlearn.tables import Target

__all__ = ["SAMPLE_ROWS", "make_bundle"]

SAMPLE_ROWS = 300


def make_bundle(
    task: Task, target: Target, outcome: Outcome, about: dict[str, Any], notes: Sequence[str]
) -> ModelBundle:
    """Put the model, its facts and a few of its rows together.

    Parameters
    ----------
    task, target, outcome
        What was asked for, and what came of it.
    about : dict
        What the caller knows: ``table``, ``target``, ``command``, ``versions``.
    notes : sequence of str
        What was done to the table as a whole.

    Returns
    -------
    ModelBundle
    """
    kept = outcome.kept
    bundle = ModelBundle(kept.pipeline)
    names = _prepared_names(bundle)
    facts: dict[str, Any] = {
        **about,
        **_data_facts(task, target),
        **_score_facts(task, outcome),
        "method": kept.learner.method.name,
        "method_title": kept.learner.method.title,
        "requested_method": task.method,
        "notes": [*notes, *outcome.notes],
        "comparison": kept.contest.facts() if kept.contest else None,
        "certificate": certificate(bundle.estimator),
        "kernel": kernel_in_words(bundle.estimator, names),
        "weights": weights(bundle.estimator),
        "relevances": relevances(bundle.estimator, names),
        "views": {view: list(v) for view, v in task.views.items()} if task.views else None,
        "seconds": kept.seconds,
        "seed": task.setting.seed,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    X, y = kept.learner.sample(
        task.X.iloc[kept.rows].reset_index(drop=True), task.y[kept.rows], SAMPLE_ROWS
    )
    return ModelBundle(kept.pipeline, facts, X, y)


def _data_facts(task: Task, target: Target) -> dict[str, Any]:
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
        "n_rows": len(task.y),
        "n_columns": len(task.columns),
        "columns": [{"name": c.name, "kind": c.kind, "action": c.action} for c in task.columns],
    }


def _score_facts(task: Task, outcome: Outcome) -> dict[str, Any]:
    return {
        "metric": METRICS[task.setting.task],
        "evaluation": outcome.evaluation,
        "n_train": len(outcome.kept.rows),
        "n_held_out": outcome.n_held_out,
        "scores": [
            {
                "name": judged.name,
                "score": finite(judged.score.value),
                "low": finite(judged.score.low),
                "high": finite(judged.score.high),
                "seconds": judged.seconds,
                "role": judged.role,
            }
            for judged in outcome.judged
        ],
    }


def _prepared_names(bundle: ModelBundle) -> list[str]:
    """Names of the columns that the estimator sees."""
    first = bundle.pipeline.steps[0][1]
    if first is bundle.estimator or not hasattr(first, "get_feature_names_out"):
        return [str(name) for name in getattr(bundle.estimator, "feature_names_in_", [])]
    return [str(name) for name in first.get_feature_names_out()]
