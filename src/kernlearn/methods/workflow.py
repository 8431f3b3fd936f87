"""From a table to a model whose score can be trusted."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from kernlearn.estimators.inputs.row_limits import EXACT_ROWS
from kernlearn.estimators.inputs.stopping import set_callback
from kernlearn.methods.chance import chance
from kernlearn.methods.description import name_columns
from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.judging import (
    Contestant,
    baseline_prediction,
    baseline_predictions,
    collect_fit_warnings,
    judged_in_folds,
    shuffled_importances,
)
from kernlearn.methods.learner import Learner
from kernlearn.methods.learning_curve import learning_curve
from kernlearn.methods.method_comparison import MethodComparison, compare_methods, comparison_steps
from kernlearn.methods.paired import paired_test
from kernlearn.methods.scores import score_with_interval
from kernlearn.methods.sources import source_names, without_each
from kernlearn.methods.splits import Split
from kernlearn.methods.task import AUTO, EvaluatedModel, LearningResult, PipelineFit, Task
from kernlearn.runtime.convergence_warnings import interrupts_end_everything
from kernlearn.runtime.processes import alongside
from kernlearn.typing import Indices

Advance = Callable[[], object]


def n_steps(task: Task) -> int:
    """Number of times that `learn` will report progress."""
    splits = task.splits()

    def of_comparison(n_rows: int) -> int:
        return (
            comparison_steps(len(task.rivals()), n_rows, task.options.comparison)
            if task.method == AUTO
            else 0
        )

    steps = sum(1 + of_comparison(len(train)) + len(task.baselines()) for train, _ in splits)
    refit = 1 + (of_comparison(len(task.y)) if task.cv else 0)
    return steps + refit + len(source_names(task))


def learn(task: Task, advance: Advance = lambda: None) -> LearningResult:
    """Choose a method if asked to, score it on rows held out, and fit the model that is kept.

    The model that is scored has not seen the rows it is scored on. The model that is kept is
    fitted to all rows, by the method that won, unless the task says otherwise; through landmarks
    with the preparation, the kernels, the ranks and the C of the one that is scored, so that only
    weights and machine are learned once more. With cross-validation the whole procedure is scored,
    the choice of a method included. An interrupt ends everything, except in the fit of the model
    that is kept: this fit ends with its model so far, and a note says so. `advance` is called
    `n_steps` times.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ConvergenceWarning)
        outcome = _learned(task, advance)
    # Fits that ended for one reason differ in their numbers: the last is that of the model kept.
    last = {message.partition(":")[0]: message for message in (str(w.message) for w in caught)}
    outcome.notes.extend(last.values())
    return outcome


def _learned(task: Task, advance: Advance) -> LearningResult:
    splits = task.splits()
    if task.cv and task.method != AUTO:
        # A callback works in this process only.
        callback = task.callback if task.n_jobs == 1 else None
        learner = replace(task, callback=callback).learner(task.method)
        model = judged_in_folds(task, learner, splits, advance)
        baselines = baseline_predictions(task, splits, advance)
        kept, refitted = _kept(task, [], advance)
    else:
        fits, baselines, kept, refitted = _fits(task, splits, advance)
        model = Contestant(fits[0].learner)
        for place, (fit, split) in enumerate(zip(fits, splits, strict=True)):
            contestant = Contestant(fit.learner)
            contestant.add_split(fit.pipeline, task, split, fit.seconds)
            if place < len(task.first_splits()):
                contestant.shuffle(fit.pipeline, task, split[1])
            model.add(contestant)
    seconds = model.seconds / len(splits)
    sources = without_each(task, model.learner, splits[0], model.parts[0], seconds, advance)
    outcome = LearningResult(
        kept,
        _judged(task, splits, model, baselines),
        np.concatenate([test for _, test in splits]),
        refitted,
        shuffled_importances(task, model, "columns"),
        sources or shuffled_importances(task, model, "views"),
        shuffled_importances(task, model, "together"),
    )
    outcome.notes.extend(kept.comparison.notes if kept.comparison else ())
    outcome.notes.extend(b.note for b in baselines if b.note)
    n_available = outcome.judged[0].n_available
    found = chance(model.parts, baselines[-1].parts, n_available)
    curve = learning_curve(task, model.learner, seconds) if task.has_curve else None
    return replace(outcome, chance=found, curve=curve)


def _fits(
    task: Task, splits: list[Split], advance: Advance
) -> tuple[list[PipelineFit], list[Contestant], PipelineFit, bool]:
    """The models that are judged, the baselines, the model that is kept, and whether it is new."""
    is_kept = not task.cv and not task.refit
    comparisons = [_compared(task, train, advance) for train, _ in splits]
    first = comparisons[0]
    if first is not None and _may_fit_in_parallel(task, splits[0], first.winner):
        fits, baselines, kept = _fit_in_parallel(task, splits[0], first, advance)
        return fits, baselines, kept, True
    with nullcontext() if is_kept else interrupts_end_everything():
        fits = [
            _fitted(task, train, comparison, advance)
            for (train, _), comparison in zip(splits, comparisons, strict=True)
        ]
    baselines = baseline_predictions(task, splits, advance)
    return fits, baselines, *_kept(task, fits, advance)


def _may_fit_in_parallel(task: Task, split: Split, learner: Learner) -> bool:
    """Whether the fits that are left after a comparison are few, short and independent.

    Long fits run one after another, to report progress and to end on an interrupt; and models of
    many rows depend on the memory that a process is given.
    """
    if task.n_jobs == 1 or task.cv or not task.refit or len(task.y) > EXACT_ROWS:
        return False
    return _gains(task, learner, split[0])


def _fit_in_parallel(
    task: Task, split: Split, comparison: MethodComparison, advance: Advance
) -> tuple[list[PipelineFit], list[Contestant], PipelineFit]:
    """Fit the judged model and the baselines in other processes, and the kept model here."""
    every = np.arange(len(task.y))
    unheard = replace(task, callback=None).learner(comparison.winner.method.name)

    def judged() -> tuple[Pipeline, float, list[Warning]] | None:
        try:
            with collect_fit_warnings() as notes, interrupts_end_everything():
                fit = _fitted_by(unheard, task, split[0], lambda: None)
        except MemoryError:  # the limit of a process, or of the machine
            return None
        return fit.pipeline, fit.seconds, notes

    def own() -> tuple[PipelineFit, list[Warning]]:
        with collect_fit_warnings() as notes:
            fit = _fitted_by(comparison.winner, task, every, advance, comparison)
        return fit, notes

    baselines = task.baselines()
    others = [partial(baseline_prediction, task, learner, [split]) for learner in baselines]
    tasks: list[Callable[[], Any]] = [judged, *others]
    (kept, notes), (found, *fits) = alongside(own, tasks, task.n_jobs, advance)
    if found is None:
        fit = _fitted_by(unheard, task, split[0], lambda: None, comparison)
    else:
        pipeline, seconds, fit_notes = found
        fit = PipelineFit(pipeline, comparison.winner, split[0], comparison, seconds)
        notes = [*fit_notes, *notes]
    for note in notes:  # the note of the kept model comes last
        warnings.warn(note, stacklevel=2)
    contestants = zip(baselines, fits, strict=True)
    return [fit], [Contestant(learner, *result) for learner, result in contestants], kept


def _kept(task: Task, fits: list[PipelineFit], advance: Advance) -> tuple[PipelineFit, bool]:
    """The model for the file, and whether it is another than the one that was judged."""
    every = np.arange(len(task.y))
    if task.cv:
        return _fitted(task, every, _compared(task, every, advance), advance), True
    judged = fits[0]
    if not task.refit or not _gains(task, judged.learner, judged.rows):
        advance()
        return judged, False
    return _fitted_by(judged.learner, task, every, advance, judged.comparison, judged), True


def _gains(task: Task, learner: Learner, rows: Indices) -> bool:
    """Whether the learner would use more of all rows than of these rows."""
    return len(learner.rows(task.y)) > len(learner.rows(task.y[rows]))


def _compared(task: Task, rows: Indices, advance: Advance) -> MethodComparison | None:
    """Compare all methods on some rows, if the best is asked for; else None."""
    if task.method != AUTO:
        return None
    X, y, units = task.training_rows(rows)
    how = task.n_jobs, task.options.comparison, units
    return compare_methods(task.rivals(), X, y, advance, *how)


def _fitted(
    task: Task, rows: Indices, comparison: MethodComparison | None, advance: Advance
) -> PipelineFit:
    """The model on some rows, by the method asked for or by the winner among all."""
    learner = task.learner(task.method) if comparison is None else comparison.winner
    return _fitted_by(learner, task, rows, advance, comparison)


def _fitted_by(
    learner: Learner,
    task: Task,
    rows: Indices,
    advance: Advance,
    comparison: MethodComparison | None = None,
    before: PipelineFit | None = None,
) -> PipelineFit:
    start = time.perf_counter()
    training, took_over = task.training_rows(rows), False
    if before is None:
        pipeline = learner.fit(*training)
    else:
        pipeline, took_over = learner.refit(before.pipeline, *training)
    for _, step in pipeline.steps:
        set_callback(step, None)  # the callback was for this fit alone
        if "device" in vars(step):
            step.device = None  # the file may be read where there is none
    name_columns(pipeline)
    advance()
    seconds = time.perf_counter() - start
    return PipelineFit(pipeline, learner, rows, comparison, seconds, took_over)


def _judged(
    task: Task, splits: list[Split], model: Contestant, baselines: list[Contestant]
) -> list[EvaluatedModel]:
    n_available = max(len(train) for train, _ in splits)
    found = []
    for held_out in [model, *(b for b in baselines if not b.note)]:
        whole = HeldOutPredictions.joined(held_out.parts)
        paired = None
        if held_out is not model:
            pairs = list(zip(model.parts, held_out.parts, strict=True))
            paired = paired_test(
                task.metric, pairs, n_available, task.setting.seed, task.options.scoring
            )
        found.append(
            EvaluatedModel(
                _title(task, held_out.learner) if held_out is model else held_out.learner.title,
                "model" if held_out is model else "baseline",
                held_out.learner.method,
                score_with_interval(
                    task.metric, whole, n_available, task.setting.seed, task.options.scoring
                ),
                held_out.seconds,
                whole,
                max(held_out.n_train),
                n_available,
                held_out.learner.tuned_on(max(held_out.n_train)),
                paired,
            )
        )
    return found


def _title(task: Task, learner: Learner) -> str:
    if task.method == AUTO and task.cv:
        return "the best of all methods, chosen anew in every fold"
    return learner.title
