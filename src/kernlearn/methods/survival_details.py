"""Curves of risk groups and calibration of survival on held-out rows, as JSON values."""

from __future__ import annotations

import numpy as np

from kernlearn.methods.details import rank_shares
from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.survival import SurvivalOutcome, kaplan_meier, survival_outcome
from kernlearn.survival.curves import RiskTable, StepFunction
from kernlearn.typing import Array, Json, Mask

THIRDS = ("low risk", "medium risk", "high risk")
# Groups by predicted survival, and rows that each has at least.
MOST_BINS, ROWS_OF_BIN = 5, 20
MOST_STEPS = 100
N_TICKS = 6
Z_95 = 1.959963984540054


def survival_details(held_out: HeldOutPredictions, survival: Array) -> Json:
    """Survival curves of thirds by held-out risk, and calibration of predicted survival.

    Rows are ranked within their folds, since risks of different models have no common scale.
    """
    outcome, times = survival_outcome(held_out.y), np.array(held_out.times)
    shares = rank_shares(held_out.predicted, held_out.fold)
    third = np.minimum((shares * len(THIRDS)).astype(int), len(THIRDS) - 1)
    ticks = np.linspace(0.0, float(outcome.time.max()), N_TICKS)
    ticks = np.array([float(f"{tick:.3g}") for tick in ticks])
    return {
        "ticks": ticks.tolist(),
        "groups": [
            {
                "name": name,
                **_curve(outcome.subset(third == place)),
                "at_risk": [int(np.sum(outcome.time[third == place] >= t)) for t in ticks],
                "predicted": _predicted(times, survival[third == place]),
            }
            for place, name in enumerate(THIRDS)
            if (third == place).any()
        ],
        "calibrations": [
            _calibration(outcome, survival[:, place], float(times[place]))
            for place in chosen_places(len(times))
        ],
    }


def chosen_places(n_times: int) -> list[int]:
    """A few of the times at which survival is predicted.

    >>> chosen_places(25)
    [6, 12, 18]
    """
    return sorted({n_times * part // 4 for part in (1, 2, 3)})


def _curve(outcome: SurvivalOutcome) -> Json:
    """Kaplan and Meier's estimate with 95 % intervals, thinned."""
    curve, error = kaplan_meier(outcome), _greenwood(outcome)
    steps = np.flatnonzero(np.diff(curve.y, prepend=1.0) != 0.0)
    steps = np.union1d(steps, [len(curve.x) - 1])
    kept = steps[np.unique(np.linspace(0, len(steps) - 1, MOST_STEPS).round().astype(int))]
    half = Z_95 * error.y[kept]
    columns = curve.x[kept], curve.y[kept], curve.y[kept] - half, curve.y[kept] + half
    points = np.column_stack([columns[0], *(np.clip(c, 0.0, 1.0) for c in columns[1:])])
    return {
        "rows": len(outcome),
        "events": int(outcome.event.sum()),
        "curve": [[0.0, 1.0, 1.0, 1.0], *points.round(6).tolist()],
    }


def _greenwood(outcome: SurvivalOutcome) -> StepFunction:
    r"""The standard error of the curve, :math:`\hat S \sqrt{\sum d_k / (Y_k (Y_k - d_k))}`."""
    table, curve = RiskTable.of(outcome), kaplan_meier(outcome)
    still = np.maximum(table.at_risk - table.events, 0.5)  # where none is left, the curve is zero
    squares = np.cumsum(table.events / (table.at_risk * still))
    return StepFunction(curve.x, curve.y * np.sqrt(squares), 0.0)


def _predicted(times: Array, survival: Array) -> list[list[float]]:
    points: list[list[float]] = np.column_stack([times, survival.mean(axis=0)]).round(6).tolist()
    return points


def _calibration(outcome: SurvivalOutcome, survival: Array, time: float) -> Json:
    """Mean predicted survival after one time against Kaplan and Meier's, by groups of rows."""
    n_bins = max(1, min(MOST_BINS, len(survival) // ROWS_OF_BIN))
    shares = rank_shares(survival, None)
    place = np.minimum((shares * n_bins).astype(int), n_bins - 1)
    bins = [_bin(outcome, survival, place == k, time) for k in range(n_bins) if (place == k).any()]
    gaps = [abs(b["predicted"] - b["observed"]) * b["rows"] for b in bins]
    error = float(sum(gaps)) / len(survival)
    inside = sum(b["low"] <= b["predicted"] <= b["high"] for b in bins)
    return {
        "time": time,
        "bins": bins,
        "error": error,
        "sentence": (
            f"After {time:g}, the predicted survival of {len(bins)} groups is off by {error:.3f} "
            f"in the mean; in {inside} of them it lies within the 95 % interval of what was seen."
        ),
    }


def _bin(outcome: SurvivalOutcome, survival: Array, rows: Mask, time: float) -> Json:
    some = outcome.subset(rows)
    seen, error = (float(found([time])[0]) for found in (kaplan_meier(some), _greenwood(some)))
    # A share of 0 or 1 of n rows has a standard error, too.
    half = Z_95 * max(error, 0.5 / len(some) if seen in (0.0, 1.0) else 0.0)
    return {
        "predicted": float(survival[rows].mean()),
        "observed": seen,
        "low": max(0.0, seen - half),
        "high": min(1.0, seen + half),
        "rows": len(some),
    }
