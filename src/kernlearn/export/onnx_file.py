"""Write a function as an ONNX file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from kernlearn import __version__
from kernlearn.export.expression import BOOL, FLOAT, INT, TEXT, Node
from kernlearn.export.functions import PredictiveFunction, predictive_function
from kernlearn.runtime.atomic_files import atomic_file
from kernlearn.runtime.optional import Module, load_onnx
from kernlearn.typing import Array

# Versions of the operators and of the file, which runtimes read since 2023.
_OPSETS, _IR_VERSION = {"": 18, "ai.onnx.ml": 3}, 9


def to_onnx(model: BaseEstimator, path: str | Path) -> None:
    """Write a fitted model as one ONNX file that predicts from rows as they come.

    Preparation, members and calibration are part of the file. A model of an array has one input
    ``X`` of shape (n, n_features). A model of a data frame has an input of shape (n, 1) for each
    column that it uses, of the column's name: numbers are of double precision, NaN where missing;
    categories are strings, empty where missing; dates are days since 1970. Sources are inputs by
    their names, and columns of a data frame among them by both, as in ``"clinic: age"``. Columns
    without names are ``"x0"``, ``"x1"`` and so on. Classifiers have the outputs ``label`` and
    ``probabilities``, novelty detectors ``label`` and ``decision``, all others ``prediction``:
    numbers, counts of exposure one, or risks of survival models. Everything is computed in double
    precision.

    Parameters
    ----------
    model : estimator or kernlearn.bundle.ModelBundle
        A fitted estimator of tables of numbers and categories, or what :func:`kernlearn.load`
        makes of a model file of the command line.
    path : str or path
        The file to write, ending in ``.onnx``.

    Raises
    ------
    ImportError
        Without the package onnx, of the extra ``onnx``.
    ValueError
        If a part of the model cannot be exported; the message names it, and what to do.

    See Also
    --------
    kernlearn.export.to_numpy_code : The same as Python code.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from kernlearn import KernelClassifier
    >>> from kernlearn.export import to_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelClassifier(["linear", "Gaussian"]).fit(X[::3], y[::3])
    >>> with tempfile.TemporaryDirectory() as folder:  # doctest: +SKIP
    ...     to_onnx(model, Path(folder) / "iris.onnx")
    """
    onnx = load_onnx("writing an ONNX file")
    content = onnx_model(predictive_function(model), onnx).SerializeToString()
    with atomic_file(path) as file:
        file.write(content)


def onnx_model(function: PredictiveFunction, onnx: Module) -> Any:
    """The model that the file holds."""
    names = [str(node.options[0]) for node in function.inputs]
    _check_input_names(names, list(function.outputs))
    graph = _Graph(onnx, names)
    inputs = [graph.input(node) for node in function.inputs]
    outputs = []
    for name, node in function.outputs.items():
        graph.add("Identity", [graph.value(node)], name)
        shape = ["n", function.widths[name]] if name in function.widths else ["n"]
        outputs.append(onnx.helper.make_tensor_value_info(name, graph.types[node.kind], shape))
    made = onnx.helper.make_graph(
        graph.nodes, function.title, inputs, outputs, list(graph.constants.values())
    )
    sets = [onnx.helper.make_opsetid(name, number) for name, number in _OPSETS.items()]
    model = onnx.helper.make_model(
        made,
        opset_imports=sets,
        ir_version=_IR_VERSION,
        producer_name="kernlearn",
        producer_version=__version__,
        doc_string=f"Predictions of a {function.title}.",
    )
    if function.classes is not None:
        classes = json.dumps([str(each) for each in function.classes.tolist()])
        onnx.helper.set_model_props(model, {"classes": classes})
    onnx.checker.check_model(model)
    return model


def _check_input_names(names: Sequence[str], outputs: Sequence[str]) -> None:
    """Refuse names that ONNX could not tell from no name, or from an output."""
    for name in names:
        if not name or name in outputs:
            taken = f", and none of the outputs {', '.join(outputs)}" if name else ""
            raise ValueError(
                f"expected inputs of ONNX to have names{taken}, got a column {name!r}; rename it "
                "before the fit, or write Python code by kernlearn.export.to_numpy_code"
            )


class _Graph:
    """Nodes of ONNX, in the order in which they are computed."""

    def __init__(self, onnx: Module, inputs: Sequence[str]) -> None:
        self.onnx = onnx
        self._inputs = list(inputs)
        kinds = onnx.TensorProto
        self.types = {
            FLOAT: kinds.DOUBLE,
            INT: kinds.INT64,
            BOOL: kinds.BOOL,
            TEXT: kinds.STRING,
        }
        self.nodes: list[Any] = []
        self.constants: dict[bytes, Any] = {}
        self._names: dict[bytes, str] = {}
        self._count = 0

    def input(self, node: Node) -> Any:
        """A named input of the whole model."""
        name, width = node.options[:2]
        self._names[node.key] = str(name)
        shape = ["n", 1 if width is None else width]
        return self.onnx.helper.make_tensor_value_info(str(name), self.types[node.kind], shape)

    def add(
        self, op: str, parts: Sequence[str], output: str | None = None, **options: object
    ) -> str:
        """An operation; the name of its result."""
        name = self._fresh() if output is None else output
        self.nodes.append(self.onnx.helper.make_node(op, list(parts), [name], **options))
        return name

    def array(self, array: Array) -> str:
        """The name of a constant."""
        node = Node("constant", array=array)
        if node.key not in self.constants:
            name = self._fresh("constant")
            values = array.astype(object) if array.dtype.kind == "U" else array
            self.constants[node.key] = self.onnx.numpy_helper.from_array(values, name)
        return str(self.constants[node.key].name)

    def value(self, node: Node) -> str:
        """The name of the value that a node computes."""
        if node.key not in self._names:
            self._names[node.key] = self._computed(node)
        return self._names[node.key]

    def _computed(self, node: Node) -> str:
        if node.op == "constant":
            assert node.array is not None
            return self.array(node.array)
        if node.op == "note":
            return self.value(node.parts[0])
        if node.op == "loop":
            return self._loop(node)
        if node.op == "result":
            loop = node.parts[0]
            return f"{self.value(loop)}_{node.options[0]}"
        argument_nodes = node.parts[: _PARTS.get(node.op)]
        parts = [self.value(part) for part in argument_nodes]
        if node.op in _SAME:
            return self.add(_SAME[node.op], parts)
        return str(_SPECIAL[node.op](self, node, parts))

    def _loop(self, node: Node) -> str:
        """A scan over the first axis of its sequences."""
        n_sequences, n_states = node.options
        assert isinstance(n_sequences, int)
        assert isinstance(n_states, int)
        for each in node.body:
            self._hoist(each)
        sequences = [self.value(part) for part in node.parts[:n_sequences]]
        starts = [self.value(part) for part in node.parts[n_sequences:]]
        outer, before = self.nodes, dict(self._names)
        self.nodes = []
        info = self.onnx.helper.make_tensor_value_info
        inputs = []
        for op, these in (
            ("state", node.parts[n_sequences:]),
            ("item", node.parts[:n_sequences]),
        ):
            for i, part in enumerate(these):
                name = self._fresh()
                self._names[Node(op, options=(i,), kind=part.kind).key] = name
                inputs.append(info(name, self.types[part.kind], None))
        outputs = []
        for each in node.body:
            name = self.add("Identity", [self.value(each)])
            outputs.append(info(name, self.types[each.kind], None))
        body = self.onnx.helper.make_graph(self.nodes, "pass", inputs, outputs)
        self.nodes, self._names = outer, before
        name = self._fresh()
        results = [f"{name}_{i}" for i in range(n_states)]
        self.nodes.append(
            self.onnx.helper.make_node(
                "Scan", [*starts, *sequences], results, num_scan_inputs=n_sequences, body=body
            )
        )
        return name

    def _hoist(self, node: Node) -> None:
        """Compute what does not change from pass to pass before a loop."""
        if not node.is_inner:
            self.value(node)
        for part in node.parts if node.is_inner else ():
            self._hoist(part)

    def _fresh(self, stem: str = "value") -> str:
        """A name that neither an input nor another value has."""
        self._count += 1
        name = f"{stem}_{self._count}"
        is_taken = any(f"{each}_".startswith(f"{name}_") for each in self._inputs)
        return self._fresh(stem) if is_taken else name


# Number of parts of operations whose other parts are options.
_PARTS = {"level_codes": 1, "interpolate": 1}
_SAME = {
    "add": "Add",
    "subtract": "Sub",
    "multiply": "Mul",
    "divide": "Div",
    "matmul": "Gemm",  # runtimes fuse factors into MatMul, as numbers of single precision
    "power": "Pow",
    "negative": "Neg",
    "greater": "Greater",
    "equal": "Equal",
    "exp": "Exp",
    "log": "Log",
    "sqrt": "Sqrt",
    "abs": "Abs",
    "maximum": "Max",
    "minimum": "Min",
    "where": "Where",
    "isnan": "IsNaN",
    "transpose": "Transpose",
}


def _cast(graph: _Graph, node: Node, parts: list[str]) -> str:
    return graph.add("Cast", parts, to=graph.types[node.kind])


def _single(graph: _Graph, node: Node, parts: list[str]) -> str:
    rounded = graph.add("Cast", parts, to=graph.onnx.TensorProto.FLOAT)
    return graph.add("Cast", [rounded], to=graph.onnx.TensorProto.DOUBLE)


def _reduced(op: str) -> Any:
    def made(graph: _Graph, node: Node, parts: list[str]) -> str:
        axis, keep = node.options
        return graph.add(op, [*parts, graph.array(np.array([axis]))], keepdims=int(bool(keep)))

    return made


def _argmax(graph: _Graph, node: Node, parts: list[str]) -> str:
    return graph.add("ArgMax", parts, axis=node.options[0], keepdims=0)


def _reshaped(graph: _Graph, node: Node, parts: list[str]) -> str:
    return graph.add("Reshape", [*parts, graph.array(np.array(node.options, dtype=np.int64))])


def _concatenated(graph: _Graph, node: Node, parts: list[str]) -> str:
    return graph.add("Concat", parts, axis=node.options[0])


def _taken(graph: _Graph, node: Node, parts: list[str]) -> str:
    return graph.add("Gather", parts, axis=node.options[0])


def _taken_along(graph: _Graph, node: Node, parts: list[str]) -> str:
    return graph.add("GatherElements", parts, axis=1)


def _n_rows(graph: _Graph, table: str) -> str:
    return graph.add("Shape", [table], start=0, end=1)


def _full(graph: _Graph, node: Node, parts: list[str]) -> str:
    shape, value = node.options
    whole = graph.add(
        "Concat",
        [_n_rows(graph, parts[0]), graph.array(np.array(shape, dtype=np.int64))],
        axis=0,
    )
    tensor = graph.onnx.numpy_helper.from_array(np.array([value]))
    return graph.add("ConstantOfShape", [whole], value=tensor)


def _nonzero(graph: _Graph, node: Node, parts: list[str]) -> str:
    return graph.add("Squeeze", [graph.add("NonZero", parts), graph.array(np.array([0]))])


def _with_rows(graph: _Graph, node: Node, parts: list[str]) -> str:
    table, places, rows = parts
    column = graph.add("Unsqueeze", [places, graph.array(np.array([1]))])
    return graph.add("ScatterND", [table, column, rows])


def _head(graph: _Graph, node: Node, parts: list[str]) -> str:
    return graph.add("Slice", [parts[0], graph.array(np.array([0])), _n_rows(graph, parts[1])])


def _tail(graph: _Graph, node: Node, parts: list[str]) -> str:
    end = graph.array(np.array([np.iinfo(np.int64).max]))
    return graph.add("Slice", [parts[0], _n_rows(graph, parts[1]), end])


def _level_codes(graph: _Graph, node: Node, parts: list[str]) -> str:
    levels = node.parts[1].array
    assert levels is not None
    if len(levels) == 0:  # the operator takes one level at least
        levels = np.array(["\0"])
    codes = graph.add(
        "LabelEncoder",
        parts,
        domain="ai.onnx.ml",
        keys_strings=[str(level) for level in levels],
        values_int64s=list(range(len(levels))),
        default_int64=int(node.parts[1].array.size),  # type: ignore[union-attr]
    )
    return graph.add("Reshape", [codes, graph.array(np.array([-1]))])


def _interpolated(graph: _Graph, node: Node, parts: list[str]) -> str:
    """Find the interval of each number by counting the ends below it."""
    places, values = (part.array for part in node.parts[1:])
    assert places is not None
    assert values is not None
    low, high = (graph.array(np.array(end)) for end in (places[0], places[-1]))
    x = graph.add("Min", [graph.add("Max", [parts[0], low]), high])
    is_above = graph.add("Greater", [x, graph.array(places[1:-1])])
    counted = graph.add("Cast", [is_above], to=graph.types[INT])
    interval = graph.add("ReduceSum", [counted, graph.array(np.array([1]))], keepdims=1)
    slopes = np.diff(values) / np.diff(places)
    found = [
        graph.add("Gather", [graph.array(each), interval]) for each in (slopes, places, values)
    ]
    risen = graph.add("Mul", [found[0], graph.add("Sub", [x, found[1]])])
    return graph.add("Add", [risen, found[2]])


_SPECIAL = {
    "as_float": _cast,
    "as_int": _cast,
    "single": _single,
    "sum": _reduced("ReduceSum"),
    "max": _reduced("ReduceMax"),
    "argmax": _argmax,
    "reshape": _reshaped,
    "concatenate": _concatenated,
    "take": _taken,
    "take_along": _taken_along,
    "full": _full,
    "nonzero": _nonzero,
    "put_rows": _with_rows,
    "head": _head,
    "tail": _tail,
    "level_codes": _level_codes,
    "interpolate": _interpolated,
}
