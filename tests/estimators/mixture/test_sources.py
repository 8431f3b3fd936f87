"""Free text, dates, several sources and rows that lack some, through the flagship."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import kernlearn as kl

GOOD = ["great", "lovely", "love it", "perfect fit", "warm"]
BAD = ["poor", "awful", "too small", "sent it back", "thin"]
THINGS = ["this coat", "my hat", "these shoes", "the dress", "a shirt"]
QUICK = ["linear", "combined sources", "equal sources"]


def reviews(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    words = [rng.choice(GOOD if k else BAD) for k in y]
    return [f"{rng.choice(THINGS)} from shop {i}: {word}" for i, word in enumerate(words)], y


def orders(n, seed=0):
    texts, y = reviews(n, seed)
    rng = np.random.default_rng(seed + 1)
    days = pd.to_datetime("2024-01-31") + pd.to_timedelta(rng.integers(0, 300, n), "D")
    table = {
        "review": texts,
        "when": days.strftime("%d/%m/%Y"),
        "price": [f"{price:.2f} €" for price in rng.gamma(3.0, 20.0, n)],
        "visit": rng.integers(1, 5, n),
        "ward": rng.choice(["east", "west"], n),
        "number": [f"P{i:04d}" for i in rng.permutation(n)],
    }
    return pd.DataFrame(table), y


def test_free_text_is_found_and_told(tmp_path):
    table, y = orders(90)
    model = kl.KernelClassifier(["linear"], columns={"visit": "category"}).fit(table[:70], y[:70])
    assert model.score(table[70:], y[70:]) > 0.9
    kinds = model.preparation_.kinds
    assert kinds["review"].startswith("text, by the TF-IDF of ")
    assert kinds["when"] == "date, as a number of days, written like day/month/year"
    assert kinds["price"].startswith("number, written like ")
    assert kinds["visit"] == "category, 4 levels"
    assert kinds["number"] == "identifier, left out"
    assert "  review  text, by the TF-IDF" in repr(model.preparation_)
    assert "<td>identifier, left out</td>" in model._repr_mimebundle_()["text/html"]
    found = model.relevance_
    assert found["column"].tolist()[np.argmax(found["relevance"])] == "review"
    kl.save(model, tmp_path / "model.skops")
    again = kl.load(tmp_path / "model.skops")
    np.testing.assert_allclose(again.predict_proba(table), model.predict_proba(table))
    wrong = table[:3].assign(when=["31.1.2024", "1/2/2024", "1/3/2024"])
    with pytest.raises(ValueError, match=r"expected a date, written like day/month/year.*row 1"):
        model.predict(wrong)


def test_a_kind_is_overruled():
    table, y = orders(60)
    kinds = {"review": "ignore", "number": "text", "when": "identifier"}
    with pytest.warns(UserWarning, match="no better than"):
        model = kl.KernelClassifier(["linear"], columns=kinds).fit(table, y)
    assert model.preparation_.kinds["review"] == "left out"
    assert model.preparation_.kinds["when"] == "identifier, left out"
    assert model.preparation_.kinds["number"].startswith("text")
    with pytest.raises(ValueError, match=r"expected a column to learn from, got none.*'category'"):
        kl.KernelClassifier(columns={"number": "ignore"}).fit(table[["number"]], y)


def test_texts_alone_are_rows():
    texts, y = reviews(80)
    model = kl.KernelClassifier(["linear"]).fit(texts[:50], y[:50])
    assert model.score(texts[50:], y[50:]) == 1.0
    assert clone(model).fit(np.array(texts[:50]), y[:50]).predict(texts[50:52]).shape == (2,)
    with pytest.raises(ValueError, match=r"expected the sources text, as in fit, got ndarray"):
        model.predict(np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"expected words in the text of 'text'.*category"):
        kl.KernelClassifier(columns={"text": "text"}).fit(["?", "!"] * 20, [0, 1] * 20)


@pytest.mark.parametrize("form", ["edges", "dictionaries", "networkx"])
def test_graphs_alone_are_rows(form):
    sizes = np.random.default_rng(0).integers(4, 9, 48)
    y = np.arange(48) % 2
    rows = [
        [(i, i + 1) for i in range(n - 1)] + [(n - 1, 0)] * label
        for n, label in zip(sizes, y, strict=True)
    ]
    if form == "dictionaries":
        rows = [{"edges": edges} for edges in rows]
    if form == "networkx":
        rows = [pytest.importorskip("networkx").Graph(edges) for edges in rows]
    model = kl.KernelClassifier(["linear"]).fit(rows[:32], y[:32])
    assert model.preparation_.kinds["graph"].startswith("graph, by the neighbourhoods")
    assert model.score(rows[32:], y[32:]) == 1.0


def several(n, seed=0):
    """Sources of all kinds, none of which has all of the target."""
    texts, y = reviews(n, seed)
    rng = np.random.default_rng(seed + 2)
    numbers = rng.normal(size=(n, 3)) + y[:, None]
    numbers[::7] = np.nan
    letters = [["A", "C"], ["G", "T"]]
    dna = ["".join(rng.choice(letters[k if rng.random() < 0.8 else 0], 12)) for k in y]
    ring, path = [(0, 1), (1, 2), (2, 0), (2, 3)], [(0, 1), (1, 2), (2, 3)]
    graphs = [ring if k ^ (rng.random() < 0.2) else path for k in y]
    return {
        "numbers": numbers,
        "clinic": pd.DataFrame({"age": rng.normal(size=n), "note": texts}),
        "terms": csr_array(rng.poisson(0.3 + y[:, None], size=(n, 5)).astype(float)),
        "dna": [None if i % 9 == 0 else one for i, one in enumerate(dna)],
        "net": [{"edges": edges, "labels": list("CCCO")} for edges in graphs],
        "ward": rng.choice(["east", "west", "north"], n).tolist(),
    }, y


def test_sources_of_all_kinds(tmp_path):
    given, y = several(48)
    sources = kl.Sources(given)
    model = kl.KernelClassifier(QUICK, max_members=2).fit(given, y)
    assert model.preparation_.kinds == {
        "numbers": "3 columns of numbers",
        "clinic: age": "number",
        "clinic: note": model.preparation_.kinds["clinic: note"],
        "terms": "sparse matrix of 5 columns",
        "dna": "sequence, by the runs of 1, 2 and 3 letters that rows share",
        "net": "graph, by the neighbourhoods of 1 and 3 rounds that rows share",
        "ward": "category, 3 levels",
    }
    assert model.held_out_score_ > 0.9
    titles = set(model.candidates_["candidate"])
    assert {"linear, in dna", "linear, in clinic: note", "combined sources"} <= titles
    new, truth = several(40, seed=5)
    assert model.score(new, truth) > 0.9
    np.testing.assert_array_equal(model.predict(new), model.predict(kl.Sources(new)))
    assert cross_val_score(kl.KernelClassifier(["equal sources"]), sources, y, cv=2).min() > 0.7
    kl.save(model, tmp_path / "model.skops")
    again = kl.load(tmp_path / "model.skops")
    np.testing.assert_allclose(again.predict_proba(new), model.predict_proba(new))
    assert model.preparation_.names[:2] == ["numbers", "clinic"]


def test_numbers_are_learned_from_sources():
    rng = np.random.default_rng(0)
    parts = {"one": rng.normal(size=(80, 3)), "other": rng.normal(size=(80, 2))}
    y = parts["one"][:, 0] + parts["other"][:, 1]
    model = kl.KernelRegressor(QUICK).fit(parts, y)
    assert model.held_out_score_ > 0.9
    assert model.predict_interval({k: v[:5] for k, v in parts.items()}).shape == (5, 2)
    one = kl.KernelRegressor(["linear"], max_members=1).fit(parts, y)
    with pytest.raises(AttributeError, match=r"one table for kernel_, got several sources; MKL"):
        _ = one.kernel_


def test_intervals_beside_text():
    table, y = orders(60)
    table = table[["review", "visit"]]
    model = kl.KernelRegressor(["linear"], max_members=2).fit(table, y + 0.1 * table["visit"])
    ends = model.predict_interval(table[:4])
    assert (ends[:, 0] < ends[:, 1]).all()
    assert model.predict(table[:4], return_std=True)[1].min() > 0


def test_wrong_sources_are_refused_at_prediction():
    given, y = several(30)
    model = kl.KernelClassifier(["linear"], columns={"dna": "ignore", "net": "ignore"})
    model.fit(given, y)
    assert model.preparation_.kinds["dna"] == "left out"
    with pytest.raises(ValueError, match=r"expected the sources numbers, .*, as in fit, got ward;"):
        model.predict({"ward": given["ward"]})
    with pytest.raises(ValueError, match=r"source 'numbers' with 3 columns, as in fit, got 2 col"):
        model.predict({**given, "numbers": given["numbers"][:, :2]})
    with pytest.raises(ValueError, match=r"source 'clinic' with 'age', 'note', as in fit, got 'no"):
        model.predict({**given, "clinic": given["clinic"][["note", "age"]]})
    with pytest.raises(
        ValueError, match=r"expected columns to name some of 'numbers'.*got 'wards'"
    ):
        kl.KernelClassifier(columns={"wards": "text"}).fit(given, y)
    plain = kl.KernelClassifier(["linear"]).fit(given["terms"].toarray(), y)
    with pytest.raises(ValueError, match=r"expected one table, as in fit, got several sources"):
        plain.predict({"terms": given["terms"].toarray()})


def test_text_of_a_cluster(monkeypatch):
    dd = pytest.importorskip("dask.dataframe")
    table, y = orders(60)
    table = table[["review", "visit"]]
    model = kl.KernelClassifier(["linear"])
    found = clone(model).fit(dd.from_pandas(table, npartitions=2), y)
    np.testing.assert_allclose(
        found.decision_function(table), model.fit(table, y).decision_function(table), atol=1e-8
    )
