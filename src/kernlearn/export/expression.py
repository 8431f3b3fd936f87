"""Predictions of a fitted model as an expression of few operations on arrays.

Models are turned into expressions once; a writer for each format turns these into files. Operations
have the meaning that NumPy gives them, broadcasting included. Numbers are of double precision.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernlearn.typing import Array

FLOAT, INT, BOOL, TEXT = "float", "int", "bool", "text"
Operand: TypeAlias = "Node | NDArray[Any] | Sequence[float] | float"


@dataclass(frozen=True, eq=False)
class Node:
    """An operation, or a leaf: an input, a constant, an item or state of a loop."""

    op: str
    parts: tuple[Node, ...] = ()  # what it is computed from
    options: tuple[object, ...] = ()  # plain values, by which two operations of one name differ
    kind: str = FLOAT
    array: Array | None = None  # of a constant
    body: tuple[Node, ...] = ()  # of a loop: its states after one pass
    # Two nodes of one key compute the same.
    key: bytes = field(init=False, repr=False)
    # Whether it depends on items or states of a loop.
    is_inner: bool = field(init=False, repr=False)

    def __post_init__(self) -> None:
        digest = hashlib.sha256(repr((self.op, self.options, self.kind)).encode())
        if self.array is not None:
            digest.update(repr((self.array.dtype.str, self.array.shape)).encode())
            digest.update(np.ascontiguousarray(self.array).tobytes())
        for part in (*self.parts, *self.body):
            digest.update(part.key)
        object.__setattr__(self, "key", digest.digest())
        is_inner = self.op in ("item", "state") or any(part.is_inner for part in self.parts)
        object.__setattr__(self, "is_inner", is_inner)

    def __add__(self, other: Operand) -> Node:
        return Node("add", (self, node_of(other)), kind=self.kind)

    def __sub__(self, other: Operand) -> Node:
        return Node("subtract", (self, node_of(other)), kind=self.kind)

    def __mul__(self, other: Operand) -> Node:
        return Node("multiply", (self, node_of(other)), kind=self.kind)

    def __truediv__(self, other: Operand) -> Node:
        return Node("divide", (self, node_of(other)))

    def __matmul__(self, other: Operand) -> Node:
        return Node("matmul", (self, node_of(other)))

    def __pow__(self, exponent: float) -> Node:
        return Node("power", (self, node_of(float(exponent))))

    def __gt__(self, other: Operand) -> Node:
        return Node("greater", (self, node_of(other)), kind=BOOL)

    def __neg__(self) -> Node:
        return Node("negative", (self,))

    __radd__, __rmul__ = __add__, __mul__
    # Lets ``array * node`` reach ``__rmul__`` instead of becoming an object array.
    __array_ufunc__ = None


def node_of(value: Operand) -> Node:
    """A constant, unless it is an expression."""
    return value if isinstance(value, Node) else constant(value)


def constant(value: NDArray[Any] | Sequence[object] | float) -> Node:
    """Numbers, whole numbers, truth values or text."""
    array = np.asarray(value)
    if array.dtype.kind == "f":
        return Node("constant", array=array.astype(np.float64))
    if array.dtype.kind in "iu":
        return Node("constant", kind=INT, array=array.astype(np.int64))
    if array.dtype.kind == "b":
        return Node("constant", kind=BOOL, array=array)
    return Node("constant", kind=TEXT, array=array.astype(str))


def table_input(name: str, width: int, place: tuple[str, ...]) -> Node:
    """A table of numbers, NaN where missing, of shape (n, width); `place` is where rows have it."""
    return Node("input", options=(name, width, place, None))


def column_input(
    name: str, place: tuple[str | int, ...], is_text: bool, notation: str | None = None
) -> Node:
    """A column of shape (n, 1): numbers, NaN where missing, or text, empty where missing.

    `notation` is how rows write the numbers, if they may be text.
    """
    return Node("input", options=(name, None, place, notation), kind=TEXT if is_text else FLOAT)


def with_remark(node: Node, words: str) -> Node:
    """The same, with a remark for the readers of code."""
    return Node("note", (node,), (words,), node.kind)


def exp(x: Node) -> Node:
    """The exponential."""
    return Node("exp", (x,))


def log(x: Node) -> Node:
    """The natural logarithm."""
    return Node("log", (x,))


def square_root(x: Node) -> Node:
    """The square root."""
    return Node("sqrt", (x,))


def absolute(x: Node) -> Node:
    """The absolute value."""
    return Node("abs", (x,))


def larger(x: Operand, y: Operand) -> Node:
    """The larger of two numbers."""
    return Node("maximum", (node_of(x), node_of(y)))


def smaller(x: Operand, y: Operand) -> Node:
    """The smaller of two numbers."""
    return Node("minimum", (node_of(x), node_of(y)))


def where(condition: Node, x: Operand, y: Operand) -> Node:
    """One of two values, by a condition."""
    chosen = node_of(x)
    return Node("where", (condition, chosen, node_of(y)), kind=chosen.kind)


def is_missing(x: Node) -> Node:
    """Whether numbers are NaN."""
    return Node("isnan", (x,), kind=BOOL)


def equals(x: Node, y: Operand) -> Node:
    """Whether two numbers are equal."""
    return Node("equal", (x, node_of(y)), kind=BOOL)


def as_float(x: Node) -> Node:
    """Zeros and ones from truth values, or numbers from whole ones."""
    return Node("as_float", (x,))


def as_int(x: Node) -> Node:
    """The same as whole numbers."""
    return Node("as_int", (x,), kind=INT)


def in_single(x: Node) -> Node:
    """Numbers rounded to single precision."""
    return Node("single", (x,))


def total(x: Node, axis: int, keep: bool = False) -> Node:
    """The sum along an axis."""
    return Node("sum", (x,), (axis, keep))


def largest(x: Node, axis: int, keep: bool = False) -> Node:
    """The maximum along an axis."""
    return Node("max", (x,), (axis, keep))


def place_of_largest(x: Node, axis: int) -> Node:
    """The first place of the maximum along an axis."""
    return Node("argmax", (x,), (axis,), INT)


def transposed(x: Node) -> Node:
    """The transpose of a matrix."""
    return Node("transpose", (x,), kind=x.kind)


def reshaped(x: Node, *shape: int) -> Node:
    """Another shape; −1 for the length that is left."""
    return Node("reshape", (x,), shape, x.kind)


def joined(parts: Sequence[Node], axis: int) -> Node:
    """Arrays one after the other along an axis."""
    if len(parts) == 1:
        return parts[0]
    return Node("concatenate", tuple(parts), (axis,), parts[0].kind)


def take(x: Operand, places: Operand, axis: int = 0) -> Node:
    """The entries at some places of an axis."""
    source = node_of(x)
    return Node("take", (source, node_of(places)), (axis,), source.kind)


def take_along_rows(x: Node, places: Node) -> Node:
    """For every row, the entries at places of its own."""
    return Node("take_along", (x, places), kind=x.kind)


def filled(like: Node, shape: Sequence[int], value: float | int) -> Node:
    """An array of one value, with as many rows as `like` and the shape after them."""
    kind = INT if isinstance(value, int) else FLOAT
    return Node("full", (like,), (tuple(shape), value), kind)


def rows_where(condition: Node) -> Node:
    """The numbers of the rows where a condition of shape (n,) holds."""
    return Node("nonzero", (condition,), kind=INT)


def with_rows(x: Node, places: Node, rows: Node) -> Node:
    """The same with some rows in place of those at `places`."""
    return Node("put_rows", (x, places, rows))


def head(x: Node, like: Node) -> Node:
    """The first rows, as many as another array has."""
    return Node("head", (x, like))


def tail(x: Node, like: Node) -> Node:
    """The rows after as many as another array has."""
    return Node("tail", (x, like))


def level_codes(cells: Node, levels: Sequence[str]) -> Node:
    """For text of shape (n, 1) the number of each level, that of all others last, of shape (n,)."""
    known = constant(np.array(list(levels), dtype=str))
    return Node("level_codes", (cells, known), kind=INT)


def interpolated(x: Node, places: Array, values: Array) -> Node:
    """The function that is linear between increasing places, and constant beyond them."""
    return Node("interpolate", (x, constant(places), constant(values)))


def loop(
    sequences: Sequence[Operand],
    states: Sequence[Node],
    body: Callable[[Sequence[Node], Sequence[Node]], Sequence[Node]],
) -> list[Node]:
    """The states after `body` was applied to the items of all sequences, one of each at a time.

    Items are taken along the first axis. `body` is given items and states, and returns the states
    that follow. Loops are not nested.
    """
    parts = [node_of(each) for each in sequences]
    items = [Node("item", options=(i,), kind=each.kind) for i, each in enumerate(parts)]
    before = [Node("state", options=(i,), kind=each.kind) for i, each in enumerate(states)]
    after = tuple(body(items, before))
    whole = Node("loop", (*parts, *states), (len(parts), len(states)), body=after)
    return [Node("result", (whole,), (i,), kind=each.kind) for i, each in enumerate(states)]


def logistic(x: Node) -> Node:
    """The sigmoid 1 / (1 + exp(−x))."""
    return node_of(1.0) / (exp(-x) + 1.0)


def log_logistic(x: Node) -> Node:
    """The logarithm of 1 / (1 + exp(−x)), which does not overflow."""
    return smaller(x, 0.0) - log(exp(-absolute(x)) + 1.0)


def softmax(x: Node) -> Node:
    """Probabilities of the columns of values whose largest is zero."""
    powers = exp(x)
    return powers / total(powers, 1, keep=True)
