"""Options of combinations: one object that scikit-learn can clone, search and print."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernlearn as kl
from kernlearn.kernels import Columns, Gaussian, Linear, Precomputed

KERNELS = [Linear(), Gaussian(0.1)]
OPTIONS = {"MKL": kl.MKLOptions, "Hyperkernel": kl.HyperkernelOptions}
ALL = [getattr(kl, name) for name in kl.__all__ if hasattr(getattr(kl, name), "fit")]
KINDS = [
    getattr(kl, family + what)
    for family in OPTIONS
    for what in ("Classifier", "Regressor", "NoveltyDetector")
]


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_constructors_have_at_most_sixteen_parameters(kind):
    parameters = inspect.signature(kind).parameters
    assert len(parameters) <= 16
    assert [*parameters][-1] == "options" or "options" not in parameters


def test_a_parameter_has_one_default_unless_its_meaning_differs():
    """The docstrings of both say why where it does."""
    found = {}
    for kind in [*KINDS, *OPTIONS.values()]:
        for name, parameter in inspect.signature(kind).parameters.items():
            found.setdefault(name, set()).add((kind.__name__, parameter.default))
    several = {name for name, used in found.items() if len({d for _, d in used}) > 1}
    # C of a box in units of y, and of the paper; normalize and nu of novelties.
    assert several == {"C", "quality", "normalize", "nu"}
    assert {default for kind, default in found["nu"] if "Novelty" not in kind} == {0.3}
    assert {default for kind, default in found["nu"] if "Novelty" in kind} == {0.1}


@pytest.mark.parametrize(
    "kind", [*OPTIONS.values(), kl.FirstLevelOptions], ids=lambda kind: kind.__name__
)
def test_every_option_is_keyword_only_and_documented(kind):
    parameters = inspect.signature(kind).parameters.values()
    assert {p.kind for p in parameters} == {inspect.Parameter.KEYWORD_ONLY}
    documented = re.findall(r"^(\w+) :", inspect.getdoc(kind), re.MULTILINE)
    assert documented == [p.name for p in parameters]


def test_options_are_cloned_and_have_names(problem):
    model = kl.MKLClassifier(options=kl.MKLOptions(total=3.0))
    assert model.get_params()["options__total"] == 3.0
    copy = clone(model)
    assert copy.options is not model.options
    assert repr(copy) == "MKLClassifier(options=MKLOptions(total=3.0))"
    assert copy.fit(problem.X, problem.y).options.total == 3.0


def test_options_that_were_passed_are_not_changed():
    given = kl.MKLOptions(center=True)
    model = kl.MKLClassifier(options=given).set_params(options__total=2.0, C=3.0)
    assert given.total is None
    assert (model.options.center, model.options.total, model.C) == (True, 2.0, 3.0)
    model = kl.MKLClassifier().set_params(options=given, options__total=5.0)
    assert (model.options.center, model.options.total, given.total) == (True, 5.0, None)


def test_a_search_knows_options_where_none_were_given(problem):
    pipeline = make_pipeline(StandardScaler(), kl.MKLClassifier(KERNELS))
    name = "mklclassifier__options__total"
    search = GridSearchCV(pipeline, {name: [1.0, 40.0]}, cv=2).fit(problem.X, problem.y)
    assert search.best_estimator_[-1].options.total == search.best_params_[name]
    with pytest.raises(ValueError, match="Invalid parameter 'totl'"):
        kl.MKLClassifier().set_params(options__totl=1.0)


@pytest.mark.parametrize(
    ("kind", "wrong", "right"),
    [
        (kl.MKLClassifier, {"total": 1.0}, "MKLOptions"),
        (kl.MKLRegressor, kl.HyperkernelOptions(), "MKLOptions"),
        (kl.HyperkernelClassifier, kl.MKLOptions(), "HyperkernelOptions"),
        (kl.FirstLevelClassifier, kl.MKLOptions(), "FirstLevelOptions"),
    ],
)
def test_other_options_are_refused(kind, wrong, right, refused, problem):
    text = refused(kind(options=wrong), problem.X, problem.y)
    assert f"expected options to be None or {right}(...), got" in text
    example = 'starts="one"' if "First" in right else "total=1.0"
    assert f"pass for example options={right}({example})" in text


def test_an_error_that_names_an_option_says_where_it_is(problem):
    K = -np.eye(len(problem.X))
    rows = np.arange(len(K))[:, None]
    with pytest.raises(ValueError, match="psd=") as caught:
        kl.MKLClassifier([Precomputed(K)]).fit(rows, problem.y)
    assert caught.value.__notes__ == ["psd is an option: options=MKLOptions(psd=...)"]
    wrong = kl.FirstLevelRegressor(options=kl.FirstLevelOptions(refit="all"))
    with pytest.raises(ValueError, match="refit to be one of") as caught:
        wrong.fit(problem.X, problem.y)
    assert caught.value.__notes__ == ["refit is an option: options=FirstLevelOptions(refit=...)"]
    with pytest.warns(UserWarning, match=r"raise max_iter or tol.* \(see MKLOptions\)"):
        kl.MKLClassifier(options=kl.MKLOptions(max_iter=1)).fit(problem.X, problem.y)


def test_a_file_keeps_options(problem, tmp_path):
    pytest.importorskip("skops")
    options = kl.MKLOptions(center=True, callback=print)
    model = kl.MKLClassifier(KERNELS, options=options)
    with np.errstate(all="ignore"):
        model.fit(problem.X, problem.y)
    kl.save(model, tmp_path / "model")
    read = kl.load(tmp_path / "model")
    assert read.options.get_params() == {**options.get_params(), "callback": None}
    assert options.callback is print
    np.testing.assert_array_equal(read.predict(problem.X_new), model.predict(problem.X_new))


def test_a_detector_shares_what_it_is_told_to(problem, refused):
    views = [Columns([0], Gaussian(1.0)), Columns([1], Gaussian(0.01))]
    even = kl.MKLNoveltyDetector(views, options=kl.MKLOptions(equal_share=1.0)).fit(problem.X)
    np.testing.assert_allclose(even.weights_, 0.5)
    assert even.equal_share_ == 1.0
    assert kl.MKLNoveltyDetector().fit([problem.X[:, :1], problem.X[:, 1:]]).equal_share_ == 0.0
    text = refused(kl.MKLNoveltyDetector(options=kl.MKLOptions(equal_share="auto")), problem.X)
    assert (
        "expected equal_share to be a number from 0 to 1 for MKLNoveltyDetector, got 'auto'" in text
    )
