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
# Number of worst-ranked groups that are shown.
MOST_GROUPS = 5
_OF_ONE = ("r2", "neg_root_mean_squared_error", "neg_mean_absolute_error")


def outcome_details(held_out: HeldOutPredictions, names: Sequence[str], n_train: int) -> Json:
    """Details of counts, of each outcome or of groups, beyond the score.

    `names` are those of several outcomes; `n_train` is the number of rows that one split learns
    from.
    """
    task = outcome_task(held_out.y)
    if task == COUNTS:
        return _counts(held_out)
    return _outcomes(held_out, names, n_train) if task == OUTCOMES else _groups(held_out)


def _counts(held_out: HeldOutPredictions) -> Json:
    """Details as for numbers, and observed beside expected counts, by predicted rate."""
    counts, expected = held_out.y["count"], held_out.predicted
    rates = expected / held_out.y["exposure"]
    n_bins = max(1, min(MOST_BINS, len(rates) // ROWS_OF_BIN))
    order = np.argsort(rates, kind="stable")
    bins = [
        {
            "rows": len(rows),
            "rate": float(expected[rows].sum() / held_out.y["exposure"][rows].sum()),
            "expected": float(expected[rows].sum()),
            "counted": float(counts[rows].sum()),
        }
        for rows in np.array_split(order, n_bins)
    ]
    known = HeldOutPredictions(counts, expected, 0, interval=held_out.interval)
    return {**number_details(known), "rates": bins, "rates_sentence": _counts_sentence(held_out)}


def _counts_sentence(held_out: HeldOutPredictions) -> str:
    counted, expected = float(held_out.y["count"].sum()), float(held_out.predicted.sum())
    pearson = (held_out.y["count"] - held_out.predicted) ** 2 / np.maximum(held_out.predicted, 1e-9)
    return (
        f"Of held-out rows, {counted:.0f} were counted where {expected:.1f} were expected, "
        f"{counted / max(expected, 1e-9):.2f} times as many; squared errors are "
        f"{float(pearson.mean()):.2f} times their means, which is 1 for Poisson counts."
    )


def _outcomes(held_out: HeldOutPredictions, names: Sequence[str], n_train: int) -> Json:
    """The scores of each outcome, and the coverage of its intervals."""
    entries = []
    for place, name in enumerate(names):
        interval = None if held_out.interval is None else held_out.interval[:, place]
        y, predicted = held_out.y[:, place], held_out.predicted[:, place]
        one = HeldOutPredictions(
            y, predicted, 0, interval=interval, fold=held_out.fold, unit=held_out.unit
        )
        scores = [(metric, usual_score(Metric(metric), one, n_train)) for metric in _OF_ONE]
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


def _groups(held_out: HeldOutPredictions) -> Json:
    """The number of groups with an order, and the groups that are ranked worst."""
    first = NDCG if Metric(NDCG).value(held_out) is not None else PAIRS
    found = group_scores(first, held_out.y, held_out.predicted)
    pairs = dict(
        zip(range(len(found)), group_scores(PAIRS, held_out.y, held_out.predicted), strict=True)
    )
    worst = sorted(range(len(found)), key=lambda place: found[place][1])[:MOST_GROUPS]
    n_groups = len(np.unique(held_out.y["group"]))
    value = Metric(first).value(held_out)
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
