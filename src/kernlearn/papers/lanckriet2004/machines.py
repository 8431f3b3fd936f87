"""The machines of Section 6.1, on one split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kernlearn.learn import learn_weights
from kernlearn.papers.results_file import Json
from kernlearn.typing import Array

__all__ = ["MACHINES", "MarginMachine", "evaluate"]


@dataclass(frozen=True)
class MarginMachine:
    r"""A quality functional with its parameters, and what the paper reports of it.

    Reported is the margin γ, :math:`1/\sqrt{2V}`, or the value V itself, printed as ω.
    """

    quality: str
    C: float | Literal["learn"]
    reported: Literal["γ", "ω"]

    def total_weight(self, n_kernels: int) -> float:
        """Return the sum of weights that the trace c allows: one more if τ is among them."""
        return n_kernels + 1.0 if self.C == "learn" else float(n_kernels)


MACHINES = {
    "HM": MarginMachine("hard_margin", 1.0, "γ"),
    "SM1": MarginMachine("soft_margin", 1.0, "ω"),
    "SM2": MarginMachine("squared_soft_margin", 1.0, "ω"),
    "SM2,C": MarginMachine("squared_soft_margin", "learn", "ω"),
}


def evaluate(
    machine: MarginMachine,
    grams: Array,
    mixed: Array,
    y_train: NDArray[np.int64],
    y_test: NDArray[np.int64],
    *,
    weights: Literal["positive", "free"],
    total_weight: float,
) -> dict[str, Json] | None:
    """Learn the weights, train with the labelled block and test with the mixed block of (17).

    `grams` has shape (n_kernels, n, n) and unit diagonals, training points first; further rows are
    unlabelled points (transduction). `mixed`, of shape (n_kernels, n_test, n_train), has the
    kernels between test and training points. `total_weight` is the trace c of the paper over the
    number of points. Returns ``value`` (γ or ω), ``accuracy`` (per cent), ``weights``, ``tau``
    (None unless learned) and ``gap``; None if the machine has no solution.
    """
    solution = learn_weights(
        grams,
        y_train,
        quality=machine.quality,
        C=machine.C,
        weights=weights,
        constraint="trace",
        total=total_weight * grams.shape[1],
    )
    V = float(solution.objective)
    if solution.dual_coef is None or solution.intercept is None or not np.isfinite(V):
        return None
    # The identity of the 2-norm machines is in training only, so it has no part in this.
    K = np.tensordot(solution.weights, mixed, axes=1)
    decision = K @ solution.dual_coef + solution.intercept
    return {
        "value": V if machine.reported == "ω" else float(1.0 / np.sqrt(2.0 * V)),
        "accuracy": 100.0 * float(np.mean(np.where(decision >= 0, 1, -1) == y_test)),
        "weights": [float(weight) for weight in solution.weights],
        "tau": None if solution.learned_C is None else float(1.0 / solution.learned_C),
        "gap": float(solution.gap),
    }
