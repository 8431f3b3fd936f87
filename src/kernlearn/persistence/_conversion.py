"""Between a model and what skops can write: stand-ins in, stand-ins out."""

from __future__ import annotations

from enum import Enum

import numpy as np
from sklearn.base import BaseEstimator

from kernlearn.estimators.inputs.stopping import StoppingParameters
from kernlearn.estimators.mkl.options import CombinationOptions
from kernlearn.persistence._stand_ins import ENUMS, NETWORKS, EnumMember, Frame, Network, Pairs
from kernlearn.persistence.registry import NAMES, stand_in_type
from kernlearn.typing import Things


def with_stand_ins(value: object) -> object:
    """A copy of a model in which stand-ins take the place of what skops cannot write.

    Arrays are shared, not copied; the model itself is not changed.
    """
    return _Writing().visit(value)


def without_stand_ins(value: object) -> object:
    """The model again."""
    return _Reading().visit(value)


def _is_frame(value: object) -> bool:
    return type(value).__name__ == "DataFrame" and type(value).__module__.split(".")[0] == "pandas"


def _is_network(value: object) -> bool:
    kind = type(value)
    return kind.__module__.split(".")[0] == "networkx" and kind.__name__ in NETWORKS


class _Walk:
    """Copies every part of a model once, so that what was shared stays shared."""

    def __init__(self) -> None:
        # The value is kept beside its copy: an id is good only while its object lives.
        self._done: dict[int, tuple[object, object]] = {}

    def visit(self, value: object) -> object:
        if id(value) not in self._done:
            self._done[id(value)] = (value, self._converted(value))
        return self._done[id(value)][1]

    def _converted(self, value: object) -> object:
        raise NotImplementedError

    def _type_of_copy(self, kind: type) -> type:
        return kind

    def _copied(self, value: object) -> object:
        if type(value) is dict:
            return {key: self.visit(part) for key, part in value.items()}
        if type(value) is list:
            return [self.visit(part) for part in value]
        if type(value) is tuple:
            return tuple(self.visit(part) for part in value)
        if type(value) is np.ndarray and value.dtype == object:
            copy: Things = np.empty_like(value)
            for place, part in np.ndenumerate(value):
                copy[place] = self.visit(part)
            return copy
        return self._copied_object(value) if _has_parts(value) else value

    def _copied_object(self, value: object) -> object:
        copy: object = object.__new__(self._type_of_copy(type(value)))
        parts = dict(vars(value))
        if isinstance(value, StoppingParameters | CombinationOptions) and "callback" in parts:
            parts["callback"] = None  # a function has no safe form, and a fitted model needs none
        copy.__dict__.update({name: self.visit(part) for name, part in parts.items()})
        return copy


class _Writing(_Walk):
    def _converted(self, value: object) -> object:
        return self._copied(_stand_in(value))

    def _type_of_copy(self, kind: type) -> type:
        return stand_in_type(kind)


class _Reading(_Walk):
    def _converted(self, value: object) -> object:
        copy = self._copied(value)
        return copy.restored() if isinstance(copy, EnumMember | Frame | Network | Pairs) else copy


def _stand_in(value: object) -> object:
    if isinstance(value, Enum) and ENUMS.get(type(value).__name__) is type(value):
        return EnumMember.of(value)
    if _is_frame(value):
        return Frame.of(value)
    if _is_network(value):
        return Network.of(value)
    if type(value) is dict and not all(type(key) is str for key in value):
        return Pairs(list(value), list(value.values()))
    return value


def _has_parts(value: object) -> bool:
    """Whether a value is an estimator, a kernel or another plain object of the two libraries."""
    is_plain = isinstance(value, BaseEstimator) or type(value) in NAMES
    return is_plain and hasattr(value, "__dict__") and not isinstance(value, type | Enum)
