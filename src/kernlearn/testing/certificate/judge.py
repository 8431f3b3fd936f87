r"""Is a certificate true? Judged in plain NumPy and long double, with nothing of the solvers.

The judge recomputes everything from the matrices, the targets and what was returned: signs, totals
and :math:`K(w) \succeq 0`; the primal value of the returned function and the dual value of the
returned coefficients; the gap and what the status says of it. Then it looks for other feasible
weights whose value lies below the bound: corners, even and random ones, mixtures with the returned
ones, and any that the caller knows of.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from kernlearn.testing.certificate.case import ALIGNMENTS, Case, even_weights, has_factor
from kernlearn.testing.certificate.definitions import long
from kernlearn.typing import Array, Mask

if TYPE_CHECKING:
    from kernlearn.solvers.core.solution import Solution

SAME = 1e-7  # relative difference of two ways to compute one value
BELOW = 1e-9  # a bound may not lie further above another value than this, relative to it
INDEFINITE = 1e-9  # of the largest eigenvalue
VIOLATED = 1e-8  # of the terms of a constraint
# Negative eigenvalue that may be rounding of double precision, relative to the largest eigenvalue
# and for each point.
SEEMING = 1e-14
PULLED = (0.0, 1e-14, 1e-12, 1e-10, 1e-8)  # shares of the even weights


def complaints(case: Case, solution: Solution, seed: int = 0) -> list[str]:
    """Everything about ``solution`` that is not as it should be; empty if it is all true."""
    found: list[str] = []
    objective, bound, gap = solution.objective, solution.lower_bound, solution.gap
    if np.isnan(objective):
        found += _without_solution(case, solution)
        return found
    weights = np.asarray(solution.weights, dtype=float)
    if case.learns_C:
        C = solution.learned_C
        tau = 0.0 if C is None or np.isinf(C) else 1.0 / C
        weights = np.append(weights, tau)
    if not np.isfinite(weights).all() or not np.isfinite(objective) or np.isnan(bound):
        return [f"not numbers: weights {weights}, objective {objective}, bound {bound}"]
    found += _feasible(case, weights)
    found += _values(case, solution, weights)
    expected = _gap(objective, bound)
    if not (gap == expected or abs(gap - expected) <= 1e-9 * max(abs(expected), 1e-9)):
        found.append(f"gap {gap:.6g} is not (objective − bound)/|objective| = {expected:.6g}")
    if bound > objective:
        found.append(f"bound {bound!r} above objective {objective!r}")
    if solution.status.is_optimal != (gap <= case.tol):
        found.append(f"status {solution.status.name} with gap {gap:.3g}, tol {case.tol:g}")
    others = list(_rival_weights(case, weights, seed))
    for other, value in zip(others, case.values(others), strict=True):
        # Large weights that cancel miss the total by their rounding; more total is a lower value.
        missed = abs(float(other.astype(np.longdouble) @ case.normaliser) / case.c - 1.0)
        allowed = (BELOW + 4.0 * missed) * max(abs(value), abs(bound))
        if case.quality == "max_determinant":  # to which a total is a scale of every point
            allowed += 2.0 * missed * case.grams.shape[1]
        if value < bound - allowed:
            excess = (bound - value) / max(abs(value), 1e-300)
            shown = np.array2string(other, precision=4)
            found.append(f"bound {bound!r} above {value!r} ({excess:.2e}) at weights {shown}")
            break
    return found


def _gap(objective: float, bound: float) -> float:
    if objective == bound:
        return 0.0
    return (objective - bound) / abs(objective) if objective else np.inf


def _without_solution(case: Case, solution: Solution) -> list[str]:
    if solution.status.name != "NO_SOLUTION":
        return [f"no objective, with status {solution.status.name}"]
    if case.quality != "hard_margin" and not case.learns_C:
        return [f"no solution for {case.quality}, which always has one"]
    value = min(case.values(list(_rival_weights(case, None, 0))), default=np.inf)
    size = float(np.trace(case.kernel(even_weights(case)))) / case.grams.shape[1]
    # Margins below a millionth of the kernel's size may pass for none.
    if value * size < 1e10:
        return [f"no solution claimed, but a value of {value:.6g} is attainable"]
    return []


def _feasible(case: Case, weights: Array) -> list[str]:
    found = []
    terms = weights.astype(np.longdouble) * case.normaliser
    off = abs(float(terms.sum() - case.c))
    if off > 1e-9 * case.c + 1e-14 * float(np.abs(terms).sum()):
        found.append(f"weights sum to {float(terms.sum()):.10g}, not to {case.c:.10g}")
    missed = float(case.misses(weights).max())
    # Terms that cancel leave the total, which shares are parts of, known to their rounding.
    if missed > VIOLATED + 1e-14 * float(np.abs(terms).sum()) / case.c:
        found.append(f"a constraint is violated by {missed:.3g}")
    if case.weights == "positive":
        if (weights < 0).any():
            found.append(f"a negative weight: {weights.min():.3g}")
        return found
    if case.learns_C and weights[-1] < 0:
        found.append(f"a negative τ: {weights[-1]:.3g}")
    values = np.linalg.eigvalsh(case.kernel(weights).astype(float))
    # Combinations may be as indefinite as the check of the matrices allows.
    own = [np.linalg.eigvalsh(K.astype(float))[[0, -1]] for K in case.grams]
    violation = max((max(-low, 0.0) / high for low, high in own if high > 0), default=0.0)
    if values[0] < -(INDEFINITE + 2.0 * violation) * max(values[-1], 0.0):
        found.append(f"K(w) has eigenvalues from {values[0]:.3g} to {values[-1]:.3g}")
    return found


def _values(case: Case, solution: Solution, weights: Array) -> list[str]:
    objective = solution.objective
    if solution.dual_coef is None:
        value = case.value(weights)
        # A determinant close to one has a logarithm of rounding errors, one for each point.
        known = 1e-15 * len(case.grams[0]) if case.quality == "max_determinant" else 0.0
        if case.quality in ALIGNMENTS:  # a cosine, of which no more is known near zero
            known = float(np.finfo(float).eps)
        same = _same(value, objective) or abs(value - objective) <= known
        return [] if same else [f"objective {objective!r} is {value!r}"]
    found = []
    K = case.kernel(weights)[: case.n, : case.n]
    machine = case.machine(weights)
    a = np.asarray(solution.dual_coef, dtype=np.longdouble)
    penalty = 0.0 if case.penalty is None else float(case.penalty.value(weights))
    primal = float(machine.primal(K, a, long(solution.intercept) - case.shift)) + penalty
    # Long double has digits for this much of the terms, whose sum may be far smaller.
    size = np.abs(a) @ np.abs(K) @ np.abs(a) + np.abs(machine.y) @ np.abs(a)
    steepest = np.maximum(machine.upper, -machine.lower)
    slopes = np.where(np.isfinite(steepest), steepest, np.abs(a))
    size += slopes @ (np.abs(K) @ np.abs(a) + np.abs(machine.y))
    known = 1e-17 * float(size)
    # A function may do a little better than is claimed for it, but not worse.
    above = primal - objective if primal > objective else (objective - primal) * 1e-2
    if above > known + SAME * abs(objective):
        found.append(f"objective {objective!r}, but the function returned has {primal!r}")
    if machine.infeasibility(a) > 1e-8:
        found.append(f"coefficients infeasible by {machine.infeasibility(a):.2e}")
    dual = float(machine.dual(K, a)) + penalty
    if dual > objective + SAME * abs(objective) + known and machine.infeasibility(a) <= 1e-12:
        found.append(f"dual value {dual!r} above the objective {objective!r}")
    return found


def _same(left: float, right: float) -> bool:
    return left == right or abs(left - right) <= SAME * max(abs(left), abs(right), 1e-290)


def _rival_weights(case: Case, returned: Array | None, seed: int) -> Iterable[Array]:
    """Feasible weights that may do better than a false bound."""
    rng = np.random.default_rng([seed, 2])
    r, c = case.normaliser, case.c
    used = np.flatnonzero(r > 0)
    candidates = [even_weights(case)]
    for i in rng.permutation(used)[:4]:
        corner = np.zeros(len(r))
        corner[i] = c / r[i]
        candidates.append(corner)
    for _ in range(2):
        share = np.zeros(len(r))
        share[used] = rng.dirichlet(np.full(len(used), 0.5))
        candidates.append(np.where(r > 0, c * share / np.where(r > 0, r, 1.0), 0.0))
    if returned is not None:
        candidates += [0.9 * returned + 0.1 * other for other in candidates[1:4]]
        candidates.append(returned)
    for other in case.others:
        candidates.append(np.asarray(other, dtype=float))
    if case.weights == "free" and returned is not None:
        candidates += list(_free_candidates(case, returned, rng))
    if case.weights == "positive":
        candidates = [candidate for candidate in candidates if (candidate >= 0).all()]
    if case.constraints:
        candidates = list(_within_constraints(case, np.array(candidates), returned))
    # Positive weights too: nearly indefinite matrices have no value of their own.
    stack = np.array(candidates).reshape(-1, len(r))
    for candidate in stack[_seem_psd(case, stack)]:
        inside = moved_into_cone(case, candidate)
        if inside is not None:
            yield inside


def _free_candidates(case: Case, returned: Array, rng: np.random.Generator) -> Iterable[Array]:
    """From the even and the returned weights along random directions, to where K(w) ends."""
    r = case.normaliser
    used = r > 0
    starts = np.repeat([even_weights(case), returned], 3, axis=0)
    directions = np.where(used, rng.normal(size=starts.shape) / np.where(used, r, 1.0), 0.0)
    directions[:, used] -= (directions @ r)[:, None] / r[used] / used.sum()
    if case.learns_C:
        directions[:, -1] = 0.0
    reach = case.c
    ends = np.full_like(starts, np.nan)
    for _ in range(45):
        outside = np.isnan(ends[:, 0])
        if not outside.any():
            break
        trials = starts + reach * directions
        found = outside.copy()
        found[outside] = _seem_psd(case, trials[outside])
        ends[found] = trials[found]
        reach *= 0.5
    for end in ends[~np.isnan(ends[:, 0])]:
        total = float(r @ end)
        if total > 0.0:  # large weights that cancel may round it to nothing
            yield end * (case.c / total)


def _within_constraints(case: Case, weights: Array, returned: Array | None) -> Iterable[Array]:
    """The candidates, moved towards the returned weights until they satisfy all constraints."""
    for share in (1.0,) if returned is None else (1.0, 0.5, 0.1, 1e-2, 1e-3):
        moved = weights if returned is None else share * weights + (1.0 - share) * returned
        allowed = (case.misses(moved) <= 0.0).all(axis=-1)
        yield from moved[allowed]
        weights = weights[~allowed]


def _seem_psd(case: Case, weights: Array) -> Mask:
    """For each of these weights, whether K(w) ⪰ 0 as far as double precision tells."""
    values = np.linalg.eigvalsh(case.kernel(weights).astype(float))
    least = -SEEMING * values.shape[1] * np.maximum(values[:, -1], 0.0)
    inside = np.asarray(values[:, 0] >= least)
    return inside & (weights[:, -1] >= 0) if case.learns_C else inside


def moved_into_cone(case: Case, weights: Array) -> Array | None:
    """Weights at which K(w) seems to be ⪰ 0, or those a hair nearer to the even ones; or None.

    If weights cancel, a matrix that seems positive semidefinite in double precision may not be, and
    may have a value below that of all weights for which it is: it is judged in long double.
    """
    if (weights >= 0).all():
        return weights
    even = even_weights(case)
    for share in PULLED:
        inside = (1.0 - share) * weights + share * even
        if has_factor(case, inside, case.rounding):
            return inside
    return None
