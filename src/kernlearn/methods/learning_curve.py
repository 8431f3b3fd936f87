r"""Learning curve: the held-out score by the number of training rows, and its extrapolation.

Errors of learners fall about as the root of the number n of rows. The score of twice as many rows
is extrapolated by a straight line in :math:`n^{-1/2}` from the score of all rows; its slope has the
least squared distance to the other scores. The gain is a weighted sum of scores on the same
held-out rows, so its standard error is that of the same sum of the rows' contributions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from scipy.stats import norm

from kernlearn.estimators.held_out.standard_errors import clustered_error, jackknife_error
from kernlearn.methods.errors import MethodError
from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.judging import collect_fit_warnings
from kernlearn.methods.learner import Learner
from kernlearn.methods.metrics import Metric
from kernlearn.methods.registry import KERNEL
from kernlearn.methods.scores import usual_score
from kernlearn.methods.splits import Split, sampled_rows
from kernlearn.methods.task import Task
from kernlearn.runtime.convergence_warnings import interrupts_end_everything
from kernlearn.runtime.processes import run_in_processes
from kernlearn.typing import Array, Indices, Json

SHARES = (0.25, 0.5, 1.0)
FEWEST_ROWS = 30
FAST = "fast"
# Time of a fit at the effort "fast", as a share of the default's, at most.
FAST_SHARE = 0.5
MORE = 2
Z_95 = float(norm.ppf(0.975))


def learning_curve(task: Task, learner: Learner, seconds: float) -> Json | None:
    """Scores of the method on shares of the training rows, and the gain expected from more rows.

    The method `kernel` is fitted at the effort "fast". `seconds` is the time of a fit of the model.
    The result is None if rows are few or ordered in time, for kernel matrices, and if the fits
    would take longer than the task allows. JSON values: ``sizes``, a list of
    ``{"rows", "score", "low", "high"}``, ``rows`` (twice the training rows), ``gain`` with
    ``gain_low`` and ``gain_high``, and ``sentence``.
    """
    splits = task.first_splits()
    n = min(len(train) for train, _ in splits)
    if SHARES[0] * n < FEWEST_ROWS or task.times is not None or task.setting.kernels:
        return None
    is_flagship = learner.method.name == KERNEL.name
    one = seconds * sum(SHARES) * (FAST_SHARE if is_flagship else 1.0)
    # By rows and not by seconds: the same table has the same curve on every machine.
    most = min(task.options.splits_of_curve, max(task.options.rows_of_curve // n, 1))
    n_splits = min(len(splits), most)
    if one * n_splits > task.options.seconds_of_curve:
        return None
    if is_flagship:
        options = replace(learner.setting.options, effort=FAST)
        learner = replace(learner, setting=replace(learner.setting, options=options))
    held_out = _predicted(task, learner, splits[:n_splits])
    return (
        None
        if held_out is None
        else curve_facts(task.metric, held_out, [int(s * n) for s in SHARES])
    )


def _predicted(
    task: Task, learner: Learner, splits: Sequence[Split]
) -> list[HeldOutPredictions] | None:
    """Held-out predictions of the models of every size; None if a fit failed."""
    pairs = [(share, split) for share in SHARES for split in splits]
    tasks = [partial(_one, task, learner, share, split) for share, split in pairs]
    parts = run_in_processes(tasks, task.n_jobs, lambda: None)
    found = [part for part in parts if part is not None]
    if len(found) < len(parts):
        return None
    k = len(splits)
    return [HeldOutPredictions.joined(found[i : i + k]) for i in range(0, len(found), k)]


def _one(task: Task, learner: Learner, share: float, split: Split) -> HeldOutPredictions | None:
    train, test = split
    kept = train[_stratified_share(task, train, share)]
    X, y, unit = task.test_rows(test)
    try:
        with collect_fit_warnings(), interrupts_end_everything():
            pipeline = learner.fit(*task.training_rows(kept))
    except (MethodError, MemoryError, ValueError):  # too few rows of a class or a group
        return None
    return HeldOutPredictions.of(
        pipeline, X, y, task.setting.classes_or_times, unit, has_interval=False
    )


def _stratified_share(task: Task, rows: Indices, share: float) -> Indices:
    """A share of the rows, stratified by class; with groups, a share of the groups."""
    n = int(share * len(rows))
    if task.groups is None:
        return sampled_rows(task.y[rows], task.setting.task, n, task.setting.seed)
    codes = np.unique(task.units.codes[rows], return_inverse=True)[1].reshape(-1)
    order = np.random.default_rng(task.setting.seed).permutation(int(codes.max()) + 1)
    return np.flatnonzero(order[codes] < max(1, round(share * len(order))))


def curve_facts(
    metric: Metric, held_out: Sequence[HeldOutPredictions], sizes: Sequence[int]
) -> Json | None:
    """Scores and the gain expected from more rows; None if a score has no value."""
    scores = [usual_score(metric, one, n) for one, n in zip(held_out, sizes, strict=True)]
    values = [score.value for score in scores]
    if any(value is None for value in values):
        return None
    weights = gain_weights(sizes, MORE * sizes[-1])
    line = float(weights @ np.array(values, dtype=float))
    half = Z_95 * _error(metric, held_out, weights)
    # A line leaves the range of a score; more rows cannot.
    ends = np.array(metric.ends) - values[-1]
    low, gain, high = np.clip([line - half, line, line + half], *ends).tolist()
    found: Json = {
        "sizes": [
            {"rows": n, "score": score.value, "low": score.low, "high": score.high}
            for n, score in zip(sizes, scores, strict=True)
        ],
        "rows": MORE * sizes[-1],
        "gain": gain,
        "gain_low": low,
        "gain_high": high,
    }
    return {**found, "sentence": _sentence(metric, found)}


def gain_weights(sizes: Sequence[int], more: int) -> Array:
    r"""The weights of scores in the gain by `more` rows, along a line in the root of 1/n.

    The line passes through the last score. A line that need not do so would have intervals that are
    wider by two fifths, and would miss more of a curve that bends.

    >>> gain_weights([100, 400], 10**12).round(3)
    array([-1.,  1.])
    """
    roots = np.asarray(sizes, dtype=float) ** -0.5
    apart = roots - roots[-1]
    slope = apart / (apart @ apart)
    slope[-1] = -slope.sum()
    return np.asarray((float(more) ** -0.5 - roots[-1]) * slope)


def _error(metric: Metric, held_out: Sequence[HeldOutPredictions], weights: Array) -> float:
    """The standard error of a weighted sum of scores on the same rows."""
    units, rows = held_out[0].units(), [metric.row_values(one) for one in held_out]
    known = [each for each in rows if each is not None]
    if len(known) == len(rows):
        return clustered_error(np.asarray(np.tensordot(weights, known, axes=1)), units)

    def score(kept: Indices) -> float | None:
        values = [metric.value(one.rows(kept)) for one in held_out]
        is_known = all(value is not None for value in values)
        return float(weights @ np.array(values, dtype=float)) if is_known else None

    return jackknife_error(score, units)


def _sentence(metric: Metric, found: Json) -> str:
    low, high = sorted((found["gain_low"], found["gain_high"]))
    verdict = "these rows do not tell whether more would help"
    if low > 0.0 or high < 0.0:
        is_better = (low > 0.0) == metric.greater_is_better
        verdict = "more rows would help" if is_better else "more rows would not help"
    size = max(abs(low), abs(high))
    digits = 3 if size < 10.0 else 1
    shown = [f"{value + 0.0:+.{digits}f}".replace("-", "−") for value in (found["gain"], low, high)]
    return (
        f"With twice as many rows to learn from ({found['rows']:,}), {metric.title} would change "
        f"by {shown[0]} (95 % interval {shown[1]} to {shown[2]}), if it goes on along a line in "
        f"1/√n, which is an extrapolation: {verdict}."
    )
