"""Alignments and the machines beyond the paper, against convex programs and against searches."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import kernlearn as kl
from kernlearn import reference
from kernlearn.gram import eigenvectors

LAYOUTS = {"all labelled": (12, 0, 0), "transduction": (9, 5, 1)}
KINDS = ["standard", "duplicate", "rank one", "useless", "alike"]
CS = (1e-3, 1.0, 1e4)
WITHOUT_C = ["nu_svm", "one_class"]
WITH_C = ["epsilon_svr", "nu_svr", "least_squares", "logistic", "huber", "quantile"]
# The machines of the papers once, with the values of C in turn.
MACHINES = [*((name, 1.0) for name in WITHOUT_C), *zip(WITH_C[:3], CS, strict=True)]
# Every machine with every second kind, which take the values of C in turn.
WITH_KINDS = [
    (name, CS[i % len(CS)] if name in WITH_C else 1.0, kind)
    for turn, name in enumerate([*WITHOUT_C, *WITH_C])
    for i, kind in enumerate(KINDS)
    if (turn + i) % 2 == 0
]


@pytest.mark.parametrize(("quality", "C", "kind"), WITH_KINDS)
def test_positive_weights_of_the_other_machines(quality, C, kind, make_stack, target_of):
    # Every machine and every kind has both layouts, in turn.
    turn = WITH_KINDS.index((quality, C, kind)) % len(LAYOUTS)
    n, unlabelled, seed = list(LAYOUTS.values())[turn]
    problem = make_stack(kind, n, unlabelled, seed)
    y = target_of(quality, problem)
    found = kl.learn_weights(problem.grams, y, quality=quality, C=C, nu=0.3, epsilon=0.1)
    expected = reference.positive_weights_program(
        problem.grams, y, quality, C=C, nu=0.3, epsilon=0.1
    )
    assert found.objective == pytest.approx(expected.value, rel=1e-6)
    assert found.status.is_optimal
    assert found.gap <= 1e-6
    traces = np.trace(problem.grams, axis1=1, axis2=2)
    assert found.weights @ traces == pytest.approx(traces.sum(), rel=1e-9)
    assert (found.weights >= 0).all()


@pytest.mark.parametrize("quality", ["soft_margin", "nu_svr", "one_class"])
def test_constraint_on_the_sum(quality, make_stack, target_of):
    problem = make_stack("rank one", seed=2)
    y = target_of(quality, problem)
    for total in (None, 7.0):
        found = kl.learn_weights(problem.grams, y, quality=quality, constraint="sum", total=total)
        expected = reference.positive_weights_program(
            problem.grams, y, quality, nu=0.3, constraint="sum", total=total
        )
        assert found.objective == pytest.approx(expected.value, rel=1e-6)
        assert found.weights.sum() == pytest.approx(total or 1.0, rel=1e-12)


@pytest.mark.parametrize(("quality", "C"), MACHINES)
def test_free_weights_of_two_kernels_by_search(quality, C, make_stack, target_of):
    """With two kernels K ⪰ 0 is an interval of weights, on which V is convex."""
    problem = make_stack(seed=3, n=11)
    grams, y = problem.grams[[0, 1]], target_of(quality, problem)
    found = kl.learn_weights(grams, y, quality=quality, C=C, weights="free")

    def smallest(first):
        return np.linalg.eigvalsh(first * grams[0] + (2 - first) * grams[1])[0]

    def value(first):
        K = first * grams[0] + (2 - first) * grams[1] + 1e-13 * np.eye(11)
        return reference.fixed_kernel_program(K, y, quality, C=C, nu=0.3, epsilon=0.1).value

    low, high = (_end_of_cone(smallest, start=1.0, towards=end) for end in (-20.0, 20.0))
    # What is lowest around here is lowest of all.
    around = np.clip([found.weights[0] - 0.1, found.weights[0] + 0.1], low, high)
    best = minimize_scalar(value, bounds=around, method="bounded", options={"xatol": 1e-4})
    expected = min(best.fun, *map(value, around))
    assert found.objective == pytest.approx(expected, rel=2e-6)
    assert found.status.is_optimal


def _end_of_cone(smallest, start, towards):
    inside, outside = start, towards
    for _ in range(60):
        middle = 0.5 * (inside + outside)
        inside, outside = (middle, outside) if smallest(middle) >= 0 else (inside, middle)
    return inside


ALL_KINDS = [*KINDS, "low rank"]


@pytest.mark.parametrize("kind", ALL_KINDS)
@pytest.mark.parametrize("weights", ["positive", "free"])
def test_alignment_programs(weights, kind, make_stack):
    """The program's value is n times the alignment; its scale is free, so compare directions."""
    # Both signs have both layouts, in turn.
    turn = (ALL_KINDS.index(kind) + (weights == "free")) % len(LAYOUTS)
    n, unlabelled, seed = list(LAYOUTS.values())[turn]
    problem = make_stack(kind, n, unlabelled, seed)
    program = reference.eq53 if weights == "free" else reference.after_eq56
    expected = program(problem.grams, problem.y)
    found = kl.learn_weights(problem.grams, problem.y, quality="alignment", weights=weights)
    assert -found.objective == pytest.approx(expected.value / n, rel=1e-6)
    assert found.status.is_optimal
    assert found.gap <= 1e-6
    assert found.dual_coef is None
    assert found.n_machine_solves == 0
    K = np.tensordot(found.weights, problem.grams, 1)
    total = np.trace(problem.grams, axis1=1, axis2=2).sum()
    assert np.trace(K) == pytest.approx(total, rel=1e-9)
    assert np.linalg.eigvalsh(K)[0] >= -1e-8 * total / len(K)
    K_expected = np.tensordot(expected.weights, problem.grams, 1)
    np.testing.assert_allclose(
        K / np.linalg.norm(K), K_expected / np.linalg.norm(K_expected), atol=3e-3
    )


@pytest.mark.parametrize("weights", ["positive", "free"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_rank_one_alignment(weights, layout, make_stack):
    n, unlabelled, seed = LAYOUTS[layout]
    problem = make_stack("standard", n, unlabelled, seed)
    vectors, _ = eigenvectors(problem.grams[1], n_components=8)
    found = kl.learn_weights(
        kl.families.RankOneStack(vectors), problem.y, quality="alignment", weights=weights
    )
    expected = reference.eq54(vectors, problem.y)
    assert -found.objective == pytest.approx(expected.value / n, rel=1e-6)
    # In closed form: with orthonormal vectors, w is proportional to (v̄ᵀy)².
    shares = (vectors[:n].T @ problem.y) ** 2
    np.testing.assert_allclose(found.weights, 8 * shares / shares.sum(), atol=0.01)


@pytest.mark.parametrize("weights", ["positive", "free"])
def test_centred_alignment_is_the_alignment_of_centred_kernels(weights, make_stack):
    """Labels are balanced, so that they are centred already."""
    problem = make_stack(seed=4)
    H = np.eye(12) - 1.0 / 12
    centred = np.stack([H @ K @ H for K in problem.grams])
    assert problem.y.sum() == 0
    found = kl.learn_weights(
        problem.grams, problem.y, quality="centered_alignment", weights=weights
    )
    program = reference.eq53 if weights == "free" else reference.after_eq56
    expected = program(centred, problem.y).value / 12
    if weights == "positive":
        assert -found.objective == pytest.approx(expected, rel=1e-6)
    else:  # K ⪰ 0 is asked of K itself, which is more than of HKH
        assert -found.objective <= expected * (1 + 1e-6)
        positive = kl.learn_weights(problem.grams, problem.y, quality="centered_alignment")
        assert found.objective <= positive.objective
