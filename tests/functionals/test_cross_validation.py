"""Cross-validation against scikit-learn's, and leave-one-out against refitting."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import KFold, LeaveOneOut, ShuffleSplit, cross_val_score
from sklearn.svm import SVC, SVR, NuSVC, NuSVR

from kernlearn.functionals import CrossValidationError
from kernlearn.kernels import Gaussian, Linear

C, NU, EPSILON = 0.7, 0.25, 0.15
KERNEL = Gaussian(gamma=0.3)
MACHINES = {
    "soft_margin": SVC(C=C),
    "nu_svm": NuSVC(nu=NU),
    "epsilon_svr": SVR(C=C, epsilon=EPSILON),
    "nu_svr": NuSVR(C=C, nu=NU),
}
SPLITS = {
    "5 folds": (5, 5),
    "shuffled folds": (KFold(4, shuffle=True, random_state=0),) * 2,
    "part of the points": (ShuffleSplit(3, train_size=0.5, test_size=0.2, random_state=1),) * 2,
    "list": (list(KFold(3).split(np.zeros(24))),) * 2,
    "loo": ("loo", LeaveOneOut()),
}


def naive_least_squares(K, y, train, test, C):
    """The bordered linear system, written out."""
    n = len(train)
    bordered = np.ones((n + 1, n + 1))
    bordered[:n, :n] = K[np.ix_(train, train)] + np.eye(n) / C
    bordered[n, n] = 0.0
    solved = np.linalg.solve(bordered, np.append(y[train], 0.0))
    return K[np.ix_(test, train)] @ solved[:n] + solved[n]


def naive_loo(K, y, C):
    n = len(y)
    others = [np.delete(np.arange(n), i) for i in range(n)]
    return np.array([naive_least_squares(K, y, others[i], [i], C)[0] for i in range(n)])


# A machine for each left out is the dearest: one for labels and one for values.
@pytest.mark.parametrize(
    ("quality", "splits"),
    [
        (quality, splits)
        for quality in MACHINES
        for splits in SPLITS
        if splits != "loo" or quality in ("soft_margin", "nu_svr")
    ],
)
def test_it_is_the_mean_over_folds_of_cross_val_score(quality, splits, make_stack, target_of):
    problem = make_stack(seed=10, n=24)
    y, (ours, theirs) = target_of(quality, problem), SPLITS[splits]
    machine = MACHINES[quality].set_params(kernel="precomputed", tol=1e-6)
    regression = quality.endswith("svr")
    scoring = "neg_mean_squared_error" if regression else "accuracy"
    scores = cross_val_score(machine, KERNEL(problem.X), y, cv=theirs, scoring=scoring)
    expected = -scores.mean() if regression else 1.0 - scores.mean()
    error = CrossValidationError(quality, C=C, nu=NU, epsilon=EPSILON, cv=ours)
    assert error(KERNEL, problem.X, y) == pytest.approx(expected, rel=1e-9)
    assert expected > 0.01  # a problem on which nobody errs would show nothing


def test_more_classes_are_those_of_svc():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    scores = cross_val_score(SVC(kernel="linear", C=0.01), X, names, cv=4)
    found = CrossValidationError(C=0.01, cv=4)(Linear(), X, names)
    assert found == pytest.approx(1.0 - scores.mean(), rel=1e-9)
    assert found > 0.05


@pytest.mark.parametrize("strength", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize("cv", ["loo", LeaveOneOut()], ids=["loo", "LeaveOneOut"])
def test_the_closed_form_of_leave_one_out_is_refitting(cv, strength, make_stack):
    problem = make_stack(seed=11, n=25)
    K, y = KERNEL(problem.X), problem.target
    refitted = naive_loo(K, y, strength)
    error = CrossValidationError("least_squares", C=strength, cv=cv, loss="squared")
    assert error(KERNEL, problem.X, y) == pytest.approx(np.mean((refitted - y) ** 2), rel=1e-8)
    error = CrossValidationError("least_squares", C=strength, cv=cv, loss="zero_one")
    wrong = np.mean(np.sign(naive_loo(K, problem.y, strength)) != problem.y)
    assert error(KERNEL, problem.X, problem.y) == wrong


def test_leave_one_out_of_three_classes_is_refitting_each_against_the_rest():
    X, y = load_iris(return_X_y=True)
    X, y = X[::3], y[::3]
    K = Gaussian(0.02)(X)
    values = np.column_stack([naive_loo(K, np.where(y == c, 1.0, -1.0), C) for c in range(3)])
    error = CrossValidationError("least_squares", C=C, cv="loo", loss="zero_one")
    found = error(Gaussian(0.02), X, y)
    assert found == np.mean(values.argmax(axis=1) != y)
    assert found > 0.05


@pytest.mark.parametrize("loss", ["squared", "zero_one"])
def test_least_squares_on_folds_is_the_bordered_system(loss, make_stack):
    problem = make_stack(seed=12, n=30)
    K, splits = KERNEL(problem.X), list(ShuffleSplit(3, random_state=0).split(np.zeros(30)))
    y = problem.target if loss == "squared" else problem.y
    fits = [(naive_least_squares(K, y, train, test, C), y[test]) for train, test in splits]
    errors = {
        "squared": [np.mean((f - t) ** 2) for f, t in fits],
        "zero_one": [np.mean(np.sign(f) != t) for f, t in fits],
    }[loss]
    found = CrossValidationError("least_squares", C=C, cv=splits, loss=loss)(KERNEL, problem.X, y)
    assert found == pytest.approx(np.mean(errors), rel=1e-10)


def test_at_most_the_support_vectors_are_wrong_when_left_out(make_stack):
    """Leaving out a point that is no support vector changes nothing (Luntz and Brailovsky)."""
    problem = make_stack(seed=13, n=40)
    machine = SVC(C=100.0, kernel="precomputed", tol=1e-8).fit(KERNEL(problem.X), problem.y)
    assert machine.score(KERNEL(problem.X), problem.y) == 1.0
    found = CrossValidationError(C=100.0, cv="loo")(KERNEL, problem.X, problem.y)
    assert 0 < found <= len(machine.support_) / 40 < 1


@pytest.mark.parametrize(
    "error",
    [
        CrossValidationError(cv="loo"),
        CrossValidationError("least_squares", cv="loo", loss="zero_one"),
    ],
    ids=["soft margin", "least squares"],
)
def test_the_only_member_of_a_class_is_wrong_when_left_out(error):
    """Without it one class is left, and that class is predicted everywhere."""
    X, y = [[-1.0], [-1.1], [-0.9], [9.0]], ["a", "a", "a", "b"]
    assert error(Gaussian(), X, y) == 0.25


def test_the_paper_ideal_kernel_has_no_leave_one_out_error():
    """Example 2: K = yyᵀ matches every point that is left out."""
    y = np.tile([1.0, -1.0], 6)
    for quality, loss in (("soft_margin", None), ("least_squares", "zero_one")):
        error = CrossValidationError(quality, C=10.0, cv="loo", loss=loss)
        assert error(Linear(), y[:, None], y) == 0.0


def test_a_generator_of_splits_is_told_when_it_is_used_up(make_stack):
    problem = make_stack(seed=14, n=20)
    error = CrossValidationError(cv=KFold(2).split(problem.X))
    assert 0 <= error(KERNEL, problem.X, problem.y) <= 1
    with pytest.raises(ValueError, match=r"expected at least one split, got none; .*list\(splits"):
        error(KERNEL, problem.X, problem.y)
