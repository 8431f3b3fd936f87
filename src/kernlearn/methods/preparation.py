"""Columns of a table to standardised numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from kernlearn.estimators.mkl.thing_kernels import vectorizer_of_text
from kernlearn.tables import Column, columns_used
from kernlearn.tables.describe import MAX_CATEGORIES
from kernlearn.tables.typed import THINGS

NUMBERS, CATEGORIES = "numbers", "categories"


def preparation(
    columns: Sequence[Column],
    views: Mapping[str, Sequence[str]] | None = None,
    counts_words: bool = False,
) -> Any:
    """The transformer from a typed table to numbers.

    Numbers and dates: missing cells filled by the median, then mean 0 and standard deviation 1.
    Categories: missing cells filled by the most frequent value, then one column of 0 and 1 for each
    value; rare ones share a column, and a value never seen before has zeros.

    With `views`, the result is a data frame with columns named ``view__...``, and things, such as
    sequences and graphs, are passed on; without views they are left out. With `counts_words` and
    without views, free text becomes the TF-IDF of its words; the result is then sparse.
    """
    if not views:
        numbers = _of_columns(columns)
        if counts_words:
            # A vectoriser takes one column of texts, not a table of them.
            counted = [(f"words_{i}", _words(), name) for i, name in enumerate(words_of(columns))]
            numbers = ColumnTransformer([*numbers.transformers, *counted], sparse_threshold=1.0)
        return numbers
    by_name = {column.name: column for column in columns}
    parts = []
    for view, names in views.items():
        kept = [by_name[name] for name in names if by_name[name].is_used]
        parts.append((view, _of_columns(kept, THINGS), columns_used(kept)))
    return ColumnTransformer(parts).set_output(transform="pandas")


def words_of(columns: Sequence[Column]) -> list[str]:
    """The columns of free text that are read as words."""
    return columns_used(columns, "words")


def _words() -> Any:
    return Pipeline([("fill", FunctionTransformer(_present)), ("count", vectorizer_of_text())])


def _present(texts: Iterable[object]) -> list[str]:
    """Texts, empty where there is none."""
    return [text if isinstance(text, str) else "" for text in texts]


def _of_columns(columns: Sequence[Column], things: Sequence[str] = ()) -> Any:
    numbers = columns_used(columns, "number", "date")
    categories = columns_used(columns, "category")
    steps = []
    if numbers:
        fill = SimpleImputer(strategy="median", keep_empty_features=True)
        steps.append((NUMBERS, Pipeline([("fill", fill), ("scale", StandardScaler())]), numbers))
    if categories:
        fill = SimpleImputer(missing_values="", strategy="most_frequent", keep_empty_features=True)
        code = OneHotEncoder(
            handle_unknown="infrequent_if_exist",
            max_categories=MAX_CATEGORIES,
            sparse_output=False,
        )
        steps.append((CATEGORIES, Pipeline([("fill", fill), ("code", code)]), categories))
    steps += [
        (kind, "passthrough", chosen) for kind in things if (chosen := columns_used(columns, kind))
    ]
    return ColumnTransformer(steps)


def prepared_name(name: str) -> str:
    """A prepared column as a reader knows it.

    >>> prepared_name("numbers__age"), prepared_name("blood__categories__type_A")
    ('age', 'type_A')
    """
    for mark in (f"{part}__" for part in (NUMBERS, CATEGORIES, *THINGS)):
        before, found, after = name.partition(mark)
        if found and (not before or before.endswith("__")):
            return after
    return name
