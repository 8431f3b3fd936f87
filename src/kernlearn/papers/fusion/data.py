"""Sets with several sources, and the splits of their rows."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedShuffleSplit

from kernlearn.datasets.folder import find_file
from kernlearn.datasets.reuters import read_documents
from kernlearn.papers.splits import TrainTestSplit, fingerprint
from kernlearn.runtime.optional import load_pandas
from kernlearn.typing import Indices, Rows

TRAINING_SHARE = 0.8
MOST_TRAINING, MOST_TEST = 1000, 2000

Kind = Literal["numbers", "words", "text", "categories", "sequences"]


@dataclass(frozen=True)
class SourceColumns:
    """The positions of the columns of one source, and their content.

    Numbers; counts or weights of words; categories; one column of text, or of sequences of letters.
    """

    kind: Kind
    place: slice


@dataclass(frozen=True, eq=False)
class SourceSet:
    """One table of all sources side by side, and labels.

    A row lacks a source where all of its cells are missing. `published` holds the training rows
    and the test rows of the published split, where there is one.
    """

    name: str
    X: Rows
    y: NDArray[Any]
    sources: Mapping[str, SourceColumns]
    published: tuple[Indices, Indices] | None = None

    @property
    def has_gaps(self) -> bool:
        """Whether some row lacks a source."""
        return any(_missing_rows(self.X, source).any() for source in self.sources.values())

    @property
    def fingerprint(self) -> int:
        """A number that identifies these rows."""
        X = self.X if isinstance(self.X, np.ndarray) else self.X.to_csv(index=False)
        return fingerprint(X, "\n".join(map(str, self.y)))

    def split(self, index: int, seed: int) -> TrainTestSplit:
        """Split number `index`: the published one first, then random ones by class."""
        train, test = self.rows(index, seed)
        return TrainTestSplit(self._take(train), self.y[train], self._take(test), self.y[test])

    def rows(self, index: int, seed: int) -> tuple[Indices, Indices]:
        """Training rows and test rows of split number `index`."""
        if self.published is not None and index == 0:
            return self.published
        n = len(self.y)
        if self.published is not None:
            n_train, n_test = map(len, self.published)
        else:
            n_train = min(round(TRAINING_SHARE * n), MOST_TRAINING)
            n_test = min(n - n_train, MOST_TEST)
        drawn = zlib.crc32(f"{seed} {self.name} {index}".encode())
        splitter = StratifiedShuffleSplit(
            1, test_size=n_test, train_size=n_train, random_state=drawn
        )
        train, test = next(splitter.split(np.zeros(n), self.y))
        return train, test

    def _take(self, rows: Indices) -> Rows:
        return self.X[rows] if isinstance(self.X, np.ndarray) else self.X.iloc[rows]


def columns_of(X: Rows, source: SourceColumns) -> Rows:
    """The columns of one source."""
    return X[:, source.place] if isinstance(X, np.ndarray) else X.iloc[:, source.place]


def _missing_rows(X: Rows, source: SourceColumns) -> NDArray[np.bool_]:
    """Mask of the rows that lack the source: all of its cells are missing."""
    cells = columns_of(X, source)
    missing = np.isnan(cells) if isinstance(cells, np.ndarray) else cells.isna().to_numpy()
    return np.asarray(missing.all(axis=1))


def load_all(data_dir: Path | None, names: Iterable[str] | None = None) -> dict[str, SourceSet]:
    """Load every set of `LOADERS`, or those named."""
    return {name: LOADERS[name](name, data_dir) for name in names or LOADERS}


def _hstack_views(
    name: str, views: Mapping[str, NDArray[Any]], kind: Kind, y: NDArray[Any], **more: Any
) -> SourceSet:
    ends = np.cumsum([0, *(view.shape[1] for view in views.values())]).tolist()
    places = map(slice, ends[:-1], ends[1:])
    sources = {view: SourceColumns(kind, place) for view, place in zip(views, places, strict=True)}
    X = np.hstack([np.asarray(view, dtype=float) for view in views.values()])
    return SourceSet(name, X, y, sources, **more)


def _arrays(name: str, data_dir: Path | None) -> dict[str, NDArray[Any]]:
    with np.load(find_file(data_dir, f"multiview/{name}.npz", f"the views of {name}")) as arrays:
        return {key: arrays[key] for key in arrays.files}


def _views(kind: Kind) -> Callable[[str, Path | None], SourceSet]:
    """Loader of a file with one array for each view, and y."""

    def load(name: str, data_dir: Path | None) -> SourceSet:
        arrays = _arrays(name, data_dir)
        y = arrays.pop("y")
        return _hstack_views(name, arrays, kind, y)

    return load


def _proteinfold(name: str, data_dir: Path | None) -> SourceSet:
    """Twelve views of proteins, and their sequences, in the same order of rows.

    That the orders agree is not written anywhere. Labels do, row by row; and the shares of the
    amino acids, regressed on the last two views, are known on other rows to a third, which is
    lost when rows of the same fold are exchanged.
    """
    pd = load_pandas("reading sequences")
    path = find_file(data_dir, "multiview/proteinfold_sequences.csv.gz", "the protein sequences")
    table = pd.read_csv(path)
    arrays = _arrays("proteinfold_12x27_derived", data_dir)
    y = arrays.pop("y")
    if not np.array_equal(y, table["fold"]):
        raise ValueError(
            f"expected the sequences in {path} in the order of the views of {name}, got other "
            "folds: put both files of one collection into the folder."
        )
    views = _hstack_views(name, arrays, "numbers", y)
    n_columns = views.X.shape[1]
    X = pd.DataFrame(views.X).assign(sequence=table["sequence"])
    X.columns = [str(column) for column in X.columns]
    sources = {
        **views.sources,
        "sequence": SourceColumns("sequences", slice(n_columns, n_columns + 1)),
    }
    is_train = table["split"].to_numpy() == "train"
    published = (np.flatnonzero(is_train), np.flatnonzero(~is_train))
    return SourceSet(name, X, y, sources, published)


def _omics(name: str, data_dir: Path | None) -> SourceSet:
    """Three sources; the published test rows lack the third."""
    arrays = _arrays(name, data_dir)
    n_train, n_test = len(arrays["train_subtype"]), len(arrays["test_subtype"])
    gap = np.full((n_test, arrays["train_protein"].shape[1]), np.nan)
    views = {
        source: np.vstack([arrays[f"train_{source}"], arrays.get(f"test_{source}", gap)])
        for source in ("mrna", "mirna", "protein")
    }
    y = np.concatenate([arrays["train_subtype"], arrays["test_subtype"]])
    rows = np.arange(n_train + n_test)
    published = (rows[:n_train], rows[n_train:])
    return _hstack_views(name, views, "numbers", y, published=published)


def _reviews(name: str, data_dir: Path | None) -> SourceSet:
    """Title, text, numbers and categories of reviews; the rating would give the target away."""
    path = find_file(data_dir, f"big/{name}.parquet", "the clothing reviews")
    frame = load_pandas("reading reviews").read_parquet(path)
    numbers = ["Age", "Positive Feedback Count"]
    categories = ["Division Name", "Department Name", "Class Name"]
    texts = frame[["Title", "Review Text"]].astype(object)
    X = texts.where(texts.notna(), None).join(frame[numbers + categories])
    sources = {
        "title": SourceColumns("text", slice(0, 1)),
        "review": SourceColumns("text", slice(1, 2)),
        "numbers": SourceColumns("numbers", slice(2, 4)),
        "categories": SourceColumns("categories", slice(4, 7)),
    }
    return SourceSet(name, X, frame["Recommended IND"].to_numpy(), sources)


def _news(name: str, data_dir: Path | None) -> SourceSet:
    """Title and body of the Reuters documents that carry just one of five topics."""
    documents = read_documents(data_dir)
    topics = ("earn", "acq", "money-fx", "grain", "crude")
    found = [(d, set(topics).intersection(d["topics"])) for d in documents]
    kept = [(d, min(carried)) for d, carried in found if len(carried) == 1]
    cells = {key: [d[key].strip() or None for d, _ in kept] for key in ("title", "body")}
    X = load_pandas("reading documents").DataFrame(cells, dtype=object)
    sources = {key: SourceColumns("text", slice(i, i + 1)) for i, key in enumerate(cells)}
    return SourceSet(name, X, np.array([topic for _, topic in kept]), sources)


LOADERS: dict[str, Callable[[str, Path | None], SourceSet]] = {
    "msrc_v5": _views("numbers"),
    "mfeat": _views("numbers"),
    "prokaryotic": _views("numbers"),
    "proteinfold": _proteinfold,
    "tcga_breast_omics": _omics,
    "3sources": _views("words"),
    "bbcsport": _views("words"),
    "webkb_course": _views("words"),
    "reuters": _news,
    "clothing_reviews": _reviews,
}
