"""
Ong's programs certified without a semidefinite solver.

At the α and β of a solution, the primal functional of the paper's Example is evaluated, its slacks,
offset and tube from a small linear program: by weak duality it cannot be below the value. And the
value is convex in β, with gradient −½aᵀKₚa plus that of the norm, so that the largest decrease of
its linearisation over the simplex bounds how far β is from the best.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import linprog

from kernlearn import reference
from kernlearn.hyperkernels import ARDHarmonic

C, NU, LAM = 6.0, 0.4, 0.05
FREE, POSITIVE = (None, None), (0, None)


def _smallest(costs, rows, above, bounds):
    """The linear program min costsᵀz subject to rows·z ≥ above."""
    found = linprog(costs, A_ub=-rows, b_ub=-above, bounds=bounds)
    assert found.status == 0
    return found.fun


def _c_svm(d, f, a):
    """(25): C/m Σζ with y(f + b) ≥ 1 − ζ."""
    costs = np.append(0.0, np.full(d.m, C / d.m))
    rows = np.hstack([d.y[:, None], np.eye(d.m)])
    return _smallest(costs, rows, 1 - d.y * f, [FREE, *[POSITIVE] * d.m])


def _nu_svm(d, f, a):
    """Example 8: 1/m Σζ − νρ with y(f + b) ≥ ρ − ζ."""
    costs = np.append([0.0, -NU], np.full(d.m, 1 / d.m))
    rows = np.hstack([d.y[:, None], -np.ones((d.m, 1)), np.eye(d.m)])
    return _smallest(costs, rows, -d.y * f, [FREE, POSITIVE, *[POSITIVE] * d.m])


def _lagrangian(d, f, a):
    """Example 9: 1/m Σζ² + ½b² with y(f + b) ≥ 1 − ζ, as printed; the offset is yᵀα."""
    slack = np.maximum(0.0, 1 - d.y * (f + a.sum()))
    return slack @ slack / d.m + a.sum() ** 2 / 2


def _one_class(d, f, a):
    """Example 10: 1/(νm) Σζ − ρ with f ≥ ρ − ζ."""
    costs = np.append(-1.0, np.full(d.m, 1 / (NU * d.m)))
    rows = np.hstack([-np.ones((d.m, 1)), np.eye(d.m)])
    return _smallest(costs, rows, -f, [POSITIVE, *[POSITIVE] * d.m])


def _nu_svr(d, f, a):
    """Example 11: (νε + 1/m Σ(ζ + ζ*))/λ with |y − f − b| ≤ ε + ζ."""
    costs = np.append([0.0, NU / LAM], np.full(2 * d.m, 1 / (d.m * LAM)))
    side = np.repeat([1.0, -1.0], d.m)
    rows = np.hstack([side[:, None], np.ones((2 * d.m, 1)), np.eye(2 * d.m)])
    bounds = [FREE, POSITIVE, *[POSITIVE] * (2 * d.m)]
    return _smallest(costs, rows, side * np.tile(d.targets - f, 2), bounds)


def _least_squares(d, f, a):
    """Before (8), divided by λ: 1/(λm) Σ(y − f − b)², at the best b."""
    return d.m * np.var(d.targets - f) / (LAM * d.m)


def _alignment(d, f, a):
    """Example 12: with a = K⁻¹y, ½yᵀK⁻¹y is ½‖f‖² itself."""
    return 0.0


@dataclass(frozen=True)
class Example:
    """A program, its signed coefficients a, ℓ(a), the primal without ½‖f‖², and units."""

    solve: Callable
    coefficients: Callable
    linear: Callable
    loss: Callable
    penalty: float = 1.0
    value: float = 1.0


def _signed(d, s, K):
    return d.y * s.alpha


EXAMPLES = {
    "7": Example(
        lambda d, **k: reference.ong_eq27(d.S, d.P, d.y, C, **k),
        _signed,
        lambda d, a: d.y @ a,
        _c_svm,
    ),
    "8": Example(
        lambda d, **k: reference.ong_eq28(d.S, d.P, d.y, NU, **k),
        _signed,
        lambda d, a: 0.0,
        _nu_svm,
    ),
    "9": Example(
        lambda d, **k: reference.ong_eq29(d.S, d.P, d.y, 0.5, **k),
        _signed,
        lambda d, a: d.y @ a - (a.sum() ** 2 + 0.5 * d.m * a @ a) / 2,
        _lagrangian,
    ),
    "10": Example(
        lambda d, **k: reference.ong_eq30(d.S, d.P, NU, **k),
        lambda d, s, K: s.alpha,
        lambda d, a: 0.0,
        _one_class,
        penalty=1 / NU,
    ),
    "11": Example(
        lambda d, **k: reference.ong_eq31(d.S, d.P, d.targets, LAM, NU, **k),
        lambda d, s, K: s.alpha[d.m :] - s.alpha[: d.m],
        lambda d, a: d.targets @ a,
        _nu_svr,
        penalty=1 / LAM,
    ),
    "12": Example(
        lambda d, **k: reference.ong_eq32(d.S, d.P, d.y, **k),
        lambda d, s, K: np.linalg.solve(K, d.y),
        lambda d, a: d.y @ a,
        _alignment,
    ),
    "least squares": Example(
        lambda d, **k: reference.ong_before_eq8(d.S, d.P, d.targets, LAM, **k),
        lambda d, s, K: s.alpha,
        lambda d, a: d.targets @ a - LAM * d.m / 2 * a @ a / 2,
        _least_squares,
        penalty=1 / LAM,
        value=LAM,
    ),
}


def _data(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=12) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    hyperkernel = ARDHarmonic(gammas=[0.3, 0.3])
    pairs = X[[[0, 0], [1, 5], [2, 7], [3, 4], [6, 11]]]
    targets = 2.0 * np.sin(X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=12)
    return SimpleNamespace(
        S=hyperkernel.sections(X, pairs), P=hyperkernel(pairs), y=y, targets=targets, m=12
    )


@pytest.mark.parametrize(("seed", "lambda_q", "squared"), [(0, 0.02, False), (1, 1.0, True)])
@pytest.mark.parametrize("name", EXAMPLES)
def test_certificate(name, seed, lambda_q, squared):
    example, data, c = EXAMPLES[name], _data(seed), 1.7
    solution = example.solve(data, lambda_q=lambda_q, squared=squared, c=c)
    beta, value = solution.weights, solution.value / example.value
    K = np.tensordot(beta, data.S, 1)
    a = example.coefficients(data, solution, K)
    weight = lambda_q * example.penalty
    norm = np.sqrt(beta @ data.P @ beta)
    penalty = weight / 2 * (norm**2 if squared else norm)

    dual = example.linear(data, a) - a @ K @ a / 2 + penalty
    primal = example.loss(data, K @ a, a) + a @ K @ a / 2 + penalty
    assert solution.status == "optimal"
    assert dual == pytest.approx(value, rel=1e-6)
    # The primal has kinks: it is off by as much as the solver's α, the dual by the square of it.
    assert primal == pytest.approx(value, rel=1e-5)

    # The interior-point solver leaves the cone by its tolerance, in its own units.
    assert beta.min() >= -1e-6 * c
    assert beta.sum() == pytest.approx(c, rel=1e-8)
    slope = data.P @ beta * (weight if squared else weight / (2 * norm))
    gradient = slope - np.einsum("i,pij,j->p", a, data.S, a) / 2
    assert beta @ gradient - c * gradient.min() <= 1e-5 * abs(value)
