"""Whether a penalty is a function of the weights that are learned."""

from __future__ import annotations

import numpy as np

from kernlearn.families.penalties import LinearPenalty, WeightPenalty
from kernlearn.quality.registry import DETERMINANT
from kernlearn.solvers.core.oracle import Penalty
from kernlearn.solvers.core.problem import LARGEST, WeightSet


def check_penalty(penalty: Penalty, m: int, quality: str, learn_C: bool) -> None:
    """A penalty must be a function of the weights that are learned."""
    name = type(penalty).__name__
    if not all(callable(getattr(penalty, each, None)) for each in ("value", "gradient", "hessian")):
        raise ValueError(
            "expected a penalty with the methods value, gradient and hessian, got "
            f"{penalty!r}; use one of kernlearn.penalties, for example LpNorm(2)"
        )
    if learn_C:
        raise ValueError(
            f"expected no penalty with C='learn', got {name}, which knows nothing of the "
            "identity's weight; give C a number"
        )
    open_ = isinstance(penalty, WeightPenalty) and penalty.is_open
    fixed = penalty.with_strength(1.0) if isinstance(penalty, WeightPenalty) else penalty
    try:
        shape = np.shape(fixed.gradient(np.full(m, 1.0 / m)))
    except (ValueError, TypeError, IndexError):
        shape = ()
    if open_:
        raise ValueError(
            f"expected a penalty of a given strength, got {penalty!r}: rows held out choose the "
            "strength in MKLClassifier and MKLRegressor alone; give strength a number"
        )
    if shape != (m,):
        raise ValueError(
            f"expected a penalty on {m} weights, one for each matrix, got {name} of another size; "
            f"HyperNorm needs K_pivots of shape ({m}, {m}), GroupNorm {m} labels, one for each "
            "kernel, such as [0, 0, 1] for three"
        )
    if quality == "centered_alignment":
        raise ValueError(
            f"expected no penalty with quality={quality!r}, got {name}: it has no scale to weigh "
            "it against; use 'alignment', or a machine such as 'soft_margin'"
        )
    if quality == DETERMINANT and not isinstance(penalty, LinearPenalty):
        raise ValueError(
            f"expected penalties.LinearPenalty or none with quality={quality!r}, got {name}, which "
            "is not linear in the weights; use a machine such as 'soft_margin'"
        )


def check_penalty_values(penalty: Penalty, weight_set: WeightSet) -> None:
    """A penalty that is a number where one matrix has all of the total is one in between.

    So is its square, which steps are made of.
    """
    r = weight_set.normaliser
    alone = np.diag(np.where(r > 0, weight_set.total / np.where(r > 0, r, 1.0), 0.0))
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            values = np.array([float(penalty.value(w)) for w in alone])
    except OverflowError:
        values = np.array([np.inf])
    if not (np.abs(values) <= LARGEST).all():
        raise ValueError(
            f"expected a penalty of at most {LARGEST:g} at all weights, got {values.max():.3g} "
            f"from {type(penalty).__name__} at weights of up to {alone.max():.3g}; normalise the "
            "kernels, so that their weights are of ordinary size"
        )
