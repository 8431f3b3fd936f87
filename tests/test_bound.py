"""The transductive error bound, against all signs of a few points and against CVXPY."""

from __future__ import annotations

import itertools
from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest

from kernlearn import learn_weights, transductive_error_bound
from kernlearn.bound import free_maxima, limit_of_mean
from kernlearn.families.matrices import GramStack
from kernlearn.kernels import Gaussian, Linear, Polynomial

LABELS = np.array([1, -1, 1, -1])


def _grams(seed=0, n_points=8):
    """Well-conditioned kernels of different traces on 2n points."""
    X = np.random.default_rng(seed).normal(size=(n_points, 3))
    kernels = [Gaussian(0.3)(X), 2.0 * Linear()(X), 0.2 * Polynomial(2)(X)]
    return np.array(kernels) + 0.2 * np.eye(n_points)


def _traces(grams):
    return np.trace(grams, axis1=1, axis2=2)


def _forms(grams, signs):
    """The numbers σᵀKᵢσ."""
    return np.array([[s @ K @ s for K in grams] for s in signs])


def _expectation(grams, total):
    """E max σᵀK(w)σ over w ≥ 0 with trace c, by enumerating every σ."""
    signs = np.array(list(itertools.product([-1.0, 1.0], repeat=grams.shape[1])))
    return (total * _forms(grams, signs) / _traces(grams)).max(axis=1).mean()


def _bound(grams, y=LABELS, **options):
    weights = options.get("weights", "positive")
    solution = learn_weights(grams, y, weights=weights)
    return transductive_error_bound(grams, y, solution, random_state=0, **options)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("total", [None, 3.5])
def test_monte_carlo_estimates_the_expectation_over_all_signs(seed, total):
    grams = _grams(seed)
    c = _traces(grams).sum() if total is None else total
    exact = _expectation(grams, c)
    bound = _bound(grams, total=total, n_samples=4000)
    assert 0 < bound.complexity_error < 0.02 * exact
    assert abs(bound.complexity - exact) < 4.0 * bound.complexity_error
    # The stated error is that of a mean: it halves with four times the draws.
    rough = _bound(grams, total=total, n_samples=1000)
    assert rough.complexity_error == pytest.approx(2.0 * bound.complexity_error, rel=0.2)


@pytest.mark.parametrize("seed", range(4))
def test_both_closed_forms_are_above_the_expectation(seed):
    grams = _grams(seed)
    c = _traces(grams).sum()
    bound = _bound(grams, n_samples=2)
    exact = _expectation(grams, c)
    assert exact <= bound.by_number == pytest.approx(3 * c)
    largest = [np.linalg.eigvalsh(K)[-1] for K in grams]
    assert exact <= bound.by_spectrum == pytest.approx(8 * c * (largest / _traces(grams)).max())


def test_the_closed_form_needs_all_2n_signs():
    """With kernels vvᵀ for every sign vector v, some v meets any σ, and equality holds at 2n.

    Half of it, which is what the paper prints, is below the expectation it should bound.
    """
    signs = np.array(list(itertools.product([-1.0, 1.0], repeat=4)))
    grams = np.array([np.outer(v, v) for v in signs[:8]])  # −v gives the same matrix as v
    c = _traces(grams).sum()
    exact = _expectation(grams, c)
    assert exact == pytest.approx(4 * c)
    bound = _bound(grams, y=[1, -1], n_samples=50)
    assert bound.by_spectrum == pytest.approx(4 * c)
    assert bound.by_spectrum / 2 < exact
    assert bound.complexity == pytest.approx(exact)


def test_zero_matrices_change_nothing_but_their_number():
    grams = _grams()
    c = _traces(grams).sum()
    padded = np.concatenate([grams, np.zeros((1, 8, 8))])
    with_zero, without = _bound(padded, n_samples=20), _bound(grams, n_samples=20)
    assert with_zero.complexity == pytest.approx(without.complexity)
    assert with_zero.by_spectrum == pytest.approx(without.by_spectrum)
    assert with_zero.by_number == pytest.approx(4 * c)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_inner_maximum_over_free_signs_is_the_semidefinite_programs(seed):
    grams = _grams(seed)
    c = _traces(grams).sum()
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(5, 8))
    found = free_maxima(GramStack(grams, 4), _forms(grams, signs), c)
    for value, sigma in zip(found, signs, strict=True):
        w = cp.Variable(3)
        K = sum(w[i] * grams[i] for i in range(3))
        program = cp.Problem(cp.Maximize(sigma @ K @ sigma), [K >> 0, _traces(grams) @ w == c])
        program.solve(solver="CLARABEL")
        assert value == pytest.approx(program.value, rel=1e-5)
        assert value >= program.value * (1 - 1e-7)  # an upper bound, up to CVXPY's own error


def test_free_signs_cost_more_and_stay_below_their_closed_form():
    grams = _grams()
    positive = _bound(grams, n_samples=60)
    free = _bound(grams, n_samples=60, weights="free")
    c = _traces(grams).sum()
    assert positive.complexity < free.complexity < free.by_spectrum == pytest.approx(8 * c)
    assert free.by_number is None


def _rounded_up(term, n):
    """The grid of the union bound, from its definition, and the term on it."""
    grid = [0.5]
    while grid[-1] < np.sqrt(n) * (1 - 1e-12):
        grid.append(grid[-1] * np.sqrt(2.0))
    return next((level for level in grid if level >= term), term), len(grid)


@pytest.mark.parametrize("complexity", ["monte_carlo", "by_number", "by_spectrum"])
@pytest.mark.parametrize("delta", [0.01, 0.3])
def test_the_value_is_the_theorems_formula_for_all_margins(complexity, delta):
    """Margin and intercept are those of the fit: a grid of them shares delta."""
    grams = _grams(2)
    solution = learn_weights(grams, LABELS, C=0.2)
    bound = transductive_error_bound(
        grams, LABELS, solution, delta=delta, complexity=complexity, n_samples=50, random_state=1
    )
    K = np.tensordot(solution.weights, grams, 1)[:4, :4]
    f = K @ solution.dual_coef
    risk = np.mean(np.maximum(0.0, 1.0 - LABELS * (f + solution.intercept)))
    gamma = 1.0 / np.sqrt(solution.dual_coef @ K @ solution.dual_coef)
    chosen = min(bound.complexity_bound, getattr(bound, complexity, np.inf))
    norm_term, n_levels = _rounded_up(np.sqrt(chosen / 4) / gamma, 4)
    intercept_term, _ = _rounded_up(np.sqrt(2.0) * abs(solution.intercept), 4)
    left = delta if complexity != "monte_carlo" else 0.9 * delta
    brackets = 4.0 + np.sqrt(2.0 * np.log(n_levels**2 / left)) + norm_term + intercept_term
    assert risk > 0.01
    assert bound.empirical_risk == pytest.approx(risk)
    assert bound.margin == pytest.approx(gamma)
    assert bound.value == pytest.approx(risk + brackets / 2.0)
    assert bound.vacuous
    assert str(bound).startswith("vacuous: the bound")


def test_a_margin_fixed_in_advance_shares_no_delta():
    grams = _grams(2)
    solution = learn_weights(grams, LABELS, C=0.2)
    size = float(abs(solution.intercept))
    options = {"complexity": "by_number", "n_samples": 2}
    margin = transductive_error_bound(grams, LABELS, solution, **options).margin
    fixed = {"gamma": 0.9 * margin, "max_intercept": 2.0 * size}
    bound = transductive_error_bound(grams, LABELS, solution, **fixed, **options)
    brackets = 4.0 + np.sqrt(2.0 * np.log(1.0 / 0.05)) + np.sqrt(2.0) * 2.0 * size
    brackets += np.sqrt(bound.by_number / 4) / (0.9 * margin)
    assert bound.value == pytest.approx(bound.empirical_risk + brackets / 2.0)
    for wrong in ({"gamma": 1.1 * margin}, {"max_intercept": 0.9 * size}, {"max_intercept": 0.0}):
        with pytest.raises(ValueError, match="within the class that was fixed in advance"):
            transductive_error_bound(grams, LABELS, solution, **{**fixed, **wrong}, **options)


def test_the_trace_of_the_kernel_is_within_the_class():
    """A kernel of more trace than the class has counts with a norm that is larger for it."""
    grams = _grams(1)
    solution = learn_weights(grams, LABELS, C=0.2)
    c = _traces(grams).sum()
    options = {"complexity": "by_number", "n_samples": 2}
    whole, half = (
        transductive_error_bound(grams, LABELS, solution, total=total, **options)
        for total in (c, 0.5 * c)
    )
    assert half.margin == pytest.approx(whole.margin / np.sqrt(2.0))
    assert half.value == pytest.approx(whole.value)


def test_the_estimate_of_the_complexity_is_a_confidence_limit():
    """In 300 repetitions the limit of few draws is never below the expectation of the root."""
    grams = _grams(3)
    signs = np.array(list(itertools.product([-1.0, 1.0], repeat=8)))
    c = _traces(grams).sum()
    forms = (c * _forms(grams, signs) / _traces(grams)).max(axis=1)
    roots, rng = np.sqrt(forms), np.random.default_rng(0)
    largest = np.sqrt(_bound(grams, n_samples=2).by_spectrum)
    limits = [limit_of_mean(rng.choice(roots, 40), largest, 0.05) for _ in range(300)]
    means = [rng.choice(roots, 40).mean() for _ in range(300)]
    assert min(limits) >= roots.mean() > min(means)
    bound = _bound(grams, n_samples=4000)
    assert roots.mean() ** 2 <= bound.complexity_bound <= 1.3 * bound.complexity


def test_the_error_on_the_other_half_is_below_the_bound():
    """The theorem's promise, on a problem where the bound says something."""
    rng = np.random.default_rng(0)
    n = 200
    sides = rng.choice([-1.0, 1.0], size=2 * n)
    X = np.column_stack([sides, rng.normal(scale=0.01, size=2 * n)])
    grams = [Linear()(X), Gaussian(0.5)(X)]
    solution = learn_weights(grams, sides[:n], C=0.01)
    bound = transductive_error_bound(grams, sides[:n], solution, n_samples=300, random_state=0)
    values = np.tensordot(solution.weights, grams, 1)[n:, :n] @ solution.dual_coef
    errors = np.mean(sides[n:] * (values + solution.intercept) <= 0)
    assert errors <= bound.value < 1.0
    assert not bound.vacuous
    assert str(bound).startswith("with probability 0.95 the share of errors on the unlabelled half")


def test_random_state_makes_it_repeatable():
    grams = _grams()
    solution = learn_weights(grams, LABELS)

    def complexity(seed):
        return transductive_error_bound(
            grams, LABELS, solution, n_samples=30, random_state=seed
        ).complexity

    assert complexity(0) == complexity(0) != complexity(1)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"weights": "any"}, "expected weights to be one of positive, free, got 'any'"),
        ({"complexity": "guess"}, "expected complexity to be one of .* got 'guess'"),
        ({"delta": 0.0}, r"expected delta in \(0, 1\), got 0.0"),
        ({"delta": 1.0}, r"expected delta in \(0, 1\), got 1.0"),
        ({"delta": "small"}, r"expected delta in \(0, 1\), got 'small'"),
        ({"n_samples": 1}, "expected n_samples of at least 2, got 1"),
        ({"n_samples": 2.5}, "expected n_samples .*got 2.5"),
        ({"gamma": 0.0}, "expected gamma to be a positive number, got 0.0"),
        ({"max_intercept": -1.0}, "expected max_intercept to be a positive number, got -1.0"),
        ({"total": -1.0}, "expected total to be a positive number, got -1.0"),
        (
            {"weights": "free", "complexity": "by_number"},
            "'monte_carlo' or 'by_spectrum' for weights='free', got 'by_number'",
        ),
    ],
    ids=str,
)
def test_wrong_options_are_refused(options, text):
    grams = _grams()
    solution = learn_weights(grams, LABELS)
    with pytest.raises(ValueError, match=text):
        transductive_error_bound(grams, LABELS, solution, **options)


def test_halves_must_be_equal():
    grams = _grams()
    y = np.array([1, -1, 1])
    with pytest.raises(
        ValueError, match=r"as many unlabelled points as labelled .* 3 labels for 8"
    ):
        transductive_error_bound(grams, y, learn_weights(grams, y))


def test_a_solution_without_a_machine_is_refused():
    grams = _grams()
    aligned = learn_weights(grams, LABELS, quality="alignment")
    with pytest.raises(ValueError, match="expected a solution with a trained machine"):
        transductive_error_bound(grams, LABELS, aligned)


def test_indefinite_matrices_and_other_labels_are_refused():
    grams = _grams()
    solution = learn_weights(grams, LABELS)
    with pytest.raises(ValueError, match="positive semidefinite"):
        transductive_error_bound(grams - np.eye(8), LABELS, solution)
    with pytest.raises(ValueError, match="expected two classes in y, got 3"):
        transductive_error_bound(grams, [0, 1, 2, 0], solution)


def test_negative_weights_are_of_the_class_with_free_signs():
    X = np.random.default_rng(0).normal(size=(12, 2))
    K = Gaussian(0.5)(X)
    grams = np.array([K, K + 0.5 * np.eye(12)])
    y = np.array([1, -1] * 3)
    solution = learn_weights(grams, y, weights="free", C=0.1)
    assert solution.weights.min() < 0
    with pytest.raises(ValueError, match=r"expected positive weights, .* weights='free'"):
        transductive_error_bound(grams, y, solution)


def test_the_solution_of_another_problem_is_refused():
    grams = _grams()
    solution = learn_weights(grams, LABELS)
    with pytest.raises(ValueError, match=r"expected a solution .*3"):
        transductive_error_bound(grams[:2], LABELS, solution)
    larger, y = _grams(n_points=12), np.array([1, -1] * 3)
    with pytest.raises(ValueError, match=r"expected a solution .*4"):
        transductive_error_bound(larger, y, solution)


def test_labels_needed_is_where_the_formula_falls_below_one():
    """A second derivation: the theorem's terms, one size after another, until they stay below."""
    grams = _grams(2)
    solution = learn_weights(grams, LABELS, C=0.2)
    bound = transductive_error_bound(
        grams, LABELS, solution, complexity="by_number", n_samples=2, random_state=0
    )
    assert bound.vacuous
    assert f"from {bound.labels_needed} labels on" in str(bound)
    norm_term = np.sqrt(bound.by_number / 4) / bound.margin

    def value(n):
        norm, n_levels = _rounded_up(norm_term, n)
        shift = _rounded_up(np.sqrt(2.0) * abs(solution.intercept), n)[0]
        log = np.sqrt(2.0 * np.log(n_levels**2 / bound.delta))
        return bound.empirical_risk + (4.0 + log + norm + shift) / np.sqrt(n)

    n = bound.labels_needed
    assert value(n - 1) >= 1.0
    assert max(value(n + k) for k in range(200)) < 1.0


def test_a_loss_of_one_needs_more_than_labels():
    grams = _grams(2)
    wrong = replace(learn_weights(grams, LABELS, C=0.2), intercept=9.0)
    bound = transductive_error_bound(grams, LABELS, wrong, n_samples=2, random_state=0)
    assert bound.empirical_risk >= 1.0
    assert bound.labels_needed is None
    assert "it needs more points, a larger margin or fewer kernels" in str(bound)
