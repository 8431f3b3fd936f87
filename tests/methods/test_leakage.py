"""Columns that make a score too good to be true."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_wine

from kernlearn.methods.leakage import leaking_columns, repeated_identities


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
    assert list(said) == ["number", "name"]
    assert said["number"].startswith("`number` looks like an identity")
    assert said["number"].endswith("too good; pass --groups number")
    assert "of `status`" in said["number"]


def test_a_quantity_is_no_identity():
    """Values close to each other have targets close to each other."""
    x = np.random.default_rng(0).integers(0, 100, size=600)
    frame = pd.DataFrame({"dose": x})
    assert repeated_identities(frame, ["dose"], np.sqrt(x), "regression", "y") == {}
    labels = np.where(x > 40, "a", "b")
    assert repeated_identities(frame, ["dose"], labels, "classification", "y") == {}


def test_usual_tables_have_none():
    tables = ((load_wine, "classification"), (load_diabetes, "regression"))
    for data, task in ((load(as_frame=True), task) for load, task in tables):
        y = data.target.to_numpy()
        assert repeated_identities(data.data, list(data.data), y, task, "y") == {}
        assert leaking_columns(data.data, y, task, "y") == {}


def test_values_that_do_not_repeat_or_repeat_at_random():
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=400)
    frame = pd.DataFrame({"id": np.arange(400), "subject": np.arange(400) // 4})
    frame["empty"] = np.nan
    assert repeated_identities(frame, list(frame), y, "classification", "y") == {}


@pytest.mark.parametrize("n_rows", [40, 400])
def test_a_column_that_gives_the_target_away(n_rows):
    rng = np.random.default_rng(0)
    score = rng.normal(size=n_rows)
    chd = np.where(score > 0.5, "yes", "no")
    X = pd.DataFrame({"age": rng.normal(size=n_rows), "score": score})
    X["recoded"] = np.where(chd == "yes", "1", "0")
    X["day"] = np.where(chd == "yes", rng.normal(size=n_rows), np.nan)  # empty unless it happened
    X["weak"] = np.where(rng.random(n_rows) < 0.1, "1", X["recoded"])
    said = leaking_columns(X, chd, "classification", "chd")
    assert list(said)[-2:] == ["recoded", "day"]
    assert set(said) <= {"score", "recoded", "day"}
    assert said["recoded"].startswith("`recoded` alone predicts `chd` (100%")
    assert said["recoded"].endswith("is it known beforehand? If not, pass --drop recoded")
    numbers = leaking_columns(X.assign(feet=3.28 * score), score**3, "regression", "y")
    assert set(numbers) == ({"score", "feet"} if n_rows == 400 else set(numbers))
    assert leaking_columns(X, rng.normal(size=n_rows), "regression", "y") == {}


def test_units_are_not_parted():
    """A category of one unit each tells nothing of another unit."""
    rng = np.random.default_rng(0)
    unit = np.repeat(np.arange(40), 5)
    y = np.array(["a", "b"])[rng.integers(2, size=40)][unit]
    X = pd.DataFrame({"name": [f"P{i}" for i in unit]})
    assert list(leaking_columns(X, y, "classification", "y")) == ["name"]
    assert leaking_columns(X, y, "classification", "y", unit) == {}
