"""Classifiers fitted together are those fitted one by one."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn import FirstLevelClassifier
from kernlearn._device import Place
from kernlearn.estimators._together import fit_together


@pytest.mark.parametrize("device", [None, "array_api_strict"])
def test_each_model_is_the_one_that_fit_makes(
    device: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if device is not None:
        place = Place(device, "cpu")
        monkeypatch.setattr("kernlearn.estimators._on_device.place_of", lambda *_: place)
    rng = np.random.default_rng(0)
    tables = [rng.standard_normal((20 + i, 2)) for i in range(2)]
    targets = [
        np.where(X[:, 0] + 0.5 * rng.standard_normal(len(X)) > 0, "yes", "no") for X in tables
    ]
    # Three classes are three machines with one kernel.
    targets[1][:7] = "perhaps"
    models = [FirstLevelClassifier(cv=2, tol=0.1, random_state=i) for i in range(2)]
    fit_together(models, tables, targets)
    monkeypatch.undo()
    for i, (model, X, y) in enumerate(zip(models, tables, targets, strict=True)):
        alone = FirstLevelClassifier(cv=2, tol=0.1, random_state=i).fit(X, y)
        assert model.device_ == ("cpu" if device is None else "array_api_strict:cpu")
        assert model.status_ is alone.status_
        assert model.n_evaluations_ == alone.n_evaluations_
        np.testing.assert_array_equal(model.classes_, alone.classes_)
        for name in ("theta_", "lam_", "mu_", "dual_coef_", "calibration_", "loo_predictions_"):
            np.testing.assert_allclose(
                getattr(model, name), getattr(alone, name), rtol=1e-5, atol=1e-8, err_msg=name
            )
        np.testing.assert_array_equal(model.predict(X), alone.predict(X))


def test_a_target_that_does_not_fit_is_refused() -> None:
    X = np.ones((4, 1))
    with pytest.raises(ValueError, match="class"):
        fit_together([FirstLevelClassifier()], [X], [["a"] * 4])
