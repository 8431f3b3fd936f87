"""A file from elsewhere gets a sentence, and runs nothing."""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernlearn as kl
from kernlearn.kernels import Gaussian, Kernel
from kernlearn.persistence import ModelFileError
from kernlearn.persistence import _trial_predictions as trial
from kernlearn.persistence._file import pack
from kernlearn.persistence._stand_ins import Network


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "model.kl"
    kl.save(Gaussian(0.5), path)
    return path


class Touch:
    """Pickled, it makes a file when it is read."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


class Own(Kernel):
    """A kernel of somebody else."""

    def __init__(self, gamma=1.0):
        self.gamma = gamma

    def _evaluate(self, X, Y):
        return self.gamma * np.asarray(X) @ np.asarray(Y).T

    def _diag(self, X):
        return self.gamma * (np.asarray(X) ** 2).sum(axis=1)


@pytest.mark.parametrize("content", [b"", b"hello\n", b"a,b\n1,2\n", pickle.dumps([1, 2])])
def test_a_file_of_another_kind(content, tmp_path):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(ModelFileError, match="x is not a kernlearn model file: expected a file"):
        kl.load(tmp_path / "x")


def test_a_pickle_is_not_run(tmp_path):
    (tmp_path / "x").write_bytes(pickle.dumps(Touch(tmp_path / "ran")))
    with pytest.raises(ModelFileError, match="not a kernlearn model file"):
        kl.load(tmp_path / "x")
    assert not (tmp_path / "ran").exists()


def test_a_pickle_in_a_well_formed_file_is_not_run(tmp_path):
    (tmp_path / "x").write_bytes(pack(pickle.dumps(Touch(tmp_path / "ran")), "Gaussian"))
    with pytest.raises(ModelFileError, match="x could not be rebuilt"):
        kl.load(tmp_path / "x")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "build",
    [
        lambda folder: functools.partial(os.mkdir, str(folder / "ran")),
        lambda folder: Own(),
        lambda folder: os.path.join,
        lambda folder: Gaussian(gamma=functools.partial(os.mkdir, str(folder / "ran"))),
    ],
    ids=["partial", "stranger's class", "function", "inside a kernel"],
)
def test_a_type_that_is_not_trusted(build, tmp_path):
    payload = skops.io.dumps(build(tmp_path))
    (tmp_path / "x").write_bytes(pack(payload, "Gaussian"))
    with pytest.raises(ModelFileError, match=r"x holds .* which kernlearn does not trust; nothing"):
        kl.load(tmp_path / "x")
    assert not (tmp_path / "ran").exists()


def test_a_module_of_a_stranger_is_not_even_imported(tmp_path, monkeypatch):
    (tmp_path / "strange_module.py").write_text("class Thing:\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    import strange_module

    payload = skops.io.dumps(strange_module.Thing())
    del sys.modules["strange_module"]
    (tmp_path / "x").write_bytes(pack(payload, "Thing"))
    with pytest.raises(ModelFileError, match=r"strange_module\.Thing"):
        kl.load(tmp_path / "x")
    assert "strange_module" not in sys.modules


@pytest.mark.parametrize("number", [1, 3])
def test_an_older_or_newer_format(path, number):
    content = path.read_bytes()
    path.write_bytes(content.replace(b"kernlearn-model 2\n", b"kernlearn-model %d\n" % number, 1))
    with pytest.raises(
        ModelFileError,
        match=rf"has format '{number}', expected 2: .* another version .* fit and save the model",
    ):
        kl.load(path)


def test_a_file_cut_short(path):
    content = path.read_bytes()
    for length in (len(content) - 1, len(content) // 2, 90):
        path.write_bytes(content[:length])
        with pytest.raises(ModelFileError, match=r"is cut short or was altered"):
            kl.load(path)


def test_every_altered_byte_is_noticed(path):
    content = bytearray(path.read_bytes())
    for place in range(0, len(content), 37):
        altered = bytearray(content)
        altered[place] ^= 1
        path.write_bytes(altered)
        with pytest.raises(ModelFileError):
            kl.load(path)


def test_the_header_is_json(tmp_path):
    rest = b"{no json\n" + b"payload"
    digest = hashlib.sha256(rest).hexdigest().encode()
    (tmp_path / "x").write_bytes(b"kernlearn-model 2\n" + digest + b"\n" + rest)
    with pytest.raises(ModelFileError, match="x has a header that is not JSON"):
        kl.load(tmp_path / "x")


def test_a_file_that_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        kl.load(tmp_path / "nothing")


def test_a_kernel_of_ones_own_has_to_be_named(tmp_path):
    path = tmp_path / "own.kl"
    with pytest.raises(
        ModelFileError, match=r"it holds .*Own, which kernlearn does not know; pass"
    ):
        kl.save(Own(2.0), path)
    assert not path.exists()
    kl.save(Own(2.0), path, trusted=[Own])
    with pytest.raises(ModelFileError, match="does not trust"):
        kl.load(path)
    assert kl.load(path, trusted=[Own]).gamma == 2.0


def test_names_are_no_types(path):
    with pytest.raises(TypeError, match=r"expected trusted to hold types, got 'os\.system'"):
        kl.load(path, trusted=["os.system"])


def test_what_has_no_safe_form(tmp_path):
    with open(os.devnull) as file, pytest.raises(ModelFileError, match="could not save Gaussian"):
        kl.save(Gaussian(gamma=file), tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_without_skops(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "skops.io", None)
    with pytest.raises(ImportError, match=r'package skops, .* pip install "kernlearn\[io\]"'):
        kl.load(path)


def test_graphs_of_networkx_without_networkx(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    graph = Network("Graph", [(0, {}), (1, {})], [(0, 1, {})])
    with pytest.raises(ImportError, match=r'networkx, .* pip install "kernlearn\[graphs\]"'):
        graph.restored()


X = np.random.default_rng(0).normal(size=(24, 3))
LABELS = (X[:, 0] > 0).astype(int)
FITTED = {
    "exact": lambda: kl.LSSVMClassifier(lam=0.1, theta=1.0, selection=None).fit(X, LABELS),
    "landmarks": lambda: kl.MKLRegressor([Gaussian()], quality="least_squares", rank=4).fit(
        X, X[:, 0]
    ),
    "views": lambda: kl.MKLClassifier([Gaussian()]).fit({"a": X[:, :1], "b": X[:, 1:]}, LABELS),
    "frames": lambda: kl.MKLClassifier([Gaussian()]).fit(
        {"a": pd.DataFrame({"u": X[:, 0]}), "b": pd.DataFrame({"v": X[:, 1]})}, LABELS
    ),
    "mixture": lambda: kl.KernelRegressor(["linear"]).fit(
        pd.DataFrame(X, columns=list("abc")), X[:, 0]
    ),
    "metric": lambda: kl.HyperkernelMetric(n_pairs=20).fit(X, LABELS),
    "pipeline": lambda: make_pipeline(StandardScaler(), kl.LSSVMRegressor(lam=1.0)).fit(X, X[:, 0]),
}


@pytest.mark.parametrize(
    ("name", "attribute", "value"),
    [
        ("exact", "kernel_", np.eye(3)),
        ("exact", "dual_coef_", np.ones((1, 7))),
        ("exact", "intercept_", "none"),
        ("exact", "calibration_", 1.5),
        ("landmarks", "landmarks_", ["none"]),
        ("landmarks", "_folds", [1, 2]),
        ("views", "views_", {"a": 1.0}),
        ("views", "support_vectors_", 3),
        ("mixture", "_members", None),
        ("mixture", "preparation_", "standard"),
        ("metric", "coef_", {"a": 1.0}),
        ("pipeline", "kernel_", [1.0]),
    ],
)
def test_parts_that_do_not_fit_together(tmp_path, name, attribute, value):
    model = FITTED[name]()
    setattr(model[-1] if name == "pipeline" else model, attribute, value)
    kl.save(model, tmp_path / "x")  # all types are known, and the checksum is right
    with pytest.raises(ModelFileError, match=r"x could not be rebuilt .*fit and save"):
        kl.load(tmp_path / "x")


@pytest.mark.parametrize("name", FITTED)
def test_models_are_tried_on_rows_that_they_take(name):
    model = FITTED[name]()
    for estimator in trial.library_estimators(model):
        rows = trial.example_rows(estimator)
        assert rows is not None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of names of columns
            getattr(estimator, "predict", getattr(estimator, "transform", None))(rows)
