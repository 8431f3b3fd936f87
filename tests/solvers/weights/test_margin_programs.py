"""Learned combinations against the paper's programs, written down verbatim in CVXPY."""

from __future__ import annotations

import numpy as np
import pytest

import kernlearn as kl
from kernlearn import reference
from kernlearn.gram import eigenvectors

KINDS = ["standard", "duplicate", "rank one", "useless", "low rank", "alike"]
LAYOUTS = {"all labelled": (12, 0, 0), "transduction": (9, 5, 1)}

# (quality, weights, C or None, the program): the paper's objective is twice ours.
CS = (1e-3, 1.0, 1e4)
PROGRAMS = [
    ("hard_margin", "positive", None, reference.eq33),
    ("hard_margin", "free", None, reference.eq31),
    *(
        (quality, weights, C, program)
        for C in CS
        for quality, weights, program in (
            ("soft_margin", "positive", reference.eq38),
            ("soft_margin", "free", reference.eq36),
            ("squared_soft_margin", "positive", reference.eq43),
            ("squared_soft_margin", "free", reference.eq41),
        )
    ),
    ("squared_soft_margin", "positive", "learn", reference.eq47),
    ("squared_soft_margin", "free", "learn", reference.eq45),
]
IDS = [f"{program.__name__}, C={C}" for _, _, C, program in PROGRAMS]


def _solve_both(case, grams, y, **options):
    quality, weights, C, program = case
    ours = {} if C is None else {"C": C}
    theirs = {} if C in (None, "learn") else {"C": C}
    found = kl.learn_weights(grams, y, quality=quality, weights=weights, **ours, **options)
    return found, program(grams, y, **theirs)


def _check_kernel(found, grams, total):
    """The learned kernel is positive semidefinite on all points and has the right trace."""
    K = np.tensordot(found.weights, grams, 1)
    N = len(K)
    assert np.linalg.eigvalsh(K)[0] >= -1e-8 * total / N
    ridge = 0.0 if found.learned_C is None else N / found.learned_C
    assert np.trace(K) + ridge == pytest.approx(total, rel=1e-9)


def _with_kinds():
    """Both signs with every kind, each program with every second one.

    Where C has three values, the kinds take them in turn; so they do both layouts.
    """
    programs = list(dict.fromkeys(case[3] for case in PROGRAMS))
    for case, name in zip(PROGRAMS, IDS, strict=True):
        number = programs.index(case[3])
        for turn, kind in enumerate(KINDS):
            if (turn + number + number // 2) % 2:
                continue
            if case[2] not in CS or CS[turn % len(CS)] == case[2]:
                layout = list(LAYOUTS)[(number + turn // 2) % len(LAYOUTS)]
                yield pytest.param(case, kind, layout, id=f"{name}-{kind}")


@pytest.mark.parametrize(("case", "kind", "layout"), list(_with_kinds()))
def test_same_optimum_as_the_printed_program(case, kind, layout, make_stack):
    n, unlabelled, seed = LAYOUTS[layout]
    problem = make_stack(kind, n, unlabelled, seed)
    found, expected = _solve_both(case, problem.grams, problem.y)
    if not np.isfinite(expected.value):
        assert case[0] == "hard_margin"
        assert kind in ("low rank", "rank one")
        assert found.status is kl.results.Status.NO_SOLUTION
        return
    assert found.objective == pytest.approx(expected.value / 2, rel=1e-6)
    assert found.lower_bound <= found.objective
    assert found.status.is_optimal
    assert found.gap <= 1e-6
    total = np.trace(problem.grams, axis1=1, axis2=2).sum()
    _check_kernel(found, problem.grams, total + (len(problem.X) if case[2] == "learn" else 0))
    if case[1] == "positive":
        assert (found.weights >= 0).all()


@pytest.mark.parametrize(
    "case",
    [case for case in PROGRAMS if case[2] in (None, 1.0, "learn")],
    ids=lambda c: c[3].__name__,
)
def test_same_weights_where_they_are_unique(case, make_stack):
    """Three kernels that no combination confuses; a tight gap leaves the weights no room."""
    problem = make_stack("standard", 14, 0, seed=5)
    found, expected = _solve_both(case, problem.grams, problem.y, tol=1e-10)
    tau = 0.0 if found.learned_C is None else 1 / found.learned_C
    size = max(np.abs(expected.weights).max(), tau)
    np.testing.assert_allclose(found.weights, expected.weights, atol=1e-3 * size)
    if case[2] == "learn":
        assert tau == pytest.approx(expected.tau, abs=1e-3 * size)


@pytest.mark.parametrize(("program", "total"), [(reference.eq36, 0.5), (reference.eq38, 40.0)])
def test_another_total(program, total, make_stack):
    problem = make_stack(seed=6)
    weights = "free" if program is reference.eq36 else "positive"
    found = kl.learn_weights(problem.grams, problem.y, weights=weights, total=total)
    expected = program(problem.grams, problem.y, C=1.0, c=total).value / 2
    assert found.objective == pytest.approx(expected, rel=1e-6)
    _check_kernel(found, problem.grams, total)


RANK_ONE = [
    *(("hard_margin", None, reference.eq32) for _ in LAYOUTS),
    ("soft_margin", 1e-3, reference.eq37),
    ("soft_margin", 1e4, reference.eq37),
    ("squared_soft_margin", 1.0, reference.eq42),
    ("squared_soft_margin", "learn", reference.eq46),
]


@pytest.mark.parametrize(
    ("case", "layout"),
    # Both layouts, in turn.
    [(case, list(LAYOUTS)[turn % 2]) for turn, case in enumerate(RANK_ONE)],
    ids=[f"{p.__name__}, C={C}" for _, C, p in RANK_ONE],
)
def test_rank_one_families(case, layout, make_stack):
    """With orthonormal vectors K ⪰ 0 means w ≥ 0, so that both signs give the same program."""
    quality, C, program = case
    n, unlabelled, seed = LAYOUTS[layout]
    problem = make_stack("standard", n, unlabelled, seed)
    vectors, _ = eigenvectors(problem.grams[1], n_components=6)
    parameter = {} if C in (None, "learn") else {"C": C}
    expected = program(vectors, problem.y, **parameter)
    for weights in ("positive", "free"):
        found = kl.learn_weights(
            kl.families.RankOneStack(vectors),
            problem.y,
            quality=quality,
            C=C or 1.0,
            weights=weights,
        )
        if not np.isfinite(expected.value):
            assert found.status is kl.results.Status.NO_SOLUTION
            continue
        value = expected.value / 2
        assert found.lower_bound <= value * (1 + 1e-7)
        assert found.objective >= value * (1 - 1e-7)
        assert found.weights.min() >= -1e-8
        assert found.status.is_optimal
        assert found.objective == pytest.approx(value, rel=1e-6)
