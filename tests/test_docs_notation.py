"""Every line of the papers has a file, a name and a test, and all of them exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "reference"
WHERE = (PAGES / "papers_line_by_line.md").read_text("utf-8")
PAGE = (PAGES / "notation.md").read_text("utf-8") + WHERE
ROWS = re.findall(r"^\| (.+?) \| `(\S+\.py)` \| `(\S+)` \| `(\S+\.py)` \|$", WHERE, re.MULTILINE)
# How many numbered equations each paper has.
NUMBERED = {"Lanckriet": 64, "Ong": 32, "Cawley": 6, "Kondor": 12}


def defined(tree):
    """Names at the top of a file, and the methods of its classes as Class.method."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
            if isinstance(node, ast.ClassDef):
                for part in node.body:
                    if isinstance(part, ast.FunctionDef):
                        yield f"{node.name}.{part.name}"
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        yield from (target.id for target in targets if isinstance(target, ast.Name))


@pytest.mark.parametrize(("statement", "file", "name", "test"), ROWS)
def test_every_file_and_name_exists(statement, file, name, test, syntax):
    assert (ROOT / "tests" / test).is_file(), f"{statement}: there is no {test}"
    path = ROOT / "src" / "kernlearn" / file
    assert path in syntax, f"{statement}: there is no {file}"
    assert name in set(defined(syntax[path])), f"{statement}: {file} has no {name}"


def test_every_row_names_a_file_or_says_that_nothing_is_computed():
    rows = [line for line in WHERE.splitlines() if line.startswith("| ")]
    headers = [line for line in rows if line.startswith("| in the paper")]
    missing = [line for line in rows if line.endswith("| – | not computed | – |")]
    assert len(rows) == len(headers) + len(missing) + len(ROWS)


@pytest.mark.parametrize(("paper", "most"), NUMBERED.items())
def test_every_numbered_equation_has_a_row(paper, most):
    section = next(part for part in WHERE.split("\n## ")[1:] if part.startswith(paper))
    statements = " ".join(re.findall(r"^\| (.+?) \|", section, re.MULTILINE))
    found = set()
    for first, last in re.findall(r"\((\d+)\)(?:–\((\d+)\))?", statements):
        found |= set(range(int(first), int(last or first) + 1))
    assert found >= set(range(1, most + 1)), sorted(set(range(1, most + 1)) - found)


def test_every_class_and_attribute_of_the_page_exists(syntax):
    files = {}
    for path, tree in syntax.items():
        for name in defined(tree):
            files.setdefault(name, []).append(path)
    for name, part in set(re.findall(r"`(_?[A-Z]\w+)(?:\.(\w+))?", PAGE)):
        texts = [path.read_text("utf-8") for path in files.get(name, [])]
        assert texts, f"there is no {name}"
        if part:
            assert any(re.search(rf"\b{part}\b", text) for text in texts), f"{name}.{part}"
