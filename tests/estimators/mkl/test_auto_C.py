"""C means what scikit-learn's means for any number of kernels, and "auto" chooses it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.svm import SVC, SVR

import kernlearn as kl
from kernlearn.estimators.mkl.held_out_loss import class_losses, squared_losses
from kernlearn.estimators.mkl.parameters import EngineOptions
from kernlearn.kernels import Gaussian, Linear, Scaled
from kernlearn.runtime.status import Status
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.core.solution import Solution
from kernlearn.solvers.engine.exact import mean_loss, sample_for_C
from kernlearn.solvers.engine.statement import ChoiceOptions
from kernlearn.solvers.weights.choice_of_C import choose_C


@pytest.mark.parametrize(("k", "weights"), [(1, "free"), (2, "positive"), (5, "free")])
def test_copies_of_a_kernel_are_that_kernel(problem, k, weights):
    ours = kl.MKLClassifier([Gaussian(0.3)] * k, C=0.7, weights=weights).fit(problem.X, problem.y)
    theirs = SVC(C=0.7, gamma=0.3, tol=1e-8).fit(problem.X, problem.y)
    np.testing.assert_allclose(
        ours.decision_function(problem.X_new), theirs.decision_function(problem.X_new), atol=1e-6
    )
    ours = kl.MKLRegressor([Gaussian(0.3)] * k, C=0.7, weights=weights)
    ours.fit(problem.X, problem.target)
    theirs = SVR(C=0.7, epsilon=ours.epsilon_, gamma=0.3, tol=1e-8)
    np.testing.assert_allclose(
        ours.predict(problem.X_new),
        theirs.fit(problem.X, problem.target).predict(problem.X_new),
        atol=1e-6,
    )


def test_the_weighted_traces_sum_to_their_mean(problem):
    kernels = [Linear(), Gaussian(0.3), Scaled(Gaussian(0.1), 5.0)]
    model = kl.MKLClassifier(kernels).fit(problem.X, problem.y)
    traces = np.array([np.trace(kernel(problem.X)) for kernel in kernels])
    assert model.weights_ @ traces == pytest.approx(traces.mean())


def test_a_kernel_of_zeros_does_not_count(problem):
    X = np.column_stack([problem.X, np.zeros(40)])
    zero, other = kl.kernels.Columns(3, Linear()), kl.kernels.Columns([0, 1, 2], Gaussian(0.3))
    with_it = kl.MKLClassifier([other, zero]).fit(X, problem.y)
    without = kl.MKLClassifier([other]).fit(X, problem.y)
    np.testing.assert_allclose(with_it.decision_function(X), without.decision_function(X))


def test_learn_weights_keeps_the_sum_of_the_traces(problem):
    grams = [Gaussian(0.3)(problem.X)] * 3
    assert kl.learn_weights(grams, problem.y).weights.sum() == pytest.approx(3.0)


TWO_KERNELS = [Linear(), Gaussian(0.3)]
MODELS = [
    kl.MKLClassifier(C="auto"),
    kl.MKLClassifier(TWO_KERNELS, C="auto", quality="least_squares"),
    kl.MKLClassifier(TWO_KERNELS, C="auto", quality="alignment"),
    kl.MKLClassifier(TWO_KERNELS, C="auto", weights="free"),
    kl.HyperkernelClassifier(C="auto", max_pivots=8),
    kl.MKLRegressor(C="auto"),
    kl.MKLRegressor(TWO_KERNELS, C="auto", quality="least_squares"),
    kl.HyperkernelRegressor(C="auto", quality="epsilon_svr", max_pivots=8),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_the_solution_is_that_of_the_chosen_C(problem, model):
    y = problem.target if "Regressor" in str(model) else problem.y
    chosen = clone(model).fit(problem.X, y)
    assert 2 <= len(chosen.loss_by_C_) <= 6
    assert chosen.loss_by_C_[chosen.loss_by_C_[:, 1].argmin(), 0] == chosen.C_
    assert chosen.status_.is_optimal
    given = clone(model).set_params(C=chosen.C_).fit(problem.X, y)
    assert chosen.objective_ == pytest.approx(given.objective_, rel=2e-6)
    assert chosen.n_machine_solves_ > given.n_machine_solves_ or given.n_machine_solves_ <= 1
    np.testing.assert_allclose(
        chosen.predict(problem.X_new), given.predict(problem.X_new), rtol=1e-3, atol=1e-3
    )
    assert not hasattr(given, "loss_by_C_")


def test_a_given_C_forgets_what_was_looked_at_before(problem):
    chosen = kl.MKLClassifier([Gaussian(0.3)], C="auto").fit(problem.X, problem.y)
    assert not hasattr(chosen.set_params(C=1.0).fit(problem.X, problem.y), "loss_by_C_")


def test_losses_are_those_of_machines_that_did_not_see_the_rows(problem):
    """At one kernel everything can be done by hand."""
    kernel = Gaussian(0.3)
    model = kl.MKLClassifier([kernel], C="auto").fit(problem.X, problem.y)
    folds = model._hold_out_rule().folds([np.where(problem.y > 0, 1.0, -1.0)])
    for C, loss in model.loss_by_C_:
        values = np.empty(40)
        for fold in folds:
            rest = np.setdiff1d(np.arange(40), fold)
            machine = SVC(C=C, gamma=0.3, tol=1e-8).fit(problem.X[rest], problem.y[rest])
            values[fold] = machine.decision_function(problem.X[fold])
        signs = np.where(problem.y > 0, 1.0, -1.0)
        expected = class_losses(values[:, None], [signs], np.ones(40)).mean()
        assert loss == pytest.approx(expected, rel=1e-4)


def test_noise_asks_for_a_small_C_and_clear_classes_for_a_large_one():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    clear = np.sin(4 * X[:, 0]) * np.sin(4 * X[:, 1]) > 0
    noisy = X[:, 0] + 2 * rng.normal(size=120) > 0
    small = kl.MKLClassifier([Gaussian(2.0)], C="auto").fit(X, noisy).C_
    assert small < kl.MKLClassifier([Gaussian(2.0)], C="auto").fit(X, clear).C_


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_units_of_kernels_and_targets_do_not_matter(problem, size):
    plain = kl.MKLRegressor([Gaussian(0.3)], C="auto", epsilon=0.1).fit(problem.X, problem.target)
    scaled = kl.MKLRegressor([Scaled(Gaussian(0.3), size)], C="auto", epsilon=0.1 * size)
    scaled.fit(problem.X, size * problem.target)
    np.testing.assert_allclose(
        scaled.predict(problem.X_new) / size, plain.predict(problem.X_new), rtol=1e-4
    )
    assert pytest.approx(plain.C_) == scaled.C_


def test_a_quality_without_C_refuses_to_choose_one(problem):
    with pytest.raises(ValueError, match=r"expected a quality that has a C.*nu_svm.*leave C out"):
        kl.MKLClassifier(C="auto", quality="nu_svm").fit(problem.X, problem.y)


def test_an_early_end_keeps_the_best_so_far(problem):
    seen = []

    def once(progress):
        seen.append(progress)
        return len(seen) == 4

    with pytest.warns(UserWarning, match="callback"):
        model = kl.MKLClassifier(C="auto", options=kl.MKLOptions(callback=once)).fit(
            problem.X, problem.y
        )
    assert 1 <= len(model.loss_by_C_) < 6
    assert not model.status_.is_optimal
    assert np.isfinite(model.predict_proba(problem.X_new)).all()


def _solution(weights):
    return Solution(np.array(weights), 1.0, 1.0, None, None, 2, Status.OPTIMAL)


def test_a_C_without_solution_is_passed_over():
    solutions = {1.0: _solution([np.nan]), 2.0: _solution([3.0]), 4.0: _solution([5.0])}
    starts, digits = [], []

    def learn(C, start, control):
        starts.append(start)
        digits.append(control.tol)
        return solutions[C]

    choice = choose_C([1.0, 2.0, 4.0], learn, lambda C, s: np.nan if C == 4.0 else C, Control())
    assert (choice.C, choice.solution.n_machine_solves) == (2.0, 8)
    assert starts == [None, [3.0], [3.0], [3.0]]
    assert digits == [1e-3, 1e-3, 1e-3, 1e-6]
    np.testing.assert_array_equal(choice.losses, [[2.0, 2.0], [4.0, np.nan]])


@pytest.mark.parametrize("best", range(6))
def test_the_search_ends_where_both_neighbours_are_worse(best):
    """From weights of the nearest C, and without a look at what lies far from the best."""
    Cs, starts = [float(i) for i in range(6)], []

    def learn(C, start, control):
        starts.append((C, None if start is None else float(start[0])))
        return _solution([C])

    choice = choose_C(Cs, learn, lambda C, s: abs(C - best), Control())
    assert best == choice.C
    assert (
        choice.losses[:, 0].tolist()
        == {
            0: [0.0, 1.0, 2.0, 3.0],
            1: [0.0, 1.0, 2.0, 3.0],
            2: [1.0, 2.0, 3.0],
            3: [2.0, 3.0, 4.0],
            4: [2.0, 3.0, 4.0, 5.0],
            5: [2.0, 3.0, 4.0, 5.0],
        }[best]
    )
    assert all(start is None or abs(C - start) <= 1.0 for C, start in starts)


@pytest.mark.parametrize("kind", [kl.MKLClassifier, kl.MKLRegressor])
def test_of_many_rows_C_is_chosen_on_some(problem, kind):
    """In the same units: the weights go on from there, and the solution is that of all rows."""
    y = problem.y if kind is kl.MKLClassifier else problem.target
    kernels = [Linear(), Gaussian(0.3)]
    chosen = kind(kernels, C="auto")
    chosen._engine = EngineOptions(choices=ChoiceOptions(rows_for_C=30))
    chosen.fit(problem.X, y)
    few = sample_for_C([np.asarray(y, dtype=float)], 1, 0, 30)
    assert len(few) == 30
    by_hand = kind(kernels, C="auto").fit(problem.X[few], y[few])
    np.testing.assert_allclose(chosen.loss_by_C_[:, 1], by_hand.loss_by_C_[:, 1], rtol=0.05)
    given = kind(kernels, C=chosen.C_).fit(problem.X, y)
    assert chosen.objective_ == pytest.approx(given.objective_, rel=2e-6)


def test_rows_without_a_value_are_left_out():
    values = np.array([[1.0], [np.nan], [-2.0]])
    signs = np.array([[1.0], [1.0], [-1.0]])
    weight = np.array([1.0, 5.0, 2.0])
    squares = squared_losses(values, list(signs.T), weight)
    assert mean_loss(squares, weight) == pytest.approx(2.0 / 3.0)
    entropies = class_losses(values, list(signs.T), weight)
    np.testing.assert_array_equal(
        entropies[::2], class_losses(values[::2], list(signs[::2].T), weight[::2])
    )
    assert np.isnan(entropies[1])
    assert np.isnan(mean_loss(squares[1:2], weight[1:2]))
    assert np.isnan(class_losses(values[1:2], list(signs[1:2].T), weight[1:2])).all()
