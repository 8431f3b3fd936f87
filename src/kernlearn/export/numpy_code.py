"""Write a function as Python code that needs NumPy only."""

from __future__ import annotations

import base64
import re
import zlib
from collections import Counter
from pathlib import Path
from textwrap import wrap

import numpy as np
from sklearn.base import BaseEstimator

from kernlearn import __version__
from kernlearn.export.expression import TEXT, Node
from kernlearn.export.functions import PredictiveFunction, predictive_function
from kernlearn.export.numpy_template import CLASSIFIER, HEADER, READING, REGRESSOR, RUNNING
from kernlearn.runtime.atomic_files import atomic_file
from kernlearn.typing import Array

# An expression that is used once stays within another up to this length.
_SHORT = 60
# The same of the last statement of a loop.
_LINE = 80
# Arrays of so many numbers are written where they are used.
_FEW = 4
_INDENT = "    "


def to_numpy_code(model: BaseEstimator, path: str | Path) -> None:
    """Write a fitted model as one Python file that predicts with NumPy alone.

    The file has the functions ``predict(X)`` and, for classes, ``predict_proba(X)``. X is what the
    model takes: an array, a data frame or a dict of columns, a dict of sources. Preparation,
    members and calibration are part of it. Counts are those of exposure one; survival models have
    risks. Arrays are stored inside, as text. Nothing is pickled or executed from data.

    Parameters
    ----------
    model : estimator or kernlearn.bundle.ModelBundle
        A fitted estimator of tables of numbers and categories, or what :func:`kernlearn.load`
        makes of a model file of the command line.
    path : str or path
        The file to write, ending in ``.py``.

    Raises
    ------
    ValueError
        If a part of the model cannot be exported; the message names it, and what to do.

    See Also
    --------
    kernlearn.export.to_onnx : The same for runtimes of ONNX.
    kernlearn.save : Keep the model itself.

    Examples
    --------
    >>> import runpy, tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from kernlearn import KernelClassifier
    >>> from kernlearn.export import to_numpy_code
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelClassifier(["linear", "Gaussian"]).fit(X[::3], y[::3])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     to_numpy_code(model, Path(folder) / "iris.py")
    ...     code = runpy.run_path(str(Path(folder) / "iris.py"))
    >>> bool(np.allclose(code["predict_proba"](X), model.predict_proba(X), atol=1e-10))
    True
    """
    text = numpy_code(predictive_function(model))
    with atomic_file(path) as file:
        file.write(text.encode("utf-8"))


def numpy_code(function: PredictiveFunction) -> str:
    """The text of the file."""
    code = _Code(function)
    outputs = [code.value(node) for node in function.outputs.values()]
    title = f'"""Predictions of a {function.title}, written by kernlearn {__version__}."""'
    names = [code.input_names[node.key] for node in code.inputs]
    reads = "".join(f"        {_read(node)},\n" for node in code.inputs)
    body = "\n".join([*code.lines, f"{_INDENT}return {', '.join(outputs)},"])
    block = f"def _block({', '.join(names)}):\n{body}\n"
    tail = CLASSIFIER if function.classes is not None else REGRESSOR
    if function.classes is not None and "probabilities" not in function.outputs:
        tail = CLASSIFIER.partition("\n\n\ndef predict_proba")[0] + "\n"
    parts = [
        title,
        HEADER,
        tail,
        RUNNING.replace("READS", reads.rstrip("\n")),
        block,
        READING,
        *code.arrays(),
    ]
    return "\n\n".join(part.strip("\n") + "\n" for part in parts)


def _read(node: Node) -> str:
    _, width, place, notation = node.options
    if node.kind == TEXT:
        return f"_text(X, {place!r})"
    if width is not None:
        return f"_table(X, {place!r}, {width!r})"
    written = "" if notation is None else f", {notation!r}"
    return f"_numbers(X, {place!r}{written})"


class _Code:
    """Statements that compute nodes, each once."""

    def __init__(self, function: PredictiveFunction) -> None:
        self.lines: list[str] = []
        self.inputs = function.inputs
        self.uses = _uses(list(function.outputs.values()))
        self._names: dict[bytes, str] = {}  # of what was computed
        self._constants: dict[bytes, tuple[str, Array]] = {}
        self._indent, self._count = _INDENT, 0
        self.input_names = _input_names(self.inputs)
        self._names.update(self.input_names)

    def value(self, node: Node, longest: int = _SHORT) -> str:
        """An expression up to a length, or the name of the variable that holds it."""
        if node.key in self._names:
            return self._names[node.key]
        if node.op == "constant":
            return self._constant(node)
        if node.op == "note":
            return self._noted(node)
        if node.op == "loop":
            self._loop(node)
            return ""
        if node.op == "result":
            self.value(node.parts[0])
            return self._names[node.key]
        text = _written(node, [self.value(part) for part in node.parts])
        if self.uses[node.key] == 1 and len(text) <= longest:
            return text
        return self._stored(node, text)

    def arrays(self) -> list[str]:
        """The arrays, at the end of the file: functions look them up when they are called."""
        return [_array(name, array) for name, array in self._constants.values()]

    def _noted(self, node: Node) -> str:
        """The value of a node, with its remark before the statements."""
        before = len(self.lines)
        found = self.value(node.parts[0])
        if not re.fullmatch(r"\w+", found):
            found = self._stored(node, found)
        if len(self.lines) > before:
            self.lines.insert(before, f"{self._indent}# {node.options[0]}")
        self._names[node.key] = found
        return found

    def _stored(self, node: Node, text: str) -> str:
        name = self._fresh("v")
        self.lines.append(f"{self._indent}{name} = {_bare(text)}")
        self._names[node.key] = name
        return name

    def _constant(self, node: Node) -> str:
        array = node.array
        assert array is not None
        if array.ndim == 0:
            return _number(array.item())
        if array.ndim == 1 and array.dtype.kind != "U":
            text = f"np.array([{', '.join(_number(each) for each in array[:_FEW].tolist())}])"
            if array.size <= _FEW and len(text) <= _SHORT:
                return text
        if node.key not in self._constants:
            self._constants[node.key] = (f"A{len(self._constants) + 1}", array)
        return self._constants[node.key][0]

    def _loop(self, node: Node) -> None:
        n_sequences, n_states = node.options
        assert isinstance(n_sequences, int)
        assert isinstance(n_states, int)
        for each in node.body:
            self._hoist(each)
        sequences = [self.value(part) for part in node.parts[:n_sequences]]
        starts = [self.value(part) for part in node.parts[n_sequences:]]
        items = [self._fresh("a") for _ in sequences]
        states = [self._fresh("s") for _ in starts]
        before = dict(self._names)
        for state, start in zip(states, starts, strict=True):
            self.lines.append(f"{self._indent}{state} = {start}")
        over = sequences[0] if len(sequences) == 1 else f"zip({', '.join(sequences)})"
        self.lines.append(f"{self._indent}for {', '.join(items)} in {over}:")
        for op, names in (("item", items), ("state", states)):
            for i, name in enumerate(names):
                for kind in ("float", "int"):
                    self._names[Node(op, options=(i,), kind=kind).key] = name
        self._indent += _INDENT
        after = [_bare(self.value(each, _LINE)) for each in node.body]
        self.lines.append(f"{self._indent}{', '.join(states)} = {', '.join(after)}")
        self._indent = self._indent[: -len(_INDENT)]
        self._names = before
        for i, state in enumerate(states):
            for kind in ("float", "int"):
                key = Node("result", (node,), (i,), kind=kind).key
                self._names[key] = state
        self._names[node.key] = ""

    def _hoist(self, node: Node) -> None:
        """Compute what does not change from pass to pass before a loop."""
        if node.is_inner:
            for part in node.parts:
                self._hoist(part)
        elif node.op not in ("constant", "input") and node.key not in self._names:
            found = self.value(node)
            if not re.fullmatch(r"\w+", found):
                self._stored(node, found)

    def _fresh(self, letter: str) -> str:
        self._count += 1
        return f"{letter}{self._count}"


def _uses(outputs: list[Node]) -> Counter[bytes]:
    """Number of uses of each node."""
    found: Counter[bytes] = Counter(node.key for node in outputs)
    keys: set[bytes] = set()

    def visit(node: Node) -> None:
        if node.key in keys:
            return
        keys.add(node.key)
        for part in (*node.parts, *node.body):
            found[part.key] += 1
            visit(part)

    for node in outputs:
        visit(node)
    return found


def _input_names(inputs: list[Node]) -> dict[bytes, str]:
    """A variable for each input."""
    found: dict[bytes, str] = {}
    for number, node in enumerate(inputs):
        name = "x_" + re.sub(r"\W", "_", str(node.options[0]), flags=re.ASCII).lower()
        found[node.key] = f"{name}_{number}" if name in found.values() else name
    return found


_INFIX = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "matmul": "@",
    "power": "**",
    "greater": ">",
    "equal": "==",
}
_CALLS = {
    "exp": "np.exp",
    "log": "np.log",
    "sqrt": "np.sqrt",
    "abs": "np.abs",
    "maximum": "np.maximum",
    "minimum": "np.minimum",
    "where": "np.where",
    "isnan": "np.isnan",
    "nonzero": "np.flatnonzero",
    "level_codes": "_codes",
    "interpolate": "np.interp",
    "put_rows": "_with_rows",
}
_PATTERNS = {
    "negative": "(-{0})",
    "as_float": "{0}.astype(float)",
    "as_int": "{0}.astype(int)",
    "single": "{0}.astype(np.float32).astype(float)",
    "transpose": "{0}.T",
    "take_along": "np.take_along_axis({0}, {1}, axis=1)",
    "head": "{0}[: len({1})]",
    "tail": "{0}[len({1}) :]",
}


def _written(node: Node, parts: list[str]) -> str:
    """The expression of an operation."""
    op, options = node.op, node.options
    if op in _INFIX:
        return f"({parts[0]} {_INFIX[op]} {parts[1]})"
    if op in _CALLS:
        return f"{_CALLS[op]}({', '.join(parts)})"
    if op in _PATTERNS:
        return _PATTERNS[op].format(*parts)
    if op in ("sum", "max"):
        return f"{parts[0]}.{op}(axis={options[0]}{', keepdims=True' * bool(options[1])})"
    if op == "argmax":
        return f"{parts[0]}.argmax(axis={options[0]})"
    if op == "reshape":
        return f"{parts[0]}.reshape({', '.join(map(str, options))})"
    if op == "concatenate":
        return f"np.concatenate([{', '.join(parts)}], axis={options[0]})"
    if op == "take":
        return f"np.take({parts[0]}, {parts[1]}, axis={options[0]})"
    assert op == "full"
    shape, value = options
    assert isinstance(shape, tuple)
    return f"np.full((len({parts[0]}), {', '.join(map(str, shape))}), {value!r})"


def _number(value: object) -> str:
    """A literal."""
    if isinstance(value, float) and not np.isfinite(value):
        return "np.nan" if value != value else "np.inf" if value > 0 else "(-np.inf)"
    return f"({value!r})" if isinstance(value, float | int) and value < 0 else repr(value)


def _array(name: str, array: Array) -> str:
    """A statement that makes an array."""
    if array.dtype.kind == "U":
        return f"{name} = np.array({array.tolist()!r})"
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    text = base64.b64encode(zlib.compress(little.tobytes(), 9)).decode("ascii")
    lines = "\n".join(wrap(text, 98))
    return f'{name} = _array("{little.dtype.str}", {array.shape!r}, """\n{lines}\n""")'


def _bare(text: str) -> str:
    """An expression without parentheses around the whole."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return text[1:-1] if place == len(text) - 1 and text[0] == "(" else text
    return text
