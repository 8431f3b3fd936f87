"""Machines trained in stacks are those trained alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernlearn._device import Place
from kernlearn.families.parametric import ARDGaussianFamily, ARDPolynomialFamily, GaussianFamily
from kernlearn.solvers.first_level import batched
from kernlearn.solvers.first_level.batched import FirstLevelStacks
from kernlearn.solvers.first_level.fit import learn_first_level
from kernlearn.solvers.first_level.problem import (
    BatchedPoint,
    FirstLevelProblem,
    TrainingRequest,
    alone,
)
from kernlearn.solvers.first_level.search import FirstLevelControl
from kernlearn.solvers.optimize import batches
from kernlearn.solvers.optimize.coroutines import drive, gather


def make_problem(seed: int, family: Any = None, n: int = 30, k: int = 1) -> FirstLevelProblem:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    Y = np.sin(X[:, :1] + np.arange(k)) + np.abs(X[:, 1:2]) + 0.3 * rng.normal(size=(n, k))
    family = ARDGaussianFamily() if family is None else family
    return FirstLevelProblem(
        family, X, Y - Y.mean(axis=0), rng.uniform(0.5, 2.0, n), np.asarray(family.start(X))
    )


def asks_of(problems: list[FirstLevelProblem], n_out: int = 7) -> list[TrainingRequest]:
    """Each with its own θ, λ and μ, judged on some of its rows."""
    asks = []
    for i, problem in enumerate(problems):
        rows = np.arange(len(problem.X))
        theta = problem.scale * (0.5 + 0.4 * np.arange(len(problem.scale))) * (i + 1)
        others = problem.rows(rows[:n_out]) if n_out else None
        asks.append(
            TrainingRequest(problem.rows(rows[n_out:]), theta, 0.2 * (i + 1), 0.5 + i, others)
        )
    return asks


def check_alike(found: Any, ask: TrainingRequest) -> None:
    expected = ask.alone()
    assert found.problem is ask.problem
    for name in ("theta", "lam", "mu", "K", "objective", "dual_coef", "intercept"):
        np.testing.assert_allclose(
            getattr(found, name), getattr(expected, name), rtol=1e-9, atol=1e-11, err_msg=name
        )
    for name in ("gradient", "hessian"):
        size = np.abs(getattr(expected, name)).max()
        np.testing.assert_allclose(
            getattr(found, name), getattr(expected, name), atol=1e-10 * size, err_msg=name
        )
    np.testing.assert_allclose(found.model.newton, expected.model.newton, rtol=1e-6, atol=1e-9)
    if ask.others is not None:
        one, other = found.outside(ask.others), expected.outside(ask.others)
        for name in ("loss", "by_theta", "by_lam", "mixed"):
            np.testing.assert_allclose(
                getattr(one, name), getattr(other, name), rtol=1e-8, atol=1e-10, err_msg=name
            )


FAMILIES = [
    lambda i: ARDGaussianFamily(),
    lambda i: GaussianFamily(),
    lambda i: GaussianFamily(np.array([0.2, 1.0, 0.5 + i])),
]


@pytest.mark.parametrize("family", FAMILIES, ids=["ard", "rbf", "weighted rbf"])
@pytest.mark.parametrize("n_out", [0, 7])
def test_a_machine_of_a_stack_is_that_trained_alone(family, n_out, place) -> None:
    problems = [make_problem(i, family(i), k=2) for i in range(4)]
    asks = asks_of(problems, n_out)
    answers = FirstLevelStacks(place)(asks)
    for answer, ask in zip(answers, asks, strict=True):
        assert isinstance(answer, BatchedPoint)
        check_alike(answer, ask)


def test_sizes_and_families_may_be_mixed_and_asked_for_again() -> None:
    problems = [
        make_problem(0),
        make_problem(1, n=25),
        make_problem(2),
        make_problem(3, GaussianFamily()),
        make_problem(4, ARDPolynomialFamily()),
        make_problem(5, k=2),
    ]
    asks = asks_of(problems)
    trainer = FirstLevelStacks(None)
    for some in (asks[:2], asks, asks[3:1:-1]):
        answers = trainer(some)
        for answer, ask in zip(answers, some, strict=True):
            check_alike(answer, ask)
            assert isinstance(answer, BatchedPoint) == (
                type(ask.problem.family) is not ARDPolynomialFamily
            )


def test_a_family_that_was_derived_is_not_taken_for_the_one_of_the_library() -> None:
    class Squared(ARDGaussianFamily):
        def matrix(self, X, Y, theta):
            return super().matrix(X, Y, theta) ** 2

    class Other(GaussianFamily):
        pass

    assert Squared.stack([Squared()]) is None
    assert Other.stack([Other()]) is None
    assert GaussianFamily.stack([GaussianFamily(), GaussianFamily(np.ones(3))]) is None


def test_points_far_apart_do_not_lose_their_differences(place) -> None:
    """Where a product would cancel, columns are summed."""
    problem = make_problem(0)
    X = problem.X.copy()
    X[0] += 300.0
    far = FirstLevelProblem(ARDGaussianFamily(), X, problem.Y, problem.weight, problem.scale)
    asks = [TrainingRequest(each, problem.scale, 0.3, 1.0) for each in (far, problem)]
    found = FirstLevelStacks(place)(asks)[0]
    expected = asks[0].alone()
    np.testing.assert_allclose(found.objective, expected.objective, rtol=1e-12)
    np.testing.assert_allclose(found.dual_coef, expected.dual_coef, rtol=1e-11)


def test_one_that_a_stack_cannot_train_is_trained_alone(monkeypatch, place) -> None:
    factorise = batched.lower_factors

    def breaking(A):
        factors, found = factorise(A)
        found[0] = False
        factors[0, ...] = np.nan
        return factors, found

    monkeypatch.setattr(batched, "lower_factors", breaking)
    problem = make_problem(0)
    asks = [
        TrainingRequest(problem, problem.scale, 0.2, 1.0),
        TrainingRequest(problem, problem.scale, 0.3, 1.0),
        TrainingRequest(problem, np.full(3, np.nan), 0.3, 1.0),
        TrainingRequest(problem, problem.scale, 0.1, 2.0),
    ]
    answers = FirstLevelStacks(place)(asks)
    assert answers[2] is None
    assert [isinstance(answer, BatchedPoint) for answer in answers] == [False, True, False, True]
    for i in (0, 1, 3):
        check_alike(answers[i], asks[i])


def test_a_stack_is_cut_to_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    asks = asks_of([make_problem(i) for i in range(7)])
    sizes = []
    stacked = FirstLevelStacks._stacked

    def full(self, asks, family):
        sizes.append(len(asks))
        if len(asks) > 2:
            raise RuntimeError("CUDA out of memory")
        return stacked(self, asks, family)

    monkeypatch.setattr(FirstLevelStacks, "_stacked", full)
    returned = []
    monkeypatch.setattr(batches, "free_cached_memory", returned.append)
    room = 5.5 * FirstLevelStacks(None)._bytes_of(asks[0])
    answers = FirstLevelStacks(None, room)(asks)
    assert sizes == [5, 3, 2, 1, 2, 2]
    assert len(returned) == 2
    for answer, ask in zip(answers, asks, strict=True):
        check_alike(answer, ask)


def test_one_machine_that_is_too_large_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self, asks, family):
        raise RuntimeError("CUDA out of memory")

    monkeypatch.setattr(FirstLevelStacks, "_stacked", full)
    with pytest.raises(RuntimeError, match="out of memory"):
        FirstLevelStacks(None)(asks_of([make_problem(0)]))


@pytest.mark.parametrize(
    ("lam", "place"),
    [(None, None), (0.3, Place("array_api_strict", "cpu")), (None, Place("torch", "cpu"))],
    indirect=["place"],
    ids=str,
)
def test_searches_side_by_side_end_where_they_end_alone(lam, place) -> None:
    problems = [make_problem(i, n=20 + i) for i in range(2)]
    folds = [[np.arange(i, len(p.X), 2) for i in range(2)] for p in problems]

    def searches(together):
        control = FirstLevelControl("gradient", 1e-2, 60, together=together)
        pairs = zip(problems, folds, strict=True)
        return [learn_first_level(p, f, lam, None, control) for p, f in pairs]

    rounds = []
    trainer = FirstLevelStacks(place)

    def answer(asks):
        rounds.append(len(asks))
        return trainer(asks)

    found = drive(gather(searches(True)), answer)
    expected = [alone(search) for search in searches(False)]
    for one, other in zip(found, expected, strict=True):
        assert one.status is other.status
        assert one.n_machine_solves == other.n_machine_solves
        np.testing.assert_allclose(one.cv_loss, other.cv_loss, rtol=1e-8)
        np.testing.assert_allclose([one.lam, one.mu], [other.lam, other.mu], rtol=1e-5)
        np.testing.assert_allclose(one.point.theta, other.point.theta, rtol=1e-5, atol=1e-8)
    # The folds of both problems were trained at once.
    assert max(rounds) > 2
    assert len(rounds) < sum(rounds) / 2
