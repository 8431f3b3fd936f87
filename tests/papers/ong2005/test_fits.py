"""Fits of the hyperkernel machines, and what is said of them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from kernlearn import HyperkernelClassifier, HyperkernelRegressor
from kernlearn.datasets import make_two_scales
from kernlearn.estimators.hyperkernel import hyperkernel as hyperkernel_module
from kernlearn.papers.ong2005.protocol import (
    classify_split,
    draw_split,
    fit_and_measure,
    fit_notes,
    machine_settings,
    parameters_note,
)


def test_a_split_gives_the_errors_of_the_estimators() -> None:
    data = make_two_scales(50, random_state=0)
    found = classify_split(data, 2, seed=1)
    split = draw_split(data, 2, seed=1)
    qualities = {"C-SVM": "soft_margin", "ν-SVM": "nu_svm", "Lag-SVM": "lagrangian"}
    assert list(found) == list(qualities)
    for machine, quality in qualities.items():
        model = HyperkernelClassifier(quality=quality, gamma_factor=1.0).fit(
            split.X_train, split.y_train
        )
        wrong = 1 - model.score(split.X_test, split.y_test)
        numbers = found[machine]
        assert numbers["error"] == pytest.approx(100 * wrong)
        assert numbers["n_pivots"] == len(model.pivots_)
        assert 1 <= numbers["n_weighted"] <= numbers["n_pivots"]
        assert numbers["n_machine_solves"] == model.n_machine_solves_
        assert 0 <= numbers["gap"] <= 1e-6
        assert numbers["status"] == "OPTIMAL"
        assert numbers["seconds"] > 0
    json.dumps(found, allow_nan=False)  # as the file of results will


def test_pivots_with_weight_are_counted_and_a_missing_gap_is_none() -> None:
    class Model:
        duality_gap_ = np.inf
        n_machine_solves_ = 3
        status_ = HyperkernelClassifier(max_pivots=2).fit([[0.0], [1.0]], [0, 1]).status_
        weights_ = np.array([0.5, 0.0, 0.5, 1e-9])

        def fit(self, X: object, y: object) -> None:
            pass

    numbers = fit_and_measure(Model(), draw_split(make_two_scales(10, random_state=0), 0, 0))
    assert (numbers["n_pivots"], numbers["n_weighted"], numbers["gap"]) == (4, 2, None)


def test_the_notes_add_up() -> None:
    def fit(seconds: float, n_weighted: int, gap: float, status: str = "OPTIMAL") -> dict:
        return {
            "seconds": seconds, "n_weighted": n_weighted, "n_pivots": 10 * n_weighted, "gap": gap,
            "n_machine_solves": 2 * n_weighted, "status": status,
        }  # fmt: skip

    gaps, seconds, sparse = fit_notes(
        {
            "a": [fit(1.0, 1, 1e-8), fit(2.5, 1, 3e-7), fit(0.0, 4, None, "INACCURATE")],
            "b": [fit(0.25, 2, 1e-9)],
        }
    )
    assert "gap of 4 fits: 3.0e-07; 1 of them stopped" in gaps
    assert "a 3.5, b 0.2" in seconds
    assert "a 4.0, b 4.0" in seconds
    assert "a in 2 of 3 fits, b in 0 of 1 fits; there were 10 to 40 pivots" in sparse


def test_the_parameters_said_are_the_ones_used() -> None:
    """The rule of the widths is prose; the numbers in it are the estimators'."""
    assert (hyperkernel_module.WIDTH, hyperkernel_module.QUANTILE) == (50.0, 0.9)
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    q = np.quantile([1, 3, 7, 2, 6, 4], 0.9)
    model = HyperkernelClassifier(gamma_factor=1.0).fit(X, [0, 0, 1, 1])
    np.testing.assert_allclose(model.hyperkernel_.gammas, [1 / (50 * q**2)])
    for estimator in (HyperkernelClassifier(), HyperkernelRegressor()):
        text = parameters_note(estimator)
        for part in ("1/(50 q_j²)", "90 %", "λ_h = 0.6", "λ_Q = 1", "C = 100", "ν = 0.3"):
            assert part in text
    assert "at most 7." in parameters_note(HyperkernelClassifier(max_pivots=7))


def test_settings_tell_the_machines_apart_and_are_json() -> None:
    settings = json.loads(json.dumps(machine_settings()))
    assert [settings[m]["quality"] for m in settings] == ["soft_margin", "nu_svm", "lagrangian"]
    assert settings["C-SVM"]["C"] == 100
