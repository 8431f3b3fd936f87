"""What keeps the library easy to find one's way in, counted over its source."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "kernlearn"
FILES = {path: path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}
CLASSES = [
    (path.relative_to(SOURCE).as_posix(), node)
    for path, text in FILES.items()
    for node in ast.parse(text).body
    if isinstance(node, ast.ClassDef)
]


def test_no_two_classes_share_a_name():
    names = Counter(node.name for _, node in CLASSES)
    assert [name for name, count in names.items() if count > 1] == []


def test_no_class_has_more_than_fifteen_methods():
    def methods(node):
        return [each for each in node.body if isinstance(each, ast.FunctionDef)]

    assert [(path, node.name) for path, node in CLASSES if len(methods(node)) > 15] == []


def test_no_file_is_longer_than_400_lines():
    assert [path.name for path, text in FILES.items() if text.count("\n") > 400] == []


def test_few_annotations_are_any():
    """Where scikit-learn and others have no types; the number may only fall."""
    assert sum(": Any" in line for text in FILES.values() for line in text.splitlines()) < 150
