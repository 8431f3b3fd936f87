"""What was learned, in words and numbers for a reader."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.svm import SVC, SVR

from kernlearn.inspection import kernel_label
from kernlearn.inspection.labels import shown_kernels
from kernlearn.methods.parameters import candidates, is_mixture
from kernlearn.methods.preparation import prepared_name

__all__ = ["certificate", "kernel_in_words", "relevances", "weights"]

SHOWN = 4
MIXTURE = (
    "Its parts and their weights were chosen by what they predict for rows held out, which is no "
    "objective with a certificate."
)


def certificate(estimator: Any) -> dict[str, Any]:
    """Objective, bound, gap and status of a fitted estimator, and a sentence on them."""
    facts: dict[str, Any] = {
        "objective": finite(getattr(estimator, "objective_", None)),
        "lower_bound": finite(getattr(estimator, "lower_bound_", None)),
        "gap": finite(getattr(estimator, "duality_gap_", None)),
        "n_machine_solves": getattr(estimator, "n_machine_solves_", None),
        "status": str(estimator.status_) if hasattr(estimator, "status_") else None,
    }
    if is_mixture(estimator):
        return {**facts, "sentence": MIXTURE}
    return {**facts, "sentence": _sentence(facts)}


def _sentence(facts: dict[str, Any]) -> str:
    if facts["lower_bound"] is not None and facts["gap"] is not None:
        solves = facts["n_machine_solves"]
        effort = "" if solves is None else f", {solves} machine solves"
        return (
            f"The objective is {facts['objective']:.8g}, and no other weights have a value of it "
            f"below {facts['lower_bound']:.8g} (relative gap {facts['gap']:.1e}{effort})."
        )
    if facts["status"] is not None:
        return f"The problem is not convex, so a better kernel may exist; {facts['status']}."
    return "A fixed kernel with tuned parameters has no certificate: no kernel was learned."


def kernel_in_words(estimator: Any, names: list[str]) -> str:
    """One sentence on the learned kernel."""
    if isinstance(estimator, SVC | SVR):
        # A tuned "scale" is a number once fitted.
        return f"Gaussian, γ = {estimator._gamma:.3g}, with C = {estimator.C:.3g}; nothing learned"
    tried = candidates(estimator)
    if tried:
        named = [{"name": row["candidate"], "weight": row["weight"]} for row in tried]
        return _mixture(named, "a mixture", "machines")
    known = weights(estimator)
    if known:
        return _mixture(known)
    kernel = getattr(estimator, "kernel_", None)
    words = "none" if kernel is None else kernel_label(kernel)
    found = relevances(estimator, names)
    if not found:
        return words
    if hasattr(estimator, "theta_"):
        words = "Gaussian with a scale for every column"
    top = sorted(found, key=lambda entry: -entry["relevance"])[:SHOWN]
    listed = ", ".join(f"{e['name']} ({e['relevance']:.0%})" for e in top if e["relevance"] > 0)
    return f"{words}; it looks mostly at {listed}"


def _mixture(known: list[dict[str, Any]], what: str = "sum", of: str = "kernels") -> str:
    used = sorted((e for e in known if e["weight"]), key=lambda e: -abs(e["weight"]))
    terms = [f"{e['weight']:.3g} × {e['name']}" for e in used[:SHOWN]]
    more = f", and {len(used) - SHOWN} more" if len(used) > SHOWN else ""
    return f"{what} of {len(used)} of {len(known)} {of}: {'; '.join(terms)}{more}"


def weights(estimator: Any) -> list[dict[str, Any]] | None:
    """The weight of every kernel of a combination; None for other estimators."""
    kernels = getattr(estimator, "kernels_", None)
    if kernels is None or hasattr(estimator, "pivots_"):
        return None
    views = getattr(estimator, "kernel_views_", None)
    shown = shown_kernels(estimator)
    if views is None:
        labels = [kernel_label(kernels[i]) for i in shown]
    else:
        pairs = zip(views, kernels, strict=True)
        labels = [f"{view}: {kernel_label(columns.kernel)}" for view, columns in pairs]
    rows = zip(labels, estimator.weights_[shown], strict=True)
    return [{"name": label, "weight": float(weight)} for label, weight in rows]


def relevances(estimator: Any, names: list[str]) -> list[dict[str, Any]] | None:
    """How much the kernel falls off along each standardised column, as shares of one."""
    theta = getattr(estimator, "theta_", None)
    if theta is not None and len(theta) == len(names) and len(names) > 1:
        values = np.abs(np.asarray(theta, dtype=float))
    elif hasattr(estimator, "pivots_") and hasattr(estimator, "feature_scales_"):
        values = 1.0 / np.asarray(estimator.feature_scales_, dtype=float) ** 2
    else:
        return None
    total = float(values.sum())
    if len(values) != len(names) or not math.isfinite(total) or total <= 0:
        return None
    rows = zip(names, values / total, strict=True)
    return [{"name": prepared_name(name), "relevance": float(share)} for name, share in rows]


def finite(value: Any) -> float | None:
    """A float that JSON can spell, or None."""
    return None if value is None or not math.isfinite(float(value)) else float(value)
