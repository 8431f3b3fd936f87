"""Estimators on Dask collections: what they are on arrays, whoever computes it, and bad input."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import kernlearn as kl
from kernlearn.estimators.least_squares.lssvm import LeastSquaresOptions, LeastSquaresSVM
from kernlearn.estimators.mkl.parameters import CombinationParameters, EngineOptions
from kernlearn.kernels import Columns, Gaussian, Linear, Overlap, Sum
from kernlearn.solvers.nystroem.kernel_fit import StageOptions
from kernlearn.solvers.nystroem.rank import FactorLimits

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

RNG = np.random.default_rng(0)
N = 400
X = RNG.standard_normal((N, 3))
VALUES = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * RNG.standard_normal(N)
LABELS = np.array(["low", "middle", "top"])[np.digitize(VALUES, [-0.5, 0.5])]
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
KERNELS = [Gaussian(0.2), Gaussian(1.0), Linear()]
FEW, IS_LOW = [Gaussian(0.5), Linear()], LABELS == "low"
LEAST_SQUARES = kl.MKLRegressor(KERNELS, quality="least_squares", C=10.0, rank=20)
CHUNKS = (90, 110, 1, 99, 100)

pytestmark = pytest.mark.usefixtures("small_tasks")


def in_chunks(table, columns=3):
    return da.from_array(table, chunks=(CHUNKS, columns) if np.ndim(table) == 2 else (CHUNKS,))


def spoilt(row, value=np.nan):
    table = X.copy()
    table[row, 1] = value
    return table


def fitted(model, *data, **options):
    return clone(model).fit(*data, **options)


def check_equal(found, expected, tol=1e-10):
    """Every number that was fitted, relative to the largest of its array."""
    names = [name for name in vars(expected) if name.endswith("_") and name[0] != "_"]
    assert names == [name for name in vars(found) if name.endswith("_") and name[0] != "_"]
    for name in names:
        theirs, ours = getattr(expected, name), getattr(found, name)
        if isinstance(theirs, np.ndarray | float) and name != "duality_gap_":
            assert type(ours) is type(theirs)
            if np.asarray(theirs).dtype.kind == "f":
                # A sigmoid is fitted to a tolerance of its own.
                off = max(tol, 1e-6) if name == "calibration_" else tol
                size = off * np.abs(theirs).max(initial=1e-300)
                np.testing.assert_allclose(ours, theirs, rtol=0, atol=size, err_msg=name)
            else:
                np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (LEAST_SQUARES, VALUES),
        (clone(LEAST_SQUARES).set_params(options__center=True, normalize=True), VALUES),
        (kl.MKLClassifier(KERNELS, "least_squares", rank=15, class_weight="balanced"), LABELS),
        (kl.LSSVMClassifier(rank=20, max_iter=3), LABELS),
        (kl.LSSVMRegressor(Gaussian(0.5), lam=0.1, selection=None, rank=20), VALUES),
        (kl.FirstLevelRegressor(rank=20, max_iter=3), VALUES),
    ],
    ids=["regression", "centred", "classes", "LS-SVM classes", "LS-SVM given", "first level"],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_least_squares_is_what_it_is_on_an_array(monkeypatch, model, y):
    stages = StageOptions(on_host=(200, 30), first=(200, 30), last=(200, 30))  # a sample for θ
    monkeypatch.setattr(LeastSquaresSVM, "_options", LeastSquaresOptions(stages=stages))
    weight = np.random.default_rng(1).uniform(0.5, 2.0, N)
    weight[::7] = 0.0
    expected = fitted(model, X, y, sample_weight=weight)
    found = fitted(model, in_chunks(X, 2), in_chunks(y), sample_weight=in_chunks(weight))
    # The steps of a descent over three scales multiply rounding.
    check_equal(found, expected, 1e-8 if isinstance(model, kl.FirstLevelRegressor) else 1e-10)
    for method in ("predict", "predict_proba", "decision_function", "predict_interval"):
        if hasattr(found, method):
            lazy = getattr(found, method)(in_chunks(X))
            assert isinstance(lazy, da.Array)
            assert lazy.chunks[0] == CHUNKS
            eager = getattr(found, method)(X)
            assert (lazy.shape, lazy.dtype) == (eager.shape, eager.dtype)
            compare = np.testing.assert_array_equal
            if eager.dtype.kind == "f":
                compare = np.testing.assert_allclose
            compare(lazy.compute(), eager)


@pytest.mark.parametrize(
    ("model", "y", "keep"),
    [
        (kl.MKLClassifier(FEW, "squared_soft_margin", rank=5, weights="free"), IS_LOW, False),
        pytest.param(
            kl.MKLClassifier(FEW, "soft_margin", rank=5), IS_LOW, True, marks=pytest.mark.slow
        ),
        pytest.param(
            kl.MKLRegressor(FEW, "epsilon_svr", epsilon=0.5, rank=5, C=1.0),
            VALUES,
            False,
            marks=pytest.mark.slow,
        ),
        (kl.MKLNoveltyDetector(FEW, nu=0.2, rank=5), None, True),
    ],
    ids=["squared hinge", "hinge", "tube", "novelty"],
)
def test_machines_of_several_passes(monkeypatch, model, y, keep):
    # A first guess from a sample, and held-out values of another one.
    limits = FactorLimits(coarse_rows=150, held_out_rows=300, kept_numbers=2**27 if keep else 0)
    monkeypatch.setattr(CombinationParameters, "_engine", EngineOptions(limits=limits))
    model = clone(model).set_params(tol=1e-5)
    rows = da.from_array(X, chunks=((200, 200), 3))  # few, for there is a task for each in a pass
    expected, found = fitted(model, X, y), fitted(model, rows, y)
    # Rounding may lead the steps of a search another way, to the same optimum.
    assert found.objective_ == pytest.approx(expected.objective_, rel=2e-5)
    assert found.status_.is_optimal
    scores = found.decision_function if hasattr(found, "decision_function") else found.predict
    np.testing.assert_allclose(scores(in_chunks(X)).compute(), scores(X), atol=1e-15)


def test_data_frames_keep_their_names_and_their_text():
    frame = FRAME.assign(colour=np.array(["red", "blue"])[(VALUES > 0).astype(int)])
    kernels = [Columns(["a", "c"], Gaussian(0.5)), Columns(["colour"], Overlap())]
    model = kl.MKLClassifier(kernels, "least_squares", rank=15)
    expected = fitted(model, frame, IS_LOW)
    lazy = dd.from_pandas(frame, npartitions=4)
    found = fitted(model, lazy, dd.from_pandas(pd.Series(IS_LOW), npartitions=3))
    check_equal(found, expected)
    assert found.feature_names_in_.tolist() == ["a", "b", "c", "colour"]
    assert isinstance(found.landmarks_[0], pd.DataFrame)
    predicted = found.predict(lazy)
    assert isinstance(predicted, da.Array)
    np.testing.assert_array_equal(predicted.compute(), expected.predict(frame))
    with pytest.raises(ValueError, match="feature names should match"):
        found.predict(lazy[["a", "c"]])
    numbers = fitted(kl.LSSVMRegressor(rank=20, theta=0.5, lam=0.1), lazy[["a", "b", "c"]], VALUES)
    check_equal(numbers, fitted(kl.LSSVMRegressor(rank=20, theta=0.5, lam=0.1), FRAME, VALUES))


def test_chunks_of_unknown_size_are_counted_and_empty_ones_do_not_matter():
    kept = X[:, 0] > -0.5
    lazy = in_chunks(X)
    unknown = da.concatenate([lazy[lazy[:, 0] > -0.5], lazy[lazy[:, 0] > 100.0]])
    assert np.isnan(unknown.shape[0])
    check_equal(
        fitted(LEAST_SQUARES, unknown, VALUES[kept]), fitted(LEAST_SQUARES, X[kept], VALUES[kept])
    )
    frame = dd.from_pandas(FRAME, npartitions=4)
    model = fitted(LEAST_SQUARES, frame[frame["a"] > -0.5], VALUES[kept])
    lazy = model.predict(frame[frame["a"] > -0.5])
    assert np.isnan(lazy.shape[0])
    np.testing.assert_allclose(lazy.compute(), model.predict(FRAME[kept]))
    found = model.predict(frame[frame["a"] > 1.0]).compute()
    np.testing.assert_allclose(found, model.predict(FRAME[FRAME["a"] > 1.0]))


def test_without_landmarks_few_rows_are_gathered_and_many_with_a_word(monkeypatch):
    svm = kl.MKLRegressor(FEW, C=2.0, tol=1e-3)
    check_equal(fitted(svm, in_chunks(X), VALUES), fitted(svm, X, VALUES))
    weight = np.ones(N)
    weight[:300] = 0.0
    exact = kl.LSSVMRegressor(theta=0.5, rank=None)
    found = fitted(exact, in_chunks(X), VALUES, sample_weight=weight)
    check_equal(found, fitted(exact, X, VALUES, sample_weight=weight))
    svm = clone(svm).set_params(rank=None)
    svm._engine = EngineOptions(exact_rows=100)
    with pytest.warns(UserWarning, match="gathers the 400 rows of the Dask collection on this"):
        svm.fit(in_chunks(X), VALUES)
    monkeypatch.setenv("KERNLEARN_MEMORY", "1MB")
    with pytest.raises(MemoryError, match=r"on the 400 rows of a Dask collection.*as rank"):
        fitted(svm, in_chunks(X), VALUES)


@pytest.mark.parametrize(
    "model", [kl.LSSVMRegressor(theta=0.5), kl.KernelRegressor(["linear", "Gaussian"])]
)
def test_equal_rows_of_gathered_chunks_are_held_out_together(model):
    frame = pd.concat([FRAME[:30], FRAME[:30]], ignore_index=True)
    lazy = dd.from_pandas(frame, npartitions=3)
    found, expected = fitted(model, lazy, VALUES[:60]), fitted(model, frame, VALUES[:60])
    assert found.n_duplicates_ == expected.n_duplicates_ == 30
    np.testing.assert_allclose(found.predict_interval(frame), expected.predict_interval(frame))


def test_survival_from_chunks_of_unknown_size():
    time, lazy, is_near = np.exp(VALUES), in_chunks(X), np.abs(X[:, 0]) < 0.7
    unknown, rest = lazy[abs(lazy[:, 0]) < 0.7], (IS_LOW[is_near], time[is_near])
    model = kl.MKLSurvival(FEW, C=1.0, rank=5)
    found = clone(model).fit(unknown, event=rest[0], time=rest[1])
    expected = clone(model).fit(X[is_near], event=rest[0], time=rest[1])
    np.testing.assert_allclose(found.predict(X), expected.predict(X), atol=1e-6)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        clone(model).fit(unknown, event=rest[0][1:], time=rest[1][1:])


@pytest.mark.parametrize(
    ("table", "y", "message"),
    [
        (in_chunks(spoilt(317)), VALUES, "got NaN or infinity in row 317"),
        (
            dd.from_pandas(pd.DataFrame(spoilt(317), columns=[*"abc"]), 4),
            VALUES,
            "NaN or infinity in row 317",
        ),
        (in_chunks(X.astype(object)), VALUES, r"of type object.*X\.astype\(float\)"),
        (in_chunks(X.astype(complex)), VALUES, "of type complex128"),
        (in_chunks(X), VALUES[:-1], r"inconsistent numbers of samples: \[400, 399\]"),
        (in_chunks(X), da.from_array(VALUES[1:]), "inconsistent numbers of samples"),
        (in_chunks(X), in_chunks(np.where(VALUES > 1, np.nan, VALUES)), "Input y contains NaN"),
        (in_chunks(X[:, 0]), VALUES, "2-D table.*of shape"),
        (in_chunks(X)[:0], VALUES[:0], "Found array with 0 sample"),
        (in_chunks(X)[:, :0], VALUES, "2-D table"),
        (dd.from_pandas(FRAME, 2)[[]], VALUES, "at least one column"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_tables_are_refused_in_a_sentence(table, y, message):
    with pytest.raises(ValueError, match=message):
        fitted(LEAST_SQUARES, table, y)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            clone(LEAST_SQUARES).set_params(options__certify="exact"),
            "certify=None with a Dask collection",
        ),
        (clone(LEAST_SQUARES).set_params(missing="mean"), "missing=None with a Dask collection"),
        (
            kl.FirstLevelRegressor(rank=20, options=kl.FirstLevelOptions(refit="exact")),
            "refit='auto' or 'landmarks' with a Dask",
        ),
    ],
    ids=["certify", "missing", "refit"],
)
def test_what_takes_all_rows_on_one_machine_is_refused(model, message):
    with pytest.raises(ValueError, match=message):
        fitted(model, in_chunks(X), VALUES)


def test_other_uses_of_a_collection_are_refused():
    with pytest.raises(ValueError, match="X_unlabeled=None with a Dask collection"):
        LEAST_SQUARES.fit(in_chunks(X), VALUES, X_unlabeled=X)
    with pytest.raises(TypeError, match="must be in the memory of this machine here, got a Dask"):
        kl.HyperkernelMetric().fit(in_chunks(X), LABELS)
    with pytest.raises(TypeError, match="must be in the memory of this machine here, got a Dask"):
        kl.MKLRegressor(C=1.0).fit({"left": in_chunks(X), "right": in_chunks(X)}, VALUES)
    with pytest.raises(TypeError, match="must be in the memory of this machine here"):
        Sum(KERNELS)(in_chunks(X))
    with pytest.raises(
        TypeError, match="must be a Dask array or a Dask data frame, got a Dask Bag"
    ):
        LEAST_SQUARES.fit(pytest.importorskip("dask.bag").from_sequence(X.tolist()), VALUES)
    text = dd.from_pandas(FRAME.assign(colour="red"), 2)
    with pytest.raises(ValueError, match="got other things in the columns colour"):
        kl.LSSVMRegressor().fit(text, VALUES)
    model = kl.LSSVMRegressor(theta=0.5, lam=0.1).fit(X, VALUES)
    with pytest.raises(ValueError, match="predicts one array for a Dask collection"):
        model.predict(in_chunks(X), return_std=True)
    with pytest.raises(ValueError, match="X has 2 features, but LSSVMRegressor is expecting 3"):
        model.predict(in_chunks(X)[:, :2])
    with pytest.raises(ValueError, match=r"in the chunk of X that begins at row 300: .*NaN"):
        model.predict(in_chunks(spoilt(317))).compute()


def test_a_chunk_that_shrinks_after_it_was_counted_is_refused():
    seen = []

    def read(chunk):
        seen.append(len(chunk))
        return chunk if len(seen) <= len(CHUNKS) else chunk[1:]

    shrinking = in_chunks(X).map_blocks(read, dtype=float, meta=X[:0])
    shrinking = shrinking[shrinking[:, 0] < np.inf]  # so that its sizes are not known
    with pytest.raises(ValueError, match=r"rows from row \d+ of a Dask .* when they were counted"):
        fitted(LEAST_SQUARES, shrinking, VALUES)
