"""Every quality by name: one line here, a function for the machine in its file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from kernlearn.quality.cox import cox
from kernlearn.quality.logistic import logistic
from kernlearn.quality.machine import Machine
from kernlearn.quality.margins import (
    hard_margin,
    lagrangian,
    nu_svm,
    ranking,
    soft_margin,
    squared_soft_margin,
)
from kernlearn.quality.one_class import one_class
from kernlearn.quality.regression import epsilon_svr, huber, least_squares, nu_svr, quantile
from kernlearn.survival.ties import Ties
from kernlearn.typing import Array


@dataclass(frozen=True, eq=False)
class Settings:
    """Parameters of machines besides the targets; their values are checked before.

    Parameters
    ----------
    C : float
        The box, or the inverse of the ridge.
    nu : float
        Share of support vectors or outliers.
    epsilon : float
        Half the width of the tube, or the residual beyond which Huber's loss is linear.
    sample_weight : ndarray of shape (n,)
        Multiplies C point by point.
    quantile : float, default=0.5
        The level of the pinball loss.
    ties : {"efron", "breslow"}, default="efron"
        Treatment of tied events in the partial likelihood.
    """

    C: float
    nu: float
    epsilon: float
    sample_weight: Array
    quantile: float = 0.5
    ties: Ties = "efron"

    @property
    def upper(self) -> Array:
        """The Cᵢ."""
        return self.C * self.sample_weight


@dataclass(frozen=True)
class Quality:
    """A quality functional that is the optimal value of a machine.

    Parameters
    ----------
    targets : {"labels", "values", "either", "times", "none"}
        Kind of the targets; "times" have the sign bit where they are censored.
    build : callable
        Makes the machine of some targets and `Settings`.
    uses : tuple of str
        Names of the settings that matter to it.
    """

    targets: Literal["labels", "values", "either", "times", "none"]
    build: Callable[[Array, Settings], Machine]
    uses: tuple[str, ...]


#: Every quality that is the optimal value of a machine, by the name that estimators take.
QUALITIES: dict[str, Quality] = {
    "hard_margin": Quality("labels", lambda y, s: hard_margin(y), ()),
    "soft_margin": Quality("labels", lambda y, s: soft_margin(y, s.upper), ("C",)),
    "squared_soft_margin": Quality("labels", lambda y, s: squared_soft_margin(y, s.upper), ("C",)),
    "lagrangian": Quality("labels", lambda y, s: lagrangian(y, s.upper), ("C",)),
    "logistic": Quality("labels", lambda y, s: logistic(y, s.upper), ("C",)),
    "nu_svm": Quality("labels", lambda y, s: nu_svm(y, s.sample_weight, s.nu), ("nu",)),
    "ranking": Quality("none", lambda y, s: ranking(s.upper), ("C",)),
    "one_class": Quality("none", lambda y, s: one_class(s.sample_weight, s.nu), ("nu",)),
    "epsilon_svr": Quality(
        "values", lambda y, s: epsilon_svr(y, s.upper, s.epsilon), ("C", "epsilon")
    ),
    "nu_svr": Quality("values", lambda y, s: nu_svr(y, s.upper, s.nu), ("C", "nu")),
    "huber": Quality("values", lambda y, s: huber(y, s.upper, s.epsilon), ("C", "epsilon")),
    "quantile": Quality("values", lambda y, s: quantile(y, s.upper, s.quantile), ("C", "quantile")),
    "cox": Quality("times", lambda y, s: cox(y, s.upper, s.sample_weight, s.ties), ("C", "ties")),
    "least_squares": Quality("either", lambda y, s: least_squares(y, s.upper), ("C",)),
}

#: Names of the qualities that align the kernel with the labels: Lanckriet's section 4.7.
ALIGNMENTS: tuple[str, ...] = ("alignment", "centered_alignment")
DETERMINANT = "max_determinant"
#: Names of the qualities that judge the kernel itself, without a machine.
CRITERIA: tuple[str, ...] = (*ALIGNMENTS, DETERMINANT)


def quality_names(*targets: str) -> list[str]:
    """Names of the qualities that learn from ``targets`` (all of them by default).

    Qualities of the kernel itself are among those for labels: a machine is trained after them.
    """
    chosen = [name for name, q in QUALITIES.items() if not targets or q.targets in targets]
    labelled = not targets or "labels" in targets
    return [*chosen, *CRITERIA] if labelled else chosen
