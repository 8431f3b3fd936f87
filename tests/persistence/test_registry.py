"""A model file names public classes and keys of the registry, never the file of a class."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

import kernlearn as kl
from kernlearn.kernels import Gaussian
from kernlearn.persistence.registry import NAMES, PRIVATE, PUBLIC

X = np.random.default_rng(0).normal(size=(24, 3))
LABELS = (X[:, 0] > 0).astype(int)
FRAME = pd.DataFrame(X, columns=["a", "b", "c"]).assign(letter=["u", "v"] * 12)


def mixture():
    return kl.KernelClassifier(["Gaussian", "linear"]).fit(FRAME, LABELS)


def metric():
    return kl.HyperkernelMetric(n_pairs=20).fit(X, LABELS)


def combination():
    return kl.MKLClassifier(class_weight={0: 1.0, 1: 2.0}).fit(X, LABELS)


def types_of(path):
    payload = path.read_bytes().split(b"\n", 3)[3]
    with zipfile.ZipFile(io.BytesIO(payload)) as archive:
        waiting = [json.loads(archive.read("schema.json"))]
    found = set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if "__module__" in value:
                found.add((value["__module__"], value["__class__"]))
            value = list(value.values())
        if isinstance(value, list):
            waiting += value
    return found


@pytest.mark.parametrize("build", [mixture, metric, combination])
def test_a_file_names_no_place_of_a_private_class(build, tmp_path):
    kl.save(build(), tmp_path / "x")
    ours = {name for name in types_of(tmp_path / "x") if name[0].startswith("kernlearn")}
    assert ours
    assert ours <= set(NAMES.values())
    assert {module for module, _ in ours} <= {*PUBLIC, "kernlearn.persistence.registry"}


def test_public_modules_hold_the_names_that_files_have_for_them():
    import importlib

    for kind, (module, name) in NAMES.items():
        assert getattr(importlib.import_module(module), name) is kind


@pytest.mark.parametrize("moved_before_saving", [False, True])
@pytest.mark.parametrize("build", [mixture, metric, combination])
def test_a_class_that_was_moved_to_another_module(
    build, moved_before_saving, tmp_path, monkeypatch
):
    model = build()
    table = FRAME if build is mixture else X
    expected = (model.predict if hasattr(model, "predict") else model.transform)(table)
    if not moved_before_saving:
        kl.save(model, tmp_path / "x")
    for kind in [*PRIVATE.values(), Gaussian, type(model)]:
        monkeypatch.setattr(kind, "__module__", "kernlearn.another_place")
    if moved_before_saving:
        kl.save(model, tmp_path / "x")
    read = kl.load(tmp_path / "x")
    assert type(read) is type(model)
    again = (read.predict if hasattr(read, "predict") else read.transform)(table)
    np.testing.assert_array_equal(again, expected)


def test_a_key_that_is_unknown():
    from kernlearn.persistence import registry

    with pytest.raises(AttributeError, match="no attribute 'Stranger'"):
        registry.Stranger  # noqa: B018
