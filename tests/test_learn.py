"""The public function: what it refuses, what it accepts, and that it leaves its input alone."""

from __future__ import annotations

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.gram.psd import seems_psd


@pytest.fixture
def problem(make_stack):
    return make_stack(seed=40)


def _replaced(y, value):
    y = np.array(y, dtype=float)
    y[3] = value
    return y


CLASSES = r"expected two classes in y, got {}.*use MKLClassifier for more than two"
POSITIVE = r"expected {0} to be a positive number, got {1}; try {0}="
CHOICE = r"expected {} to be one of .*{}.*, got {}"

BAD_TARGETS = {
    "one class": (lambda y: np.ones(12), CLASSES.format(r"1 \(1\.0\)")),
    "three classes": (lambda y: np.arange(12) % 3, CLASSES.format(r"3 \(0, 1, 2\)")),
    "five classes": (lambda y: np.arange(12) % 5, CLASSES.format(r"5 \(0, 1, 2, …\)")),
    "NaN": (lambda y: _replaced(y, np.nan), "expected finite y, got NaN or infinity; drop or"),
    "infinity": (lambda y: _replaced(y, np.inf), "expected finite y, got NaN or infinity; drop"),
    "too long": (lambda y: np.append(y, 1.0), "one entry per labelled row, at most 12, got 13"),
    "empty": (lambda y: [], "expected y with one entry per labelled row, at most 12, got 0"),
    "of several lengths": (lambda y: [[1], [1, 2]] * 6, r"of shape \(n,\), got rows of several"),
    "scalar": (lambda y: 1.0, "one entry per labelled row, at most 12, got a scalar"),
    "a column": (
        lambda y: y[:, None],
        r"expected y of shape \(n,\), got shape \(12, 1\); use y\.r",
    ),
    "nothing": (lambda y: None, "expected y for quality='soft_margin', got None; only one_class"),
}


@pytest.mark.parametrize("what", BAD_TARGETS)
def test_bad_labels(what, problem):
    make, message = BAD_TARGETS[what]
    with pytest.raises(ValueError, match=message):
        kl.learn_weights(problem.grams, make(problem.y))


@pytest.mark.parametrize("quality", ["epsilon_svr", "nu_svr", "huber", "quantile", "least_squares"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_bad_regression_targets(quality, value, problem):
    with pytest.raises(ValueError, match="expected finite y, got NaN or infinity"):
        kl.learn_weights(problem.grams, _replaced(problem.target, value), quality=quality)


def test_words_are_no_regression_targets(problem):
    words = np.where(problem.y > 0, "yes", "no")
    with pytest.raises(
        ValueError, match="expected numbers in y for quality='nu_svr', got <U3; con"
    ):
        kl.learn_weights(problem.grams, words, quality="nu_svr")


BAD_OPTIONS = {
    "C zero": ({"C": 0.0}, POSITIVE.format("C", r"0\.0")),
    "C negative": ({"C": -1}, POSITIVE.format("C", "-1")),
    "C NaN": ({"C": np.nan}, POSITIVE.format("C", "nan")),
    "C infinite": ({"C": np.inf}, POSITIVE.format("C", "inf")),
    "C a word": ({"C": "large"}, POSITIVE.format("C", "'large'")),
    "C beyond all numbers": ({"C": 10**400}, POSITIVE.format("C", "10+")),
    "C true": ({"C": True}, POSITIVE.format("C", "True")),
    "C learned elsewhere": (
        {"C": "learn", "quality": "soft_margin"},
        "expected a number for C with quality='soft_margin', got 'learn'; only squared_soft_marg",
    ),
    "nu zero": ({"nu": 0.0, "quality": "one_class"}, r"expected nu in \(0, 1\], got 0\.0; 0\.1 to"),
    "nu above one": ({"nu": 1.5, "quality": "nu_svr"}, r"expected nu in \(0, 1\], got 1\.5"),
    "nu NaN": ({"nu": np.nan, "quality": "nu_svm"}, r"expected nu in \(0, 1\], got nan"),
    "quantile": (
        {"quantile": 1.0, "quality": "quantile"},
        r"expected quantile between 0 and 1, got 1\.0; 0\.5 is the median",
    ),
    "huber": (
        {"epsilon": 0.0, "quality": "huber"},
        r"expected epsilon > 0 for Huber's loss, got 0\.0; it is the residual beyond",
    ),
    "epsilon": ({"epsilon": -0.1, "quality": "epsilon_svr"}, r"expected epsilon ≥ 0, got -0\.1"),
    "epsilon infinite": ({"epsilon": np.inf, "quality": "epsilon_svr"}, "expected epsilon ≥ 0"),
    "epsilon beyond all numbers": (
        {"epsilon": 10**400, "quality": "epsilon_svr"},
        "expected epsilon ≥ 0",
    ),
    "quality": ({"quality": "svm"}, CHOICE.format("quality", "soft_margin", "'svm'")),
    "weights": ({"weights": "any"}, CHOICE.format("weights", "positive, free", "'any'")),
    "constraint": ({"constraint": "norm"}, CHOICE.format("constraint", "trace, sum", "'norm'")),
    "psd": ({"psd": "hope"}, 'psd must be "raise", "clip", "shift" or "trust", got \'hope\''),
    "total": ({"total": 0.0}, POSITIVE.format("total", r"0\.0")),
    "tol": ({"tol": -1e-3}, POSITIVE.format("tol", r"-0\.001")),
    "max_iter": ({"max_iter": 0}, "expected max_iter to be a positive integer, got 0"),
    "max_iter fraction": ({"max_iter": 1.5}, "expected max_iter to be a positive integer, got 1.5"),
    "weight length": (
        {"sample_weight": np.ones(5)},
        r"expected 12 positive, finite sample weights, got shape \(5,\)",
    ),
    "weight zero": (
        {"sample_weight": np.arange(12.0)},
        r"expected 12 positive, finite sample weights, .*smallest 0\.0; drop the rows",
    ),
    "weight beyond all numbers": (
        {"sample_weight": [10**400] * 12},
        "expected 12 positive, finite sample weights, got list that does not hold numbers",
    ),
    "start beyond all numbers": ({"start": [10**400, 1, 1]}, r"expected start of shape \(3,\)"),
    "weight NaN": ({"sample_weight": np.full(12, np.nan)}, "expected 12 positive, finite sample w"),
}


@pytest.mark.parametrize("what", BAD_OPTIONS)
def test_bad_options(what, problem):
    options, message = BAD_OPTIONS[what]
    with pytest.raises(ValueError, match=message):
        kl.learn_weights(problem.grams, problem.y, **options)


def test_nu_is_bounded_by_the_smaller_class(problem):
    rare = np.where(np.arange(12) < 3, 1, -1)  # at most 2 · 3/12
    with pytest.raises(ValueError, match=r"expected nu at most 0\.5, twice the share .*got 0\.6"):
        kl.learn_weights(problem.grams, rare, quality="nu_svm", nu=0.6)
    assert kl.learn_weights(problem.grams, rare, quality="nu_svm", nu=0.45).status.is_optimal
    weight = np.where(rare > 0, 1.0, 1 / 3)  # now the classes weigh the same
    heavy = {"quality": "nu_svm", "nu": 0.9, "sample_weight": weight}
    assert kl.learn_weights(problem.grams, rare, **heavy).status.is_optimal


def _asymmetric(grams):
    skewed = grams.copy()
    skewed[1, 0, 1] += 0.5
    return skewed


def _indefinite(grams):
    return np.stack([grams[1], grams[1] - 0.5 * np.eye(len(grams[1]))])


BAD_GRAMS = {
    "empty": (lambda g: [], "grams must hold at least one Gram matrix, got none"),
    "single matrix": (
        lambda g: g[0],
        r"array of shape \(m, n, n\).*got shape \(12, 12\); pass \[K",
    ),
    "not square": (lambda g: g[:, :, :9], r"must be a square matrix, got shape \(12, 9\)"),
    "of two sizes": (
        lambda g: [g[0], g[0, :9, :9]],
        "Gram matrix 1 must have the shape of the fir",
    ),
    "asymmetric": (_asymmetric, r"Gram matrix 1 must be symmetric, got .* differ by up to 0\.5"),
    "indefinite": (_indefinite, 'Gram matrix 1 must be positive semidefinite.*psd="clip".*"shift"'),
    "NaN": (lambda g: np.where(g == g[0, 0, 1], np.nan, g), "Gram matrix 0 must hold finite"),
    "masked": (lambda g: np.ma.masked_greater(g, 0.5), "Gram matrix 0 must hold.*masked entries"),
    "all zero": (
        lambda g: np.zeros((2, 12, 12)),
        "expected at least one Gram matrix with a positive trace, got only zero matrices",
    ),
}


@pytest.mark.parametrize("what", BAD_GRAMS)
def test_bad_grams(what, problem):
    make, message = BAD_GRAMS[what]
    with pytest.raises(ValueError, match=message):
        kl.learn_weights(make(problem.grams), problem.y)


def test_an_array_of_another_class_is_an_array(problem):
    plain = kl.learn_weights(problem.grams, problem.y)
    found = kl.learn_weights(np.ma.asarray(problem.grams), problem.y, start=np.full(3, 1e308))
    np.testing.assert_allclose(found.weights, plain.weights, atol=1e-4)


@pytest.mark.parametrize("cure", ["clip", "shift"])
def test_the_cure_for_an_indefinite_matrix_works(cure, problem):
    grams = _indefinite(problem.grams)
    values, vectors = np.linalg.eigh(grams[1])
    mended = (vectors * np.maximum(values, 0)) @ vectors.T
    if cure == "shift":
        mended = grams[1] - values[0] * np.eye(12)
    found = kl.learn_weights(grams, problem.y, psd=cure)
    expected = kl.learn_weights([grams[0], mended], problem.y)
    assert found.objective == pytest.approx(expected.objective, rel=1e-6)


def test_a_kernel_without_agreement_cannot_be_aligned(problem):
    constant = np.ones((1, 12, 12))  # yᵀ11ᵀy = 0 for balanced labels
    with pytest.raises(ValueError, match="expected a kernel that agrees with the labels, got none"):
        kl.learn_weights(constant, problem.y, quality="alignment")


def test_free_weights_of_fixed_sum_need_equal_traces(problem):
    with pytest.raises(ValueError, match="equal trace for weights='free' with constraint='sum'"):
        kl.learn_weights(
            [problem.grams[0], 2 * problem.grams[1]],
            problem.y,
            weights="free",
            constraint="sum",
        )
    # With equal traces both constraints are one, up to the total.
    by_sum = kl.learn_weights(problem.grams, problem.y, weights="free", constraint="sum", total=3.0)
    by_trace = kl.learn_weights(problem.grams, problem.y, weights="free")
    assert by_sum.objective == pytest.approx(by_trace.objective, rel=1e-6)


@pytest.mark.parametrize("weights", ["positive", "free"])
@pytest.mark.parametrize("quality", ["soft_margin", "nu_svr", "alignment", "least_squares"])
def test_what_is_passed_is_unchanged(quality, weights, problem, target_of):
    y, sample_weight = target_of(quality, problem).copy(), np.linspace(0.5, 2.0, 12)
    given = problem.grams, y, sample_weight
    before = [array.copy() for array in given]
    for array in given:
        array.flags.writeable = False
    kl.learn_weights(
        problem.grams, y, quality=quality, weights=weights, sample_weight=sample_weight
    )
    for array, copy in zip(given, before, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize(
    "encode",
    [
        lambda y: y > 0,
        lambda y: np.where(y > 0, "b", "a"),
        lambda y: np.where(y > 0, 7, 3),
        lambda y: list(np.where(y > 0, 1, -1)),
        lambda y: np.where(y > 0, "yes", "no").astype(object),
    ],
    ids=["booleans", "words", "integers", "list", "objects"],
)
def test_labels_of_any_type(encode, problem):
    expected = kl.learn_weights(problem.grams, problem.y)
    found = kl.learn_weights(list(problem.grams), encode(problem.y))
    np.testing.assert_array_equal(found.weights, expected.weights)
    np.testing.assert_array_equal(found.dual_coef, expected.dual_coef)


def test_one_class_ignores_what_y_says(problem):
    options = {"quality": "one_class", "nu": 0.4}
    without = kl.learn_weights(problem.grams, None, **options)
    for y in (problem.y, np.ones(12), np.full(12, np.nan)):
        found = kl.learn_weights(problem.grams, y, **options)
        np.testing.assert_array_equal(found.weights, without.weights)
    fewer = kl.learn_weights(problem.grams, problem.y[:8], **options)
    assert fewer.dual_coef.shape == (8,)
    assert fewer.objective != pytest.approx(without.objective, rel=1e-3)


def test_a_sample_weight_multiplies_C(problem):
    doubled = kl.learn_weights(problem.grams, problem.y, C=0.2, sample_weight=np.full(12, 2.0))
    plain = kl.learn_weights(problem.grams, problem.y, C=0.4)
    assert doubled.objective == pytest.approx(plain.objective, rel=1e-9)
    np.testing.assert_allclose(doubled.weights, plain.weights, atol=1e-6)


def test_the_decision_function_predicts_the_unlabelled_points(make_stack):
    """Two far clusters: the function on all points signs the ones that had no label."""
    rng = np.random.default_rng(0)
    side = np.tile([1.0, -1.0], 8)
    X = side[:, None] * 3.0 + rng.normal(size=(16, 2))
    grams = np.stack([X @ X.T, np.exp(-0.1 * ((X[:, None] - X) ** 2).sum(-1))])
    for weights in ("positive", "free"):
        found = kl.learn_weights(grams, side[:10], weights=weights)
        K = np.tensordot(found.weights, grams, 1)
        decision = K[10:, :10] @ found.dual_coef + found.intercept
        np.testing.assert_array_equal(np.sign(decision), side[10:])


def test_an_alignment_with_a_penalty_is_the_norm_of_the_interpolant():
    K, y = kl.kernels.Gaussian(gamma=3.0)(np.linspace(0, 3, 8)[:, None]), np.array([-1, 1] * 4)
    found = kl.learn_weights(
        [K], y, quality="alignment", penalty=kl.penalties.HyperNorm([[4.0]], 1.5)
    )
    assert found.objective == pytest.approx(0.5 * y @ np.linalg.solve(K, y) + 1.5, rel=1e-8)
    np.testing.assert_allclose(K @ found.dual_coef, y, atol=1e-7)
    assert found.status.is_optimal


def test_a_centred_alignment_takes_no_penalty():
    with pytest.raises(ValueError, match="expected no penalty with quality='centered_alignment'"):
        kl.learn_weights(
            [np.eye(4)],
            [0, 0, 1, 1],
            quality="centered_alignment",
            penalty=kl.penalties.HyperNorm([[1.0]], 1.0),
        )


@pytest.fixture(scope="module")
def bent():
    """Unit matrices of 1100 points, the second with a negative eigenvalue that two points share."""
    y = np.where(np.arange(1100) % 2, 1.0, -1.0)
    grams = np.stack([np.eye(1100) + 0.5 * np.outer(y, y), np.eye(1100)])
    pair = np.zeros(1100)
    pair[:2] = 1.0, -1.0
    grams[1] -= 0.9 * np.outer(pair, pair)
    return grams, y


def test_a_negative_eigenvalue_that_no_sample_shows_is_found_in_the_combination(bent):
    grams, y = bent
    assert seems_psd(grams[1])
    with pytest.raises(ValueError, match="Gram matrix 1 must be positive semidefinite"):
        kl.learn_weights(grams[[0, 1]] * np.array([1e-3, 1.0])[:, None, None], y, constraint="sum")


def test_a_matrix_without_weight_need_not_be_positive_semidefinite(bent):
    grams, y = bent
    found = kl.learn_weights(grams, y)
    assert found.weights[1] == 0.0
    assert found.status.is_optimal
    assert found.negative_eigenvalue == 0.0


def test_what_linear_algebra_does_not_bear_is_said(monkeypatch):
    def fails(*args):
        raise np.linalg.LinAlgError("Eigenvalues did not converge")

    monkeypatch.setattr("kernlearn.solvers.engine.gram_problem.learn_with_machines", fails)
    with pytest.raises(ValueError, match=r"expected .* got Eigenvalues .* normalise the kernels"):
        kl.learn_weights([np.eye(3)], [1, -1, 1])
