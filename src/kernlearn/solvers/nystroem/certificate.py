r"""The solution and its certificate: the function's value, recomputed from its coefficients.

A fit through landmarks returns weights w, coefficients β of k(x, landmark) and intercepts b. With
:math:`K(S_i, S_i) = L_i L_i^\top`, the function :math:`f = \sum_i k_i(\cdot, S_i)\beta_i + b` lies
in the space of K(w), and its norm there is at most, and at the solution just,

.. math::

    \tfrac12 \lVert f\rVert^2 = \sum_i \frac{\lVert L_i^\top\beta_i\rVert^2}{2 w_i} ,

a kernel without weight having no part in it. With the loss on all rows this is the objective,
whatever a solver made of it: nothing here is the solver's, and all is in the user's units. Rounding
is counted, and taken off the bound; where it matters, sums are taken in long double.

With a negative weight the sum is the norm only of f = K(w)a, for one a in all parts. Then it equals
½aᵀf on the rows; what the two differ by is not known of the objective, and counted as rounding is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from kernlearn._device import beside, to_host
from kernlearn.families.factors import Factors
from kernlearn.gram.rows import map_rows
from kernlearn.numerics.sums import EPS, rounding
from kernlearn.quality.machine import Machine, Multipliers
from kernlearn.quality.multipliers import best_multipliers, value_noise
from kernlearn.runtime.status import Status
from kernlearn.solvers.core.certificate import certified_status
from kernlearn.solvers.core.oracle import Penalty
from kernlearn.solvers.core.problem import Proof, WeightSet
from kernlearn.solvers.core.solution import Solution
from kernlearn.solvers.weights.finalize import PRECISION
from kernlearn.typing import AnyFloatArray, Array, Rows, Scalar


@dataclass(frozen=True, eq=False, kw_only=True)
class LowRankSolution(Solution):
    """Learned weights and machines; ``dual_coef`` (k, n) is None for least squares."""

    factors: Factors  # the maps to the factors
    coef: Array  # (R, k): the function is ``factors(X) @ coef + intercept``
    residual_trace: Array  # (m,): the part of each kernel's trace that its factor leaves out
    rounding: float = 0.0  # what is not known of the objective, and taken off the bound
    # The proof of the lower bound: dual coefficients, or for least squares coefficients of the
    # columns, of shape (s, 1, R, k), whose residuals are the dual ones
    proof: Proof | None = None


# The function without its intercept on all rows (n, k), and the sizes of the terms of each value.
Values = Callable[[list[Array], type], tuple[AnyFloatArray, AnyFloatArray]]

# Products in long double up to this number: some processors take 0.1 µs for each.
LONG_DOUBLE_PRODUCTS = 2**20


class Value(NamedTuple):
    """The objective at a function, a bound on its rounding, and the intercepts."""

    value: float
    noise: float
    intercept: Array


def certified(
    found: LowRankSolution,  # what is to be returned, with a lower bound that holds
    machines: Sequence[Machine],  # one for each function
    # Of coefficients of k(x, landmark) and a type of floats, what :data:`Values` says
    values: Values,
    weight_set: WeightSet,  # which weights are allowed
    tol: float,  # required relative gap
    in_long_double: bool = True,  # whether values are to be had in long double, too
    penalty: Penalty | None = None,  # on the weights
) -> LowRankSolution:
    """The solution with the value of its function, and a bound and a status that go with it."""
    if found.status is Status.TRIVIAL:  # the zero function, in place of rounding errors
        zero = replace(found, coef=0.0 * found.coef, intercept=np.zeros(len(machines)))
        found = replace(zero, dual_coef=0.0 * np.asarray(found.dual_coef))
    parts = found.factors.expansion(found.coef)
    now = _value(found, machines, parts, values, np.float64)
    enough = min(PRECISION.share * tol, PRECISION.known) * abs(now.value)
    few = in_long_double and machines[0].n_points * found.coef.size <= LONG_DOUBLE_PRODUCTS
    if now.noise > enough and few:
        now = _value(found, machines, parts, values, np.longdouble)
    if penalty is not None:
        added = float(penalty.value(found.weights))
        noise = now.noise + rounding(len(found.weights)) * abs(added)
        now = now._replace(value=now.value + added, noise=noise)
    exact = found.weights.astype(np.longdouble)
    missed = abs(float((exact @ weight_set.normaliser) / weight_set.total - 1.0))
    noise = now.noise + missed * abs(now.value)
    bound = min(found.lower_bound - noise, now.value)
    return replace(
        found,
        objective=now.value,
        lower_bound=bound,
        status=certified_status(now.value, bound, tol, found.status),
        intercept=now.intercept,
        rounding=noise,
    )


def landmark_values(source: Rows, factors: Factors) -> Values:
    """Values on the rows of a table, made as predictions are."""

    def values(parts: list[Array], kind: type) -> tuple[AnyFloatArray, AnyFloatArray]:
        of_rows = partial(_row_values, factors, parts, kind)
        found = map_rows(source, of_rows, 2 * factors.n_columns, checked=True)
        k = parts[0].shape[1]
        return found[:, :k], found[:, k:]

    return values


def _row_values(
    factors: Factors, parts: list[Array], kind: type, block: Rows, rows: slice
) -> AnyFloatArray:
    """The values of functions on a block of rows, and the sizes of their terms."""
    n, k = block.shape[0], parts[0].shape[1]
    found = np.zeros((n, 2 * k), dtype=kind)
    for each, coef in zip(factors.maps, parts, strict=True):
        if not coef.any():
            continue
        K = each.kernel(block, each.points)
        if kind is np.float64:
            found[:, :k] += to_host(K @ beside(coef, K))
            found[:, k:] += to_host(abs(K) @ beside(np.abs(coef), K))
        else:
            K = to_host(K)
            found[:, :k] += K.astype(kind) @ coef.astype(kind)
            found[:, k:] += np.abs(K) @ np.abs(coef)
    return found


def _value(
    found: LowRankSolution,
    machines: Sequence[Machine],
    parts: list[Array],
    values: Values,
    kind: type,
) -> Value:
    """The value in floats of this kind."""
    norm, noise = _norm(found, parts, kind)
    total, half = norm, kind(0.0)  # ½aᵀf
    F, sizes = values(parts, kind)
    dual = None if found.dual_coef is None else np.atleast_2d(np.asarray(found.dual_coef))
    unit = float(np.finfo(kind).eps) / EPS * rounding(found.coef.shape[0])
    found_intercept = np.atleast_1d(np.asarray(found.intercept, dtype=float))
    intercept = np.empty(len(machines))
    for j, machine in enumerate(machines):
        f, error = F[:, j], unit * np.asarray(sizes[:, j], dtype=float)
        zero: AnyFloatArray = np.zeros(len(f), dtype=kind)
        best = float(best_multipliers(machine, np.asarray(f, dtype=float)).rows[0])
        choices = [Multipliers(np.array([b], dtype=kind), 0.0) for b in (found_intercept[j], best)]
        losses = [machine.upper_value(zero, f, choice, stretch=False) for choice in choices]
        chosen = int(losses[1] < losses[0])
        total += losses[chosen]
        intercept[j] = (found_intercept[j], best)[chosen]
        double = np.asarray(f, dtype=float)
        noise += _loss_noise(machine, double, intercept[j], error, kind)
        # The dual coefficients of a loss with a ridge are its slopes.
        a = (machine.linear - f - intercept[j]) / machine.ridge if dual is None else dual[j]
        half += 0.5 * (np.asarray(a, dtype=kind) @ f)
    if (found.weights < 0).any():
        noise += abs(float(norm - half))
    return Value(float(total), noise + 4.0 * EPS * abs(float(total)), intercept)


def _loss_noise(machine: Machine, f: Array, b: float, error: Array, kind: type) -> float:
    """Rounding of a loss of values that are known up to ``error``."""
    if kind is np.float64:
        return value_noise(machine, np.zeros(len(f)), f, Multipliers(np.array([b]), 0.0), error)
    if machine.risk_sets is not None:  # each logarithm changes by the largest error, at most
        in_sums = 8.0 * len(f) * float(np.finfo(kind).eps)
        size = float(np.abs(machine.risk_sets.losses(f)).sum())
        return 2.0 * float(machine.risk_sets.totals.sum() * error.max()) + in_sums * size
    slopes = np.abs(machine.breakpoints).max(axis=1)
    steepest = np.where(np.isfinite(slopes), slopes, 0.0)
    ridge = machine.ridge > 0
    steepest[ridge] = np.abs((machine.linear - f - b)[ridge] / machine.ridge[ridge])
    terms = error + float(np.finfo(kind).eps) * (np.abs(f) + abs(b) + np.abs(machine.linear))
    return float(steepest @ terms)


def _norm(found: LowRankSolution, parts: list[Array], kind: type) -> tuple[Scalar, float]:
    """½‖f‖², and a bound on its rounding; infinite where a kernel without weight has a part."""
    norm: Scalar = kind(0.0)
    noise, unit = 0.0, float(np.finfo(kind).eps) / EPS
    for each, coef, weight in zip(found.factors.maps, parts, found.weights, strict=True):
        if not coef.any():
            continue
        if weight == 0.0:
            return np.inf, 0.0
        own: AnyFloatArray = coef.astype(kind)
        sizes = np.abs(coef)
        if each.points is not None:  # sparse features are columns as they are
            own, sizes = each.corner.astype(kind).T @ own, np.abs(each.corner).T @ sizes
        norm += (own**2).sum() / (2.0 * kind(weight))
        error = unit * rounding(len(coef)) * float((np.abs(own) * sizes).sum())
        noise += (error + 4.0 * unit * EPS * float((own**2).sum())) / abs(weight)
    return norm, noise
