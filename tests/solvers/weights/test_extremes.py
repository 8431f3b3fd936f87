"""Numbers at the ends of their range: the answer is a true certificate or a sentence."""

from __future__ import annotations

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.quality import quality_names

SIGNS = ["positive", "free"]


@pytest.mark.parametrize("weights", SIGNS)
@pytest.mark.parametrize("quality", quality_names())
def test_every_kernel_may_have_a_size_of_its_own(quality, weights, make_stack, target_of):
    problem = make_stack(seed=3, n=10)
    grams = problem.grams / np.trace(problem.grams, axis1=1, axis2=2)[:, None, None]
    options = {"quality": quality, "weights": weights, "total": 10.0}
    sizes = 10.0 ** np.array([140.0, -140.0, 3.0])
    y = target_of(quality, problem)
    before = kl.learn_weights(grams, y, **options)
    after = kl.learn_weights(grams * sizes[:, None, None], y, **options)
    assert before.status.is_optimal
    assert after.status.is_optimal
    assert after.objective == pytest.approx(before.objective, rel=1e-6)
    np.testing.assert_allclose(after.weights * sizes, before.weights, atol=5e-2)


@pytest.mark.parametrize("weights", SIGNS)
def test_a_learned_C_keeps_the_total_beside_a_huge_kernel(weights, make_stack):
    problem = make_stack(seed=3, n=10)
    grams = problem.grams * 1e90
    found = kl.learn_weights(
        grams, problem.y, quality="squared_soft_margin", C="learn", weights=weights
    )
    traces = np.trace(grams, axis1=1, axis2=2)
    reached = found.weights @ traces + 10 / found.learned_C
    assert reached == pytest.approx(traces.sum() + 10, rel=1e-12)


def test_a_huge_kernel_does_not_hide_those_that_separate():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3))
    d2 = ((X[:, None] - X) ** 2).sum(-1)
    y = rng.choice([-1.0, 1.0], size=20)
    v = rng.normal(size=20)
    grams = np.array([np.exp(-d2), 1e10 * np.outer(v, v), np.exp(-4 * d2)])
    found = kl.learn_weights(grams, y, quality="hard_margin", constraint="sum")
    alone = kl.learn_weights(grams[[0, 2]], y, quality="hard_margin", constraint="sum")
    assert np.isfinite(found.objective)
    assert found.objective <= alone.objective * (1 + 1e-6)


@pytest.mark.parametrize("quality", ["lagrangian", "nu_svr", "epsilon_svr"])
def test_a_wide_box_does_not_hide_the_rounding_of_the_value(quality, make_stack, target_of):
    problem = make_stack(seed=5, n=12)
    K, y = problem.grams[1] * 1e60, target_of(quality, problem)
    C, nu, epsilon = 1e-3, 0.3, 0.1
    found = kl.learn_weights([K], y, quality=quality, C=C, nu=nu, epsilon=epsilon)
    a, b = found.dual_coef.astype(np.longdouble), np.longdouble(found.intercept)
    f = found.weights[0] * K.astype(np.longdouble) @ a
    residual = np.abs(y - f - b)
    if quality == "lagrangian":
        loss = 0.5 * C * (np.maximum(0, 1 - y * (f + b)) ** 2).sum() + 0.5 * b**2
    elif quality == "epsilon_svr":
        loss = C * np.maximum(0, residual - epsilon).sum()
    else:
        tubes = np.append(residual, 0.0)
        loss = min(C * np.maximum(0, residual - t).sum() + nu * C * 12 * t for t in tubes)
    assert found.objective == pytest.approx(float(0.5 * a @ f + loss), rel=1e-9)


@pytest.mark.parametrize("weights", SIGNS)
@pytest.mark.parametrize("quality", ["alignment", "centered_alignment"])
def test_an_alignment_says_how_indefinite_its_kernel_is(quality, weights):
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    K = (Q * [-5e-9, 0.2, 0.4, 0.6, 0.8, 1.0]) @ Q.T
    y = np.where(np.arange(6) % 2, 1, -1)
    found = kl.learn_weights([0.5 * (K + K.T)], y, quality=quality, weights=weights)
    np.testing.assert_allclose(found.weights, 1.0)
    assert found.negative_eigenvalue == pytest.approx(-5e-9, rel=1e-6)


@pytest.mark.parametrize("weights", SIGNS)
def test_what_numpy_is_told_about_rounding_does_not_matter(weights, make_stack):
    problem = make_stack(seed=3, n=10)
    grams = [*problem.grams, np.exp(-1e3 * (1 - problem.grams[1]))]
    with np.errstate(all="raise"):
        assert kl.learn_weights(grams, problem.y, weights=weights).status.is_optimal


PENALTIES = {
    "of a square": kl.penalties.LpNorm(2.0, 1e300),
    "of a sum": kl.penalties.ElasticNet(1e306),
    "of a matrix": kl.penalties.HyperNorm(np.eye(3) * 1e300, 1e3, squared=True),
}


@pytest.mark.parametrize("what", PENALTIES)
def test_a_penalty_that_is_no_number_is_refused(what, make_stack):
    problem = make_stack(seed=3, n=10)
    with pytest.raises(ValueError, match=r"expected a penalty of at most 1e\+151.*normalise"):
        kl.learn_weights(problem.grams, problem.y, penalty=PENALTIES[what], total=1e9)


@pytest.mark.parametrize(
    ("quality", "options", "message"),
    [
        ("soft_margin", {"C": 1e308}, "expected C, times the sample weights, between"),
        ("least_squares", {"C": 1e-320}, "expected C, times the sample weights, between"),
        ("one_class", {"nu": 1e-320}, "expected nu between"),
        ("nu_svm", {"sample_weight": np.full(12, 1e308)}, "expected sample weights between"),
    ],
)
def test_settings_whose_inverse_or_sum_is_no_number_are_refused(
    quality, options, message, make_stack
):
    problem = make_stack(seed=40)
    with pytest.raises(ValueError, match=message):
        kl.learn_weights(problem.grams, problem.y, quality=quality, **options)


@pytest.mark.parametrize("quality", quality_names())
def test_kernels_whose_squares_are_no_numbers_are_refused(quality, make_stack, target_of):
    problem = make_stack(seed=40)
    y = target_of(quality, problem)
    for size in (1e300, 1e-300):
        with pytest.raises(ValueError, match="expected kernels of a size between"):
            kl.learn_weights(problem.grams * size, y, quality=quality)
    with pytest.raises(ValueError, match="expected matrices whose traces are numbers"):
        kl.learn_weights(problem.grams * 1e307, y, quality=quality)
    grams = [problem.grams[0] * 1e-305, problem.grams[1]]
    with pytest.raises(ValueError, match="expected matrices whose traces are numbers"):
        kl.learn_weights(grams, y, quality=quality)


@pytest.mark.parametrize("quality", ["soft_margin", "hard_margin", "one_class", "alignment"])
def test_what_is_returned_lies_in_the_cone_to_rounding(quality):
    """Weights outside of it could have a value below that of all others, and so below a bound."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(12, 2))
        d2 = ((X[:, None] - X) ** 2).sum(-1)
        grams = np.array([np.exp(-width * d2) for width in (0.5, 2.0, 8.0)])
        y = np.where(X[:, 0] * X[:, 1] > 0, 1, -1)
        found = kl.learn_weights(grams, y, quality=quality, weights="free", tol=1e-4)
        values = np.linalg.eigvalsh(np.tensordot(found.weights, grams, 1))
        assert found.status.is_optimal
        assert values[0] >= -1e-14 * values[-1]
        assert found.negative_eigenvalue == 0.0
