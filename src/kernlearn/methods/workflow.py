"""From a table to a model whose score can be trusted."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from kernlearn.estimators.inputs.row_limits import EXACT_ROWS
from kernlearn.estimators.inputs.stopping import set_callback
from kernlearn.methods.chance import chance
from kernlearn.methods.description import is_mixture, name_columns
from kernlearn.methods.errors import MethodError
from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.importance import Importance, shuffled_scores
from kernlearn.methods.learner import Learner
from kernlearn.methods.method_comparison import MethodComparison, compare_methods, comparison_steps
from kernlearn.methods.paired import difference_error, paired_test
from kernlearn.methods.preparation import preparation
from kernlearn.methods.scores import held_out_score
from kernlearn.methods.splits import Split
from kernlearn.methods.task import AUTO, EvaluatedModel, LearningResult, PipelineFit, Task
from kernlearn.runtime.convergence_warnings import interrupts_end_everything
from kernlearn.runtime.processes import alongside, run_in_processes
from kernlearn.typing import Indices, PandasFrame

Advance = Callable[[], object]


@dataclass(eq=False)
class _Said:
    """What one contestant said of held-out rows, fold after fold; the note says why not."""

    learner: Learner
    parts: list[HeldOutPredictions] = field(default_factory=list)
    n_learned: list[int] = field(default_factory=list)
    seconds: float = 0.0
    note: str = ""


def n_steps(task: Task) -> int:
    """How often `learn` will report progress."""
    splits = task.splits()

    def of_comparison(n_rows: int) -> int:
        return (
            comparison_steps(len(task.rivals()), n_rows, task.options.comparison)
            if task.method == AUTO
            else 0
        )

    steps = sum(1 + of_comparison(len(train)) + len(task.baselines()) for train, _ in splits)
    refit = 1 + (of_comparison(len(task.y)) if task.cv else 0)
    return steps + refit + len(_sources(task))


def learn(task: Task, advance: Advance = lambda: None) -> LearningResult:
    """Choose a method if asked to, score it on rows held out, and fit the model that is kept.

    What is scored is a model that has not seen the rows it is scored on. The model that is kept is
    fitted to all rows, by the method that won, unless the task says otherwise; through landmarks
    with the preparation, the kernels, the ranks and the C of the one that is scored, so that only
    weights and machine are learned once more. With cross-validation the whole procedure is scored,
    the choice of a method included. An interrupt ends everything, except in the fit of the model
    that is kept: that ends with what it has, and a note says so. `advance` is called `n_steps`
    times.
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
    is_kept = not task.cv and not task.refit
    comparisons = [_compared(task, train, advance) for train, _ in splits]
    first = comparisons[0]
    if first is not None and _goes_at_once(task, splits[0], first.winner):
        fits, baselines, kept = _at_once(task, splits[0], first, advance)
        refitted = True
    else:
        with nullcontext() if is_kept else interrupts_end_everything():
            fits = [
                _fitted(task, train, comparison, advance)
                for (train, _), comparison in zip(splits, comparisons, strict=True)
            ]
        baselines = _baseline_predictions(task, splits, advance)
        kept, refitted = _kept(task, fits, advance)
    model = _Said(fits[0].learner)
    for fit, split in zip(fits, splits, strict=True):
        _ask(model, fit.pipeline, task, split, fit.seconds)
        model.n_learned.append(len(fit.learner.rows(task.y[split[0]])))
    tests = np.concatenate([test for _, test in splits])
    outcome = LearningResult(
        kept,
        _judged(task, splits, model, baselines),
        tests,
        refitted,
        *_added(task, fits[0], splits[0], kept, advance),
    )
    outcome.notes.extend(kept.comparison.notes if kept.comparison else ())
    outcome.notes.extend(b.note for b in baselines if b.note)
    n_given = outcome.judged[0].n_given
    return replace(outcome, chance=chance(model.parts, baselines[-1].parts, n_given))


def _goes_at_once(task: Task, split: Split, learner: Learner) -> bool:
    """Whether what is left after a comparison is a few short fits, none of which waits for another.

    How a long one goes is told, and an interrupt ends it; and what a model of many rows is depends
    on how much memory it is given.
    """
    if task.n_jobs == 1 or task.cv or not task.refit or len(task.y) > EXACT_ROWS:
        return False
    return _gains(task, learner, split[0])


def _at_once(
    task: Task, split: Split, comparison: MethodComparison, advance: Advance
) -> tuple[list[PipelineFit], list[_Said], PipelineFit]:
    """The model that is judged and the baselines in other processes, the one that is kept here."""
    every = np.arange(len(task.y))
    unheard = replace(task, callback=None).learner(comparison.winner.method.name)

    def judged() -> tuple[Pipeline, float, list[Warning]] | None:
        try:
            with _noted() as notes, interrupts_end_everything():
                fit = _fitted_by(unheard, task, split[0], lambda: None)
        except MemoryError:  # of its share, or of all that there is
            return None
        return fit.pipeline, fit.seconds, notes

    def own() -> tuple[PipelineFit, list[Warning]]:
        with _noted() as notes:
            fit = _fitted_by(comparison.winner, task, every, advance, comparison)
        return fit, notes

    baselines = task.baselines()
    others = [partial(_baseline_prediction, task, learner, [split]) for learner in baselines]
    tasks: list[Callable[[], Any]] = [judged, *others]
    (kept, notes), (found, *answers) = alongside(own, tasks, task.n_jobs, advance)
    if found is None:
        fit = _fitted_by(unheard, task, split[0], lambda: None, comparison)
    else:
        pipeline, seconds, said = found
        fit = PipelineFit(pipeline, comparison.winner, split[0], comparison, seconds)
        notes = [*said, *notes]
    for note in notes:  # that of the model which is kept is the last
        warnings.warn(note, stacklevel=2)
    asked = zip(baselines, answers, strict=True)
    return [fit], [_Said(learner, *answer) for learner, answer in asked], kept


@contextmanager
def _noted() -> Iterator[list[Warning]]:
    """Keep what is told of a fit that did not converge, to tell it in order, or elsewhere."""
    notes: list[Warning] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ConvergenceWarning)
        yield notes
    notes += [warning.message for warning in caught if isinstance(warning.message, Warning)]


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
    """Whether of all rows it would learn from more than of these."""
    return len(learner.rows(task.y)) > len(learner.rows(task.y[rows]))


def _compared(task: Task, rows: Indices, advance: Advance) -> MethodComparison | None:
    """Among all methods, on some rows, if the best is asked for."""
    if task.method != AUTO:
        return None
    X, y = _rows(task.X, rows), task.y[rows]
    how = task.n_jobs, task.options.comparison, task.units_of(rows)
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
    given, took_over = (_rows(task.X, rows), task.y[rows], task.units_of(rows)), False
    if before is None:
        pipeline = learner.fit(*given)
    else:
        pipeline, took_over = learner.refit(before.pipeline, *given)
    for _, step in pipeline.steps:
        set_callback(step, None)  # it was for this fit alone
        if "device" in vars(step):
            step.device = None  # the file may be read where there is none
    name_columns(pipeline)
    advance()
    seconds = time.perf_counter() - start
    return PipelineFit(pipeline, learner, rows, comparison, seconds, took_over)


def _baseline_predictions(task: Task, splits: list[Split], advance: Advance) -> list[_Said]:
    """The baselines, side by side."""
    learners = task.baselines()
    tasks = [partial(_baseline_prediction, task, learner, splits) for learner in learners]
    answers = run_in_processes(tasks, task.n_jobs, lambda: [advance() for _ in splits])
    return [_Said(learner, *answer) for learner, answer in zip(learners, answers, strict=True)]


def _baseline_prediction(
    task: Task, learner: Learner, splits: list[Split]
) -> tuple[list[HeldOutPredictions], list[int], float, str]:
    """A baseline on the same rows; what it cannot do is noted."""
    said = _Said(learner)
    for train, test in splits:
        start = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it is no news of the model
                fitted = learner.fit(_rows(task.X, train), task.y[train], task.units_of(train))
        except (MethodError, MemoryError) as error:
            said.note = f"{learner.title} was skipped: {error}"
            break
        _ask(said, fitted, task, (train, test), time.perf_counter() - start)
        said.n_learned.append(len(learner.rows(task.y[train])))
    return said.parts, said.n_learned, said.seconds, said.note


def _ask(said: _Said, pipeline: Pipeline, task: Task, split: Split, seconds: float) -> None:
    start = time.perf_counter()
    test = split[1]
    classes, codes = task.setting.classes, task.units.codes
    unit = None if codes is None else codes[test]
    asked = _rows(task.X, test), task.y[test], classes, unit
    said.parts.append(HeldOutPredictions.of(pipeline, *asked))
    said.seconds += seconds + time.perf_counter() - start


def _judged(
    task: Task, splits: list[Split], model: _Said, baselines: list[_Said]
) -> list[EvaluatedModel]:
    n_given = max(len(train) for train, _ in splits)
    found = []
    for said in [model, *(b for b in baselines if not b.note)]:
        whole = HeldOutPredictions.joined(said.parts)
        paired = None
        if said is not model:
            pairs = list(zip(model.parts, said.parts, strict=True))
            paired = paired_test(
                task.metric, pairs, n_given, task.setting.seed, task.options.scoring
            )
        found.append(
            EvaluatedModel(
                _title(task, said.learner) if said is model else said.learner.title,
                "model" if said is model else "baseline",
                said.learner.method,
                held_out_score(task.metric, whole, task.setting.seed, task.options.scoring),
                said.seconds,
                whole,
                max(said.n_learned),
                n_given,
                said.learner.tuned_on(max(said.n_learned)),
                paired,
            )
        )
    return found


def _added(
    task: Task, fit: PipelineFit, split: Split, kept: PipelineFit, advance: Advance
) -> tuple[list[Importance] | None, list[Importance] | None]:
    """What columns and views add, by a model that has not seen the rows."""
    if task.setting.kernels:
        return None, _without_each(task, fit, split, advance)
    refitted = _without_each(task, fit, split, advance) if task.views else None
    test = split[1]
    columns = {name: [name] for name in task.X.columns}
    views = {view: [c for c in names if c in columns] for view, names in (task.views or {}).items()}
    used = {name: [name] for names in views.values() for name in names} if views else columns
    # A mixture knows its own, by more rows.
    own = is_mixture(kept.pipeline.steps[-1][1])
    X, y, setting = _rows(task.X, test), task.y[test], task.setting

    def shuffled(groups: dict[str, list[str]]) -> list[Importance] | None:
        judged = task.metric, setting.classes, setting.seed, task.options.importance
        return shuffled_scores(fit.pipeline, X, y, groups, *judged)

    of_views = refitted or (shuffled(views) if views else None)
    return None if own else shuffled(used), of_views


def _sources(task: Task) -> list[str]:
    """Names of the sources whose part in the score is found out by refits; of many, of none."""
    kernels = task.setting.kernels
    names = list(task.views or ())
    if kernels:
        names = [getattr(k, "name", None) or f"matrix {j}" for j, k in enumerate(kernels, start=1)]
    return names if 1 < len(names) <= task.options.most_sources else []


def _without_each(
    task: Task, fit: PipelineFit, split: Split, advance: Advance
) -> list[Importance] | None:
    """What each source adds: the score less that of a model which is fitted without it.

    The standard error is that of the difference on the same held-out rows, over draws of them.
    """
    (train, test), setting = split, task.setting
    names = _sources(task)
    if fit.seconds * len(names) > task.options.seconds_without:
        for _ in names:
            advance()
        return None
    X, y = _rows(task.X, test), task.y[test]
    whole = HeldOutPredictions.of(fit.pipeline, X, y, setting.classes)
    found = []
    for j, name in enumerate(names):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it is not the model that is kept
            with interrupts_end_everything():
                learner, given = (
                    _without(task, fit.learner, j),
                    (task.y[train], task.units_of(train)),
                )
                model = learner.fit(_rows(task.X, train), *given)
        rest = HeldOutPredictions.of(model, X, y, setting.classes)
        lost = task.metric.goodness(whole) - task.metric.goodness(rest)
        error = difference_error(task.metric, whole, rest, setting.seed, task.options.scoring)
        found.append(Importance(name, lost, error, refitted=True))
        advance()
    return found if found and np.isfinite([entry.value for entry in found]).all() else None


def _without(task: Task, learner: Learner, j: int) -> Learner:
    """Fits the same method to all sources but the j-th."""
    setting = task.setting
    if setting.kernels:
        others = tuple(k for i, k in enumerate(setting.kernels) if i != j)
        return replace(learner, setting=replace(setting, kernels=others))
    assert task.views is not None
    views = {name: v for i, (name, v) in enumerate(task.views.items()) if i != j}
    prepare = partial(preparation, task.columns, views)
    return replace(learner, setting=replace(setting, views=tuple(views)), prepare=prepare)


def _rows(X: PandasFrame, rows: Indices) -> PandasFrame:
    return X.iloc[rows].reset_index(drop=True)


def _title(task: Task, learner: Learner) -> str:
    if task.method == AUTO and task.cv:
        return "the best of all methods, chosen anew in every fold"
    return learner.title
