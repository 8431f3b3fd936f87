"""Fitted transformers of scikit-learn, as the command line and :class:`Features` use them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from kernlearn.estimators.mixture.preparation.table import PreparedTable
from kernlearn.export.expression import Node, is_missing, joined, where
from kernlearn.export.preparation import prepared_tables
from kernlearn.export.refusal import refused
from kernlearn.export.tables import FrameTable, NumberTable, RowTable
from kernlearn.typing import Array

# A category that no table has.
_UNSEEN = "\0 unseen"


@dataclass(frozen=True, eq=False)
class FilledTable:
    """A table of categories with something in place of missing cells."""

    table: RowTable
    fills: list[str]  # for every column

    @property
    def width(self) -> int:
        """Number of columns."""
        return self.table.width

    def numbers(self, places: Sequence[int]) -> Node:
        """Categories are no numbers."""
        return self.table.numbers(places)

    def rows_of_levels(self, place: int, levels: Sequence[str], rows: Array) -> Node:
        """A missing cell counts as what fills it."""
        fill = self.fills[place]
        own = rows[list(levels).index(fill)] if fill in levels else rows[-1]
        return self.table.rows_of_levels(
            place, [*levels, ""], np.vstack([rows[:-1], own, rows[-1]])
        )

    def chosen(self, places: Sequence[int]) -> FilledTable:
        """Some columns."""
        return FilledTable(self.table.chosen(places), [self.fills[j] for j in places])


def transformed(transformer: BaseEstimator, table: RowTable) -> RowTable:
    """The output of a fitted transformer for new rows, as an expression."""
    translate = _TRANSFORMERS.get(type(transformer))
    if translate is None:
        raise refused(
            f"the transformer {type(transformer).__name__}",
            "leave its columns out, or save the model by kernlearn.save",
        )
    return translate(transformer, table)


def _pipeline(pipeline: Pipeline, table: RowTable) -> RowTable:
    for _, step in pipeline.steps:
        table = transformed(step, table)
    return table


def _column_transformer(transformer: ColumnTransformer, table: RowTable) -> RowTable:
    names = [str(name) for name in transformer.feature_names_in_]
    parts = []
    for _, step, columns in transformer.transformers_:
        places = [names.index(column) if isinstance(column, str) else column for column in columns]
        if step == "drop" or not places:
            continue
        part = table.chosen(places)
        parts.append(part if step == "passthrough" else transformed(step, part))
    nodes = [part.numbers(range(part.width)) for part in parts]
    return NumberTable(joined(nodes, 1), sum(part.width for part in parts))


def _imputer(imputer: SimpleImputer, table: RowTable) -> RowTable:
    fills = imputer.statistics_
    if fills.dtype.kind == "O":
        return FilledTable(table, [str(fill) for fill in fills])
    cells = table.numbers(range(table.width))
    return NumberTable(where(is_missing(cells), fills.astype(float), cells), table.width)


def _scaler(scaler: StandardScaler, table: RowTable) -> RowTable:
    cells = table.numbers(range(table.width))
    return NumberTable((cells - scaler.mean_) / scaler.scale_, table.width)


def _one_hot(encoder: OneHotEncoder, table: RowTable) -> RowTable:
    """The columns of every level, made by the encoder itself."""
    first = np.array([[levels[0] for levels in encoder.categories_]], dtype=object)
    ends = np.cumsum([0, *encoder._n_features_outs]).tolist()
    parts = []
    for j, levels in enumerate(encoder.categories_):
        cells = np.repeat(first, len(levels) + 1, axis=0)
        cells[:, j] = [*levels, _UNSEEN]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows = encoder.transform(cells)
        rows = np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=float)
        own = rows[:, ends[j] : ends[j + 1]]
        parts.append(table.rows_of_levels(j, [str(level) for level in levels], own))
    return NumberTable(joined(parts, 1), ends[-1])


def _prepared(transformer: PreparedTable, table: RowTable) -> RowTable:
    """The preparation of the flagship, of rows as they come."""
    frame = list(table.names) if isinstance(table, FrameTable) else None
    node = prepared_tables(transformer.preparation, frame)(transformer.table)
    return NumberTable(node, max(len(transformer.preparation.origins_of(transformer.table)), 1))


_TRANSFORMERS: dict[type, Callable[[Any, RowTable], RowTable]] = {
    ColumnTransformer: _column_transformer,
    FrozenEstimator: lambda frozen, table: transformed(frozen.estimator, table),
    OneHotEncoder: _one_hot,
    Pipeline: _pipeline,
    PreparedTable: _prepared,
    SimpleImputer: _imputer,
    StandardScaler: _scaler,
}
