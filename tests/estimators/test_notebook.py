"""In a notebook: scikit-learn's diagram, unchanged, and the learned kernel below it."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr

import kernlearn as kl
from kernlearn.formulas.notebook_html import formula_html, precision_html
from kernlearn.hyperkernels import Harmonic
from kernlearn.kernels import Gaussian, Kernel, Linear
from kernlearn.survival import SurvivalOutcome

ESTIMATORS = [
    kl.MKLClassifier(),
    kl.MKLRegressor(),
    kl.MKLNoveltyDetector(),
    kl.MKLSurvival(),
    kl.HyperkernelClassifier(),
    kl.HyperkernelClassifier(Harmonic()),
    kl.HyperkernelRegressor(),
    kl.HyperkernelNoveltyDetector(),
    kl.LSSVMClassifier(),
    kl.LSSVMRegressor(),
    kl.FirstLevelClassifier(lam=1.0, mu=1.0),
    kl.FirstLevelRegressor(lam=1.0, mu=1.0),
    kl.HyperkernelMetric(n_pairs=60, random_state=0),
]


def _without_numbers(html):
    """Diagrams are numbered in the order in which they are made."""
    return re.sub(r"sk-(container|estimator)-id-\d+", "", html)


def _below(model):
    """What is shown below scikit-learn's diagram, which must be the same."""
    shown, diagram = map(_without_numbers, (model._repr_html_(), estimator_html_repr(model)))
    assert shown.startswith(diagram)
    return shown.removeprefix(diagram)


def test_every_estimator_is_tried():
    public = {getattr(kl, name) for name in kl.__all__ if hasattr(getattr(kl, name), "fit")}
    # A mixture of machines has no one kernel to be written down; a sum of precisions is no kernel.
    public -= {kl.KernelClassifier, kl.KernelRegressor, kl.KernelSurvival}
    public -= {kl.GraphFusionClassifier, kl.GraphFusionRegressor}
    assert {type(model) for model in ESTIMATORS} == {c for c in public if inspect.isclass(c)}


@pytest.mark.parametrize("model", ESTIMATORS, ids=lambda model: type(model).__name__)
def test_a_fitted_estimator_shows_its_kernel(model, problem):
    assert _below(model) == ""
    name = type(model).__name__
    target = problem.target if "Regressor" in name else problem.y
    if name == "MKLSurvival":
        target = SurvivalOutcome(np.exp(problem.target), problem.y == 1).structured
    fitted = clone(model).fit(problem.X, target)
    line = _below(fitted)
    assert line == formula_html(fitted.kernel_)
    assert "Learned kernel: <span" in line


@pytest.fixture
def fitted(problem):
    return kl.MKLClassifier([Linear(), Gaussian(gamma=0.5)]).fit(problem.X, problem.y)


def test_both_ways_to_a_notebook_show_the_same(fitted):
    bundle = fitted._repr_mimebundle_()
    assert _without_numbers(bundle["text/html"]) == _without_numbers(fitted._repr_html_())
    assert bundle["text/plain"] == repr(fitted)


def test_who_asks_for_text_gets_text(fitted):
    with config_context(display="text"):
        assert not hasattr(fitted, "_repr_html_")
        assert fitted._repr_mimebundle_() == {"text/plain": repr(fitted)}


def test_a_combination_that_is_no_kernel_shows_none(problem):
    model = kl.HyperkernelMetric(combination="linear", n_pairs=60, random_state=0)
    assert _below(model.fit(problem.X, problem.y)) == ""


def test_within_other_estimators_theirs_is_shown(problem):
    pipeline = make_pipeline(StandardScaler(), kl.MKLClassifier([Linear()]))
    for outer in (pipeline, GridSearchCV(kl.LSSVMClassifier(kernel=Linear()), {"lam": [0.1, 1.0]})):
        html = outer.fit(problem.X, problem.y)._repr_html_()
        assert type(outer).__name__ in html
        assert "kernlearn-formula" not in html


def test_nothing_is_evaluated(fitted, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a picture of the estimator evaluated its kernel")

    line = formula_html(fitted.kernel_)
    monkeypatch.setattr(Kernel, "__call__", refuse)
    monkeypatch.setattr(Kernel, "diag", refuse)
    assert _below(fitted) == line


def test_a_kernel_that_cannot_describe_itself_does_not_hide_its_estimator(fitted):
    class Silent(Gaussian):
        @property
        def gamma(self):
            raise RuntimeError("no words")

        @gamma.setter
        def gamma(self, value):
            pass

    fitted.kernel_ = Silent()
    assert _below(fitted) == ""


def test_a_fusion_of_graphs_shows_its_precision():
    model = kl.GraphFusionClassifier([[(0, 1), (1, 2), (2, 3)]], normalized=False)
    assert _below(model) == ""
    model.fit([0, 1, 2, 3], ["a", "a", "b", "b"])
    assert _below(model) == precision_html(model.weights_, 0.1)
