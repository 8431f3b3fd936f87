"""From a table to a model whose score can be trusted."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from kernlearn._unfinished import interrupts_end_everything
from kernlearn.methods.contest import N_FOLDS, hold_contest
from kernlearn.methods.learner import Learner, folds_for
from kernlearn.methods.scores import held_out_score
from kernlearn.methods.task import AUTO, Fit, Judged, Outcome, Task
from kernlearn.methods.tuned_svm import TUNED_SVM

__all__ = ["learn", "n_steps"]

Advance = Callable[[], Any]


@dataclass(eq=False)
class _Predictions:
    """What one contestant predicted for held-out rows, fold after fold."""

    values: list[Any] = field(default_factory=list)
    seconds: float = 0.0


def n_steps(task: Task) -> int:
    """How often `learn` will report progress."""
    per_fit = 1 + (N_FOLDS * len(task.rivals()) if task.method == AUTO else 0)
    per_split = per_fit + (1 if _has_columns(task) else 0)
    return task.cv * per_split + per_fit if task.cv else per_split


def learn(task: Task, advance: Advance = lambda: None) -> Outcome:
    """Choose a method if asked to, score it on rows held out, and fit the model that is kept.

    With rows held out, the model that is kept is the one that was scored. With cross-validation,
    what is scored is the whole procedure, the choice of a method included, and the model that is
    kept is fitted to all rows. An interrupt ends everything, except in the fit of the model that is
    kept: that ends with what it has, and a note says so.

    Parameters
    ----------
    task : Task
        What to do.
    advance : callable
        Called `n_steps` times.

    Returns
    -------
    Outcome
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ConvergenceWarning)
        outcome = _learned(task, advance)
    # Fits that ended for one reason differ in their numbers: the last is that of the model kept.
    last = {message.partition(":")[0]: message for message in (str(w.message) for w in caught)}
    outcome.notes.extend(last.values())
    return outcome


def _learned(task: Task, advance: Advance) -> Outcome:
    splits = _splits(task)
    model, baseline, majority = _Predictions(), _Predictions(), _Predictions()
    fits = []
    for train, test in splits:
        with interrupts_end_everything() if task.cv else nullcontext():
            fits.append(_fitted(task, train, advance))
        model.values.append(fits[-1].pipeline.predict(_rows(task.X, test)))
        model.seconds += fits[-1].seconds
        if _has_columns(task):
            _predict(baseline, task.learner(TUNED_SVM.name).fit, task, train, test)
            advance()
        _predict(majority, _dummy(task).fit, task, train, test)
    kept = _fitted(task, np.arange(len(task.y)), advance) if task.cv else fits[0]
    tests = np.concatenate([test for _, test in splits])
    contestants = [(_title(task, kept.learner), "model", model)]
    if _has_columns(task) and (task.cv or kept.learner.method is not TUNED_SVM):
        contestants.append((TUNED_SVM.title, "baseline", baseline))
    contestants.append((_dummy_title(task), "baseline", majority))
    judged = [_judged(task, tests, *entry) for entry in contestants]
    return Outcome(kept, judged, _evaluation(task, tests), len(tests), _notes(kept))


def _fitted(task: Task, rows: Any, advance: Advance) -> Fit:
    """The model on some rows, by the method asked for or by the winner among all."""
    X, y = _rows(task.X, rows), task.y[rows]
    contest = hold_contest(task.rivals(), X, y, advance) if task.method == AUTO else None
    learner = task.learner(task.method) if contest is None else contest.winner
    start = time.perf_counter()
    pipeline = learner.fit(X, y)
    for _, step in pipeline.steps:
        if hasattr(step, "callback"):
            step.callback = None  # it was for this fit alone
    advance()
    return Fit(pipeline, learner, rows, contest, time.perf_counter() - start)


def _predict(into: _Predictions, fit: Any, task: Task, train: Any, test: Any) -> None:
    start = time.perf_counter()
    fitted = fit(_rows(task.X, train), task.y[train])
    into.values.append(fitted.predict(_rows(task.X, test)))
    into.seconds += time.perf_counter() - start


def _judged(task: Task, tests: Any, name: str, role: str, found: _Predictions) -> Judged:
    predicted = np.concatenate(found.values)
    score = held_out_score(task.setting.task, task.y[tests], predicted, task.setting.seed)
    return Judged(name, role, score, found.seconds)


def _splits(task: Task) -> list[tuple[Any, Any]]:
    setting = task.setting
    if task.cv:
        folds = folds_for(setting.task, task.y, task.cv, setting.seed)
        return list(folds.split(np.arange(len(task.y)), task.y))
    is_classes = setting.task == "classification"
    train, test = train_test_split(
        np.arange(len(task.y)),
        test_size=task.holdout,
        stratify=task.y if is_classes else None,
        random_state=setting.seed,
    )
    return [(np.sort(train), np.sort(test))]


def _rows(X: Any, rows: Any) -> Any:
    return X.iloc[rows].reset_index(drop=True)


def _has_columns(task: Task) -> bool:
    return not task.setting.kernels


def _dummy(task: Task) -> Any:
    if task.setting.task == "classification":
        return DummyClassifier(strategy="most_frequent")
    return DummyRegressor()


def _dummy_title(task: Task) -> str:
    if task.setting.task == "classification":
        return "always the most frequent class"
    return "always the mean"


def _title(task: Task, learner: Learner) -> str:
    if task.method == AUTO and task.cv:
        return "the best of all methods, chosen anew in every fold"
    return learner.method.title


def _evaluation(task: Task, tests: Any) -> str:
    stratified = ", each class in its share" if task.setting.task == "classification" else ""
    if task.cv:
        return (
            f"Every row was predicted once by a model fitted without it, in {task.cv} folds"
            f"{stratified}; the model in the file is fitted to all rows."
        )
    return (
        f"{len(tests)} of {len(task.y)} rows were held out at random{stratified}; the model in "
        "the file is the one fitted to the others."
    )


def _notes(kept: Fit) -> list[str]:
    notes = list(kept.contest.notes) if kept.contest else []
    method, n_rows = kept.learner.method, len(kept.rows)
    if n_rows > method.max_rows:
        notes.append(
            f"{method.title} was fitted to a random {method.max_rows} of {n_rows} rows, the most "
            "it is given"
        )
    return notes
