"""A fitted pipeline for a reader: parameters, kernel, certificate and landmarks, in words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, SVR

from kernlearn.estimators import KernelClassifier, KernelRegressor
from kernlearn.inspection import kernel_label
from kernlearn.inspection.labels import shown_kernels
from kernlearn.kernels import Columns, Kernel
from kernlearn.methods.preparation import prepared_name
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Json

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


def is_mixture(estimator: BaseEstimator) -> bool:
    """Whether an estimator is a mixture of candidates."""
    return isinstance(estimator, KernelClassifier | KernelRegressor)


def parameters(estimator: BaseEstimator) -> list[Json]:
    """Chosen parameters: a name and a value for each.

    For a mixture: name, kernel, λ and weight of each member, the heaviest first.

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


def candidates(estimator: BaseEstimator) -> list[Json] | None:
    """Candidates of a mixture with loss and weight, best first; None for other estimators."""
    if not is_mixture(estimator):
        return None
    columns = {name: column.tolist() for name, column in estimator.candidates_.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _members(estimator: BaseEstimator) -> list[Json]:
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


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


SHOWN = 4
MIXTURE = (
    "Its members and their weights were chosen by held-out predictions, so there is no certificate."
)


def certificate(estimator: BaseEstimator) -> Json:
    """Objective, bound, gap and status of a fitted estimator, and a sentence on them."""
    facts: Json = {
        "objective": finite(getattr(estimator, "objective_", None)),
        "lower_bound": finite(getattr(estimator, "lower_bound_", None)),
        "gap": finite(getattr(estimator, "duality_gap_", None)),
        "n_machine_solves": getattr(estimator, "n_machine_solves_", None),
        "status": str(estimator.status_) if hasattr(estimator, "status_") else None,
    }
    if is_mixture(estimator):
        return {**facts, "sentence": MIXTURE}
    return {**facts, "sentence": _certificate_sentence(facts)}


def _certificate_sentence(facts: Json) -> str:
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


def kernel_in_words(estimator: BaseEstimator, names: list[str]) -> str:
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
    found = scale_shares(estimator, names)
    if not found:
        return words
    if hasattr(estimator, "theta_"):
        words = "Gaussian with a scale for every column"
    top = sorted(found, key=lambda entry: -entry["share"])[:SHOWN]
    listed = ", ".join(f"{e['name']} ({e['share']:.0%})" for e in top if e["share"] > 0)
    return f"{words}; it looks mostly at {listed}"


def _mixture(known: list[Json], what: str = "sum", of: str = "kernels") -> str:
    used = sorted((e for e in known if e["weight"]), key=lambda e: -abs(e["weight"]))
    terms = [f"{e['weight']:.3g} × {e['name']}" for e in used[:SHOWN]]
    more = f", and {len(used) - SHOWN} more" if len(used) > SHOWN else ""
    return f"{what} of {len(used)} of {len(known)} {of}: {'; '.join(terms)}{more}"


def weights(estimator: BaseEstimator) -> list[Json] | None:
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


def scale_shares(estimator: BaseEstimator, names: list[str]) -> list[Json] | None:
    """ARD scales of the standardised columns, as shares that sum to one; None without them."""
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
    return [{"name": prepared_name(name), "share": float(share)} for name, share in rows]


def finite(value: float | None) -> float | None:
    """A float that JSON can spell, or None."""
    return None if value is None or not math.isfinite(float(value)) else float(value)


# A relative fall of the loss below this, from twice the landmarks, counts as none.
FLAT = 0.01


def landmark_facts(estimator: BaseEstimator) -> Json | None:
    """Rank and held-out loss by rank; None if the fit was exact, or recorded no losses."""
    rank, losses = getattr(estimator, "rank_", None), getattr(estimator, "loss_by_rank_", None)
    if rank is None or losses is None:
        return None
    pairs = zip(losses["rank"].tolist(), losses["loss"].tolist(), strict=True)
    known = [[int(each), float(loss)] for each, loss in pairs if finite(loss) is not None]
    n_sparse = sum(points is None for points in getattr(estimator, "landmarks_", ()))
    of_times = getattr(estimator, "quality", None) == "cox"
    loss = "squared error of martingale residuals" if of_times else "squared error"
    sentence = (
        _sparse_sentence(int(rank), n_sparse)
        if n_sparse
        else _landmark_sentence(int(rank), known, loss)
    )
    return {"rank": int(rank), "losses": known, "sentence": sentence}


def _sparse_sentence(rank: int, n_sparse: int) -> str:
    """A sentence on kernels of sparse features, which need no landmarks.

    >>> _sparse_sentence(0, 1)
    '1 kernel of sparse features was taken as it is, without landmarks.'
    >>> _sparse_sentence(64, 2)
    '2 kernels of sparse features were taken as they are; the others were seen through 64 \
landmarks.'
    """
    taken = "was taken as it is" if n_sparse == 1 else "were taken as they are"
    sentence = f"{counted(n_sparse, 'kernel')} of sparse features {taken}"
    if rank == 0:
        return f"{sentence}, without landmarks."
    return f"{sentence}; the others were seen through {counted(rank, 'landmark')}."


def _landmark_sentence(rank: int, losses: list[list[float]], loss: str = "squared error") -> str:
    """A sentence on whether more landmarks would help.

    >>> _landmark_sentence(8, [[4, 0.5], [8, 0.4]])
    'The kernel was seen through 8 landmarks. From 4 to 8 the held-out squared error fell by 20 %: \
more of them would help; --memory and --time-limit allow for more.'
    """
    sentence = f"The kernel was seen through {counted(rank, 'landmark')}"
    if len(losses) < 2 or losses[-2][1] <= 0:
        return f"{sentence}."
    (before, first), (after, last) = losses[-2:]
    fall = 1.0 - last / first
    percent = f"{100 * max(fall, 0.0):.2g} %"
    change = f"From {before} to {after} the held-out {loss} fell by {percent}"
    if fall < FLAT:
        return f"{sentence}. {change}: more of them would help little."
    return (
        f"{sentence}. {change}: more of them would help; --memory and --time-limit allow for more."
    )


def name_columns(pipeline: Pipeline) -> None:
    """Name the columns of the kernels that the last step of a fitted pipeline has chosen itself.

    The estimator sees prepared columns by number, without their names.
    """
    first, last = pipeline.steps[0][1], pipeline.steps[-1][1]
    is_given = getattr(last, "kernels", None) is not None
    if first is last or is_given or not hasattr(first, "get_feature_names_out"):
        return
    names = [prepared_name(str(name)) for name in first.get_feature_names_out()]
    for kernel in getattr(last, "kernels_", ()):
        _name(kernel, names)


def _name(kernel: object, names: list[str]) -> None:
    if not isinstance(kernel, Kernel):
        return
    if isinstance(kernel, Columns) and kernel.name is None:
        places: Any = kernel.columns  # by number, as banks are
        kernel.name = " and ".join(names[place] for place in places)
    for part in kernel.get_params(deep=False).values():
        for each in part if isinstance(part, list | tuple) else [part]:
            _name(each, names)
