"""What must not change the answer does not, and what must scale it scales it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC

import kernlearn as kl
from kernlearn.quality import quality_names

SIGNS = ["positive", "free"]
TIGHT = {"tol": 1e-9, "nu": 0.3, "epsilon": 0.1}
# The units of the objective in a kernel sK with C/s: V/s, but sV without a linear term.
WITH_KERNEL = {"nu_svm": 1, "one_class": 1, "alignment": 0, "centered_alignment": 0}


# Both signs, in turn; the other of the two has its turn in test_solution.py.
CASES = [(quality, SIGNS[(turn + 1) % 2]) for turn, quality in enumerate(quality_names())]
REGRESSIONS = ["epsilon_svr", "nu_svr", "least_squares"]


@pytest.fixture(params=SIGNS)
def weights(request):
    return request.param


@pytest.fixture(scope="module", params=CASES, ids=" ".join)
def case(request, make_stack, target_of):
    quality, weights = request.param
    problem = make_stack(seed=20, n=10, n_unlabelled=3)
    return quality, weights, problem.grams, target_of(quality, problem)


def _learn(case, **changes):
    quality, weights, grams, y = case
    options = {"quality": quality, "weights": weights, "C": 0.8, **TIGHT, **changes}
    return kl.learn_weights(options.pop("grams", grams), options.pop("y", y), **options)


@pytest.fixture(scope="module")
def before(case):
    """The answer that must not change, found once for all tests."""
    return _learn(case)


def test_neither_the_order_of_points_and_kernels_nor_the_sign_of_targets_matters(case, before):
    _, _, grams, y = case
    rng = np.random.default_rng(0)
    order = np.concatenate([rng.permutation(10), 10 + rng.permutation(3)])
    y = y[order[:10]] if y.dtype.names else -y[order[:10]]  # times have no other sign
    after = _learn(case, grams=grams[[2, 0, 1]][:, order][:, :, order], y=y)
    assert after.objective == pytest.approx(before.objective, rel=1e-7)
    np.testing.assert_allclose(after.weights, before.weights[[2, 0, 1]], atol=2e-3)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_the_scale_of_the_kernels_is_a_unit(case, scale, before):
    if case[0] == "lagrangian":
        return  # the weight of its intercept is fixed, so that the kernels' scale is not a unit
    quality, _, grams, _ = case
    after = _learn(case, grams=scale * grams, C=0.8 / scale)
    expected = scale ** WITH_KERNEL.get(quality, -1) * before.objective
    if quality == "max_determinant":  # det(sK) = sⁿ det K
        expected = before.objective - grams.shape[1] * np.log(scale)
    assert after.objective == pytest.approx(expected, rel=1e-7)
    assert after.status.is_optimal
    np.testing.assert_allclose(after.weights, before.weights, atol=2e-3)


@pytest.mark.parametrize(("quality", "weights"), [case for case in CASES if case[0] in REGRESSIONS])
def test_the_scale_of_targets_is_a_unit(quality, weights, make_stack):
    problem = make_stack(seed=21, n=10)
    case = quality, weights, problem.grams, problem.target
    ridge = quality == "least_squares"  # its C is a ridge on K, which has no unit of y
    before = _learn(case)
    for scale in (1e-150, 1e150):
        after = _learn(
            case,
            y=scale * problem.target,
            C=0.8 if ridge else 0.8 * scale,
            epsilon=0.1 * scale,
        )
        assert after.objective == pytest.approx(scale**2 * before.objective, rel=1e-7)
        np.testing.assert_allclose(after.weights, before.weights, atol=2e-3)


@pytest.mark.parametrize(
    ("quality", "weights"), list(zip(REGRESSIONS, ["positive", "free", "positive"], strict=True))
)
def test_a_constant_added_to_the_targets_goes_to_the_intercept(quality, weights, make_stack):
    problem = make_stack(seed=22, n=10)
    case = quality, weights, problem.grams, problem.target
    before, after = _learn(case), _learn(case, y=problem.target + 5.0)
    assert after.objective == pytest.approx(before.objective, rel=1e-6)
    assert after.intercept == pytest.approx(before.intercept + 5.0, abs=1e-3)


def test_a_zero_kernel_gets_no_weight_and_changes_nothing(case, before):
    grams = np.insert(case[2], 1, 0.0, axis=0)
    after = _learn(case, grams=grams)
    # Free signs reach their weights through a change of coordinates, which rounds.
    assert abs(after.weights[1]) <= (0.0 if case[1] == "positive" else 1e-13)
    assert after.objective == pytest.approx(before.objective, rel=1e-7)
    np.testing.assert_allclose(np.delete(after.weights, 1), before.weights, atol=2e-3)


def test_a_kernel_passed_twice_shares_its_weight(case, before):
    after = _learn(case, grams=case[2][[0, 1, 2, 1]], total=np.trace(case[2].sum(axis=0)))
    merged = after.weights[:3] + np.array([0.0, after.weights[3], 0.0])
    assert after.objective == pytest.approx(before.objective, rel=1e-7)
    np.testing.assert_allclose(merged, before.weights, atol=2e-3)


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e4])
def test_one_kernel_is_an_ordinary_machine(C, weights, make_stack):
    problem = make_stack(seed=23, n=16)
    K = problem.grams[1]
    found = kl.learn_weights([K], problem.y, C=C, weights=weights)
    svc = SVC(C=C, kernel="precomputed", tol=1e-10).fit(K, problem.y)
    a = np.zeros(16)
    a[svc.support_] = svc.dual_coef_[0]
    assert found.objective == pytest.approx(np.abs(a).sum() - 0.5 * a @ K @ a, rel=1e-6)
    np.testing.assert_allclose(found.weights, [1.0], rtol=1e-9)
    decision = K @ found.dual_coef + found.intercept
    if C > 1e-3:  # with every point at its bound the intercept is an interval
        np.testing.assert_allclose(decision, svc.decision_function(K), atol=1e-5)


def test_unused_kernels_have_exactly_zero_weight(make_stack):
    """A kernel of noise next to the ideal one; exact zeros, not small numbers."""
    problem = make_stack(seed=24)
    ideal = np.outer(problem.y, problem.y) + 0.1 * np.eye(12)
    noise = np.cov(np.random.default_rng(0).normal(size=(12, 30)))
    for quality in ("soft_margin", "squared_soft_margin", "nu_svm", "alignment"):
        found = kl.learn_weights([noise, ideal, np.eye(12)], problem.y, quality=quality)
        assert found.weights[0] == 0.0
        assert found.weights[2] == 0.0
        assert found.weights[1] > 0


@pytest.mark.parametrize("weights_", SIGNS)
def test_learning_C_is_solving_at_the_learned_C(weights_, make_stack):
    """τ = 1/C takes its part of the trace; with the rest the usual program has the same optimum."""
    problem = make_stack(seed=25, n=12)
    options = {"quality": "squared_soft_margin", "weights": weights_, "tol": 1e-9}
    learned = kl.learn_weights(problem.grams, problem.y, C="learn", **options)
    C = learned.learned_C
    left = np.trace(problem.grams.sum(axis=0)) + 12 - 12 / C
    again = kl.learn_weights(problem.grams, problem.y, C=C, total=left, **options)
    assert 0 < C < np.inf
    assert again.objective == pytest.approx(learned.objective, rel=1e-7)
    np.testing.assert_allclose(again.weights, learned.weights, atol=1e-3)
    for other in (0.95 * C, 1.05 * C):
        total = np.trace(problem.grams.sum(axis=0)) + 12 - 12 / other
        worse = kl.learn_weights(problem.grams, problem.y, C=other, total=total, **options)
        assert worse.objective >= learned.objective * (1 - 1e-9)


@pytest.mark.parametrize("quality", ["hard_margin", "soft_margin", "squared_soft_margin"])
def test_induction_does_not_depend_on_the_number_of_unknown_points(quality, make_stack):
    """Eqs. (57) and (58): l unknown points of unit length add l to every trace, and no more."""
    problem = make_stack(seed=26, n=12)
    total = 36.0

    def learn(extra):
        grams = np.zeros((3, 12 + extra, 12 + extra))
        grams[:, :12, :12] = problem.grams
        grams[:, np.arange(12, 12 + extra), np.arange(12, 12 + extra)] = 1.0
        scaled = total * (12 + extra) / 12
        return kl.learn_weights(grams, problem.y, quality=quality, total=scaled, tol=1e-10)

    alone, one, many = learn(0), learn(1), learn(7)
    np.testing.assert_allclose(one.weights, alone.weights, atol=1e-4)
    np.testing.assert_allclose(many.weights, alone.weights, atol=1e-4)
    assert many.objective == pytest.approx(alone.objective, rel=1e-8)


def test_transduction_counts_the_trace_of_all_points(make_stack):
    """Section 4.1: an unlabelled point that one kernel makes long makes that kernel dear."""
    problem = make_stack(seed=27, n=10, n_unlabelled=2)
    grams = problem.grams.copy()
    grams[1, 10, 10] = 50.0
    before = kl.learn_weights(problem.grams, problem.y, total=36.0)
    after = kl.learn_weights(grams, problem.y, total=36.0)
    traces = np.trace(grams, axis1=1, axis2=2)
    assert after.weights @ traces == pytest.approx(36.0)
    assert after.weights[1] < 0.9 * before.weights[1]
    assert after.objective > before.objective
