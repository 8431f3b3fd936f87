"""Plain objects that take the place of what skops cannot write."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from kernlearn.runtime.optional import load_networkx, load_pandas
from kernlearn.runtime.status import Status
from kernlearn.typing import PandasFrame, PandasIndex, PandasSeries, Targets

ENUMS: dict[str, type[Enum]] = {Status.__name__: Status}


@dataclass(frozen=True)
class EnumMember:
    """A member by its name, so that its sentence may be reworded without breaking old files."""

    kind: str
    member: str

    @classmethod
    def of(cls, value: Enum) -> EnumMember:
        """The stand-in of a member."""
        return cls(type(value).__name__, value.name)

    def restored(self) -> Enum:
        """The member; only members of our own enumerations exist here."""
        return ENUMS[self.kind][self.member]


@dataclass(frozen=True, eq=False)
class Pairs:
    """A dictionary whose keys are not text: JSON would turn them into text."""

    keys: list[Hashable]
    values: list[object]

    def restored(self) -> dict[Hashable, object]:
        """The dictionary."""
        return dict(zip(self.keys, self.values, strict=True))


@dataclass(frozen=True, eq=False)
class Frame:
    """A data frame as arrays: one for all columns where they are of one type, else one each."""

    columns: list[Hashable]
    dtypes: list[str]
    values: Targets | list[Targets]
    index: Targets | None

    @classmethod
    def of(cls, frame: PandasFrame) -> Frame:
        """The stand-in of a data frame."""
        kinds = set(frame.dtypes)
        one = next(iter(kinds)) if len(kinds) == 1 else None
        if isinstance(one, np.dtype) and one.kind in "biuf":
            # One array keeps its order in memory, and with it every bit of a product.
            values: Targets | list[Targets] = frame.to_numpy()
        else:
            values = [_array(frame.iloc[:, j]) for j in range(frame.shape[1])]
        is_range = type(frame.index).__name__ == "RangeIndex" and frame.index.equals(
            type(frame.index)(len(frame))
        )
        index = None if is_range else _array(frame.index)
        return cls(frame.columns.tolist(), [str(kind) for kind in frame.dtypes], values, index)

    def restored(self) -> PandasFrame:
        """The data frame."""
        pd = load_pandas("a model that holds a data frame")
        if isinstance(self.values, np.ndarray):
            frame = pd.DataFrame(self.values)
        else:
            series = zip(self.values, self.dtypes, strict=True)
            frame = pd.DataFrame({j: pd.Series(v, dtype=t) for j, (v, t) in enumerate(series)})
        frame.columns = pd.Index(self.columns)
        if self.index is not None:
            frame.index = pd.Index(self.index)
        return frame


NETWORKS = ("Graph", "DiGraph", "MultiGraph", "MultiDiGraph")


@dataclass(frozen=True, eq=False)
class Network:
    """A graph of networkx: its nodes and edges with their attributes, in order."""

    kind: str
    nodes: list[Any]
    edges: list[Any]

    @classmethod
    def of(cls, graph: Any) -> Network:
        """The stand-in of a graph."""
        return cls(type(graph).__name__, list(graph.nodes(data=True)), list(graph.edges(data=True)))

    def restored(self) -> Any:
        """The graph; only networkx's own four kinds exist here."""
        networkx = load_networkx("a model that holds graphs of networkx")
        graph = getattr(networkx, self.kind if self.kind in NETWORKS else "Graph")()
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from(self.edges)
        return graph


def _array(column: PandasSeries | PandasIndex) -> Targets:
    if isinstance(column.dtype, np.dtype):
        return np.asarray(column.to_numpy())
    # Categories and the text types of pandas, missing cells as None.
    return np.array([None if missing else value for value, missing in _cells(column)], dtype=object)


def _cells(column: PandasSeries | PandasIndex) -> Iterator[tuple[object, bool]]:
    return zip(column.tolist(), column.isna().tolist(), strict=True)
