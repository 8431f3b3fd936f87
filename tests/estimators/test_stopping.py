"""Every long fit can be watched, limited and interrupted, and then keeps what it has."""

from __future__ import annotations

import pickle
import warnings
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

import kernlearn as kl
from kernlearn.estimators.inputs.stopping import set_callback
from kernlearn.estimators.least_squares.lssvm import LeastSquaresOptions
from kernlearn.families.parametric import ARDGaussianFamily
from kernlearn.kernels import Gaussian, Linear
from kernlearn.runtime import stopping
from kernlearn.runtime.convergence_warnings import InterruptedWarning
from kernlearn.solvers.first_level.problem import FirstLevelProblem
from kernlearn.solvers.selection.objective import SelectionOptions
from kernlearn.survival import SurvivalOutcome

FEW = {"max_pivots": 8}
LONG = {
    "MKLClassifier": {},
    "MKLRegressor": {"C": 1.0},
    "MKLNoveltyDetector": {},
    "HyperkernelClassifier": FEW,
    "HyperkernelRegressor": FEW,
    "HyperkernelNoveltyDetector": FEW,
    "HyperkernelMetric": {"n_pairs": 60, "random_state": 0},
    "LSSVMClassifier": {"kernel": "ard"},
    "LSSVMRegressor": {"kernel": "ard"},
    "FirstLevelClassifier": {"cv": 2, "tol": 1e-2},
    "FirstLevelRegressor": {"cv": 2, "tol": 1e-2},
    "KernelClassifier": {"candidates": ["linear", "Gaussian"]},
    "KernelRegressor": {"candidates": ["linear", "Gaussian"]},
    "KernelSurvival": {"candidates": ["linear"]},
    "MKLSurvival": {"C": 1.0},
}
# Further ways through the same estimators.
OTHERS = [
    ("MKLClassifier", {"quality": "alignment", "weights": "free"}),
    ("MKLClassifier", {"kernels": [Linear(), Gaussian(0.3)], "weights": "free"}),
    ("HyperkernelMetric", {"n_pairs": 60, "random_state": 0, "combination": "linear"}),
    ("LSSVMClassifier", {"kernel": "ard", "selection": "bayes"}),
    ("LSSVMRegressor", {"kernel": Gaussian(0.5)}),
    (
        "FirstLevelClassifier",
        {"cv": 2, "tol": 1e-1, "options": kl.FirstLevelOptions(strategy="nelder-mead")},
    ),
    ("FirstLevelClassifier", {"lam": 0.1, "mu": 0.1}),
    ("FirstLevelRegressor", {"kernel": "rbf", "cv": 2, "tol": 1e-2}),
]
CASES = [*LONG.items(), *OTHERS]
NAMES = [f"{name} {' '.join(options)}" for name, options in CASES]
OUTPUTS = ("predict", "decision_function", "transform", "score_samples")


@pytest.fixture(autouse=True)
def no_interrupt_before(monkeypatch):
    monkeypatch.setattr(stopping, "_last_caught", -np.inf)


def data(name, n=26):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    value = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=n)
    if name.endswith("Survival"):
        return X, SurvivalOutcome(np.exp(value), np.arange(n) % 4 > 0).structured
    # Three classes, so that several machines share one kernel.
    return X, value if name.endswith("Regressor") else np.digitize(value, [-0.5, 0.5])


def make(name, options, callback=None, **limits):
    model = getattr(kl, name)(**options, **limits)
    set_callback(model, callback)
    return model


@cache
def finished(case):
    """The model of a fit that nobody watched or stopped."""
    name, options = CASES[case]
    return make(name, options).fit(*data(name))


def learned(model):
    return {key: value for key, value in vars(model).items() if key.endswith("_")}


def outputs(model, X):
    found = [getattr(model, name)(X) for name in OUTPUTS if hasattr(model, name)]
    if hasattr(model, "pair_score"):
        found.append(model.pair_score(np.stack([X[:5], X[5:10]], axis=1)))
    return found


def test_graphs_are_fused_until_it_is_time_to_end():
    graphs = [[(i, i + 1) for i in range(9)], [(i, i + 3) for i in range(7)]]
    nodes, y = np.arange(10), [0, 0, 1, 0, 0, 1, 1, 1, 0, 1]
    heard = []
    alone = kl.GraphFusionClassifier(graphs).fit(nodes, y)
    told = kl.GraphFusionClassifier(graphs, callback=heard.append, time_limit=1e6).fit(nodes, y)
    np.testing.assert_array_equal(told.weights_, alone.weights_)
    assert len(heard) == told.n_iter_ > 1
    ends = [ENDS["callback"], ({"time_limit": 1e-9}, *ENDS["limit"][1:])]
    for options, status, cure in ends:
        model = kl.GraphFusionRegressor(graphs, **options)
        with pytest.warns(ConvergenceWarning, match=cure) as told_of:
            model.fit(nodes, y)
        assert told_of[0].filename == __file__
        assert model.status_ is status
        assert model.duality_gap_ > 1e-6
        assert np.isfinite(model.node_values_).all()


def test_every_public_estimator_is_here():
    # Graphs have nodes in place of a table.
    public = [getattr(kl, name) for name in kl.__all__ if not name.startswith("GraphFusion")]
    assert {k.__name__ for k in public if isinstance(k, type) and hasattr(k, "fit")} == set(LONG)
    for name in LONG:
        parameters = make(name, {}, callback=print).get_params()
        assert {"time_limit", "verbose"} <= set(parameters)
        assert {"callback", "options__callback"} & set(parameters)


@pytest.mark.parametrize("case", range(len(CASES)), ids=NAMES)
def test_who_listens_changes_nothing(case):
    name, options = CASES[case]
    X, y = data(name)
    heard = []
    alone = finished(case)
    told = make(name, options, callback=heard.append, time_limit=1e6).fit(X, y)
    rows, _ = data(name)  # a table that is the one learned from is seen as a symmetric matrix
    for one, other in zip(outputs(alone, rows), outputs(told, rows), strict=True):
        np.testing.assert_array_equal(one, other)
    assert alone.status_ is told.status_
    assert alone.n_iter_ == told.n_iter_
    assert [progress.step for progress in heard] == list(range(1, len(heard) + 1))
    assert heard
    for progress in heard:
        assert progress.message
        assert progress.lower_bound is None or progress.lower_bound <= progress.objective
    if hasattr(told, "duality_gap_"):
        assert heard[-1].gap is not None


ENDS = {
    "callback": (
        {"callback": lambda told: True},
        kl.results.Status.STOPPED,
        "let the callback return",
    ),
    "limit": ({"time_limit": 0.5}, kl.results.Status.TIME_LIMIT, "raise time_limit"),
    "interrupt": ({}, kl.results.Status.INTERRUPTED, "press Ctrl-C twice to stop everything"),
}


def interrupted(_):
    raise KeyboardInterrupt


@pytest.mark.parametrize("case", range(len(CASES)), ids=NAMES)
def test_an_early_end_keeps_what_there_is(case, monkeypatch):
    name, options = CASES[case]
    end = list(ENDS)[case % 3]  # in turn
    X, y = data(name)
    limits, status, cure = ENDS[end]
    whole = finished(case)
    if end == "limit":
        ticks = iter(range(10**6))
        monkeypatch.setattr(stopping, "_now", lambda: float(next(ticks)))
    if end == "interrupt":
        limits = {"callback": interrupted}
    model = make(name, options, **limits)
    with pytest.warns(ConvergenceWarning, match=f"{name} .*{cure}") as told:
        model.fit(X, y)
    assert len(told) == 1
    assert told[0].filename == __file__
    assert (told[0].category is InterruptedWarning) == (end == "interrupt")
    assert model.status_ in (status, status.at_chance)
    assert not model.status_.has_converged
    # All that a fit stores, of the same shapes.
    assert learned(model).keys() == learned(whole).keys()
    for one, other in zip(outputs(model, X), outputs(whole, X), strict=True):
        assert one.shape == other.shape
        if one.dtype.kind == "f":
            assert np.isfinite(one).all()
    if hasattr(model, "duality_gap_"):
        slack = 1e-9 * abs(whole.objective_)
        assert model.lower_bound_ - slack <= whole.objective_ <= model.objective_ + slack
        assert f"{model.duality_gap_:.1e}, expected 1.0e-06" in str(told[0].message)


@pytest.mark.parametrize(
    ("name", "steps"), [("LSSVMClassifier", 1), ("LSSVMRegressor", 7), ("LSSVMClassifier", 60)]
)
def test_a_stopped_selection_keeps_its_lowest_point(name, steps):
    X, y = data(name)
    heard = []

    def enough(told):
        heard.append(told)
        return told.step == steps

    with pytest.warns(ConvergenceWarning):
        model = make(name, {"kernel": "ard"}, callback=enough).fit(X, y)
    lowest = min(told.objective for told in heard)
    assert np.log(model.objective_) == pytest.approx(lowest, abs=1e-9)
    again = make(name, {"kernel": "ard"}, selection=None, lam=model.lam_, theta=model.theta_)
    again.fit(X, y)
    np.testing.assert_allclose(model.dual_coef_, again.dual_coef_, rtol=1e-9, atol=1e-12)
    assert model.loo_loss_ == pytest.approx(again.loo_loss_)


def test_a_selection_stopped_on_a_sample_is_trained_on_all_rows():
    X, y = data("LSSVMRegressor")
    model = kl.LSSVMRegressor("ard", callback=lambda told: told.step == 5)
    model._options = LeastSquaresOptions(selection=SelectionOptions(grid_rows=12))
    with pytest.warns(ConvergenceWarning, match="stopped by the callback"):
        model.fit(X, y)
    again = kl.LSSVMRegressor("ard", None, model.lam_, model.theta_).fit(X, y)
    np.testing.assert_allclose(model.predict(X), again.predict(X), rtol=1e-9)
    assert len(model.support_) == len(X)


@pytest.mark.parametrize(
    ("combination", "C"), [("conic", 1e-3), ("linear", 10.0), ("conic", 1e4), ("linear", 1e-3)]
)
def test_a_metric_stopped_at_once_has_a_kernel_all_the_same(combination, C):
    """Also where its bound is worse than that of no kernel at all."""
    X, y = data("HyperkernelMetric", n=20)
    with pytest.warns(ConvergenceWarning, match="stopped by the callback"):
        model = kl.HyperkernelMetric(None, combination, C, callback=lambda told: True).fit(X, y > 0)
    assert model.n_iter_ == 1
    assert np.ptp(model.pair_score(np.stack([X[:10], X[10:]], axis=1))) > 0


def solves_equation_3(model, X, Y):
    """(K + λI)α + b = y and 1ᵀα = 0, with the kernel, λ and α as they are stored."""
    K = model.kernel_(X)
    for alpha, b, y in zip(model.dual_coef_, model.intercept_, Y.T, strict=True):
        np.testing.assert_allclose(K @ alpha + model.lam_ * alpha + b, y, atol=1e-7)
        assert abs(alpha.sum()) < 1e-9


@pytest.mark.parametrize(
    ("steps", "strategy"), [(1, "gradient"), (2, "nelder-mead"), (9, "gradient")]
)
def test_a_stopped_search_takes_the_best_place_so_far(steps, strategy):
    X, y = data("FirstLevelRegressor")
    heard = []

    def enough(told):
        heard.append(told)
        return told.step == steps

    with pytest.warns(ConvergenceWarning):
        model = kl.FirstLevelRegressor(
            cv=2, callback=enough, options=kl.FirstLevelOptions(strategy=strategy)
        ).fit(X, y)
    assert model.n_evaluations_ == steps
    assert model.n_iter_ == 1  # the machine on all data is the first that could be trained
    assert model.cv_loss_ == heard[-1].objective
    place = next(told for told in heard if told.objective == model.cv_loss_)
    assert f"lam {model.lam_:.3g}, mu {model.mu_:.3g}" in place.message
    solves_equation_3(model, X, y[:, None])
    square = 0.5 * model.mu_ * model.theta_ @ model.theta_
    alpha = model.dual_coef_[0]
    assert model.objective_ == pytest.approx(0.5 * model.lam_ * alpha @ y + square)


def test_the_limit_is_looked_at_within_a_fold(monkeypatch):
    """Before the first place is known at all: λ, μ and θ are where the search starts."""
    X, y = data("FirstLevelClassifier")
    ticks = iter(range(10**6))
    monkeypatch.setattr(stopping, "_now", lambda: float(next(ticks)))
    with pytest.warns(ConvergenceWarning, match="at the time limit"):
        model = kl.FirstLevelClassifier(cv=2, time_limit=3.5).fit(X, y)
    assert model.n_evaluations_ == 0
    assert model.cv_loss_ is None
    start = ARDGaussianFamily().start(X)
    np.testing.assert_allclose(model.theta_ / model.theta_[0], start / start[0])
    solves_equation_3(model, X, np.where(y[:, None] == model.classes_, 1.0, -1.0))


def test_an_interrupt_within_a_fold_is_caught_too(monkeypatch):
    X, y = data("FirstLevelRegressor")
    trained = []
    at = FirstLevelProblem.at

    def counted(self, theta, lam, mu, near=None):
        trained.append(len(self.X))
        if len(trained) == 12:
            raise KeyboardInterrupt
        return at(self, theta, lam, mu, near)

    monkeypatch.setattr(FirstLevelProblem, "at", counted)
    with pytest.warns(InterruptedWarning):
        model = kl.FirstLevelRegressor(cv=2).fit(X, y)
    assert trained[11] == 13
    # After the interrupt one machine, on all rows.
    assert trained[12:] == [26]
    solves_equation_3(model, X, y[:, None])


@pytest.mark.parametrize("name", ["LSSVMRegressor", "FirstLevelRegressor", "HyperkernelMetric"])
def test_what_a_callback_raises_passes_through(name):
    X, y = data(name)
    error = ValueError("mine")

    def broken(_):
        raise error

    with pytest.raises(ValueError) as caught:
        make(name, LONG[name], callback=broken).fit(X, y)
    assert caught.value is error


@pytest.mark.parametrize("name", LONG)
def test_refused_parameters(name, refused):
    X, y = data(name)
    text = refused(make(name, LONG[name], time_limit=0), X, y)
    assert "expected time_limit to be a positive number of seconds, or None for no limit" in text
    text = refused(make(name, LONG[name], callback="print"), X, y)
    assert "expected callback to be a function of one argument, or None, got 'print'" in text


def test_clones_and_files(tmp_path):
    X, y = data("MKLClassifier")
    model = kl.MKLClassifier(options=kl.MKLOptions(callback=print), time_limit=3600.0)
    assert clone(model).get_params()["options__callback"] is print
    assert kl.MKLClassifier().set_params(options__callback=print, time_limit=1.0).time_limit == 1.0
    heard = []
    model = kl.MKLClassifier(options=kl.MKLOptions(callback=lambda told: heard.append(told))).fit(
        X, y
    )
    # A function has no safe form: the file has none, and the model keeps its own.
    kl.save(model, tmp_path / "m")
    read = kl.load(tmp_path / "m")
    assert read.options.callback is None
    assert model.options.callback is not None
    np.testing.assert_array_equal(read.decision_function(X), model.decision_function(X))
    whole = pickle.loads(pickle.dumps(clone(model).set_params(options__callback=print)))
    assert whole.options.callback is print


def test_a_search_goes_on_after_one_interrupt_and_ends_after_two(monkeypatch):
    X, y = data("MKLClassifier")
    y = (y > 0).astype(int)
    now, fits = [100.0], []
    monkeypatch.setattr(stopping, "_now", lambda: now[0])

    def pressed(told):
        if told.step == 1:
            fits.append(now[0])
            raise KeyboardInterrupt

    grid = GridSearchCV(
        kl.MKLClassifier(options=kl.MKLOptions(callback=pressed)), {"C": [0.1, 1.0, 10.0]}, cv=2
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InterruptedWarning)
        with pytest.raises(KeyboardInterrupt):
            grid.fit(X, y)
        assert len(fits) == 2

        def pressed_slowly(told):
            now[0] += 60.0
            pressed(told)

        fits.clear()
        grid.set_params(estimator__options__callback=pressed_slowly).fit(X, y)
    assert len(fits) == 3 * 2 + 1
    assert grid.best_estimator_.status_ is kl.results.Status.INTERRUPTED
