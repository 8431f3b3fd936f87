"""The comparison on several sources: what is read, split, fitted and said."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from kernlearn import MKLClassifier
from kernlearn.datasets import DataNotFoundError
from kernlearn.papers import find_paper
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.fusion import data, exhibits, methods
from kernlearn.papers.fusion.methods import METHODS, kernels_by_source
from kernlearn.papers.tables import to_markdown


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One small set for each loader."""
    out = tmp_path_factory.mktemp("data")
    for name in ("multiview", "big", "text"):
        (out / name).mkdir()
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    told = rng.normal(size=(60, 3)) + 3.0 * y[:, None]
    np.savez(out / "multiview/msrc_v5.npz", view1=rng.normal(size=(60, 2)), view2=told, y=y)
    words = rng.integers(0, 3, size=(60, 8)) * np.where(np.arange(8) % 2 == y[:, None], 1, 0)
    np.savez(out / "multiview/3sources.npz", view1=words, view2=words[:, ::-1], y=y)
    omics = {"mrna": told, "mirna": told[:, :2], "protein": told[:, 1:]}
    np.savez(
        out / "multiview/tcga_breast_omics.npz",
        **{f"train_{name}": view[:40] for name, view in omics.items()},
        **{f"test_{name}": view[40:] for name, view in omics.items() if name != "protein"},
        train_subtype=np.where(y[:40], "a", "b"),
        test_subtype=np.where(y[40:], "a", "b"),
    )
    np.savez(out / "multiview/proteinfold_12x27_derived.npz", view1=told, y=y)
    split = np.where(np.arange(60) < 30, "train", "test")
    chains = ["".join(rng.choice(list("AC" if label else "CD"), 12)) for label in y]
    proteins = pd.DataFrame({"split": split, "fold": y, "id": "x", "sequence": chains})
    proteins.to_csv(out / "multiview/proteinfold_sequences.csv.gz", index=False)
    reviews = pd.DataFrame(
        {
            "Title": [
                None if i % 9 == 0 else ("fine" if label else "poor") for i, label in enumerate(y)
            ],
            "Review Text": [f"the hat is {rng.choice(['good', 'wide', 'red'])}" for _ in y],
            "Age": rng.integers(20, 60, 60),
            "Positive Feedback Count": rng.integers(0, 9, 60),
            "Rating": 5 * y,
            "Recommended IND": y,
            **dict.fromkeys(
                ("Division Name", "Department Name", "Class Name"), ["u", "v", None] * 20
            ),
        }
    )
    reviews.to_parquet(out / "big/clothing_reviews.parquet")
    documents = [
        {
            "split": "train",
            "title": f"{'profit' if label else 'crop'} report",
            "body": "" if i % 7 == 0 else "said the company" if label else "said the farmer",
            "topics": (["earn"] if label else ["grain", "wheat"]) + (["acq"] if i == 0 else []),
        }
        for i, label in enumerate(y)
    ]
    with gzip.open(out / "text/reuters_modapte.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(document) + "\n" for document in documents)
    return out


KINDS = ("msrc_v5", "3sources", "tcga_breast_omics", "proteinfold", "clothing_reviews", "reuters")


def loaded(name: str, folder: Path) -> data.SourceSet:
    return data.LOADERS[name](name, folder)


def test_each_set_is_read_with_its_sources_and_gaps(folder: Path) -> None:
    found = {name: loaded(name, folder) for name in KINDS}
    assert {name for name, s in found.items() if s.has_gaps} == {
        "tcga_breast_omics",
        "clothing_reviews",
        "reuters",
    }
    assert list(found["clothing_reviews"].sources) == ["title", "review", "numbers", "categories"]
    assert "Rating" not in found["clothing_reviews"].X
    assert len(found["reuters"].y) == 59  # the first carries two of the topics
    assert found["proteinfold"].sources["sequence"] == data.SourceColumns("sequences", slice(3, 4))
    assert len({s.fingerprint for s in found.values()}) == len(found)


def test_sequences_of_other_proteins_are_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "multiview").mkdir()
    for path in (folder / "multiview").glob("proteinfold*"):
        (tmp_path / "multiview" / path.name).write_bytes(path.read_bytes())
    np.savez(
        tmp_path / "multiview/proteinfold_12x27_derived.npz",
        view1=np.zeros((60, 2)),
        y=np.zeros(60),
    )
    with pytest.raises(ValueError, match=r"in the order of the views of proteinfold, got other"):
        loaded("proteinfold", tmp_path)


def test_the_published_split_comes_first_and_no_row_is_in_both_parts(folder: Path) -> None:
    omics = loaded("tcga_breast_omics", folder)
    first, second = omics.split(0, 0), omics.split(1, 0)
    assert np.isnan(first.X_test).any()
    assert not np.isnan(first.X_train).any()
    assert np.isnan(second.X_train).any()
    assert len(second.y_train) == 40
    assert len(second.y_test) == 20
    for name in KINDS:
        train, test = loaded(name, folder).rows(3, 0)
        assert not set(train) & set(test)
    np.testing.assert_array_equal(omics.split(1, 0).y_test, second.y_test)
    assert not np.array_equal(omics.split(2, 0).X_test, second.X_test, equal_nan=True)


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_source_is_read(name: str, folder: Path) -> None:
    every = name == "clothing_reviews"  # text, numbers and categories, with gaps
    for method in METHODS if every else ("learned weights", "logistic"):
        cell = exhibits.fit_cell(METHODS[method], loaded(name, folder), 0, 0)
        assert cell["error"] <= 45.0, method


def test_learned_weights_leave_out_what_says_nothing(folder: Path) -> None:
    views = loaded("msrc_v5", folder)
    part = views.split(0, 0)
    model = methods.AllSources(views, 0.0).fit(part.X_train, part.y_train).model
    told = np.array([kernel.kernel.name == "view2" for kernel in model.kernels_])
    assert model.weights_[~told].sum() < 0.2 * model.weights_[told].sum()
    best = (
        METHODS["best source"]
        .make(views, part.X_train, part.y_train)
        .fit(part.X_train, part.y_train)
    )
    assert {kernel.kernel.name for kernel in best.model.kernels_} == {"view2"}


def test_equal_weights_are_those_of_the_mean_over_sources(folder: Path) -> None:
    reviews = loaded("clothing_reviews", folder)
    X, y = reviews.X, reviews.y
    model = METHODS["equal weights"].make(reviews, X, y).fit(X, y).model
    traces = [np.trace(kernel(X)) for kernel in model.kernels_]
    banks = kernels_by_source(reviews, X, y).values()
    expected = [1.0 / len(bank) for bank in banks for _ in bank]
    found = model.weights_ * traces
    np.testing.assert_allclose(found / found.sum(), np.array(expected) / len(banks), rtol=1e-9)


def test_numbers_have_the_default_bank_of_a_view_of_standardised_columns() -> None:
    X = np.random.default_rng(1).normal(5.0, 3.0, size=(80, 4))
    y = (X[:, 0] > 5.0).astype(int)
    one = data.SourceSet("x", X, y, {"all": data.SourceColumns("numbers", slice(0, 4))})
    found = kernels_by_source(one, X, y)["all"]
    alone = MKLClassifier().fit((X - X.mean(axis=0)) / X.std(axis=0), y)
    assert len(found) == len(alone.kernels_)
    for kernel, theirs in zip(found, alone.kernels_, strict=True):
        expected = theirs((X - X.mean(axis=0)) / X.std(axis=0))
        np.testing.assert_allclose(kernel.fitted_to(X)(X), expected, atol=1e-9)


def test_columns_that_no_tree_can_split_change_nothing() -> None:
    rng = np.random.default_rng(3)
    X = np.hstack([rng.normal(size=(80, 2)), rng.random((80, 30)) * (rng.random((80, 30)) < 0.1)])
    y = (X[:, 0] > 0).astype(int)
    few = methods.SplittableColumns().fit(X)
    assert len(few.kept_) < 12
    forest = HistGradientBoostingClassifier(random_state=0, max_iter=5)
    whole = forest.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(
        forest.fit(few.transform(X), y).predict_proba(few.transform(X)), whole
    )


def test_the_table_is_made_and_nothing_fitted_twice(
    folder: Path, tmp_path: Path, computed_cells: Callable[[Path], list[str]]
) -> None:
    options = RunOptions(tmp_path, folder, 1, quiet=True, methods=("equal weights", "logistic"))
    text = to_markdown(exhibits.reproduce_fusion(options, KINDS[:2]))
    assert "| data | equal weights | logistic |" in text
    assert "msrc_v5 60, 2, 2; 3sources 60, 2, 2" in text
    assert to_markdown(exhibits.reproduce_fusion(options, KINDS[:2])) == text
    assert len(computed_cells(tmp_path)) == 4
    assert find_paper("fusion").find("table", 1).reproduce is exhibits.reproduce_fusion


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match="--data"):
        exhibits.reproduce_fusion(RunOptions(tmp_path, quiet=True))
    with pytest.raises(ValueError, match=r"among Kernel, learned weights, .*, got 'forest'"):
        exhibits.reproduce_fusion(RunOptions(tmp_path, tmp_path, quiet=True, methods=("forest",)))
