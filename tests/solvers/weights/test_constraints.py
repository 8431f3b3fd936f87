"""Weights within constraints, against Theorem 16 and its cases written down in CVXPY."""

from __future__ import annotations

import numpy as np
import pytest

import kernlearn as kl
from kernlearn import reference
from kernlearn.constraints import AtLeast, AtMost, Group, Linear, Order, Tie
from kernlearn.testing.certificate import Case, complaints

SETS = {
    "caps and a floor": [AtMost([0, 1, 2], 0.4), AtLeast(3, 0.1)],
    "groups": [Group([0, 1], at_most=0.3), Group([2, 3], at_least=0.2)],
    "a tie and an order": [Tie([0, 2]), Order([1, 3])],
    "a flat set": [Order([0, 1]), Order([1, 0]), AtMost(2, 0.0)],
    "weights": [Linear([[1.0, 2.0, 0.5, 0.0]], 0.6, of="weights"), AtMost(3, 1.5, of="weights")],
}
PROGRAMS = {
    "hard_margin": (None, reference.eq29),
    "soft_margin": (2.0, reference.eq35),
    "squared_soft_margin": (3.0, reference.eq40),
    "learned C": ("learn", reference.eq44),
}


def _problem(n=12, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] > 0, 1.0, -1.0)
    widths = (0.1, 1.0, 8.0)
    grams = [kl.kernels.Gaussian(gamma=g)(X) for g in widths] + [2.0 * X @ X.T + np.eye(n)]
    return np.array(grams), y


def _rows(constraints, normaliser, total):
    """The constraints as rows on the weights."""
    parts = [each.rows([None] * len(normaliser)) for each in constraints]
    A = [p.matrix * (normaliser / total if p.of == "shares" else 1.0) for p in parts]
    limits = [np.concatenate([getattr(p, side) for p in parts]) for side in ("lower", "upper")]
    return np.concatenate(A), *limits


def _cases():
    for number, name in enumerate(SETS):
        for turn, quality in enumerate(PROGRAMS):
            if (number + turn) % 2 == 0:
                weights = ("positive", "free")[(number + turn) // 2 % 2]
                yield pytest.param(name, quality, weights, id=f"{name}, {quality}, {weights}")


@pytest.mark.parametrize(("name", "quality", "weights"), list(_cases()))
def test_same_optimum_as_theorem_16(name, quality, weights):
    grams, y = _problem()
    C, program = PROGRAMS[quality]
    traces = np.trace(grams, axis1=1, axis2=2)
    total = float(traces.sum()) + (len(y) if C == "learn" else 0.0)
    given = {"C": C} if isinstance(C, float) else {}
    expected = program(
        grams, y, limits=_rows(SETS[name], traces, total), positive=weights == "positive", **given
    )
    options = {
        "quality": "squared_soft_margin" if C == "learn" else quality,
        "weights": weights,
        "constraints": SETS[name],
        **({} if C is None else {"C": C}),
    }
    found = kl.learn_weights(grams, y, **options)
    assert found.objective == pytest.approx(expected.value / 2, rel=1e-6)
    assert found.status.is_optimal
    assert complaints(Case(grams, y, **options), found) == []


@pytest.mark.parametrize("weights", ["positive", "free"])
def test_same_alignment_as_theorem_23(weights):
    grams, y = _problem()
    constraints = [Order([0, 1]), Tie([2, 3], of="weights")]
    traces = np.trace(grams, axis1=1, axis2=2)
    rows = _rows(constraints, traces, 1.0)
    expected = reference.eq49(grams, y, rows, positive=weights == "positive")
    options = {"quality": "alignment", "weights": weights, "constraints": constraints}
    found = kl.learn_weights(grams, y, **options)
    assert -found.objective == pytest.approx(expected.value / len(y), rel=1e-6)
    assert found.status.is_optimal
    assert complaints(Case(grams, y, **options), found) == []


@pytest.mark.parametrize("quality", ["alignment", "centered_alignment"])
def test_a_kernel_tied_to_one_without_effect_keeps_its_weight(quality):
    grams, y = _problem()
    n = len(y)
    without_effect = np.zeros((n, n)) if quality == "alignment" else np.ones((n, n))
    options = {"quality": quality, "constraint": "sum"}
    plain = kl.learn_weights(grams, y, **options)
    largest = int(np.argmax(plain.weights))
    more = np.concatenate([grams, [without_effect]])
    found = kl.learn_weights(more, y, constraints=[Tie([largest, 4])], **options)
    # The total is shared with the kernel without effect; the alignment is that of the others.
    assert found.objective == pytest.approx(plain.objective, rel=1e-6)
    assert found.weights[4] == pytest.approx(found.weights[largest], rel=1e-6)
    assert found.status.is_optimal


def test_one_kernel_twice_has_room_where_its_copy_is_capped():
    grams, y = _problem()
    twice = np.concatenate([grams, grams[1:2]])
    plain = kl.learn_weights(grams, y, weights="free", total=10.0)
    capped = kl.learn_weights(
        twice, y, weights="free", total=10.0, constraints=[AtMost(1, 0.05)], tol=1e-5
    )
    assert capped.objective == pytest.approx(plain.objective, rel=2e-5)
    assert capped.lower_bound <= plain.objective


def test_a_penalty_and_constraints_together():
    grams, y = _problem()
    options = {
        "constraints": [AtMost([1, 2], 0.3)],
        "penalty": kl.penalties.LpNorm(1.2, 5.0),
        "tol": 1e-5,
    }
    found = kl.learn_weights(grams, y, **options)
    assert found.status.is_optimal
    assert complaints(Case(grams, y, **options), found) == []


def test_the_largest_determinant_within_constraints():
    cp = pytest.importorskip("cvxpy")
    grams, y = _problem()
    constraints = [AtMost(2, 0.2), Order([0, 1])]
    found = kl.learn_weights(grams, quality="max_determinant", constraints=constraints)
    traces = np.trace(grams, axis1=1, axis2=2)
    A, lower, upper = _rows(constraints, traces, float(traces.sum()))
    w = cp.Variable(4, nonneg=True)
    K = sum(w[i] * grams[i] for i in range(4))
    rows = [A[:1] @ w <= upper[:1], A[1:] @ w >= lower[1:], traces @ w == traces.sum()]
    program = cp.Problem(cp.Minimize(-cp.log_det(K)), rows)
    program.solve(solver=cp.CLARABEL)
    assert found.objective == pytest.approx(program.value, abs=1e-6)
    assert found.status.is_optimal
    case = Case(grams, y, quality="max_determinant", constraints=constraints)
    assert complaints(case, found) == []
    with pytest.raises(ValueError, match="no constraints with weights='free' and quality="):
        kl.learn_weights(grams, quality="max_determinant", weights="free", constraints=constraints)
