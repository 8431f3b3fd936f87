"""What keeps the library easy to find one's way in, counted over its source."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from kernlearn import typing

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "kernlearn"


@pytest.fixture(scope="module")
def files():
    return {path: path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}


@pytest.fixture(scope="module")
def tests(syntax_of_tests):
    """The syntax trees of all tests, by their places."""
    return {path.relative_to(TESTS): tree for path, tree in syntax_of_tests.items()}


@pytest.fixture(scope="module")
def classes(syntax):
    return [
        (path.relative_to(SOURCE).as_posix(), node)
        for path, tree in syntax.items()
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    ]


def test_no_two_classes_share_a_name(classes):
    names = Counter(node.name for _, node in classes)
    assert [name for name, count in names.items() if count > 1] == []


def test_no_class_has_more_than_fifteen_methods(classes):
    def methods(node):
        return [each for each in node.body if isinstance(each, ast.FunctionDef)]

    assert [(path, node.name) for path, node in classes if len(methods(node)) > 15] == []


def test_names_of_types_are_defined_once(syntax):
    assigned = [
        (path.relative_to(SOURCE).as_posix(), name.id)
        for path, tree in syntax.items()
        for node in tree.body
        for name in getattr(node, "targets", [getattr(node, "target", None)])
        if isinstance(name, ast.Name) and name.id in typing.__all__
    ]
    assert {path for path, _ in assigned} == {"typing.py"}


def test_no_file_is_longer_than_400_lines(files):
    assert [path.name for path, text in files.items() if text.count("\n") > 400] == []


def test_no_function_is_longer_than_60_lines(syntax):
    """Docstrings apart, which say what a user reads."""
    functions = [
        (path.relative_to(SOURCE).as_posix(), node)
        for path, tree in syntax.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    ]
    assert [(path, node.name) for path, node in functions if _lines(node) > 60] == []


def test_few_annotations_are_any(files):
    """Where scikit-learn and others have no types; the number may only fall."""
    lines = [line for text in files.values() for line in text.splitlines()]
    assert sum(bool(re.search(r": Any\b", line)) for line in lines) < 90


def test_no_test_patches_a_constant(tests):
    """What a test has to change is a field of the options of an algorithm, and passed in."""
    patched = []
    for path, tree in tests.items():
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "setattr":
                names = [str(each.value) for each in call.args if isinstance(each, ast.Constant)]
                if any(re.fullmatch(r"(.*\.)?_?[A-Z][A-Z0-9_]+", name) for name in names[:1]):
                    patched.append(f"{path}:{call.lineno} {names[0]}")
    assert patched == []


def test_no_test_imports_a_private_name(tests):
    """A function that deserves a test of its own has a name without an underscore."""
    private = []
    for path, tree in tests.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("kernlearn"):
                place = SOURCE.parent.joinpath(*node.module.split("."))
                private += [
                    f"{path}: {each.name}"
                    for each in node.names
                    if re.match("_[^_]", each.name) and not list(place.glob(f"{each.name}*"))
                ]
    assert private == []


def _lines(function):
    documented = function.body[0] if ast.get_docstring(function) else None
    inside = function.end_lineno - function.lineno + 1
    return inside - (documented.end_lineno - documented.lineno + 1 if documented else 0)
