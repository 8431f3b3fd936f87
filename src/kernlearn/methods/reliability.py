r"""Calibration of probabilities, and the part of the miscalibration that chance explains.

With p the probability that a model gives, and t whether it came true,

.. math:: \operatorname{logit} P(t = 1) = a + b \operatorname{logit} p

has the intercept a = 0 and the slope b = 1 if probabilities are right (Cox 1958); if b < 1, they
are too close to 0 and 1. For two classes p is the probability of the second, for more that of the
predicted class.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from kernlearn.estimators.held_out.chance import LEVEL
from kernlearn.methods.held_out import HeldOutPredictions
from kernlearn.methods.scores import Z_95
from kernlearn.typing import Array, Indices, Json

MOST_BINS = 10
ROWS_OF_A_BIN = 10
N_DRAWS = 400
# A probability of 0 or 1 has no finite log-odds.
CLOSEST = 1e-6
LARGEST_SLOPE = 50.0


def reliability(held_out: HeldOutPredictions) -> Json | None:
    r"""Bins of equally many rows, calibration error and p-value, slope and intercept.

    .. math:: \text{ECE} = \sum_b \frac{n_b}{n} \left| \bar p_b - \bar t_b \right|

    with the mean probability and the share of rows for which it came true in every bin. Chance
    alone makes a gap, too: ``error_by_chance`` is the mean gap of probabilities that are right, and
    ``p_value`` the probability of a gap at least as large. None without probabilities, or with too
    few rows for two bins.
    """
    if held_out.proba is None or len(held_out) < 2 * ROWS_OF_A_BIN:
        return None
    if held_out.n_classes == 2:
        p, came_true = held_out.proba[:, 1], held_out.y == 1
    else:
        p, came_true = held_out.proba.max(axis=1), held_out.y == held_out.proba.argmax(axis=1)
    bins = np.array_split(np.argsort(p, kind="stable"), min(MOST_BINS, len(p) // ROWS_OF_A_BIN))
    error = _gap(p, came_true, bins)
    chance = _gaps_by_chance(p, bins, held_out.unit)
    found: Json = {
        "of": "second class" if held_out.n_classes == 2 else "predicted class",
        "bins": [
            {
                "mean": float(p[rows].mean()),
                "share": float(came_true[rows].mean()),
                "rows": len(rows),
            }
            for rows in bins
        ],
        "error": error,
        "error_by_chance": float(chance.mean()),
        "p_value": float((1 + np.sum(chance >= error)) / (1 + len(chance))),
        **_recalibration(p, came_true, held_out.unit_rows()),
    }
    return {**found, "sentence": _sentence(found)}


def _gap(p: Array, came_true: NDArray[np.bool_], bins: Sequence[Indices]) -> float:
    return float(sum(abs((p[rows] - came_true[rows]).sum()) for rows in bins)) / len(p)


def _gaps_by_chance(p: Array, bins: Sequence[Indices], unit: Indices | None) -> Array:
    """The gaps of draws for which probabilities are right; rows of a unit come true together."""
    order = np.concatenate(bins)
    starts = np.cumsum([0, *map(len, bins)])[:-1]
    codes = np.arange(len(p)) if unit is None else np.unique(unit, return_inverse=True)[1]
    codes, p = codes.reshape(-1)[order], p[order]
    rng = np.random.default_rng(0)
    n_units = int(codes.max()) + 1
    draws = (rng.random(n_units)[codes] < p for _ in range(N_DRAWS))
    gaps = [np.abs(np.add.reduceat(p - draw, starts)).sum() for draw in draws]
    return np.array(gaps) / len(p)


def _recalibration(p: Array, came_true: NDArray[np.bool_], units: Sequence[Indices] | None) -> Json:
    """Slope and intercept with 95 % intervals; None if the data have no finite ones."""
    names = ("intercept", "slope")
    nothing: Json = dict.fromkeys(names)
    if came_true.all() or not came_true.any():
        return nothing
    Z = np.column_stack([np.ones(len(p)), logit(np.clip(p, CLOSEST, 1.0 - CLOSEST))])
    if np.ptp(Z[:, 1]) == 0.0:
        return nothing
    ab = np.array([0.0, 1.0])
    for _ in range(50):
        rest = came_true - expit(Z @ ab)
        weight = expit(Z @ ab) * (1.0 - expit(Z @ ab))
        H = Z.T @ (weight[:, None] * Z)
        if np.linalg.cond(H) > 1e12:
            return nothing
        step = np.linalg.solve(H, Z.T @ rest)
        ab = ab + step / max(1.0, float(np.abs(step).max()))
        if np.abs(ab).max() > LARGEST_SLOPE:
            return nothing  # the classes are apart: a steeper slope is always better
        if np.abs(step).max() < 1e-9:
            break
    else:
        return nothing  # Newton's steps do not converge for separated classes
    sums = Z * (came_true - expit(Z @ ab))[:, None]
    if units is not None:
        sums = np.array([sums[rows].sum(axis=0) for rows in units])
    inverse = np.linalg.inv(H)
    n = len(sums)
    errors = np.sqrt(np.diag(inverse @ (sums.T @ sums) @ inverse) * n / max(n - 1, 1))
    return {
        name: {
            "value": float(value),
            "low": float(value - Z_95 * error),
            "high": float(value + Z_95 * error),
        }
        for name, value, error in zip(names, ab, errors, strict=True)
    }


def _sentence(found: Json) -> str:
    """A sentence on the calibration, with the figures."""
    figures = (
        f"the calibration error is {found['error']:.3f}, and {found['error_by_chance']:.3f} is "
        "expected of probabilities that are right"
    )
    slope, intercept = found["slope"], found["intercept"]
    if slope is not None:
        figures += (
            f"; the slope is {_interval(slope)} where 1 is right, the intercept "
            f"{_interval(intercept)} where 0 is right"
        )
    wrong = []
    if slope is not None and not slope["low"] <= 1.0 <= slope["high"]:
        wrong.append("too close to 0 and 1" if slope["value"] < 1.0 else "too close to each other")
    if intercept is not None and not intercept["low"] <= 0.0 <= intercept["high"]:
        of = f"for the {found['of']}"
        wrong.append(f"{'too low' if intercept['value'] > 0 else 'too high'} {of}")
    if wrong:
        return f"Probabilities are {' and '.join(wrong)}: {figures}."
    if found["p_value"] < LEVEL:
        return f"Probabilities are off by more than chance explains: {figures}."
    return f"These rows show no fault of the probabilities: {figures}."


def _interval(entry: Json) -> str:
    return f"{entry['value']:.2f} (95 % interval {entry['low']:.2f} to {entry['high']:.2f})"
