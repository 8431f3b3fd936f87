"""Classifiers fitted together are those fitted one by one."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from kernlearn import FirstLevelClassifier, LSSVMClassifier
from kernlearn._device import Place
from kernlearn.estimators.least_squares.batch_fit import fit_together
from kernlearn.runtime.threads import n_threads
from kernlearn.solvers.optimize.batches import Stacks

MODELS = {
    "first level": lambda i: FirstLevelClassifier(cv=2, tol=0.1, random_state=i),
    "loo": lambda i: LSSVMClassifier("ard", tol=0.1),
    "cv": lambda i: LSSVMClassifier("rbf", "cv", cv=3, tol=1e-3, random_state=i),
}
NAMES = ["theta_", "lam_", "dual_coef_", "calibration_", "loo_predictions_"]


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Place:
    """Where models are fitted that do not say where."""
    place = Place("array_api_strict", "cpu")
    monkeypatch.setattr("kernlearn.estimators.inputs.device_parameter.place_of", lambda *_: place)
    return place


def make_tables(rng: np.random.Generator) -> tuple[list[Any], list[Any]]:
    tables = [rng.standard_normal((20 + i, 2)) for i in range(2)]
    targets = [
        np.where(X[:, 0] + 0.5 * rng.standard_normal(len(X)) > 0, "yes", "no") for X in tables
    ]
    # Three classes are three machines with one kernel.
    targets[1][:7] = "perhaps"
    return tables, targets


@pytest.mark.parametrize(
    ("kind", "device"), [("loo", None), *((kind, "array_api_strict:cpu") for kind in MODELS)]
)
def test_each_model_is_the_one_that_fit_makes(
    kind: str, device: str | None, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if device is not None:
        request.getfixturevalue("place")
    tables, targets = make_tables(np.random.default_rng(0))
    models = [MODELS[kind](i) for i in range(2)]
    fit_together(models, tables, targets)
    monkeypatch.undo()
    for i, (model, X, y) in enumerate(zip(models, tables, targets, strict=True)):
        alone = MODELS[kind](i).fit(X, y)
        assert model.device_ == ("cpu" if device is None else device)
        assert model.status_ is alone.status_
        assert model.n_evaluations_ == alone.n_evaluations_
        np.testing.assert_array_equal(model.classes_, alone.classes_)
        for name in [*NAMES, "mu_"] if kind == "first level" else NAMES:
            np.testing.assert_allclose(
                getattr(model, name), getattr(alone, name), rtol=1e-5, atol=1e-8, err_msg=name
            )
        np.testing.assert_array_equal(model.predict(X), alone.predict(X))


@pytest.mark.parametrize("kind", ["first level", "cv"])
def test_what_all_ask_for_next_is_one_batch(
    kind: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    answer = Stacks.__call__

    def counted(self: Any, questions: Any) -> Any:
        sizes.append(len(questions))
        return answer(self, questions)

    monkeypatch.setattr(Stacks, "__call__", counted)
    tables, targets = make_tables(np.random.default_rng(1))
    models = [MODELS[kind](i) for i in range(2)]
    fit_together(models[:1], tables[:1], targets[:1])
    alone, sizes[:] = list(sizes), []
    fit_together(models, tables, targets)
    assert sizes[0] == 2 * alone[0]


def test_threads_are_left_as_they_were(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    tables, targets = make_tables(np.random.default_rng(2))
    models = [MODELS["loo"](i) for i in range(2)]
    seen: list[int] = []
    answer = Stacks.__call__

    def noted(self: Any, questions: Any) -> Any:
        seen.append(n_threads())
        return answer(self, questions)

    monkeypatch.setattr(Stacks, "__call__", noted)
    with threadpool_limits(2, user_api="blas"):
        before = n_threads()
        fit_together(models, tables, targets)
        assert n_threads() == before
    assert set(seen) == {1}


def test_what_stops_one_fit_stops_all(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stacks, "__call__", interrupted)
    tables, targets = make_tables(np.random.default_rng(3))
    threads = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        fit_together([LSSVMClassifier(), LSSVMClassifier()], tables, targets)
    assert threading.active_count() == threads


def interrupted(self: Any, questions: Any) -> Any:
    raise KeyboardInterrupt


def test_a_target_that_does_not_fit_is_refused() -> None:
    X = np.ones((4, 1))
    with pytest.raises(ValueError, match="class"):
        fit_together([FirstLevelClassifier()], [X], [["a"] * 4])
