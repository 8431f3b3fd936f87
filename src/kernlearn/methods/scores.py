"""Held-out scores with their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import r2_score

__all__ = ["METRICS", "Score", "held_out_score", "wilson_interval"]

METRICS = {"classification": "accuracy", "regression": "R²"}
Z_95 = 1.959963984540054
N_BOOTSTRAP = 1000


@dataclass(frozen=True)
class Score:
    """A score and a 95 % interval; None where the rows are too few for one."""

    value: float
    low: float | None
    high: float | None


def held_out_score(task: str, y: Any, predicted: Any, seed: int) -> Score:
    r"""Accuracy with Wilson's interval, or R² with a bootstrap interval over rows.

    Parameters
    ----------
    task : str
        "classification" or "regression".
    y, predicted : ndarray of shape (n,)
        Targets of held-out rows, and what was predicted for them.
    seed : int
        Of the bootstrap.

    Returns
    -------
    Score
    """
    if task == "classification":
        right = np.asarray(y) == np.asarray(predicted)
        return Score(float(right.mean()), *wilson_interval(int(right.sum()), len(right)))
    return _r2(np.asarray(y, dtype=float), np.asarray(predicted, dtype=float), seed)


def wilson_interval(k: int, n: int) -> tuple[float, float]:
    r"""The 95 % interval of Wilson (1927) for a share k/n.

    .. math:: \frac{p + z^2/2n \pm z\sqrt{p(1-p)/n + z^2/4n^2}}{1 + z^2/n}, \quad p = k/n

    Unlike p ± z√(p(1−p)/n) it stays within 0 and 1, and has a width where k is 0 or n.

    >>> [round(end, 3) for end in wilson_interval(45, 45)]
    [0.921, 1.0]
    """
    p, spread = k / n, Z_95**2 / n
    middle = (p + spread / 2) / (1 + spread)
    half = np.sqrt(Z_95**2 * p * (1 - p) / n + spread**2 / 4) / (1 + spread)
    return max(0.0, float(middle - half)), min(1.0, float(middle + half))


def _r2(y: Any, predicted: Any, seed: int) -> Score:
    value = float(r2_score(y, predicted))
    if len(y) < 10:
        return Score(value, None, None)
    rng = np.random.default_rng(seed)
    draws = rng.integers(len(y), size=(N_BOOTSTRAP, len(y)))
    residual = ((y - predicted) ** 2)[draws].sum(axis=1)
    around = y[draws]
    total = ((around - around.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    kept = total > 0
    low, high = np.quantile(1.0 - residual[kept] / total[kept], [0.025, 0.975])
    return Score(value, float(low), float(high))
