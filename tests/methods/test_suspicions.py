"""Columns that make a score too good to be true."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_wine

from kernlearn.methods.suspicions import repeated_identities


def patients(seed=0):
    rng = np.random.default_rng(seed)
    number = rng.permutation(np.repeat(rng.permutation(np.arange(120)), 6))
    labels = np.array(["ill", "well"])[rng.integers(2, size=120)]
    frame = pd.DataFrame({"number": number, "name": [f"P{i:03d}" for i in number]})
    frame["age"] = rng.integers(20, 80, size=720)
    return frame, labels[number], rng.normal(size=120)[number]


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_an_identity_that_repeats_is_named(task):
    frame, labels, numbers = patients()
    y = labels if task == "classification" else numbers + 0.1 * np.arange(720) / 720
    said = repeated_identities(frame, list(frame), y, task, "status")
    assert [sentence.split("`")[1] for sentence in said] == ["number", "name"]
    assert said[0].endswith("too good; pass --groups number")
    assert "of `status`" in said[0]


def test_a_quantity_is_no_identity():
    """Values close to each other have targets close to each other."""
    x = np.random.default_rng(0).integers(0, 100, size=600)
    frame = pd.DataFrame({"dose": x})
    assert repeated_identities(frame, ["dose"], np.sqrt(x), "regression", "y") == []
    labels = np.where(x > 40, "a", "b")
    assert repeated_identities(frame, ["dose"], labels, "classification", "y") == []


def test_usual_tables_have_none():
    tables = ((load_wine, "classification"), (load_diabetes, "regression"))
    for data, task in ((load(as_frame=True), task) for load, task in tables):
        y = data.target.to_numpy()
        assert repeated_identities(data.data, list(data.data), y, task, "y") == []


def test_values_that_do_not_repeat_or_repeat_at_random():
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=400)
    frame = pd.DataFrame({"id": np.arange(400), "subject": np.arange(400) // 4})
    frame["empty"] = np.nan
    assert repeated_identities(frame, list(frame), y, "classification", "y") == []
