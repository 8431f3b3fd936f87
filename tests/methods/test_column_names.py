"""Kernels on prepared columns call them by the names of the user's table."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

import kernlearn as kl
from kernlearn.inspection import kernel_label
from kernlearn.kernels import ARDGaussian, Columns, Gaussian
from kernlearn.methods.description import name_columns
from kernlearn.methods.preparation import preparation
from kernlearn.tables import describe_columns


def test_columns_have_names_wherever_they_stand_in_a_kernel():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 3)), columns=["month", "day", "x"])
    X["carrier"] = np.array(["UA", "AA"])[rng.integers(2, size=40)]
    y = rng.integers(2, size=40)
    pair = Columns([0, 1], ARDGaussian([64.0, 64.0]))
    kernels = [
        pair,
        pair * Gaussian(0.1),
        Columns([3], Gaussian(1.0)),
        Columns([2], Gaussian(), "z"),
    ]
    steps = [
        ("prepare", preparation(describe_columns(X, list(X.columns)))),
        ("estimator", kl.MKLClassifier(kernels, C=1.0)),
    ]
    model = Pipeline(steps).fit(X, y)
    before = model.predict(X)
    name_columns(model)
    assert kernels[0].name is None  # those that were given are left alone
    model[-1].kernels = None
    name_columns(model)
    assert [kernel_label(kernel) for kernel in model[-1].kernels_] == [
        "month and day: Gaussian, γ = 64",
        "(month and day: Gaussian, γ = 64) × (Gaussian, γ = 0.1)",
        "carrier_AA: Gaussian, γ = 1",
        "z: Gaussian, γ = 1",
    ]
    np.testing.assert_array_equal(model.predict(X), before)
    name_columns(Pipeline([("only", model[-1])]))  # without prepared columns there are no names
