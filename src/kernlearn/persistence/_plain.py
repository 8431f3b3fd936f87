"""Between a model and what skops can write: stand-ins in, stand-ins out."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from kernlearn.estimators.inputs.stopping import StoppingParameters
from kernlearn.persistence._stand_ins import ENUMS, NETWORKS, EnumMember, Frame, Network, Pairs


def with_stand_ins(value: Any) -> Any:
    """A copy of a model in which stand-ins take the place of what skops cannot write.

    Arrays are shared, not copied; the model itself is not changed.
    """
    return _Walk(_stand_in).visit(value)


def without_stand_ins(value: Any) -> Any:
    """The model again."""
    return _Walk(_original).visit(value)


def _stand_in(value: Any) -> Any:
    if isinstance(value, Enum) and ENUMS.get(type(value).__name__) is type(value):
        return EnumMember.of(value)
    if _is_frame(value):
        return Frame.of(value)
    if _is_network(value):
        return Network.of(value)
    if type(value) is dict and not all(type(key) is str for key in value):
        return Pairs(list(value), list(value.values()))
    return value


def _original(value: Any) -> Any:
    return value.restored() if isinstance(value, EnumMember | Frame | Network | Pairs) else value


def _is_frame(value: Any) -> bool:
    return type(value).__name__ == "DataFrame" and type(value).__module__.split(".")[0] == "pandas"


def _is_network(value: Any) -> bool:
    kind = type(value)
    return kind.__module__.split(".")[0] == "networkx" and kind.__name__ in NETWORKS


class _Walk:
    """Visits every part of a model once, so that what was shared stays shared."""

    def __init__(self, replace: Callable[[Any], Any]) -> None:
        self._replace = replace
        # The value is kept beside its copy: an id is good only while its object lives.
        self._done: dict[int, tuple[Any, Any]] = {}

    def visit(self, value: Any) -> Any:
        if id(value) not in self._done:
            self._done[id(value)] = (value, self._copied(value))
        return self._done[id(value)][1]

    def _copied(self, value: Any) -> Any:
        # The parts of a dictionary first, so that what is inside Pairs is walked either way.
        if type(value) is dict:
            return self._replace({key: self.visit(part) for key, part in value.items()})
        if type(value) in (list, tuple):
            return type(value)(self.visit(part) for part in value)
        if type(value) is np.ndarray and value.dtype == object:
            return self._copied_array(value)
        if isinstance(value, Pairs):
            return self._replace(Pairs(self.visit(value.keys), self.visit(value.values)))
        replaced = self._replace(value)
        if replaced is value and _has_parts(value):
            return self._copied_object(value)
        return replaced

    def _copied_array(self, value: Any) -> Any:
        copy = np.empty_like(value)
        for place, part in np.ndenumerate(value):
            copy[place] = self.visit(part)
        return copy

    def _copied_object(self, value: Any) -> Any:
        copy = object.__new__(type(value))
        parts = dict(vars(value))
        if isinstance(value, StoppingParameters) and "callback" in parts:
            parts["callback"] = None  # a function has no safe form, and a fitted model needs none
        copy.__dict__.update({name: self.visit(part) for name, part in parts.items()})
        return copy


def _has_parts(value: Any) -> bool:
    """Whether a value is an estimator, a kernel or another plain object of the two libraries."""
    ours = type(value).__module__.startswith("kernlearn.")
    is_plain = isinstance(value, BaseEstimator) or ours
    return is_plain and hasattr(value, "__dict__") and not isinstance(value, type | Enum)
