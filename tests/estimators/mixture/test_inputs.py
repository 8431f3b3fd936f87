"""One table in many forms: the same predictions, whatever holds the rows."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, csr_matrix

import kernlearn as kl
from kernlearn._device import Place
from kernlearn.estimators.mixture.options import (
    MixtureOptions,
    RescreeningOptions,
    ScreeningOptions,
)
from kernlearn.kernels import ANOVA, Gaussian
from kernlearn.runtime.memory import ALLOWANCE

N = 90
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3)).astype(np.float32).astype(float)
Y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * RNG.normal(size=N)
LABELS = np.array(["low", "middle", "top"])[np.digitize(Y, [-0.6, 0.6])]
NEW = RNG.normal(size=(30, 3))
# A sample of the rows in memory, and members through landmarks.
MANY = MixtureOptions(
    exact_rows=40,
    judged_rows=50,
    sample_rows=75,
    landmarks=30,
    screening=ScreeningOptions(rows=40),
    rescreening=RescreeningOptions(rows=75, landmarks=20),
)
SIZES = pytest.mark.parametrize("options", [MixtureOptions(), MANY], ids=["exact", "landmarks"])


def fitted(rows, y=Y, options=MANY, model=None, **arguments):
    model = kl.KernelRegressor(["linear", "Gaussian"], max_members=2) if model is None else model
    model._options = options
    return model.fit(rows, y, **arguments)


@cache
def of_the_array(options):
    return fitted(X, options=options)


def memory_map(folder, table):
    path = folder / "rows.npy"
    np.save(path, table)
    return np.load(path, mmap_mode="r")


def as_elsewhere(library):
    pytest.importorskip(library)
    return Place(library, "cpu").put


@SIZES
@pytest.mark.parametrize("form", ["float32", "memory map", "float32 map", "frame", "list"])
def test_the_form_of_a_table_changes_nothing(tmp_path, options, form):
    rows = {
        "float32": lambda: X.astype(np.float32),
        "memory map": lambda: memory_map(tmp_path, X),
        "float32 map": lambda: memory_map(tmp_path, X.astype(np.float32)),
        "frame": lambda: pd.DataFrame(X),
        "list": X.tolist,
    }[form]()
    expected, found = of_the_array(options), fitted(rows, options=options)
    new = pd.DataFrame(NEW) if form == "frame" else NEW
    np.testing.assert_allclose(found.predict(new), expected.predict(NEW), atol=1e-10)
    np.testing.assert_allclose(
        found.predict_interval(new), expected.predict_interval(NEW), atol=1e-8
    )
    assert found.device_ == "cpu"


@SIZES
@pytest.mark.parametrize("kind", [csr_array, csr_matrix])
def test_a_sparse_matrix_is_scaled_and_never_centred(options, kind):
    """Neither kernel depends on the mean of a column: predictions are those of the dense table."""
    table = X / X.std(axis=0) + np.arange(X.shape[1])
    atol = 1e-6 if options == MixtureOptions() else 0.08  # a sample has other deviations
    dense, sparse = fitted(table, options=options), fitted(kind(table), options=options)
    expected = dense.predict(NEW)
    for new in (kind(NEW), NEW):
        np.testing.assert_allclose(sparse.predict(new), expected, atol=atol)
    np.testing.assert_allclose(dense.predict(kind(NEW)), expected, atol=1e-12)
    found, expected = sparse.relevance_, dense.relevance_
    assert found["column"].tolist() == expected["column"].tolist()
    np.testing.assert_allclose(found["relevance"], expected["relevance"], atol=max(1e-5, atol))


def test_a_sparse_matrix_has_the_candidates_that_take_it():
    table = csr_array(np.where(np.abs(X) > 0.5, X, 0.0))
    model = fitted(table, LABELS, MixtureOptions(), kl.KernelClassifier(max_members=1))
    titles = set(model.candidates_["candidate"])
    assert {"linear", "Gaussian", "Gaussian SVM", "Matérn"} <= titles
    assert not {"trees", "combination", "Gaussian, ARD"} & titles
    assert model.predict_proba(table[:5]).shape == (5, 3)
    assert model.kernel_(table[:4]).shape == (4, 4)
    with pytest.warns(UserWarning, match=r"of a sparse matrix, got some for others: 'trees' takes"):
        fitted(table, model=kl.KernelRegressor(["linear", "trees"]))
    with pytest.raises(ValueError, match=r"'ANOVA.*' takes dense tables; name others"):
        fitted(table, model=kl.KernelRegressor([ANOVA(1.0, 1)]))
    with pytest.raises(ValueError, match="as fit was given a sparse matrix, got a data frame"):
        model.predict(pd.DataFrame(NEW))
    gaps = table.copy()
    gaps.data[0] = np.nan
    with pytest.raises(ValueError, match=r"NaN"):
        fitted(gaps)


@SIZES
@pytest.mark.parametrize("library", ["array_api_strict", "torch"])
def test_arrays_elsewhere_are_followed(options, library):
    put = as_elsewhere(library)
    expected, found = of_the_array(options), fitted(put(X), put(Y), options=options)
    assert found.device_ == (f"{library}:cpu" if options is MANY else "cpu")
    for new in (NEW, put(NEW)):
        np.testing.assert_allclose(found.predict(new), expected.predict(NEW), atol=1e-7)
    host, there = (
        fitted(rows, LABELS, options, kl.KernelClassifier(["Gaussian", "trees"]))
        for rows in (X, put(X))
    )
    np.testing.assert_array_equal(there.predict(put(NEW)), host.predict(NEW))


def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="expected device to be None, 'cpu', 'cuda'"):
        fitted(X, model=kl.KernelRegressor(["linear"], device="tpu"))
    assert fitted(X, model=kl.KernelRegressor(["linear"], device="cpu")).device_ == "cpu"


@pytest.mark.parametrize(("allowed", "landmarks"), [("1GB", 2000), ("200KB", 45)])
def test_memory_limits_the_landmarks(monkeypatch, allowed, landmarks):
    monkeypatch.setenv(ALLOWANCE, allowed)
    assert MixtureOptions().n_landmarks(10_000) == landmarks


def test_too_little_memory_is_told(monkeypatch):
    monkeypatch.setenv(ALLOWANCE, "100KB")
    with pytest.raises(
        MemoryError, match=r"for KernelRegressor on 40 rows, got .*; use fewer rows"
    ):
        fitted(X)


def test_after_the_time_is_over_members_have_fewer_landmarks():
    model = kl.KernelRegressor(["Gaussian"], callback=lambda told: True)
    with pytest.warns(match="stopped by the callback"):
        fitted(X, model=model)
    assert len(model._members.machines[0].points) == 7


class TestDask:
    """A Dask collection: its rows are read where they are."""

    da = pytest.importorskip("dask.array")
    dd = pytest.importorskip("dask.dataframe")
    CHUNKS = (30, 1, 29, 30)

    def array(self, table):
        chunks = (self.CHUNKS, 2) if table.ndim == 2 else (self.CHUNKS,)
        return self.da.from_array(table, chunks=chunks)

    @SIZES
    def test_an_array_has_the_model_of_its_rows(self, options):
        weight = np.random.default_rng(1).uniform(0.5, 2.0, N)
        weight[::7] = 0.0
        gaps = X.copy()
        gaps[::5, 1] = np.nan
        expected = fitted(gaps, options=options, sample_weight=weight)
        rows = self.array(gaps)
        found = fitted(rows, self.array(Y), options, sample_weight=self.array(weight))
        np.testing.assert_allclose(found.predict(NEW), expected.predict(NEW), atol=1e-9)
        for method in ("predict", "predict_interval"):
            lazy = getattr(found, method)(rows)
            assert isinstance(lazy, self.da.Array)
            np.testing.assert_allclose(lazy.compute(), getattr(found, method)(gaps))

    @SIZES
    def test_a_frame_may_hold_text_and_gaps(self, options):
        frame = pd.DataFrame(X, columns=["a", "b", "c"])
        frame["word"] = np.where(X[:, 2] > 0, "yes", "no")
        frame.loc[::6, "b"] = np.nan
        model = kl.KernelClassifier(["linear", "trees"])
        expected = fitted(frame, LABELS, options, model)
        lazy = self.dd.from_pandas(frame, npartitions=3)
        found = fitted(lazy, LABELS, options, kl.KernelClassifier(["linear", "trees"]))
        np.testing.assert_allclose(
            found.predict_proba(frame), expected.predict_proba(frame), atol=1e-8
        )
        labels = found.predict(lazy).compute()
        np.testing.assert_array_equal(labels, found.predict(frame))

    def test_what_needs_all_rows_on_one_machine_is_refused(self):
        with pytest.raises(ValueError, match="expected device=None with a Dask collection"):
            fitted(self.array(X), model=kl.KernelRegressor(device="cuda"))
        bad = X.copy()
        bad[50, 1] = np.inf
        with pytest.raises(ValueError, match="infinity in row 50"):
            fitted(self.array(bad))


def test_a_model_of_sparse_rows_is_saved_and_loaded(tmp_path):
    pytest.importorskip("skops")
    rows = csr_array(np.where(np.abs(X) > 0.5, X, 0.0))
    model = kl.KernelRegressor(["linear", "Gaussian"]).fit(rows, Y)
    kl.save(model, tmp_path / "sparse.kl")
    np.testing.assert_array_equal(
        kl.load(tmp_path / "sparse.kl").predict(rows), model.predict(rows)
    )


def test_given_kernels_read_the_prepared_columns_of_any_form():
    options = {"model": kl.KernelRegressor([Gaussian(0.3)], standardize=False)}
    expected = fitted(X, **options).predict(NEW)
    np.testing.assert_allclose(fitted(csr_array(X), **options).predict(NEW), expected, atol=1e-7)


def test_rows_that_train_the_members_are_kept_once():
    X = np.random.RandomState(0).normal(size=(40, 2))
    model = kl.KernelClassifier(["Gaussian", "exponential"]).fit(X, X[:, 0] > 0)
    members = model._members
    assert all(one.points is members.tables[one.table] for one in members.machines)
