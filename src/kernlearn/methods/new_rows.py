"""New rows beside those that a model was fitted to: which are outside, and what has drifted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import betabinom, chi2_contingency, fisher_exact, ks_2samp

from kernlearn.bundle import ModelBundle
from kernlearn.estimators.mixture.preparation.outside_rows import distances_beyond_range
from kernlearn.inspection._learned_distance import LearnedDistance
from kernlearn.runtime.optional import load_pandas
from kernlearn.runtime.phrases import counted, listed, p_in_words
from kernlearn.tables import Column, columns_used
from kernlearn.typing import Array, Indices, Json, PandasFrame, Targets

# Share of rows like those of the fit that are called outside, and level of the tests of columns.
LEVEL = 0.01
# Distance beyond either end of the range of the fit, in units of the range.
FAR = 1.0
# Levels of a category with fewer cells are counted together.
FEWEST_CELLS = 10
# Rows, and columns, that a sentence lists.
SHOWN = 5
FEWEST_ROWS = 20


@dataclass(eq=False)
class NewRows:
    r"""Looks at new rows, block by block.

    A row is outside if it is farther from its nearest training row, by the distance of the learned
    kernel, than training rows are from theirs. With n training rows z, and the distance
    :math:`d_i` of each from the nearest other one, a row with distance d is outside if

    .. math:: \frac{1 + |\{i : d_i \ge d\}|}{n + 1} \le \max(0.01, 1 / (n + 1))

    so that of rows like the training rows one in a hundred is outside.
    """

    bundle: ModelBundle
    most_rows: int = 5000
    """Rows of a new table that the tests of columns use, at most."""
    n_rows: int = 0
    outside: list[int] = field(default_factory=list)
    """Numbers of the rows that are outside, from 0."""
    far: dict[str, tuple[int, int, float]] = field(default_factory=dict)
    """For each column: number of cells far out of range, row of the first, and its value."""
    _kept: list[PandasFrame] = field(default_factory=list)
    _keys: list[Array] = field(default_factory=list)
    _random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    @cached_property
    def columns(self) -> list[Column]:
        """The columns of the table that the model was fitted to."""
        return [Column(**column) for column in self.bundle.facts["columns"]]

    def add(self, rows: PandasFrame) -> NDArray[np.bool_] | None:
        """Add typed rows, and return which are outside; None if there is no distance."""
        self._note_far_cells(rows)
        keys = self._random.random(len(rows))
        self._kept.append(rows)
        self._keys.append(keys)
        if sum(map(len, self._keys)) > 2 * self.most_rows:
            self._thin()
        found = None
        if self._reference is not None:
            distance, tables, own = self._reference
            squares = distance.between(distance.prepare(rows), tables).min(axis=1)
            n_beyond = len(own) - np.searchsorted(own, squares, side="left")
            found = 1 + n_beyond <= self._n_extreme
            self.outside += (self.n_rows + np.flatnonzero(found)).tolist()
        self.n_rows += len(rows)
        return found

    @cached_property
    def _reference(self) -> tuple[LearnedDistance, dict[str, Any], Array] | None:
        """The distance, the training rows, and the distance of each from the nearest other one."""
        sample = self.bundle.sample_X
        is_matrix = bool(columns_used(self.columns, "row number"))
        if sample is None or len(sample) < FEWEST_ROWS or is_matrix:
            return None
        distance = LearnedDistance.of(self.bundle.pipeline)
        if distance is None:
            return None
        tables = distance.prepare(sample)
        squares = distance.between(tables, tables)
        np.fill_diagonal(squares, np.inf)
        return distance, tables, np.sort(squares.min(axis=1))

    @property
    def _n_extreme(self) -> int:
        """Number of the n + 1 distances, of training rows and a new one, that are outside."""
        return max(1, int(LEVEL * (len(self.bundle.sample_X) + 1)))

    def _note_far_cells(self, rows: PandasFrame) -> None:
        for name, (low, high) in (self.bundle.facts.get("ranges") or {}).items():
            cells = np.asarray(rows[name], dtype=float)
            beyond = distances_beyond_range(cells[:, None], np.array([low]), np.array([high]))[:, 0]
            is_far = np.flatnonzero(beyond > FAR)
            if len(is_far):
                first = (self.n_rows + int(is_far[0]), float(cells[is_far[0]]))
                n, *known = self.far.get(name, (0, *first))
                self.far[name] = (n + len(is_far), *known)  # type: ignore[assignment]

    def _thin(self) -> None:
        """Keep the rows of the smallest keys: a random sample of all so far."""
        pd = load_pandas("predicting")
        keys = np.concatenate(self._keys)
        chosen = np.sort(np.argsort(keys, kind="stable")[: self.most_rows])
        self._kept = [pd.concat(self._kept, ignore_index=True).iloc[chosen]]
        self._keys = [keys[chosen]]

    def facts(self) -> Json:
        """JSON values: ``outside``, ``far_cells``, ``drifted`` and ``sentences``."""
        found: Json = {
            "outside": self._outside_facts(),
            "far_cells": self._far_facts(),
            "drifted": self._drifted(),
        }
        return {**found, "sentences": _sentences(found)}

    def _outside_facts(self) -> Json | None:
        """Number of rows outside, the share expected by chance, and the p-value."""
        if self._reference is None or self.n_rows == 0:
            return None
        n, k = len(self.bundle.sample_X), self._n_extreme
        # Rows of a group are near to each other, so more rows of new groups are outside.
        has_groups = any(column.kind == "group" for column in self.columns)
        p = float(betabinom.sf(len(self.outside) - 1, self.n_rows, k, n + 1 - k))
        return {
            "rows": len(self.outside),
            "share": len(self.outside) / self.n_rows,
            "expected_share": k / (n + 1),
            "p_value": None if has_groups else p,
            "first": [row + 1 for row in self.outside[:SHOWN]],
        }

    def _far_facts(self) -> list[Json]:
        ranges = self.bundle.facts.get("ranges") or {}
        dates = set(columns_used(self.columns, "date"))
        return [
            {
                "column": name,
                "cells": n,
                "row": row + 1,
                "value": _shown(value, name in dates),
                "low": _shown(ranges[name][0], name in dates),
                "high": _shown(ranges[name][1], name in dates),
            }
            for name, (n, row, value) in self.far.items()
        ]

    def _drifted(self) -> list[Json]:
        """Columns that differ from those of the fit, by two-sample tests with Holm's correction."""
        before = self.bundle.sample_X
        if not self._kept or before is None or min(len(before), self.n_rows) < FEWEST_ROWS:
            return []
        self._thin()
        after = self._kept[0]
        tested = [
            _two_samples(name, before[name].to_numpy(), after[name].to_numpy(), is_category)
            for is_category, kinds in ((False, ("number", "date")), (True, ("category",)))
            for name in columns_used(self.columns, *kinds)
        ]
        tested.sort(key=lambda entry: float(entry["p_value"]))
        found = []
        for place, entry in enumerate(tested):  # Holm: until the first that is not significant
            if entry["p_value"] * (len(tested) - place) >= LEVEL:
                break
            found.append(entry)
        return found


def _two_samples(name: str, before: Targets, after: Targets, is_category: bool) -> Json:
    """A test that two samples of a column are alike, its missing cells among them."""
    if is_category:
        p, change = _categories(before.astype(str), after.astype(str))
        return {"column": name, "test": "chi-squared", "p_value": p, "change": change}
    gaps = [np.isnan(np.asarray(cells, dtype=float)) for cells in (before, after)]
    known = [np.asarray(c, dtype=float)[~gap] for c, gap in zip((before, after), gaps, strict=True)]
    p_gaps = float(fisher_exact([[gap.sum(), (~gap).sum()] for gap in gaps]).pvalue)
    p = 1.0
    if min(map(len, known)) >= FEWEST_ROWS:
        p = float(ks_2samp(*known).pvalue)
    change = f"missing in {gaps[1].mean():.0%} of the cells, was {gaps[0].mean():.0%}"
    if p <= p_gaps:
        change = f"median {np.median(known[1]):.4g}, was {np.median(known[0]):.4g}" if p < 1 else ""
    # Two tests of one column: each counts twice.
    both = min(1.0, 2.0 * min(p, p_gaps)) if any(gap.any() for gap in gaps) else p
    return {"column": name, "test": "Kolmogorov-Smirnov", "p_value": both, "change": change}


def _categories(before: Targets, after: Targets) -> tuple[float, str]:
    levels, codes = np.unique(np.concatenate([before, after]), return_inverse=True)
    is_new = np.arange(len(codes.reshape(-1))) >= len(before)
    counts = np.array(
        [np.bincount(codes.reshape(-1)[is_new == new], minlength=len(levels)) for new in (0, 1)]
    )
    frequent = counts.sum(axis=0) >= FEWEST_CELLS
    rest = counts[:, ~frequent].sum(axis=1, keepdims=True)
    table = np.hstack([counts[:, frequent], rest])
    table = table[:, table.sum(axis=0) > 0]
    if table.shape[1] < 2:
        return 1.0, ""
    shares = counts / counts.sum(axis=1, keepdims=True)
    most = int(np.argmax(np.abs(shares[1] - shares[0])))
    change = f"{str(levels[most]) or 'empty'!r} in {shares[1, most]:.0%}, was {shares[0, most]:.0%}"
    return float(chi2_contingency(table).pvalue), change


def _shown(value: float, is_date: bool) -> float | str:
    """A number, or a day."""
    return str(np.datetime64(round(value), "D")) if is_date else value


def _sentences(found: Json) -> list[str]:
    sentences = []
    outside = found["outside"]
    if outside is not None and outside["rows"]:
        p = outside["p_value"]
        many = p is not None and p < LEVEL
        chance = f"{outside['expected_share']:.1%} are expected by chance"
        more = f"; that is more than chance gives ({p_in_words(p)})" if many else ""
        rows = listed([str(row) for row in outside["first"]], SHOWN)
        rest = outside["rows"] - len(outside["first"])
        rows += f" and {rest} more" if rest > 0 else ""
        sentences.append(
            f"Farther from the training rows than these are from each other, by the learned "
            f"kernel: {counted(outside['rows'], 'row')} ({outside['share']:.1%}; {chance}{more}): "
            f"{'row' if outside['rows'] == 1 else 'rows'} {rows}."
        )
    sentences += [
        f"Far out of the range of the fit, {_plain(e['low'])} to {_plain(e['high'])}: "
        f"{counted(e['cells'], 'cell')} of column {e['column']!r}, the first "
        f"{_plain(e['value'])} in row {e['row']}; if it stands for a missing cell, leave it empty."
        for e in found["far_cells"][:SHOWN]
    ]
    drifted = [
        f"{e['column']} ({e['change']}; {p_in_words(e['p_value'])})" for e in found["drifted"]
    ]
    if drifted:
        sentences.append(
            f"Columns that differ from those of the fit: {listed(drifted, SHOWN)}. Scores of the "
            "fit may not hold here."
        )
    return sentences


def _plain(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"


def number_ranges(X: PandasFrame, columns: Sequence[Column], rows: Indices) -> Json:
    """Least and largest cells of columns of numbers and dates."""
    found: Json = {}
    for name in columns_used(columns, "number", "date"):
        cells = np.asarray(X[name], dtype=float)[rows]
        if not np.isnan(cells).all():
            found[name] = [float(np.nanmin(cells)), float(np.nanmax(cells))]
    return found
