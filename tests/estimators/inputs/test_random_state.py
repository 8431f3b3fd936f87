"""The parameter random_state means one thing in all estimators, and is looked at once a fit."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.estimators.inputs.ownership import draw_seed
from kernlearn.kernels import Gaussian

# What is chosen among is tested elsewhere.
pytestmark = pytest.mark.usefixtures("quick_choices")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(230, 3))
VALUES = np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.1 * RNG.normal(size=230)
LABELS = VALUES > 0

MAKERS = {
    "folds for C": lambda state: kl.MKLClassifier([Gaussian(0.5)], C="auto", random_state=state),
    "bank": lambda state: kl.MKLRegressor(
        quality="least_squares", C=1.0, rank=8, random_state=state
    ),
    "landmarks": lambda state: kl.MKLRegressor(
        [Gaussian(0.5), Gaussian(5.0)], quality="least_squares", rank=8, random_state=state
    ),
    "novelty": lambda state: kl.MKLNoveltyDetector([Gaussian(0.5)], rank=8, random_state=state),
    "pivots": lambda state: kl.HyperkernelRegressor(n_pairs=80, max_pivots=8, random_state=state),
    "pairs": lambda state: kl.HyperkernelMetric(n_pairs=40, random_state=state),
    "folds": lambda state: kl.LSSVMClassifier(lam=0.1, selection="cv", cv=3, random_state=state),
    "folds for mu": lambda state: kl.FirstLevelRegressor(cv=2, tol=0.1, random_state=state),
    "candidates": lambda state: kl.KernelRegressor(["sparse linear"], random_state=state),
}
SMALL = ("folds for C", "folds", "pivots", "pairs", "folds for mu")  # of 200 rows on, samples


def answers(name, state):
    few = slice(40 if name in SMALL else 230)
    y = LABELS if name in ("folds for C", "pairs", "folds") else VALUES
    model = MAKERS[name](state).fit(X[few], y[few])
    told = getattr(model, "decision_function", None) or getattr(model, "predict", None)
    values = model.transform(X[:5]) if told is None else told(X[:5])
    return np.concatenate([np.ravel(values), np.ravel(getattr(model, "loss_by_C_", 0.0))])


@pytest.mark.parametrize("name", MAKERS)
def test_one_seed_is_drawn_for_a_fit_whatever_the_source(name):
    seed = draw_seed(np.random.RandomState(3))
    np.random.seed(3)  # noqa: NPY002
    before = np.random.get_state()  # noqa: NPY002
    expected = answers(name, seed)
    assert all(map(np.array_equal, before, np.random.get_state()))  # noqa: NPY002
    generator, alike = np.random.RandomState(3), np.random.RandomState(3)
    np.testing.assert_array_equal(answers(name, generator), expected)
    alike.randint(np.iinfo(np.int32).max)
    assert generator.rand() == alike.rand()  # one draw: the next fit has another seed
    np.testing.assert_array_equal(answers(name, None), expected)


def test_every_C_is_judged_on_the_same_folds():
    model = MAKERS["folds for C"](np.random.RandomState(0)).fit(X[:60], LABELS[:60])
    signs = list(model._signs(LABELS[:60]).T)
    seen = [model._hold_out_rule().folds(signs) for _ in range(3)]
    assert all(np.array_equal(a, b) for folds in seen for a, b in zip(folds, seen[0], strict=True))


def test_the_default_is_the_same_everywhere():
    kinds = [each for name in kl.__all__ if hasattr(each := getattr(kl, name), "fit")]
    defaults = {
        kind.__name__: inspect.signature(kind).parameters["random_state"].default
        for kind in kinds
        if "random_state" in inspect.signature(kind).parameters
    }
    assert len(defaults) >= 10
    assert set(defaults.values()) == {0}


@pytest.mark.parametrize("state", ["0", -1, 2**32, 1.5, np.random.default_rng(0)])
def test_anything_else_is_refused(state):
    with pytest.raises(ValueError, match=r"expected random_state to be an integer .* or None, got"):
        kl.LSSVMRegressor(random_state=state).fit(X, VALUES)
