"""Results of paired tests in plain words."""

from __future__ import annotations

from kernlearn.estimators.held_out.chance import LEVEL
from kernlearn.methods.metrics import Metric
from kernlearn.methods.task import EvaluatedModel
from kernlearn.runtime.phrases import p_in_words
from kernlearn.typing import Json


def comparison_facts(model: EvaluatedModel, other: EvaluatedModel, metric: Metric) -> Json | None:
    """The model against a baseline on the same rows: test, p-value, and a sentence.

    ``better`` is True, False, or None if the rows do not tell the two apart.
    """
    paired = other.paired
    if paired is None or model.score.value is None or other.score.value is None:
        return None
    p = paired.p_value
    ahead = model.score.value - other.score.value
    ahead = ahead if metric.greater_is_better else -ahead
    better = None if p is None or p >= LEVEL or ahead == 0 else ahead > 0
    return {
        "test": paired.test,
        "p_value": p,
        "better": better,
        "sentence": _sentence(model, other, p, ahead, better),
    }


def _sentence(
    model: EvaluatedModel, other: EvaluatedModel, p: float | None, ahead: float, better: bool | None
) -> str:
    paired = other.paired
    rows = ""
    if paired is not None and paired.wins is not None:
        rows = (
            f"it alone is right on {paired.wins} and {other.name} alone on {paired.losses} of the "
            f"{len(model.held_out)} rows; "
        )
    if p is None:
        return f"{rows}there is no test for so small a number of rows or folds"
    if ahead == 0 and p == 1.0:
        return f"{rows}the two are equally good there"
    how = "better" if ahead > 0 else "worse"
    chance = (
        f"a difference so large comes by chance {_odds(p)} ({p_in_words(p)}, {paired_name(other)})"
    )
    if better is None:
        return f"{rows}{chance}, so these rows do not tell the two apart"
    return f"{rows}{chance}, so the model is {how}"


def paired_name(other: EvaluatedModel) -> str:
    """The test that was used."""
    return other.paired.test if other.paired is not None else ""


def _odds(p: float) -> str:
    """A p-value as a frequency in words.

    >>> _odds(0.3), _odds(0.04), _odds(1e-5), _odds(1.0)
    ('3 times in 10', '4 times in 100', 'less than once in 1000', 'always')
    """
    if p >= 0.95:
        return "always" if p > 0.995 else "nearly always"
    for base in (10, 100, 1000):
        times = round(p * base)
        if times >= 1 and p * base >= 1.0:
            return f"once in {base}" if times == 1 else f"{times} times in {base}"
    return "less than once in 1000"
