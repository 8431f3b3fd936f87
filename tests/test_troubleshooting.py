"""The page on troubleshooting names every status and every warning."""

import ast
from pathlib import Path

import pytest

from kernlearn.runtime.status import Status

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "reference" / "troubleshooting.md").read_text("utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| `")]
WORDS = [row.split('"')[1] for row in ROWS if row.count('"') >= 2 and "Warning`" in row]


@pytest.fixture(scope="module")
def warning_files(syntax):
    marks = ("warnings.warn", "Warning(")
    return {
        path: tree
        for path, tree in syntax.items()
        if any(mark in path.read_text("utf-8") for mark in marks)
    }


def _warning_classes(files):
    for tree in files.values():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name.endswith("Warning"):
                yield node.name


def _messages(files):
    """The fixed words of every message that is passed to ``warnings.warn`` as it stands."""
    for path, tree in files.items():
        for node in ast.walk(tree):
            is_warn = isinstance(node, ast.Call) and ast.unparse(node.func) == "warnings.warn"
            if is_warn and not isinstance(node.args[0], ast.Name):
                parts = ast.walk(node.args[0])
                words = [part.value for part in parts if isinstance(part, ast.Constant)]
                yield f"{path.name}:{node.lineno}", " ".join(str(word) for word in words)


@pytest.mark.parametrize("name", sorted({s.name.removesuffix("_AT_CHANCE") for s in Status}))
def test_every_status_has_a_row(name):
    assert any(row.startswith(f"| `{name}` |") for row in ROWS)


def test_what_the_page_says_of_chance_is_true():
    have = {s.name.removesuffix("_AT_CHANCE") for s in Status if s.is_at_chance}
    assert {s.name for s in Status if not s.is_at_chance} - have == {"TRIVIAL", "NO_SOLUTION"}
    assert "Only `TRIVIAL` and `NO_SOLUTION` have no such sibling." in PAGE


def test_every_class_of_warnings_has_a_row(warning_files):
    named = {row.split("`")[1] for row in ROWS}
    classes = set(_warning_classes(warning_files))
    assert classes
    assert classes <= named


def test_every_message_has_a_row(warning_files):
    messages = [found for found in _messages(warning_files) if found[1].strip("; ")]
    assert messages
    for place, message in messages:
        assert any(words in message for words in WORDS), (
            f"{place}: {message!r} has no row in docs/reference/troubleshooting.md"
        )
