"""Counts, several outcomes and rankings on held-out rows in detail, as JSON values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernlearn.methods.details import number_details
from kernlearn.methods.held_out import COVERAGE, HeldOutPredictions
from kernlearn.methods.metrics import Metric
from kernlearn.methods.outcomes import NDCG, PAIRS, group_scores, outcome_task
from kernlearn.methods.scores import usual_score
from kernlearn.tables.outcome_targets import COUNTS, OUTCOMES
from kernlearn.typing import Json

# Groups of rows by their predicted rate, and rows that each has at least.
MOST_BINS, ROWS_OF_BIN = 10, 10
# Groups that are shown of those that are ranked worst.
MOST_GROUPS = 5
_OF_ONE = ("r2", "neg_root_mean_squared_error", "neg_mean_absolute_error")


def outcome_details(said: HeldOutPredictions, names: Sequence[str], n_learned: int) -> Json:
    """What is asked of counts, of each outcome or of groups, beyond the score.

    `names` are those of several outcomes; `n_learned` is the number of rows that one split learns
    from.
    """
    task = outcome_task(said.y)
    if task == COUNTS:
        return _counts(said)
    return _outcomes(said, names, n_learned) if task == OUTCOMES else _groups(said)


def _counts(said: HeldOutPredictions) -> Json:
    """As of numbers; and what was counted beside what was expected, by predicted rate."""
    counts, expected = said.y["count"], said.predicted
    rates = expected / said.y["exposure"]
    n_bins = max(1, min(MOST_BINS, len(rates) // ROWS_OF_BIN))
    order = np.argsort(rates, kind="stable")
    bins = [
        {
            "rows": len(rows),
            "rate": float(expected[rows].sum() / said.y["exposure"][rows].sum()),
            "expected": float(expected[rows].sum()),
            "counted": float(counts[rows].sum()),
        }
        for rows in np.array_split(order, n_bins)
    ]
    known = HeldOutPredictions(counts, expected, 0, interval=said.interval)
    return {**number_details(known), "rates": bins, "rates_sentence": _counts_sentence(said)}


def _counts_sentence(said: HeldOutPredictions) -> str:
    counted, expected = float(said.y["count"].sum()), float(said.predicted.sum())
    pearson = (said.y["count"] - said.predicted) ** 2 / np.maximum(said.predicted, 1e-9)
    return (
        f"Of held-out rows, {counted:.0f} were counted where {expected:.1f} were expected, "
        f"{counted / max(expected, 1e-9):.2f} times as many; squared errors are "
        f"{float(pearson.mean()):.2f} times their means, which is 1 for Poisson counts."
    )


def _outcomes(said: HeldOutPredictions, names: Sequence[str], n_learned: int) -> Json:
    """The scores of each outcome, and whether its intervals hold what they should."""
    entries = []
    for place, name in enumerate(names):
        interval = None if said.interval is None else said.interval[:, place]
        y, predicted = said.y[:, place], said.predicted[:, place]
        one = HeldOutPredictions(y, predicted, 0, interval=interval, fold=said.fold, unit=said.unit)
        scores = [(metric, usual_score(Metric(metric), one, n_learned)) for metric in _OF_ONE]
        covered = number_details(one)["interval"] or {}
        entries.append(
            {
                "name": name,
                "scores": [
                    {"metric": m, "name": Metric(m).title, "value": s.value}
                    | {"low": s.low, "high": s.high}
                    for m, s in scores
                ],
                "covered": covered.get("covered"),
            }
        )
    return {"outcomes": entries, "coverage": COVERAGE}


def _groups(said: HeldOutPredictions) -> Json:
    """How many groups have an order, and those that are ranked worst."""
    first = NDCG if Metric(NDCG).value(said) is not None else PAIRS
    found = group_scores(first, said.y, said.predicted)
    pairs = dict(zip(range(len(found)), group_scores(PAIRS, said.y, said.predicted), strict=True))
    worst = sorted(range(len(found)), key=lambda place: found[place][1])[:MOST_GROUPS]
    n_groups = len(np.unique(said.y["group"]))
    value = Metric(first).value(said)
    return {
        "groups": n_groups,
        "ordered_groups": len(found),
        "worst": [
            {"rows": len(found[k][0]), "score": found[k][1], "pairs": pairs[k][1]} for k in worst
        ],
        "ranking_metric": Metric(first).title,
        "ranking_sentence": (
            f"In the mean over {len(found)} held-out groups with an order, of {n_groups}, the "
            f"{Metric(first).title} is {0.0 if value is None else value:.3f}."
        ),
    }
