"""The parameters that a fit has chosen, by name."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_regressor

from kernlearn.estimators import KernelClassifier, KernelRegressor
from kernlearn.inspection import kernel_label

__all__ = ["candidates", "is_mixture", "parameters"]

# Fitted attributes and parameters, and what they are called; the first that is there counts.
NAMES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("C", ("C_", "C")),
    ("γ", ("_gamma",)),
    ("ε", ("epsilon_", "epsilon")),
    ("λ", ("lam_",)),
    ("μ", ("mu_",)),
    ("α", ("alpha_",)),
    ("trees", ("n_iter_",)),
    ("neighbours", ("n_neighbors",)),
)
TREES, TUBE = "trees", "ε"


def is_mixture(estimator: Any) -> bool:
    """Whether it is a mixture of candidates."""
    return isinstance(estimator, KernelClassifier | KernelRegressor)


def parameters(estimator: Any) -> list[dict[str, Any]]:
    """What was chosen: a name and a value for each parameter.

    Of a mixture, the kernel, λ and weight of each member, by its name, the heaviest first.

    >>> from sklearn.linear_model import LogisticRegression
    >>> parameters(LogisticRegression(C=0.5).fit([[0.0], [1.0]], [0, 1]))
    [{'name': 'C', 'value': 0.5}]
    """
    if is_mixture(estimator):
        return _members(estimator)
    found = []
    for name, attributes in NAMES:
        if name == TREES and not hasattr(estimator, "_predictors"):
            continue  # iterations of something else
        if name == TUBE and not is_regressor(estimator):
            continue  # classifiers have the parameter, but no use for it
        values = [getattr(estimator, attribute, None) for attribute in attributes]
        value = next((v for v in values if _is_number(v)), None)
        if value is not None:
            found.append({"name": name, "value": float(value)})
    theta = getattr(estimator, "theta_", None)
    if theta is not None and len(theta) == 1:
        found.append({"name": "θ", "value": float(theta[0])})
    return found


def candidates(estimator: Any) -> list[dict[str, Any]] | None:
    """What a mixture has tried, the best first, with the weight that each has; None for others."""
    if not is_mixture(estimator):
        return None
    table = estimator.candidates_
    rows: list[dict[str, Any]] = table if isinstance(table, list) else table.to_dict("records")
    return rows


def _members(estimator: Any) -> list[dict[str, Any]]:
    members = estimator._members
    weights = {row["candidate"]: row["weight"] for row in candidates(estimator) or []}
    pairs = list(zip(members.titles, members.machines, strict=True))
    pairs.sort(key=lambda pair: -weights[pair[0]])
    return [
        {
            "name": title,
            "kernel": kernel_label(machine.kernel),
            "λ": float(machine.lam),
            "weight": float(weights[title]),
        }
        for title, machine in pairs
    ]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
