"""Criteria evaluated in stacks are those that the objective computes itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernlearn.families.parametric import ARDGaussianFamily, ARDPolynomialFamily, GaussianFamily
from kernlearn.quality.held_out import KFoldLoss, LeaveOneOut, SelectionCriterion
from kernlearn.solvers.optimize.coroutines import drive, from_callback, gather
from kernlearn.solvers.selection import batched
from kernlearn.solvers.selection.batched import SelectionStacks
from kernlearn.solvers.selection.objective import (
    DescentLimits,
    EvaluationRequest,
    SelectionObjective,
)
from kernlearn.solvers.selection.select import select


def make_objective(
    seed: int,
    family: Any = None,
    name: str = "loo",
    n: int = 30,
    k: int = 2,
    cuts: tuple[int, ...] = (4, 15),
) -> SelectionObjective:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    bent = np.sin(2.0 * X[:, :1] + np.arange(k)) + np.sin(2.0 * X[:, 1:2]) + np.sin(2.0 * X[:, 2:])
    Y = bent + 0.3 * rng.normal(size=(n, k)) + 5.0
    weight = rng.uniform(0.2, 3.0, size=n)
    # Of unequal sizes, in no order, and other ones for every table.
    folds = np.split(rng.permutation(n), cuts)
    loss = KFoldLoss(weight, folds) if name == "cv" else LeaveOneOut(weight)
    criterion = SelectionCriterion(loss, name == "bayes", 0.3, 0.02)
    return SelectionObjective(ARDGaussianFamily() if family is None else family, X, Y, criterion)


def questions_of(objectives: list[SelectionObjective]) -> list[EvaluationRequest]:
    """Each with its own λ and θ."""
    questions = []
    for i, objective in enumerate(objectives):
        start = objective.kernel.start(objective.X)
        theta = start * np.linspace(0.4, 1.7, len(start)) * (i + 1)
        questions.append(EvaluationRequest(objective, np.log(np.append(0.05 * (i + 1), theta))))
    return questions


def check_alike(answer: Any, question: EvaluationRequest) -> None:
    value, gradient = answer
    expected = question.alone()
    np.testing.assert_allclose(value, expected[0], rtol=1e-9)
    np.testing.assert_allclose(gradient, expected[1], rtol=1e-9, atol=1e-10)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> list[EvaluationRequest]:
    """Those that were evaluated alone."""
    found: list[EvaluationRequest] = []
    computed = EvaluationRequest.alone

    def counted(self: EvaluationRequest) -> Any:
        found.append(self)
        return computed(self)

    monkeypatch.setattr(EvaluationRequest, "alone", counted)
    return found


FAMILIES = [
    lambda i: ARDGaussianFamily(),
    lambda i: GaussianFamily(),
    lambda i: GaussianFamily(np.array([0.2, 1.0, 0.5 + i])),
]


@pytest.mark.parametrize("family", FAMILIES, ids=["ard", "rbf", "weighted rbf"])
@pytest.mark.parametrize("name", ["loo", "cv", "bayes"])
def test_a_member_of_a_stack_is_what_the_objective_computes(family, name, place, alone) -> None:
    questions = questions_of([make_objective(i, family(i), name) for i in range(4)])
    answers = SelectionStacks(place)(questions)
    assert alone == []
    for answer, question in zip(answers, questions, strict=True):
        check_alike(answer, question)


def test_sizes_families_and_losses_may_be_mixed_and_asked_about_again(alone) -> None:
    objectives = [
        make_objective(0),
        make_objective(1, n=25),
        make_objective(2, name="cv"),
        make_objective(3, GaussianFamily()),
        make_objective(4, ARDPolynomialFamily()),
        make_objective(5, k=1),
        make_objective(6),
        make_objective(7, name="cv", cuts=(4, 15, 20)),
    ]
    questions = questions_of(objectives)
    answer = SelectionStacks(None)
    for some in (questions[:2], questions, questions[::-1]):
        alone.clear()
        answers = answer(some)
        assert [type(each.objective.kernel) for each in alone] == [
            ARDPolynomialFamily
            for each in some
            if type(each.objective.kernel) is ARDPolynomialFamily
        ]
        for found, question in zip(answers, some, strict=True):
            check_alike(found, question)


def test_what_a_stack_has_no_formulas_for_is_evaluated_alone(alone) -> None:
    class Halved(LeaveOneOut):
        def residuals(self, fit):
            return 0.5 * super().residuals(fit)

    odd = make_objective(0)
    criterion = SelectionCriterion(Halved(odd.criterion.loss.weight))
    odd = SelectionObjective(odd.kernel, odd.X, odd.Y, criterion)
    (question,) = questions_of([odd])
    check_alike(SelectionStacks(None)([question])[0], question)
    assert alone[0] is question


def test_one_that_a_stack_cannot_evaluate_is_evaluated_alone(place, alone) -> None:
    objective = make_objective(0, GaussianFamily())
    asked = [
        [0.1, 0.2],
        [1e-200, 1e-6],  # the ridge has to be raised
        [1e-13, 100.0],  # here, too, though the matrix is far from singular
        [0.1, np.nan],
        [0.1, 1e-3],
        [np.inf, 0.2],
    ]
    questions = [EvaluationRequest(objective, np.log(each)) for each in asked]
    answers = SelectionStacks(place)(questions)
    assert [each.z[0] for each in alone] == [questions[i].z[0] for i in (1, 2, 3, 5)]
    for i in (0, 1, 2, 4):
        check_alike(answers[i], questions[i])
    assert answers[1][1][0] == 0.0  # where λ has no say
    for i in (3, 5):
        assert answers[i][0] == np.inf
        np.testing.assert_array_equal(answers[i][1], 0.0)


@pytest.mark.parametrize(("name", "broken"), [("loo", [0]), ("cv", [0]), ("cv", [1])])
def test_where_a_factorisation_breaks_down_the_others_go_on(
    name, broken, place, alone, monkeypatch
) -> None:
    factorise = batched.lower_factors
    calls = []

    def breaking(A):
        factors, found = factorise(A)
        if len(calls) in broken:
            found[1] = False
            factors[1, ...] = 0.0
        calls.append(len(found))
        return factors, found

    monkeypatch.setattr(batched, "lower_factors", breaking)
    questions = questions_of([make_objective(i, name=name) for i in range(3)])
    answers = SelectionStacks(place)(questions)
    assert alone == [questions[1]]
    for answer, question in zip(answers, questions, strict=True):
        check_alike(answer, question)


def test_a_stack_is_cut_to_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    questions = questions_of([make_objective(i) for i in range(7)])
    room = 3.5 * SelectionStacks(None)._bytes_of(questions[0])
    answer, sizes = SelectionStacks(None, room), []
    stacked = SelectionStacks._stacked

    def counted(self, questions, family):
        sizes.append(len(questions))
        return stacked(self, questions, family)

    monkeypatch.setattr(SelectionStacks, "_stacked", counted)
    for found, question in zip(answer(questions), questions, strict=True):
        check_alike(found, question)
    assert sizes == [3, 3, 1]


@pytest.mark.parametrize("name", ["loo", "cv", "bayes"])
def test_selections_side_by_side_end_where_they_end_alone(name, place) -> None:
    objectives = [make_objective(i, name=name, n=30 + i % 2, k=1) for i in (1, 2)]

    def selected(each, evaluator=None):
        limits = DescentLimits(1e-2, 200)
        return select(each.kernel, each.X, each.Y, each.criterion, limits, evaluator=evaluator)

    rounds = []
    stacked = SelectionStacks(place)

    def answer(questions):
        rounds.append(len(questions))
        return stacked(questions)

    searches = [
        from_callback(lambda evaluator, each=each: selected(each, evaluator)) for each in objectives
    ]
    found = drive(gather(searches), answer)
    expected = [selected(each) for each in objectives]
    for one, other in zip(found, expected, strict=True):
        assert one.status is other.status
        np.testing.assert_allclose(one.objective, other.objective, rtol=1e-9)
        np.testing.assert_allclose(one.lam, other.lam, rtol=1e-6)
        np.testing.assert_allclose(one.theta, other.theta, rtol=1e-6, atol=1e-9)
    # All λ that are tried with one kernel were asked about at once, for all tables.
    assert rounds[0] == 12
    assert sum(rounds) + len(found) == sum(each.n_evaluations for each in found)
