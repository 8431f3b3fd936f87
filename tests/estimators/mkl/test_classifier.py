"""What a fitted classifier tells: certificate, learned C, transduction, progress."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from kernlearn import MKLClassifier, MKLNoveltyDetector, MKLOptions, learn_weights
from kernlearn.kernels import Gaussian, Linear, Normalized, Polynomial
from kernlearn.results import Status

MIXED_SIGNS = [Normalized(Polynomial(degree=2)), Gaussian(gamma=0.5), Normalized(Linear())]


@pytest.fixture
def products():
    """Labels of a product: free signs use negative weights here."""
    rng = np.random.default_rng(0)
    X, X_unlabeled = rng.normal(size=(30, 3)), 1.2 * rng.normal(size=(30, 3))
    return X, np.where(X[:, 0] * X[:, 1] > 0, "same", "other"), X_unlabeled


def test_the_certificate_is_about_the_learned_kernel(problem, kernels):
    """The value at the learned kernel by libsvm, and no better value at random weights."""
    C = 0.5
    model = MKLClassifier(kernels, C=C).fit(problem.X, problem.y)
    grams = np.array([k(problem.X) for k in kernels])

    def value(weights):
        K = np.tensordot(weights, grams, 1)
        svc = SVC(kernel="precomputed", C=C, tol=1e-9).fit(K, problem.y)
        a = np.zeros(len(K))
        a[svc.support_] = svc.dual_coef_[0]
        return np.abs(a).sum() - 0.5 * a @ K @ a

    assert model.objective_ == pytest.approx(value(model.weights_), rel=1e-6)
    tried = [value(share) for share in np.random.default_rng(0).dirichlet(np.ones(3), 50)]
    assert model.lower_bound_ <= model.objective_
    assert model.lower_bound_ <= min(tried)
    assert model.duality_gap_ == pytest.approx(1 - model.lower_bound_ / model.objective_, abs=1e-12)
    assert model.duality_gap_ <= 1e-6
    assert model.status_ is Status.OPTIMAL
    assert 1 <= model.n_iter_ <= model.n_machine_solves_


def test_the_function_is_an_expansion_on_the_support_vectors(problem, kernels):
    model = MKLClassifier(kernels, C=0.5).fit(problem.X, problem.y)
    new = problem.X[:3] + 0.3
    expected = model.intercept_[0] + np.zeros(len(new))
    for a, i in zip(model.dual_coef_[0], model.support_, strict=True):
        for weight, kernel in zip(model.weights_, kernels, strict=True):
            expected += a * weight * kernel(new, problem.X[i : i + 1])[:, 0]
    np.testing.assert_allclose(model.decision_function(new), expected, rtol=1e-10)


def test_unused_kernels_have_weight_zero(problem, kernels):
    blind = Gaussian(gamma=1e6)  # every point like no other
    model = MKLClassifier([*kernels, blind], C=0.1).fit(problem.X, problem.y)
    assert (model.weights_ >= 0).all()
    assert model.weights_[1] == 0.0
    assert model.kernel_.weights[1] == 0.0


def test_free_signs_go_below_positive_weights(products):
    X, y, _ = products
    positive = MKLClassifier(MIXED_SIGNS).fit(X, y)
    free = MKLClassifier(MIXED_SIGNS, weights="free").fit(X, y)
    assert free.weights_.min() < -0.1
    assert free.objective_ < positive.lower_bound_
    spectrum = np.linalg.eigvalsh(free.kernel_(X))
    assert spectrum[0] > -1e-7 * spectrum[-1]


def test_free_signs_are_semidefinite_on_unlabelled_points_too(products):
    X, y, X_unlabeled = products
    everything = np.vstack([X, X_unlabeled])
    alone = MKLClassifier(MIXED_SIGNS, weights="free").fit(X, y)
    assert np.linalg.eigvalsh(alone.kernel_(everything))[0] < -0.1
    both = MKLClassifier(MIXED_SIGNS, weights="free").fit(X, y, X_unlabeled=X_unlabeled)
    spectrum = np.linalg.eigvalsh(both.kernel_(everything))
    assert spectrum[0] > -1e-7 * spectrum[-1]
    assert both.objective_ > alone.objective_


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("quality", ["soft_margin", "alignment", "squared_soft_margin"])
def test_transduction_is_prediction_on_the_unlabelled_points(
    make_problem, kernels, quality, n_classes
):
    p = make_problem(n_classes=n_classes, n_new=25)
    names = np.array(["a", "b", "c"])[p.y]
    model = MKLClassifier(kernels, quality=quality, options=MKLOptions(center=True), normalize=True)
    model.fit(p.X, names, X_unlabeled=p.X_new)
    np.testing.assert_array_equal(model.transduction_, model.predict(p.X_new))
    assert len(set(model.transduction_)) == n_classes


def test_unlabelled_points_count_in_the_trace(problem):
    kernels = [Linear(), Gaussian()]
    model = MKLClassifier(kernels, C=1e-3).fit(problem.X, problem.y, X_unlabeled=problem.X_new)
    everything = np.vstack([problem.X, problem.X_new])
    expected = np.mean([np.trace(k(everything)) for k in kernels])
    assert np.trace(model.kernel_(everything)) == pytest.approx(expected)


def test_a_second_fit_forgets_the_first_transduction(problem, kernels):
    model = MKLClassifier(kernels).fit(problem.X, problem.y, X_unlabeled=problem.X_new)
    assert not hasattr(model.fit(problem.X, problem.y), "transduction_")


@pytest.mark.parametrize("weights", ["positive", "free"])
def test_a_learned_c_beats_every_other(problem, kernels, weights):
    """The same C given by hand finds the same value; the identity's share counts in the trace."""
    model = MKLClassifier(kernels, quality="squared_soft_margin", C="learn", weights=weights)
    model.fit(problem.X, problem.y)
    n = len(problem.X)
    assert 0 < model.C_ < np.inf
    assert np.trace(model.kernel_(problem.X)) + n / model.C_ == pytest.approx(n)

    def at(C):
        fixed = MKLClassifier(kernels, quality="squared_soft_margin", C=C, weights=weights)
        return fixed.set_params(options__total=n - n / C).fit(problem.X, problem.y)

    same = at(model.C_)
    assert same.objective_ == pytest.approx(model.objective_, rel=2e-6)
    assert same.C_ == model.C_
    np.testing.assert_allclose(
        same.decision_function(problem.X_new), model.decision_function(problem.X_new), atol=0.02
    )
    assert min(at(f * model.C_).objective_ for f in (0.8, 1.5)) > model.objective_ * 1.0001


@pytest.mark.parametrize("quality", ["alignment", "centered_alignment"])
def test_an_alignment_chooses_the_kernel_and_an_svm_uses_it(problem, kernels, quality):
    model = MKLClassifier(kernels, quality=quality, C=0.4).fit(problem.X, problem.y)
    assert -1.0 <= model.objective_ < 0.0
    svc = SVC(kernel=model.kernel_, C=0.4, tol=1e-8).fit(problem.X, problem.y)
    np.testing.assert_allclose(
        model.decision_function(problem.X_new), svc.decision_function(problem.X_new), atol=1e-4
    )
    assert model.n_machine_solves_ >= 1


def test_progress_is_told_line_by_line(problem, kernels, capsys):
    model = MKLClassifier(kernels, verbose=1).fit(problem.X, problem.y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == model.n_iter_ > 1
    assert all(line.startswith("MKLClassifier: ") for line in lines)
    values = [float(line.split("objective ")[1].split(",")[0]) for line in lines]
    gaps = [float(line.split("relative gap ")[1]) for line in lines]
    assert min(values) == pytest.approx(model.objective_, rel=1e-5)
    assert gaps[0] > 1e-6 >= model.duality_gap_
    MKLClassifier(kernels).fit(problem.X, problem.y)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("quality", ["soft_margin", "least_squares"])
def test_stopping_early_is_a_warning_with_the_gap(problem, quality):
    model = MKLClassifier(quality=quality, options=MKLOptions(max_iter=1))
    with pytest.warns(ConvergenceWarning, match="iteration limit") as told:
        model.fit(problem.X, problem.y)
    assert model.status_ is Status.ITERATION_LIMIT
    message = str(told[0].message)
    assert f"{model.duality_gap_:.1e}, expected 1.0e-06; raise max_iter" in message
    # No alignment is above one and no margin value below zero, so an honest gap is a small number.
    assert 1e-6 < model.duality_gap_ < 1e3
    # The user's line is to blame, not one inside the library.
    assert told[0].filename == __file__
    assert model.score(problem.X, problem.y) > 0.5


def test_random_state_draws_the_sample_behind_the_default_bank():
    X = np.random.default_rng(0).normal(size=(1010, 1))  # ten more than the sample has

    def widest(seed):
        model = MKLNoveltyDetector(random_state=seed, tol=0.5, normalize=False)
        return model.fit(X).kernels_[2].gamma

    first = widest(0)
    assert widest(0) == first
    assert widest(1) != first


@pytest.mark.parametrize("weights", ["positive", "free"])
def test_the_largest_determinant_chooses_the_kernel_and_a_machine_follows(weights):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 3))
    y = (X[:, 0] + 0.3 * rng.normal(size=40) > 0).astype(int)
    kernels = [Gaussian(0.1), Gaussian(1.0), Linear()]
    model = MKLClassifier(kernels, quality="max_determinant", weights=weights, C=2.0).fit(X, y)
    grams = np.stack([kernel(X) for kernel in kernels])
    total = np.trace(grams, axis1=1, axis2=2).mean()
    alone = learn_weights(grams, quality="max_determinant", weights=weights, total=total)
    np.testing.assert_array_equal(model.weights_, alone.weights)
    K = np.tensordot(alone.weights, grams, 1)
    machine = SVC(C=2.0, kernel="precomputed", tol=1e-8).fit(K, y)
    np.testing.assert_allclose(model.decision_function(X), machine.decision_function(K), atol=1e-4)
    assert model.status_.is_optimal
