"""Exported models predict as the models do, as NumPy code and as ONNX."""

from __future__ import annotations

import runpy
import subprocess
import sys
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import kernlearn as kl
from kernlearn.export import to_numpy_code, to_onnx
from kernlearn.kernels import (
    ANOVA,
    ARDGaussian,
    ChiSquared,
    Columns,
    Gaussian,
    Intersection,
    Laplacian,
    Linear,
    Matern,
    Overlap,
    Polynomial,
    Stretched,
)

# More rows than those that mixtures are nested for.
N_TRAIN = 64


def numbers(seed=0, n=90):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1.0, 50.0, 1e-3] + [0.0, 300.0, 0.0]
    X[::9, 1] = np.nan
    return X, np.sin(2.0 * X[:, 0]) + np.nan_to_num(X[:, 1] - 300.0) / 50.0


def frame(n=90):
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "size": np.where(np.arange(n) % 8 == 0, np.nan, rng.normal(size=n)),
            "paid, in €": rng.exponential(size=n) * 100.0,
            "colour": rng.choice(["red", "green", 'it\'s "odd"\\\n'], n),
            "gap": rng.choice(["u", "v", None], n),
            "code": pd.Categorical(rng.integers(1, 4, n)),
            "visit": pd.date_range("2020-01-01", periods=n, freq="31h"),
            "constant": 1.0,
        }
    )


def new_rows():
    """Rows to predict: a level never seen, and a number far outside."""
    rows = frame()
    rows.loc[70, "colour"] = "never seen"
    rows.loc[71, "paid, in €"] = 1e5
    return rows


def run_python(model, rows, folder):
    to_numpy_code(model, folder / "model.py")
    code = runpy.run_path(str(folder / "model.py"))
    if isinstance(rows, np.ndarray) and not np.isnan(rows).any():
        np.testing.assert_array_equal(
            code["predict"](sparse.csr_array(rows)), code["predict"](rows)
        )
    return code["predict"](rows), code["predict_proba"](rows) if "predict_proba" in code else None


def run_onnx(model, rows, folder):
    onnxruntime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    to_onnx(model, folder / "model.onnx")
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"))
    feed = {each.name: fed(rows, each) for each in session.get_inputs()}
    names = [each.name for each in session.get_outputs()]
    found = dict(zip(names, session.run(None, feed), strict=True))
    return found.get("label", found.get("prediction")), found.get("probabilities")


def fed(rows, given):
    """The rows as an input of a session."""
    if not isinstance(rows, pd.DataFrame | dict):
        return np.asarray(rows, dtype=float)
    source, _, column = given.name.partition(": ")
    cells = rows[source]
    cells = pd.Series(cells) if isinstance(cells, list) else cells[column] if column else cells
    if "string" in given.type:
        return cells.astype(object).where(cells.notna(), "").astype(str).to_numpy(object)[:, None]
    if getattr(cells, "dtype", np.dtype(float)).kind == "M":
        cells = (cells - pd.Timestamp(0)) / pd.Timedelta(days=1)
    cells = np.asarray(cells, dtype=float)
    return cells if cells.ndim == 2 else cells[:, None]


def check(model, rows, folder, run, tolerance):
    """Hold an export against the model: labels, and probabilities or numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows far outside
        expected = model.predict(rows)
        chances = model.predict_proba(rows) if hasattr(model, "predict_proba") else None
    found, of_classes = run(model, rows, folder)
    if chances is None:
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.abs(expected).max())
        assert found.shape == expected.shape
    else:
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_allclose(of_classes, chances, rtol=0, atol=tolerance)


class Models:
    """Models by name, each fitted when it is first asked for."""

    def __init__(self):
        self._unfitted, self._fitted = {}, {}

    def add(self, name, model, training, targets, rows):
        """Add a model with what it is fitted to, and rows to predict."""
        self._unfitted[name] = model, training, targets, rows

    def __iter__(self):
        return iter(self._unfitted)

    def __getitem__(self, name):
        """Return the fitted model, and rows to predict."""
        if name not in self._fitted:
            model, training, targets, rows = self._unfitted[name]
            targets = targets if isinstance(targets, dict) else {"y": targets}
            self._fitted[name] = model.fit(training, **targets), rows
        return self._fitted[name]


@pytest.fixture(scope="module")
def models():
    """Models and rows to predict, by name."""
    found = Models()
    X, t = numbers()
    t += 0.3 * np.random.default_rng(2).normal(size=len(t))
    y, three = np.where(t > 0.3, "yes", "no"), np.digitize(t, [-0.3, 0.6])
    rows, full = frame(), np.nan_to_num(X, nan=300.0)
    known = slice(N_TRAIN)
    members = {
        "kernels of one table": ["linear", "Gaussian", "Matérn", "Laplacian", "polynomial"],
        "sums over columns": ["additive", "interactions", "combination"],
        "hyperkernel": ["hyperkernel"],
        "trees": ["trees"],
        "margin": ["linear SVM", "Gaussian SVM"],
        "sparse linear": ["sparse linear"],
    }
    for name, some in members.items():
        found.add(name, kl.KernelClassifier(some), X[known], y[known], X)
    few = ["linear", "Gaussian", "trees"]
    noise = np.random.default_rng(3).normal(size=len(t))
    amounts = np.exp(1.5 * rows["size"].fillna(0.0) + (rows["colour"] == "red") + 0.2 * noise)
    law = 3.0 * rows["paid, in €"] + (rows["colour"] == "red")
    both = np.column_stack([amounts, law])
    stretching = kl.KernelRegressor(["Gaussian", "Laplacian"])
    found.add("stretched columns", stretching, X[known], t[known], X)
    found.add("three classes", kl.KernelClassifier(few), X[known], three[known], X)
    found.add("data frame", kl.KernelClassifier(few), rows[known], three[known], new_rows())
    logs = kl.KernelRegressor(["linear", "Gaussian", "log target"])
    found.add("amounts", logs, rows[known], amounts[known], new_rows())
    found.add("linear law", kl.KernelRegressor(few), rows[known], law[known], new_rows())
    found.add("two targets", kl.KernelRegressor(few), rows[known], both[known], new_rows())
    coded = X.copy()
    coded[:, 0] = np.digitize(X[:, 0], [-1.0, 0.0, 1.0])
    coded[5, 0], coded[70, 0] = np.nan, 7.0
    of_codes = kl.KernelClassifier(few, columns={0: "category"})
    found.add("codes in an array", of_codes, coded[known], y[known], coded)
    small = kl.KernelClassifier(["Gaussian"], max_members=1, standardize=False)
    found.add("as they came", small, X[known] / [1.0, 50.0, 1e-3], y[known] == "yes", X)
    cells = sparse.csr_array(np.where(full > np.median(full, axis=0), full, 0.0))
    of_sparse = kl.KernelClassifier(["linear", "Gaussian"])
    found.add("sparse matrix", of_sparse, cells[known], y[known], cells.toarray())
    lacking = np.where(np.arange(90)[:, None] % 5 == 0, np.nan, full)
    sources = {"cells": lacking, "visits": rows[["size", "colour"]]}
    some = {name: each[known] for name, each in sources.items()}
    found.add("sources", kl.KernelClassifier(["Gaussian"]), some, y[known], sources)
    views = {"left": full[:, :2], "right": full[:, 2:]}
    some = {name: each[known] for name, each in views.items()}
    found.add("views", kl.MKLClassifier(), some, y[known], views)
    gaps = {"left": lacking[:, :2], "right": full[:, 2:]}
    some = {name: each[known] for name, each in gaps.items()}
    found.add("missing views", kl.MKLClassifier(missing="mean"), some, y[known], gaps)
    whole = full - full.mean(axis=0)
    whole /= whole.std(axis=0)
    of_all = [ARDGaussian([1.0, 0.0, 2.0]), Laplacian(0.5), Matern(2.0, 2.5), ANOVA(1.0, 2)]
    of_all += [Polynomial(2), Gaussian(0.1) * Linear(), Stretched(Matern(1.0, 0.5), [0.0, 1, 2])]
    centred = kl.MKLRegressor(of_all, options=kl.MKLOptions(center=True))
    found.add("centred", centred, whole[known], t[known], whole)
    found.add("normalised", kl.MKLClassifier(normalize=True), whole[known], three[known], whole)
    found.add("landmarks", kl.MKLRegressor(rank=15), whole[known], t[known], whole)
    of_features = kl.MKLRegressor([Linear()], quality="least_squares", rank=15)
    found.add(
        "features without landmarks", of_features, sparse.csr_array(whole[known]), t[known], whole
    )
    alike = np.full(N_TRAIN, 3.0)
    found.add("one target in every row", kl.MKLRegressor(rank=15), whole[:N_TRAIN], alike, whole)
    counts = np.abs(whole).round(2)
    histograms = kl.MKLRegressor([ChiSquared(0.3), Intersection()])
    found.add("histograms", histograms, counts[known], t[known], counts)
    columns = [Columns(["size"], Gaussian(1.0)), Columns(["colour", "gap"], Overlap())]
    columns += [Columns("colour", Overlap(None)) * Columns("paid, in €", Gaussian(1e-4))]
    filled = new_rows().fillna({"size": 0.0})
    found.add("columns by name", kl.MKLClassifier(columns), filled[known], y[known], filled)
    found.add("LS-SVM", kl.LSSVMClassifier(), whole[known], three[known], whole)
    targets = np.column_stack([t, -t])
    found.add("LS-SVM, numbers", kl.LSSVMRegressor(), whole[known], targets[known], whole)
    found.add("first level", kl.FirstLevelClassifier(), whole[known], y[known], whole)
    polynomial = kl.FirstLevelRegressor(kernel="ard_polynomial")
    found.add("first level, numbers", polynomial, whole[known], t[known], whole)
    found.add("sections", kl.HyperkernelRegressor(), whole[:30], t[:30], whole)
    lists = {"size": full, "letter": rows["gap"].tolist(), "only": ["same"] * 90}
    some = {name: each[known] for name, each in lists.items()}
    found.add("lists", kl.KernelClassifier(["Gaussian"]), some, y[known], lists)
    grades = kl.KernelClassifier(["trees"], ordinal=[2, 0, 1])
    found.add("grades", grades, whole[known], (three[known] + 2) % 3, whole)
    rates = np.random.default_rng(4).poisson(np.exp(t[known]))
    of_counts = kl.KernelRegressor(["linear", "trees"], loss="poisson")
    found.add("counts", of_counts, whole[known], rates, whole)
    ends = {"event": np.arange(N_TRAIN) % 3 > 0, "time": np.exp(-t[known])}
    found.add("risks", kl.KernelSurvival(few), whole[known], ends, whole)
    later = kl.KernelSurvival(few, times=[0.5, 1.0])
    found.add("risks by times", later, whole[known], ends, whole)
    found.add("novelties", kl.MKLNoveltyDetector(nu=0.3), whole[known], None, whole)
    # As above 6000 rows: boosted trees, with categories as mean targets.
    rng = np.random.default_rng(0)
    many = pd.DataFrame({"x": rng.normal(size=300), "level": rng.choice(list("abcdefgh"), 300)})
    boosted = kl.KernelClassifier(["trees"])
    boosted._options = replace(boosted._options, exact_rows=100)
    labels = (many["x"] > 0) ^ many["level"].isin(["a", "d", "f"])
    unseen = many.assign(level=many["level"].replace("a", "never seen"))
    found.add("many rows", boosted, many, labels, unseen)
    return found


NAMES = [
    "kernels of one table",
    "sums over columns",
    "hyperkernel",
    "trees",
    "margin",
    "sparse linear",
    "stretched columns",
    "three classes",
    "data frame",
    "amounts",
    "linear law",
    "two targets",
    "codes in an array",
    "as they came",
    "sparse matrix",
    "sources",
    "views",
    "missing views",
    "centred",
    "normalised",
    "landmarks",
    "features without landmarks",
    "one target in every row",
    "histograms",
    "columns by name",
    "LS-SVM",
    "LS-SVM, numbers",
    "first level",
    "first level, numbers",
    "sections",
    "lists",
    "grades",
    "counts",
    "risks",
    "risks by times",
    "novelties",
    "many rows",
]


# Both formats of a model in one test, since the model takes longer to fit than to write.
@pytest.mark.parametrize("name", NAMES)
def test_predicts_as_the_model(models, name, tmp_path):
    check(*models[name], tmp_path, run_python, 1e-10)
    check(*models[name], tmp_path, run_onnx, 1e-5)


def test_every_model_is_tested(models):
    assert set(NAMES) == set(models)


def test_covers_what_mixtures_are_made_of(models):
    """The models above have the parts that they are named after."""
    assert {one.table for one in models["many rows"][0]._members.machines} == {"encoded"}
    law = models["linear law"][0]
    assert law._extrapolation is not None
    links = {type(one.link).__name__ for one in models["amounts"][0]._members.machines}
    assert "Exponentials" in links
    named = ["kernels of one table", "sums over columns", "trees", "margin", "sparse linear"]
    kernels = {
        type(one.kernel).__name__ for name in named for one in models[name][0]._members.machines
    }
    assert {"ANOVA", "Gaussian", "Linear", "Stretched", "TreePaths", "WeightedSum"} <= kernels
    ranked = {one.table for one in models["kernels of one table"][0]._members.machines}
    assert ranked <= {"standard", "ranked"}


def test_features_of_some_columns_are_refused_in_a_sentence(tmp_path):
    model = kl.MKLRegressor([Columns([0], Linear())], quality="least_squares", rank=5)
    model.fit(sparse.csr_array(np.eye(9)), np.arange(9.0))
    with pytest.raises(ValueError, match="sparse features of the kernel Columns"):
        to_numpy_code(model, tmp_path / "model.py")


def test_a_compressed_mixture(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    model = kl.KernelClassifier(["Gaussian", "linear"], compress=True)
    model.fit(X, X[:, 0] ** 2 + X[:, 1] + 0.5 * rng.normal(size=200) > 1.0)
    assert model.compression_ is not None
    check(model, X, tmp_path, run_python, 1e-10)
    check(model, X, tmp_path, run_onnx, 1e-5)


def test_code_needs_numpy_alone_and_takes_plain_columns(models, tmp_path):
    model, rows = models["data frame"]
    to_numpy_code(model, tmp_path / "model.py")
    columns = {name: rows[name].tolist() for name in rows if name != "visit"}
    columns["visit"] = rows["visit"].to_numpy()
    np.savez(tmp_path / "rows.npz", **{name: np.array(c, object) for name, c in columns.items()})
    test = (
        "import sys, numpy as np, model\n"
        "rows = dict(np.load('rows.npz', allow_pickle=True))\n"
        "rows['visit'] = rows['visit'].astype('datetime64[ns]')\n"
        "np.save('found.npy', model.predict_proba(rows))\n"
        "assert not {'kernlearn', 'scipy', 'sklearn', 'pandas'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", test], cwd=tmp_path, check=True)
    found = np.load(tmp_path / "found.npy")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_allclose(found, model.predict_proba(rows), rtol=0, atol=1e-10)


def test_code_reads_columns_of_objects(tmp_path):
    """Numbers and truth values with gaps, dates of a time zone, and durations."""
    n = 40
    rng = np.random.default_rng(0)
    count = pd.array(rng.integers(0, 9, n), dtype="Int64")
    answer = pd.array(rng.random(n) < 0.5, dtype="boolean")
    count[::7], answer[::5] = pd.NA, pd.NA
    rows = pd.DataFrame(
        {
            "count": count,
            "answer": answer,
            "visit": pd.date_range("2020-01-01", periods=n, freq="7h", tz="Europe/Berlin"),
            "stay": pd.to_timedelta(rng.integers(1, 90, n), unit="h"),
        }
    )
    y = np.arange(n) / 9.0 + rows["stay"].dt.total_seconds() / 3e5 + rng.normal(size=n)
    model = kl.KernelRegressor(effort="fast").fit(rows, y)
    to_numpy_code(model, tmp_path / "model.py")
    predict = runpy.run_path(str(tmp_path / "model.py"))["predict"]
    scale = np.abs(model.predict(rows)).max()
    for given in (rows, {name: rows[name].astype(object).to_numpy() for name in rows}):
        np.testing.assert_allclose(predict(given), model.predict(rows), rtol=0, atol=1e-10 * scale)


def test_code_is_the_same_every_time_and_refuses_other_columns(models, tmp_path):
    model, _ = models["three classes"]
    texts = []
    for name in ("a.py", "b.py"):
        to_numpy_code(model, tmp_path / name)
        texts.append((tmp_path / name).read_text("utf-8"))
    assert texts[0] == texts[1]
    assert "pickle" not in texts[0]
    code = runpy.run_path(str(tmp_path / "a.py"))
    with pytest.raises(ValueError, match="expected a table of 3 columns"):
        code["predict"](np.zeros((2, 4)))


def test_refuses_text_and_names_the_cure(tmp_path):
    words = ["good warm hat", "bad cold coat", "good coat", "bad hat"]
    texts = [f"{words[i % 4]} number {i} of the shop today" for i in range(40)]
    model = kl.KernelClassifier(["linear"]).fit(texts, np.arange(40) % 2)
    with pytest.raises(ValueError, match=r"a member that reads 'text'.*columns=\{'text': 'ignore'"):
        to_numpy_code(model, tmp_path / "model.py")
    assert not (tmp_path / "model.py").exists()


def test_refuses_things_that_are_no_table(tmp_path):
    sequences = ["ACGT" * (1 + i % 3) for i in range(20)]
    model = kl.MKLClassifier([kl.kernels.Spectrum(2)]).fit(sequences, np.arange(20) % 3 == 0)
    with pytest.raises(ValueError, match="rows that are no table; save the model"):
        to_numpy_code(model, tmp_path / "model.py")
    with pytest.raises(ValueError, match="got GraphFusionClassifier; export KernelClassifier"):
        to_numpy_code(_fitted_fusion(), tmp_path / "model.py")
    rows = np.random.default_rng(0).normal(size=(8, 2))
    metric = kl.HyperkernelMetric().fit(rows, np.arange(8) % 2)
    with pytest.raises(ValueError, match="got HyperkernelMetric; export KernelClassifier"):
        to_numpy_code(metric, tmp_path / "model.py")


def test_sparse_rows_of_kernels_that_know_of_missing_sources(tmp_path):
    rows = np.random.default_rng(0).normal(size=(12, 3)).clip(0)
    model = kl.MKLRegressor([kl.kernels.Linear(), kl.kernels.Gaussian()], C=1.0, missing="complete")
    model.fit(sparse.csr_matrix(rows), rows[:, 0])
    to_numpy_code(model, tmp_path / "model.py")
    code = runpy.run_path(str(tmp_path / "model.py"))
    assert code["predict"](rows) == pytest.approx(model.predict(sparse.csr_matrix(rows)), abs=1e-10)


def _fitted_fusion():
    ring = np.roll(np.eye(12), 1, axis=0)
    graph = ring + ring.T + 2.0 * np.eye(12)
    model = kl.GraphFusionClassifier([graph])
    return model.fit(np.arange(12)[:, None], np.arange(12) < 6)


def test_without_onnx_the_extra_is_named(models, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"kernlearn\[onnx\]"):
        to_onnx(models["trees"][0], tmp_path / "model.onnx")


def test_a_kernel_serves_as_that_of_an_svm(models):
    from sklearn.svm import SVC

    model, X = models["as they came"]
    y = np.where(X[:N_TRAIN, 0] > 0, 1, 0)
    machine = SVC(kernel=model.kernel_).fit(X[:N_TRAIN], y)
    same = SVC(kernel="precomputed").fit(model.kernel_(X[:N_TRAIN]), y)
    found = machine.decision_function(X)
    np.testing.assert_allclose(found, same.decision_function(model.kernel_(X, X[:N_TRAIN])))


def test_a_machine_of_no_coefficients_predicts_its_intercept(tmp_path):
    """Through landmarks, kernels without coefficients are left out; here these are all kernels."""
    rows = np.full((6, 2), 0.1)
    model = kl.MKLRegressor([kl.kernels.Linear()], C=1.0, rank=1).fit(rows, np.full(6, 2.5))
    assert not any(coef.any() for coef in model.landmark_coef_)
    to_numpy_code(model, tmp_path / "model.py")
    code = runpy.run_path(str(tmp_path / "model.py"))
    assert code["predict"](rows).tolist() == model.predict(rows).tolist()
